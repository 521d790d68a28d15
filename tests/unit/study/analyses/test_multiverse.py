"""Mauduit25b's Fig. 2 in every setting: runs as by hand, cells, shares and the figure."""

import numpy as np
import pytest

from tvgp import environments, policies, streams
from tvgp.simulate import simulate
from tvgp.study import analyses, figures, tables
from tvgp.study.results import multiverse, variance
from tvgp.study.run.player import Player

FEW = {"n_arms": 101, "horizon": 25, "widths": ["printed", 1], "epsilons": [0.3], "training": 30}
PARTS = {
    "n_20": {"n_centres": 20, "centres": "equispaced", "noise_variance": 0.01},
    "random": {"n_centres": 20, "centres": "random", "noise_variance": 0.01},
}


@pytest.fixture(scope="module")
def gathered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("multiverse")
    for name, part in PARTS.items():
        analyses.write(folder / f"{name}.nc", analyses.run("multiverse", [1, 2, 3], **part, **FEW), {})
    job = analyses.GatherJob("multiverse", "Multiverse", 3, False, {n: p | FEW for n, p in PARTS.items()})
    return analyses.gather({name: [folder / f"{name}.nc"] for name in PARTS}, job)


def test_a_run_is_that_of_the_policy_alone(gathered):
    environment = environments.make("rkhs_sine", n_arms=101, n_centres=20, noise_std=0.1)
    policy = policies.make(
        "w_sparq_gp_ucb",
        arms=environment.arms,
        kernel=environment.kernel,
        noise_variance=0.01,
        horizon=25,
        alpha=1.0,
        subset="swap",
        swap_steps=10,
    )
    names = ("multiverse", 20, "equispaced", "0.01", 2)
    run = simulate(
        policy,
        environment,
        25,
        rng=streams.generator(*names, "policy", "w_sparq_gp_ucb"),
        **streams.noise_fields(101, *names),
    )
    own = gathered.w_sparq_regret.sel(part="n_20", seed=2, rule="swap_10", alpha="1", width="printed")
    assert own.item() == run.regret.mean()


def test_twenty_centres_break_the_bound_on_the_norm(gathered):
    assert (gathered.norm.sel(part="n_20") > 5.4).all()
    assert "20 (5.4" in figures.caption("multiverse", [gathered])
    more = analyses.run("multiverse", [1], n_centres=25, rules=["greedy"], **FEW)
    assert float(more.norm.max()) < 5.0


def test_every_combination_of_levels_is_a_cell(gathered):
    cells = [tuple(at.values()) for at, _ in multiverse.cells(gathered)]
    assert len(cells) == len(set(cells)) == 2 * 1 * 4 * 2 * 2 * 2
    assert multiverse.levels(gathered)["centres"] == ["20", "random"]


def test_a_cell_is_the_largest_of_ten_differences(gathered):
    at = {"centres": "20", "noise_variance": "0.01", "rule": "dpp", "alpha": "fit", "epsilon": "likelihood"}
    (found,) = [each for levels, each in multiverse.cells(gathered) if levels == at | {"width": "printed"}]
    own = gathered.drop_vars("centres").sel(part="n_20", width="printed").mean("seed")
    ours = max(own.sparq_regret.sel(rule="dpp"), own.w_sparq_regret.sel(rule="dpp", alpha="fit"))
    theirs = min(own.tv_regret.sel(epsilon="likelihood"), own.other_regret.min())
    assert found.mean == pytest.approx(float((ours - theirs) / own.random)) and found.runs == 3


def test_the_tables_count_all_cells(gathered):
    rows, factors = (tables.rows(name, [gathered]) for name in ("multiverse", "multiverse_factors"))
    whole = factors.iloc[0]
    assert whole.cells == len(rows) == 64
    assert whole.confirmed == pytest.approx((rows.verdict == "confirmed").mean())
    assert (rows.high < 0).mean() == pytest.approx(whole.confirmed)
    assert factors[factors.factor == "rule"].level.tolist() == ["0 steps", "10 steps", "100 steps", "exact"]
    shares = factors[list(multiverse.VERDICTS)].sum(axis=1)
    np.testing.assert_allclose(shares, 1.0)
    means, _ = multiverse.table(gathered)
    assert factors[factors.factor == "width"].total.iloc[0] == variance.total(means)["width"]


def test_the_figure_draws_cells_in_order(gathered):
    curve, matrix, bars = (axes for axes in figures.draw("multiverse", [gathered]).axes if axes.axison)
    heights = curve.collections[-1].get_offsets()[:, 1]
    assert len(heights) == 64 and (np.diff(heights) >= 0).all()
    assert "64 cells" in matrix.get_xlabel() and bars.get_xlabel() == "share of variance"


def test_other_printed_settings_reach_functions_and_policies(tmp_path):
    """l, T and B of a part, in the play and in the table."""
    few = FEW | PARTS["n_20"] | {"epsilons": [], "rules": ["greedy"]}
    parts = {
        "as_printed": {"length_scale": 3.0, "horizon": 25, "norm_bound": 5.0},
        "other": {"length_scale": 6.0, "horizon": 20, "norm_bound": 10.0},
    }
    made = {name: analyses.run("multiverse", [1, 2], **few | part) for name, part in parts.items()}
    environment = environments.make("rkhs_sine", n_arms=101, norm_bound=10.0, length_scale=6.0)
    assert float(environment.kernel.length_scale) == 6.0
    assert made["other"].norm.max() == pytest.approx(max(environment.norm(t) for t in range(1, 21)))
    names = ("multiverse", 20, "equispaced", "0.01", 2)
    known = {"horizon": 20, "norm_bound": 10.0, "variation_budget": environment.variation(20)}
    play = Player(environment, environment.kernel, 0.01, 20, names, known)
    own = made["other"].sel(seed=2, width="printed")
    assert own.other_regret.sel(policy="gp_ucb") == play("gp_ucb").regret.mean()
    for name, found in made.items():
        analyses.write(tmp_path / f"{name}.nc", found, {})
    job = analyses.GatherJob("multiverse_axes", "Axes", 2, False, {n: few | p for n, p in parts.items()})
    rows = tables.rows("multiverse_axes", [analyses.gather({n: [tmp_path / f"{n}.nc"] for n in parts}, job)])
    assert len(rows) == 2 * 1 * 2 * 2  # parts, rules, alphas, widths
    assert set(zip(rows.length_scale, rows.horizon, rows.norm_bound, strict=True)) == {
        (3.0, 25.0, 5.0),
        (6.0, 20.0, 10.0),
    }
    assert set(rows.width) == {"printed", "tuned"} and set(rows["rule"]) == {"0 steps"}
