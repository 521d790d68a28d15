"""Intervals of a share of runs, and the verdict on coverage that rests on them."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import binom

from tvgp.study.claims import judge
from tvgp.study.claims.measures.lower_bounds import covers_always
from tvgp.study.results.statistics import share_interval


@pytest.mark.parametrize(("held", "runs"), [(0, 7), (3, 9), (28, 30), (7, 7)])
def test_ends_are_those_of_exact_tests(held, runs):
    ours = share_interval(held, runs)
    assert ours.low <= ours.mean == held / runs <= ours.high
    if held:
        assert binom.sf(held - 1, runs, ours.low) == pytest.approx(0.025)
    if held < runs:
        assert binom.cdf(held, runs, ours.high) == pytest.approx(0.025)


@pytest.mark.parametrize(("held", "runs"), [(3, 2), (-1, 2), (0, 0)])
def test_impossible_counts_are_refused(held, runs):
    with pytest.raises(ValueError, match=f"share_interval: {held} of {runs} runs, expected 0 <= held"):
        share_interval(held, runs)


@pytest.mark.parametrize(
    ("held", "runs", "verdict"),
    [(4, 4, "inconclusive"), (80, 80, "confirmed"), (0, 4, "contradicted"), (3, 4, "inconclusive")],
)
def test_a_few_runs_without_a_miss_confirm_nothing(held, runs, verdict):
    everywhere = np.ones((1, runs, 5))
    everywhere[0, held:, 2] = 0.0
    data = xr.Dataset({"everywhere": (("part", "seed", "round"), everywhere)})
    found = covers_always(data.assign_coords(part=["gp_ucb"]), "gp_ucb", 0.95)
    assert judge.verdict(found.ours, found.claimed) == verdict
    assert f"{held} of {runs} runs" in found.note
