"""Anomalies: the baseline comes from the training part alone and removes what it should."""

import numpy as np
import pytest

from tvgp.study.data import splits
from tvgp.study.data.field import Field

YEARS = {"train": ["2019", "2020"], "test": ["2021", "2021"]}


def seasonal(noise=0.5):
    """Three years of days at two sites with levels, seasons and noise of their own; gaps in one."""
    time = np.arange("2019-01-01", "2022-01-01", dtype="datetime64[D]")
    angle = 2 * np.pi * np.arange(len(time))[:, None] / 365.2425
    value = np.array([10.0, -5.0]) + np.array([8.0, 3.0]) * np.cos(angle - np.array([3.0, 3.5]))
    value += noise * np.random.default_rng(0).standard_normal(value.shape)
    value[5:9, 1] = np.nan
    attrs = {"units": "degC", "coordinates": "km", "frequency": "day"}
    return Field(value, time, np.array(["a", "b"]), np.array([40.0, 41]), np.array([-74.0, -73]), attrs)


@pytest.mark.parametrize(
    ("kind", "spread"), [("site_mean", (2.0, 6.0)), ("site_month", (0.4, 1.1)), ("harmonic", (0.4, 0.6))]
)
def test_the_baseline_is_removed_from_both_parts(kind, spread):
    train, test = splits.split(seasonal(), **YEARS, anomaly=kind)
    for part in (train, test):
        assert part.attrs["anomaly"] == kind and np.isnan(part.value).sum() == np.isnan(train.value).sum() * (
            part is train
        )
        np.testing.assert_allclose(np.nanmean(part.value, axis=0), 0.0, atol=0.1)
        assert all(spread[0] < sd < spread[1] for sd in np.nanstd(part.value, axis=0))
    np.testing.assert_allclose(np.nanmean(train.value, axis=0), 0.0, atol=1e-9)


def test_site_month_is_the_mean_of_each_month_by_hand():
    field = seasonal()
    train, test = splits.split(field, **YEARS, anomaly="site_month")
    month = field.time.astype("datetime64[M]").astype(int) % 12
    first = np.isin(field.time.astype("datetime64[Y]").astype(str), ["2019", "2020"])
    for m in range(12):
        mean = np.nanmean(field.value[first & (month == m)], axis=0)
        np.testing.assert_allclose(test.value[month[~first] == m], field.value[~first & (month == m)] - mean)


@pytest.mark.parametrize("kind", ["site_mean", "site_month", "harmonic"])
def test_nothing_leaks_from_the_test_part(kind):
    field, other = seasonal(), seasonal()
    other.value[800:] += 100.0
    (train, test), (same, raised) = (splits.split(f, **YEARS, anomaly=kind) for f in (field, other))
    np.testing.assert_array_equal(train.value, same.value)
    np.testing.assert_allclose(raised.value[69:], test.value[69:] + 100.0)


@pytest.mark.parametrize(
    ("kind", "train", "fault"),
    [
        ("season", ["2019", "2020"], "split: anomaly 'season' is not one of: site_mean"),
        ("site_month", ["2019-01", "2019-06"], "site a has no training value in calendar month 7"),
        ("harmonic", ["2019-01", "2019-06"], "training spans 180 days, at least 330"),
    ],
)
def test_a_baseline_that_training_cannot_give_is_refused(kind, train, fault):
    with pytest.raises(ValueError, match=fault):
        splits.split(seasonal(), train=train, anomaly=kind)
    field = seasonal()
    field.value[:800, 1] = np.nan
    with pytest.raises(ValueError, match="site b has"):
        splits.split(field, **YEARS, anomaly="harmonic")
