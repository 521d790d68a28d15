"""Checks of collected results: they pass on real runs and find every kind of fault."""

import numpy as np
import pytest
from example_jobs import FIT, SINE, run_job

from tvgp.study.collect import checks
from tvgp.study.run import blocks
from tvgp.study.run.world import World


def _values(blocks):
    """The arrays of a collected file with one alpha."""
    names = ("arm", "reward", "regret", "expert_queries", "places")
    return {name: np.stack([getattr(b, name) for b in blocks])[:, None] for name in names} | {
        "policy": np.array(["uniform", "sparq", "oracle"], dtype=object),
        "algorithm": np.array(["uniform", "sparq_gp_ucb", "oracle"], dtype=object),
        "alpha": np.array(["1"], dtype=object),
        "seed": blocks[0].seeds,
    }


@pytest.fixture
def collected():
    jobs = [run_job("uniform", "uniform"), run_job("sparq_gp_ucb", "sparq"), run_job("oracle", "oracle")]
    return _values([blocks.run_block(job, World.open(SINE), [1, 2], FIT) for job in jobs])


def _check(values):
    return checks.check(
        values,
        {"experiment": "rkhs_sine", "data": "synthetic"},
        World.open(SINE),
    )


def test_checks_pass_on_real_runs(collected):
    report = _check(collected)
    assert report["runs"] == 6 and report["oracle rounds without regret"] == 30


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("regret", lambda v: np.nan, "regret is NaN: policy sparq, alpha 1, seed 2, round 8"),
        ("regret", lambda v: -1.0, "regret is negative: policy sparq"),
        ("regret", lambda v: v + 1e-6, "regret differs from its recomputation: policy sparq"),
        ("reward", lambda v: v + 1e-6, "reward differs from the common draws: policy sparq"),
        ("arm", lambda v: (v + 7) % 51, "regret differs from its recomputation: policy sparq"),
        ("expert_queries", lambda v: -1, "negative number of queries: policy sparq"),
        ("expert_queries", lambda v: 52, "more queries than available arms: policy sparq"),
        ("places", lambda v: 0, "places are not 1 to 1 more than the queries: policy sparq"),
        ("places", lambda v: v + 30, "places are not 1 to 1 more than the queries: policy sparq"),
    ],
)
def test_checks_find_what_is_wrong(collected, name, change, message):
    collected[name][1, 0, 1, 7] = change(collected[name][1, 0, 1, 7])
    with pytest.raises(ValueError, match=message):
        _check(collected)
