"""Training and test part of a field, by date."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tvgp.study.data.anomalies import anomalies
from tvgp.study.data.field import Field

_DAY = np.timedelta64(1, "D")


def split(
    field: Field,
    train_fraction: float | None = None,
    train: Sequence[str] | None = None,
    test: Sequence[str] | None = None,
    anomaly: str | None = None,
) -> tuple[Field, Field]:
    """Split a field into a training and a test part without common times.

    train_fraction: the first round(train_fraction n) of the n times train, the rest test.
    train, test: [first, last] dates instead, both included ("2021-01-01" or "1975-09"); without
    `test`, all times after `train` test. anomaly: baseline that is subtracted from both parts, estimated
    on the training part (`tvgp.study.data.anomalies`), None for none. ValueError if a part is empty or
    has no value, if training does not end before testing, or unless exactly one of train_fraction and
    train is given.
    """
    dataset = field.attrs.get("dataset")
    where = f"{dataset}: split" if dataset else "split"
    if (train_fraction is None) == (train is None):
        raise ValueError(f"{where}: give either train_fraction or train dates, not both or neither")
    if train_fraction is not None:
        if test is not None:
            raise ValueError(f"{where}: test dates need train dates")
        if not 0 < train_fraction < 1:
            raise ValueError(f"{where}: train_fraction is {train_fraction}, must lie between 0 and 1")
        cut = round(train_fraction * len(field.time))
        train_rows, test_rows = slice(0, cut), slice(cut, len(field.time))
    elif train is not None:
        train_rows = _between(field.time, train, f"{where} train")
        if test is None:
            test_rows = slice(train_rows.stop, len(field.time))
        else:
            test_rows = _between(field.time, test, f"{where} test")
        if test_rows.start < train_rows.stop:
            raise ValueError(f"{where}: test {test} must start after train {train} ends")
    parts = []
    for name, rows in (("training", train_rows), ("test", test_rows)):
        part = field.during(rows)
        if not np.isfinite(part.value).any():
            span = f"{field.time[0]} to {field.time[-1]}" if len(field.time) else "no times"
            raise ValueError(f"{where}: the {name} part has no value; the field covers {span}")
        parts.append(part)
    if anomaly is None:
        return parts[0], parts[1]
    try:
        return anomalies(parts[0], parts[1], anomaly)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def period_bounds(period: Sequence[str], where: str) -> tuple[np.datetime64, np.datetime64]:
    """First and last day of a [first, last] pair; a month or a year counts in full.

    ValueError, naming `where`, for anything that is not two dates in order.
    """
    try:
        first, last = (np.datetime64(str(text)) for text in period)
        units: list[Any] = [np.datetime_data(date.dtype)[0] for date in (first, last)]  # of their texts
        if not {*units} <= {"Y", "M", "D"}:  # of a day up to 23:00 only the days before would be whole
            raise ValueError
        start = first.astype("datetime64[D]")
        end = (last + np.timedelta64(1, units[1])).astype("datetime64[D]") - _DAY
    except (TypeError, ValueError):
        raise ValueError(
            f"{where}: {period!r} is not a pair of dates [first, last], each a day, a month or a year"
        ) from None
    if end < start:
        raise ValueError(f"{where}: {list(period)} does not start before it ends")
    return start, end


def _between(time: np.ndarray, period: Sequence[str], name: str) -> slice:
    """Indices of the times within [first, last]."""
    first, last = period_bounds(period, name)
    start, stop = np.searchsorted(time, [first, last + _DAY])
    return slice(int(start), int(stop))
