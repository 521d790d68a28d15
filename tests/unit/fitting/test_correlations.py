"""Plain correlations by lag: those of numpy without gaps, and pairs alone with them."""

import numpy as np
import pytest

from tvgp.fitting import lag_correlations


def test_they_are_those_of_numpy_for_a_long_series():
    rng = np.random.default_rng(1)
    y = np.zeros(20_000)
    for t in range(1, len(y)):
        y[t] = 0.8 * y[t - 1] + rng.normal()
    found = lag_correlations(y[:, None], np.arange(len(y)), 3)
    np.testing.assert_allclose(found, [np.corrcoef(y[:-lag], y[lag:])[0, 1] for lag in (1, 2, 3)], atol=1e-3)
    assert found[0] == pytest.approx(0.8, abs=0.02)  # five standard errors
    short = lag_correlations(np.array([[1.0], [2.0], [6.0], [-3.0]]), np.arange(4), 2)  # mean 1.5
    expected = [(-0.25 + 2.25 - 20.25) / np.sqrt(20.75 * 40.75), (-2.25 - 2.25) / np.sqrt(0.5 * 40.5)]
    np.testing.assert_allclose(short, expected)


def test_levels_of_sites_units_and_gaps_do_not_count():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(400, 3)).cumsum(axis=0)
    times = np.arange(400)
    plain = lag_correlations(values, times, 5)
    np.testing.assert_allclose(lag_correlations(7.0 * values + [1.0, 50.0, -9.0], times, 5), plain)
    kept = np.sort(rng.choice(400, 300, replace=False))
    with_gaps = values.copy()
    with_gaps[np.setdiff1d(times, kept)] = np.nan
    np.testing.assert_allclose(  # rounds that are left out, or without a value
        lag_correlations(values[kept], kept, 5)[:3], lag_correlations(with_gaps, times, 5)[:3]
    )


def test_a_long_pause_takes_no_memory():
    times = np.array([0, 1, 2, 10**14, 10**14 + 1, 10**14 + 2])
    y = np.array([[1.0], [2.0], [6.0], [-3.0], [1.0], [0.5]])
    a, b = y[[0, 1, 3, 4], 0] - y.mean(), y[[1, 2, 4, 5], 0] - y.mean()
    assert lag_correlations(y, times, 2)[0] == pytest.approx(a @ b / np.sqrt((a @ a) * (b @ b)))


def test_what_cannot_be_told_is_nan():
    assert np.isnan(lag_correlations(np.ones((4, 2)), np.arange(4), 2)).all()
    assert np.isnan(lag_correlations(np.array([[1.0], [2.0]]), np.array([0, 5]), 3)).all()


@pytest.mark.parametrize("gaps", [0.0, 0.4])
def test_an_autoregression_has_powers_of_its_correlation(gaps):
    """rho^lag, to four standard errors of 40 series of 4,000 values."""
    rng = np.random.default_rng(1)
    rho, value = 0.8, rng.normal(size=(4000, 40))
    for t in range(1, len(value)):
        value[t] = rho * value[t - 1] + np.sqrt(1 - rho**2) * value[t]
    value = 5 * value + np.arange(40)
    value[rng.random(value.shape) < gaps] = np.nan
    np.testing.assert_allclose(
        lag_correlations(value, np.arange(4000), 10, 20), rho ** np.arange(1, 11), atol=0.03
    )


def test_lags_with_few_pairs_and_beyond_the_record_are_nan():
    values = np.random.default_rng(2).normal(size=(15, 4))
    found = lag_correlations(values, np.arange(15), 30, 20)
    assert np.isfinite(found[:5]).all()
    assert np.isnan(found[14:]).all()
