"""Queries before and after the choice: runs as by hand, floors, and the figure."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies, streams
from tvgp.simulate import simulate
from tvgp.study import analyses, figures, tables
from tvgp.study.analyses import moment_of_queries as module
from tvgp.study.analyses.base.problems import PROBLEMS

FEW = {"horizon": 30, "numbers": [0, 2], "shares": [0.03, 0.3]}


@pytest.fixture(scope="module")
def found():
    return analyses.run("moment_of_queries", [1, 2], problem="rkhs_sine", epsilon=0.3, **FEW)


@pytest.mark.parametrize("moment", ["after", "before"])
def test_a_run_is_that_of_the_policy_alone(found, moment):
    environment = environments.make("rkhs_sine", n_arms=201)
    kernel = kernels.make("se", variance=0.5, length_scale=3.0)
    policy = policies.make(
        "pandora_gp_ucb",
        arms=environment.arms,
        kernel=kernel,
        noise_variance=0.01,
        rule="upper_bound",
        number=2,
        epsilon=0.3,
        width=1.0,
        horizon=30,
        prior_mean=float(environment.mean_rewards(1).mean()),
    )
    names = ("moment_of_queries", "rkhs_sine", 30, 2)
    run = simulate(
        policy,
        environment,
        30,
        rng=streams.generator(*names, "policy", "pandora_gp_ucb"),
        queries=moment,
        **streams.noise_fields(201, *names),
    )
    one = found.sel(seed=2, moment=moment, number=2)
    assert one.fixed_regret.item() == run.regret.mean()
    assert one.fixed_queries.item() == 2.0 and one.fixed_places.item() == run.places.mean()


def test_who_never_asks_plays_alike_at_both_moments(found):
    never = found.sel(number=0).fixed_regret
    np.testing.assert_array_equal(never.sel(moment="before"), never.sel(moment="after"))


def test_reading_every_arm_after_it_is_above_the_floor(found):
    every = found.sel(asker="yesterdays_best")
    assert (every.subset_regret.sel(moment="after") > 0.9 * found.informed).all()
    assert (every.subset_regret.sel(moment="before") < every.subset_regret.sel(moment="after")).all()
    assert (every.subset_queries == 201).all() and (found.random > found.informed).all()


@pytest.mark.parametrize("problem", sorted(PROBLEMS))
def test_every_problem_has_its_module_and_its_runs(problem):
    few = {"horizon": 5, "numbers": [1], "shares": [0.1], "rules": ["pandora"]}
    found = analyses.run("moment_of_queries", [1], problem=problem, **few)
    assert all(np.isfinite(found[name]).all() for name in found.data_vars)
    assert f"tvgp.environments.{PROBLEMS[problem].environment}" in module.uses(problem)


def test_an_unknown_problem_is_refused_in_one_line():
    with pytest.raises(
        ValueError, match="problem is 'tide', expected rkhs_sine, moving_bump, drift, draws, jumps, static, "
    ):
        analyses.run("moment_of_queries", [1], problem="tide")


def test_the_figure_shows_costs_against_prices_of_each_part(found):
    data = found.expand_dims(part=["rkhs_sine"]).assign_attrs(analysis="moment_of_queries", data="synthetic")
    data["made"] = (("part", "seed"), [["one", "another"]])  # gathered files have words too
    cost, regret = figures.draw("moment_of_queries", [data]).axes
    before = found.sel(moment="before", rule="pandora")
    expected = (before.rule_regret / found.random + found.share * before.rule_queries).mean("seed")
    assert any(np.allclose(line.get_ydata(), expected) for line in cost.lines)
    assert any(np.allclose(line.get_ydata(), found.informed.mean()) for line in regret.lines)
    assert "2 runs" in figures.caption("moment_of_queries", [data])


def test_a_part_plays_the_posterior_and_the_rules_that_it_names(found):
    some = {"problem": "rkhs_sine", "epsilon": 0.3, "rules": ["pandora"], "askers": ["sparq_gp_ucb"]}
    windows = analyses.run("moment_of_queries", [2], model="sw", **some, **FEW)
    assert windows.rule.values.tolist() == ["pandora"] and windows.asker.values.tolist() == ["sparq_gp_ucb"]
    same = found.sel(seed=[2], asker=["sparq_gp_ucb"])
    np.testing.assert_array_equal(windows.subset_regret, same.subset_regret)
    assert (windows.fixed_regret.sel(number=2) != found.fixed_regret.sel(seed=[2], number=2)).all()
    with pytest.raises(ValueError, match="policy parameter model"):
        analyses.run("moment_of_queries", [1], model="linear", **some, **FEW)


def test_the_table_pairs_runs_of_what_a_part_plays(found, tmp_path):
    own = {"problem": "rkhs_sine", "epsilon": 0.3}
    few = {**own, "model": "gp", "rules": ["pandora"], "askers": ["sparq_gp_ucb"]}
    parts = {
        "standard": found,
        "static": analyses.run("moment_of_queries", [1, 2], **few, **FEW | {"numbers": [2]}),
    }
    for name, data in parts.items():
        analyses.write(tmp_path / f"{name}.nc", data, {})
    job = analyses.GatherJob("moment_of_queries", "Queries", 2, False, {"standard": own, "static": few})
    gathered = analyses.gather({name: [tmp_path / f"{name}.nc"] for name in parts}, job)
    table = tables.rows("moment_of_queries", [gathered])
    assert len(table) == 4 + 2 + 3 * 2 + 1 + 1 + 2
    assert table.groupby("part").model.unique().map(list).to_dict() == {"standard": ["tv"], "static": ["gp"]}
    assert set(table.width) == {1.0} and set(table.epsilon) == {0.3}
    row = table[(table.part == "standard") & (table.rule == "pandora") & (table.price == 0.3)].iloc[0]
    runs = found.sel(rule="pandora", share=0.3)
    costs = runs.rule_regret / found.random + 0.3 * runs.rule_queries
    paired = (costs.sel(moment="before") - costs.sel(moment="after")).values
    assert row.difference == pytest.approx(paired.mean()) and row.before == costs.sel(moment="before").mean()
    half = 12.706204736 * abs(paired[0] - paired[1]) / 2  # Student's t with one degree of freedom
    assert (row.high - row.low) / 2 == pytest.approx(half) and row.runs == 2
