"""The measured exponent of regret."""

import numpy as np
import pytest

from tvgp.study.results.statistics import Estimate, growth_of_totals


def exponent(regret: np.ndarray, rng: np.random.Generator) -> Estimate:
    """Over the last decade of regret r_t, (runs, T), at horizons evenly spaced in log T."""
    horizon = regret.shape[1]
    at = np.unique(np.geomspace(horizon / 10, horizon, 21).round().astype(int))
    return growth_of_totals(np.cumsum(regret, axis=1)[:, at - 1], at, rng)


@pytest.mark.parametrize("power", [0.5, 0.75, 1.0])
def test_power_laws_are_recovered(power):
    t = np.arange(1.0, 10_001)
    regret = np.diff(t**power, prepend=0.0)
    estimate = exponent(np.outer([1.0, 2.0, 5.0], regret), np.random.default_rng(0))
    assert estimate.mean == pytest.approx(power, abs=1e-12)
    # runs that differ by a factor only have one exponent
    assert estimate.low == pytest.approx(power) and estimate.high == pytest.approx(power)
    assert estimate.runs == 3


def test_interval_covers_the_truth():
    """Exponents drawn around .6: in 200 repeats of 30 runs the 95 % interval covers 85 % or more.

    The percentile bootstrap covers about 93 %; fewer than 170 of 200 has probability below 1e-4.
    """
    t, rng, hits = np.arange(1.0, 1001), np.random.default_rng(1), 0
    shape = np.diff(t**0.6, prepend=0.0)
    truth = exponent(shape[None] + 0.5 / 1000, rng).mean
    for _ in range(200):
        regret = shape + rng.exponential(0.5, (30, 1)) / 1000
        estimate = exponent(regret, rng)
        hits += estimate.low <= truth <= estimate.high
    assert hits >= 170


def test_one_run_and_no_regret():
    rng = np.random.default_rng(0)
    one = exponent(np.ones((1, 200)), rng)
    assert one.mean == pytest.approx(1.0) and np.isnan([one.low, one.high]).all()
    assert np.isnan(exponent(np.zeros((3, 200)), rng).mean)


@pytest.mark.parametrize(("shape", "at"), [((5,), [10, 100]), ((3, 1), [100]), ((3, 2), [10, 50, 100])])
def test_totals_match_their_horizons(shape, at):
    with pytest.raises(ValueError, match="expected \\(runs, horizons\\) with two or more"):
        growth_of_totals(np.ones(shape), at, np.random.default_rng(0))
