"""Everything learnt beside everything given: runs as by hand, ranks, table and figure."""

import numpy as np
import pytest

from tvgp import kernels
from tvgp.study import analyses, figures, tables
from tvgp.study.analyses.base import problems
from tvgp.study.results import nothing_given, presentation

FEW = {"horizon": 20, "methods": ["gp_ucb", "tv_gp_ucb", "w_dbo"], "widths": ["printed", 1]}
PARTS = {"drift": {"problem": "drift"}, "static": {"problem": "static"}}


@pytest.fixture(scope="module")
def gathered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nothing")
    for name, part in PARTS.items():
        analyses.write(folder / f"{name}.nc", analyses.run("nothing_given", [1, 2], **part, **FEW), {})
    job = analyses.GatherJob("nothing_given", "Nothing given", 2, False, PARTS)
    return analyses.gather({name: [folder / f"{name}.nc"] for name in PARTS}, job)


def test_given_and_learnt_are_runs_of_the_policy(gathered):
    play, table = problems.open_problem("nothing_given", "drift", 20, 2)
    found = gathered.regret.sel(part="drift", policy="tv_gp_ucb", width="1", seed=2)
    given = play(
        "tv_gp_ucb",
        horizon=20,
        width=1.0,
        kernel=kernels.make("se", variance=0.5, length_scale=3.0),
        noise_variance=0.01,
        prior_mean=float(table[0].mean()),
    )
    assert found.sel(setting="given") == given.regret.mean()
    anything = {
        "kernel": kernels.make("se", variance=1.0, length_scale=40.0),
        "noise_variance": 0.02,
        "prior_mean": 0.0,
    }
    learnt = play("tv_gp_ucb", horizon=20, width=1.0, parameters="learn", **anything)
    assert found.sel(setting="learnt") == learnt.regret.mean()
    fixed = play("tv_gp_ucb", horizon=20, width=1.0, **anything)
    assert found.sel(setting="learnt") != fixed.regret.mean()


def test_ranks_and_ratios_by_hand(gathered):
    means = (gathered.regret / gathered.random).mean("seed")
    ranks = nothing_given.mean_ranks(gathered)
    at = {"setting": "learnt", "width": "1"}
    by_hand = means.sel(at).transpose("part", "policy").values.argsort(axis=1).argsort(axis=1).mean(axis=0)
    np.testing.assert_allclose(ranks.sel(at).transpose("policy"), by_hand + 1)
    frame = tables.rows("nothing_given", [gathered])
    assert len(frame) == (2 + 1) * 3 * 2
    row = frame.set_index(["problem", "policy", "width"]).loc["static", "gp_ucb", "1"]
    own = means.sel(part="static", policy="gp_ucb", width="1")
    assert row.given == pytest.approx(float(own.sel(setting="given")))
    assert row.change == pytest.approx(row.learnt - row.given)
    assert row.ratio == pytest.approx(row.learnt / row.given)
    whole = frame[frame.problem == "all"].set_index(["policy", "width"]).loc["gp_ucb", "1"]
    drift = frame.set_index(["problem", "policy", "width"]).loc["drift", "gp_ucb", "1"]
    assert whole.ratio == pytest.approx((row.ratio * drift.ratio) ** 0.5)
    assert whole.rank_learnt == ranks.sel({**at, "policy": "gp_ucb"})


def test_points_above_the_diagonal_cost_regret(gathered):
    shown = {axes.get_title(loc="left"): axes for axes in figures.draw("nothing_given", [gathered]).axes}
    assert set(shown) == set(map(presentation.label, FEW["methods"]))
    means = nothing_given.share(gathered).mean("seed").sel(policy="w_dbo", width="1")
    points = [line.get_xydata().T for line in shown[presentation.label("w_dbo")].lines]
    expected = means.sel(setting="given").values, means.sel(setting="learnt").values
    assert any(np.allclose(each, expected) for each in points)
    assert "2 runs" in figures.caption("nothing_given", [gathered])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"problem": "tide"}, "problem is 'tide', expected rkhs_sine"),
        ({"problem": "drift", "methods": ["sparq_gp_ucb"]}, "methods has 'sparq_gp_ucb', expected gp_ucb"),
    ],
)
def test_what_cannot_learn_is_refused_in_one_line(wrong, message):
    with pytest.raises(ValueError, match=message):
        analyses.run("nothing_given", [1], **wrong)
