"""Splits: by date, without overlap, never with an empty part."""

import numpy as np
import pytest

from tvgp.study.data import splits
from tvgp.study.data.field import Field


def daily(days: int, first: str = "2021-01-01") -> Field:
    time = np.datetime64(first) + np.arange(days)
    value = np.arange(2.0 * days).reshape(days, 2)
    attrs = {"units": "ppb", "coordinates": "km"}
    return Field(value, time, np.array(["a", "b"]), np.array([40.0, 41]), np.array([-74.0, -73]), attrs)


@pytest.mark.parametrize(("fraction", "days", "expected"), [(0.2, 751, 150), (0.3333, 1095, 365)])
def test_fraction_cuts_at_the_nearest_time(fraction, days, expected):
    train, test = splits.split(daily(days), train_fraction=fraction)
    assert (len(train.time), len(test.time)) == (expected, days - expected)
    assert train.time[-1] < test.time[0]


def test_months_and_days_are_included_whole():
    train, test = splits.split(daily(90), train=["2021-01", "2021-02"], test=["2021-03-02", "2021"])
    assert str(train.time[-1]) == "2021-02-28" and str(test.time[0]) == "2021-03-02"
    assert len(test.time) == 90 - 31 - 28 - 1


def test_without_test_dates_the_rest_tests():
    train, test = splits.split(daily(40), train=["2021-01-11", "2021-01-20"])
    assert (len(train.time), len(test.time)) == (10, 20)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({}, "either"),
        ({"train_fraction": 0.5, "train": ["2021", "2021"]}, "either"),
        ({"train_fraction": 0.001}, "training part has no value"),
        ({"train_fraction": 0.999}, "test part has no value"),
        ({"train_fraction": 1.5}, "between 0 and 1"),
        ({"train": ["2021-01-20", "2021-01-02"]}, "does not start before it ends"),
        ({"train": ["soon", "later"]}, "not a pair of dates"),
        ({"train": ["2021-01-01", "2021-01-20T23:00"]}, "each a day, a month or a year"),
        ({"train": ["NaT", "2021-01-20"]}, "each a day, a month or a year"),
        ({"train": ["2021", "2021"]}, "test part has no value"),
        (
            {"train": ["2021-01-01", "2021-01-20"], "test": ["2021-01-20", "2021"]},
            "must start after",
        ),
        ({"train": ["2025", "2026"]}, "training part has no value"),
    ],
)
def test_bad_choices_are_one_line(choice, message):
    with pytest.raises(ValueError, match=message) as error:
        splits.split(daily(40), **choice)
    assert "\n" not in str(error.value)
