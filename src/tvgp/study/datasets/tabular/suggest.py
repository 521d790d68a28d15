"""A dataset's keys from its files: what `guess` reads off the files, tried on the loader itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tvgp.study.data.field import Field
from tvgp.study.data.splits import split
from tvgp.study.datasets import table
from tvgp.study.datasets.tabular import guess, guess_times, readings

MOST, HALF = 0.95, 0.5  # of the sites, kept; the half where no share keeps nearly every site
SHARES = (0.75, 0.5, 0.25, 0.1, 0.05)
COMPLETE_SHARES = (0.95, 0.9, 0.75)  # an empirical covariance fills gaps


def keys(values: Path, sites: Path | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of the loader `table` for these files. given: keys that the user has set, kept as they are.

    ValueError where the files do not tell, or the loader refuses them.
    """
    _parameters(given, latitude=None, longitude=None, x=None, y=None)  # refuses values that no file allows
    found: dict[str, Any] = {"values": values.name} | guess.values(values, given) | dict(given)
    read = readings.read([values], table.form(_parameters(found, sites=None), None), Counter())
    if sites is not None:
        found |= {"sites": sites.name} | guess.sites(sites, read.sites, found)
    if "missing" not in given and (missing := guess.markers(read)):
        found["missing"] = missing
    found.setdefault("step", guess_times.step(read.time, read.site))
    if "coverage" not in found:
        try:
            found["coverage"] = _coverage([path for path in (values, sites) if path], found)
        except table.SecondValue as error:
            raise ValueError(f"{error}{_kinds(values, found)}") from None
    defaults = table.Parameters()
    return {key: value for key, value in found.items() if value != getattr(defaults, key, object())}


def untrained(field: Field, indexed: bool, settings: Mapping[str, Any]) -> list[str]:
    """Sites whose training part is too short for what is estimated for each site: a baseline that is
    subtracted (`anomaly` in the split's settings), or, without positions (indexed), the covariance.

    ValueError, with what is wrong at the first of them, if they leave no two sites.
    """
    if not indexed and "anomaly" not in settings:
        return []
    train, _ = split(field, **{**settings, "anomaly": None})
    found: dict[str, str] = {}
    for column, site in enumerate(field.site):
        values = train.value[np.isfinite(train.value[:, column]), column]
        try:
            if indexed and (len(values) < 2 or np.ptp(values) == 0):
                raise ValueError(
                    f"site {site} has no two different training values, which its covariance needs"
                )
            split(field.at(slice(column, column + 1)), **settings)
        except ValueError as error:
            found[str(site)] = str(error)
    if found and len(field.site) - len(found) < 2:
        raise ValueError(
            f"{len(found)} of {len(field.site)} sites cannot be used: {next(iter(found.values()))}"
        )
    return list(found)


def _kinds(values: Path, found: Mapping[str, Any]) -> str:
    """Where columns that are not read may tell kinds of values apart, such as pollutants."""
    unread = ", ".join(map(repr, guess.unread(values, found)))
    said = f"; not read, and not the same in all lines of a site: {unread}: keep the lines of one kind"
    return said if unread else ""


def _coverage(paths: list[Path], found: Mapping[str, Any]) -> float:
    """The first of some shares at which nearly every site is kept, else half of them, two at least."""
    positioned = "latitude" in found or "x" in found
    every, _ = table.load(paths, _parameters(found, coverage=1e-9))
    share = np.isfinite(every.value).mean(axis=0)
    shares = SHARES if positioned else COMPLETE_SHARES
    least = [max(kept * len(share), 2) for kept in ((MOST,) if positioned else (MOST, HALF))]
    enough = (each for number in least for each in shares if (share >= each).sum() >= number)
    return next(enough, shares[-1])


def _parameters(found: Mapping[str, Any], **changed: Any) -> table.Parameters:
    known = table.Parameters.__dataclass_fields__
    return table.Parameters(**{key: value for key, value in {**found, **changed}.items() if key in known})
