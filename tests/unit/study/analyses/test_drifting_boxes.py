"""Boxes whose rewards move: runs as by hand, shared draws, the table and the figure, bad contenders."""

import re

import numpy as np
import pytest

from tvgp import kernels, streams
from tvgp.continuous import policies
from tvgp.continuous.simulate import simulate_continuous
from tvgp.study import analyses
from tvgp.study.analyses import drifting_boxes
from tvgp.study.figures import drifting_boxes as figure
from tvgp.study.tables import drifting_boxes as table

SHORT = {"horizon": 12, "n_arms": 40}
PARTS = {
    "paths_2": SHORT
    | {
        "environment": "drifting_paths",
        "dimension": 2,
        "contenders": ["random", "tv_given", "tv_learnt", "tv_given_arms"],
    },
    "rosenbrock": SHORT
    | {
        "environment": "lifted",
        "function": "rosenbrock",
        "contenders": ["random", "st_learnt", "st_learnt_arms"],
    },
}


@pytest.fixture(scope="module")
def gathered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("boxes")
    for name, part in PARTS.items():
        analyses.write(folder / f"{name}.nc", analyses.run("drifting_boxes", [1, 2], **part), {})
    job = analyses.GatherJob("drifting_boxes", "Boxes", 2, False, PARTS)
    return analyses.gather({name: [folder / f"{name}.nc"] for name in PARTS}, job)


def test_a_run_is_that_of_the_policy_alone(gathered):
    box = drifting_boxes.opened("drifting_paths", 12, 2, {"n_arms": 40, "dimension": 2})
    kernel = kernels.make("matern52", length_scale=0.25 * 2**0.5)
    assert box.kernel == kernel and box.epsilon == 0.01
    policy = policies.make("tv_gp_ucb", domain=box.domain, kernel=kernel, noise_variance=0.1**2, epsilon=0.01)
    run = simulate_continuous(
        policy,
        box,
        12,
        1,
        rng=streams.generator("drifting_boxes", 2, "policy", "tv_given"),
        noise=streams.generator("drifting_boxes", 2, "noise"),
        initial=np.empty((0, 2)),
    )
    assert (run.regret >= -1e-9).all()
    cell = gathered.sel(part="paths_2", contender="tv_given", seed=2)
    np.testing.assert_array_equal(cell.regret.values, run.regret)


def test_arms_are_played_on_arms_only(gathered):
    box = drifting_boxes.opened("lifted", 12, 1, {"n_arms": 40, "function": "rosenbrock"})
    possible = np.stack([box.optimum_at(t) - box.mean_rewards(t) for t in range(1, 13)])
    cell = gathered.sel(part="rosenbrock", seed=1).regret
    on_arms = [
        np.abs(possible - cell.sel(contender=name).values[:, None]).min(axis=1).max()
        for name in ("st_learnt_arms", "st_learnt")
    ]
    assert on_arms[0] < 1e-9 < on_arms[1]


def test_blocks_of_seeds_change_nothing(gathered):
    alone = analyses.run("drifting_boxes", [2], **PARTS["paths_2"])
    np.testing.assert_array_equal(
        alone.regret.sel(contender="tv_learnt").values[0],
        gathered.sel(part="paths_2", contender="tv_learnt", seed=2).regret.values,
    )


def test_the_table_has_a_row_per_contender_played(gathered):
    rows = table.rows([gathered])
    assert len(rows) == 7 and set(rows.rounds) == {12} and set(rows.runs) == {2}
    cell = gathered.sel(part="paths_2", contender="random").regret
    row = rows[(rows.problem == "paths_2") & (rows.contender == "random")].iloc[0]
    assert row.regret == pytest.approx(cell.mean().item()) and row.regret_low < row.regret < row.regret_high
    assert row.late == pytest.approx(cell[:, 10:].mean().item())


def test_the_figure_names_arms_and_runs(gathered):
    drawn = figure.draw([gathered])
    texts = {text.get_text() for text in drawn.findobj(match=lambda each: hasattr(each, "get_text"))}
    assert {"drifting paths, $d = 2$", "rosenbrock", "TV-GP-UCB, given"} <= texts
    assert "40 evenly spread points" in figure.caption([gathered])
    assert "2 runs of 12 rounds" in figure.caption([gathered])


def test_bad_contenders():
    part = PARTS["rosenbrock"]
    with pytest.raises(ValueError, match="contenders has 'tpe', expected random, "):
        analyses.run("drifting_boxes", [1], **part | {"contenders": ["tpe"]})
    expected = "contender tv_given must be given the kernel, which Lifted has not"
    with pytest.raises(ValueError, match=re.escape(expected)):
        analyses.run("drifting_boxes", [1], **part | {"contenders": ["tv_given"]})
    with pytest.raises(ValueError, match="environment abrupt is not a moving box"):
        analyses.run("drifting_boxes", [1], **SHORT, environment="abrupt", contenders=["random"])


def test_an_edit_of_a_policy_reruns_what_plays_it():
    used = analyses.uses("drifting_boxes", PARTS["rosenbrock"])
    assert {
        "tvgp.continuous.policies.st_gp_ucb",
        "tvgp.policies.st_gp_ucb",
        "tvgp.environments.lifted",
        "tvgp.policies.base.learning",
    } <= set(used)
    on_the_box = analyses.uses("drifting_boxes", PARTS["rosenbrock"] | {"contenders": ["st_learnt"]})
    assert "tvgp.policies.base.learning" not in on_the_box
