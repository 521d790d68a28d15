"""The measured exponent of regret."""

import numpy as np
import pytest

from tvgp.study.results.statistics import Estimate, growth_values, mean_interval


def exponent(regret: np.ndarray) -> Estimate:
    """Over the last decade of regret r_t, (runs, T), at horizons evenly spaced in log T."""
    horizon = regret.shape[1]
    at = np.unique(np.geomspace(horizon / 10, horizon, 21).round().astype(int))
    return mean_interval(growth_values(np.cumsum(regret, axis=1)[:, at - 1], at))


@pytest.mark.parametrize("power", [0.5, 0.75, 1.0])
def test_power_laws_are_recovered(power):
    t = np.arange(1.0, 10_001)
    regret = np.diff(t**power, prepend=0.0)
    estimate = exponent(np.outer([1.0, 2.0, 5.0], regret))
    assert estimate.mean == pytest.approx(power, abs=1e-12)
    # runs that differ by a factor only have one exponent
    assert estimate.low == pytest.approx(power) and estimate.high == pytest.approx(power)
    assert estimate.runs == 3


def test_one_run_and_no_regret():
    one = exponent(np.ones((1, 200)))
    assert one.mean == pytest.approx(1.0) and np.isnan([one.low, one.high]).all()
    assert np.isnan(exponent(np.zeros((3, 200))).mean)


def test_a_runs_influence_on_the_slope_is_its_jackknife_change():
    """To first order, leaving out one of many runs moves the slope by its value over the others."""
    rng = np.random.default_rng(0)
    at = np.geomspace(10, 100, 5)
    totals = at**0.6 * rng.uniform(0.99, 1.01, (40, 5))
    values = growth_values(totals, at)
    slope = np.polyfit(np.log(at), np.log(totals.mean(axis=0)), 1)[0]
    assert values.mean() == pytest.approx(slope)
    for run in range(3):
        without = growth_values(np.delete(totals, run, axis=0), at).mean()
        assert slope - without == pytest.approx((values[run] - slope) / 39, rel=1e-3, abs=1e-7)


@pytest.mark.parametrize(("shape", "at"), [((5,), [10, 100]), ((3, 1), [100]), ((3, 2), [10, 50, 100])])
def test_totals_match_their_horizons(shape, at):
    with pytest.raises(ValueError, match="expected \\(runs, horizons\\) with two or more"):
        growth_values(np.ones(shape), at)
