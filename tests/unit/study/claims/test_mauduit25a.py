"""Fig. 1 of Mauduit25a, whose length-scale is not printed."""

import example_results
import numpy as np
import pytest

from tvgp.study.claims import judge, mauduit25a

# R_T / T as published, at the fitted length-scale and at 3
FITTED = {"sparq_gp_ucb": 0.157, "tv_gp_ucb": 0.413, "w_gp_ucb": 0.75, "r_gp_ucb": 1.31, "sw_gp_ucb": 1.303}
SHORT = {"sparq_gp_ucb": 1.344, "tv_gp_ucb": 0.287, "w_gp_ucb": 1.249, "r_gp_ucb": 1.265, "sw_gp_ucb": 1.279}


def _played(name, levels, gp_ucb):
    levels = levels | {"gp_ucb": gp_ucb}
    spread = np.linspace(0.999, 1.001, 5)[:, None] * np.ones((1, 500))
    regret = np.array(list(levels.values()))[:, None, None, None] * spread
    return example_results.of_regret(name, regret, list(levels), "").isel(alpha=0)


@pytest.mark.parametrize(
    ("claimed", "expected"),
    [
        ("W-GP-UCB: about 1.3", "depends on"),
        ("SW-GP-UCB: about 1.18", "depends on"),
        ("R-GP-UCB: about 1.34", "confirmed"),
        ("TV-GP-UCB: about 1.8", "contradicted"),
        ("SparQ has the least regret", "depends on"),
    ],
)
def test_fig_1_is_judged_at_both_length_scales(claimed, expected):
    """Readings that help a claim and those that do not, alike."""
    parts = {
        "moving_bump": _played("moving_bump", FITTED, 0.42),
        "moving_bump_short": _played("moving_bump_short", SHORT, 0.422),
    }
    (claim,) = (one for one in mauduit25a.CLAIMS if (one.item, one.claimed) == ("Fig. 1", claimed))
    verdict = judge.judge(claim, parts)[0]["claim_verdict"]
    assert judge.category(verdict) == expected
    assert ("length-scale" in verdict) == (expected == "depends on")
