"""From jobs to runs: common draws, independent blocks, separate training streams, named faults."""

from dataclasses import replace

import numpy as np
import pytest
from example_jobs import FIT, SINE, run_job

from tvgp import kernels, policies
from tvgp.study.data import field
from tvgp.study.fit import tuning
from tvgp.study.fit.job import TuneJob
from tvgp.study.run import blocks, build
from tvgp.study.run.job import Experiment
from tvgp.study.run.world import World


@pytest.fixture
def sites():
    """Twelve days at three sites; day 5 is empty, site 1 misses day 2."""
    value = np.random.default_rng(0).normal(size=(12, 3))
    value[5] = np.nan
    value[2, 1] = np.nan
    return field.Field(
        value=value,
        time=np.arange("2020-01-01", "2020-01-13", dtype="datetime64[D]"),
        site=np.array(["a", "b", "c"]),
        lat=np.array([40.0, 40.5, 41.0]),
        lon=np.array([-74.0, -73.5, -73.0]),
        attrs={"coordinates": "km", "source": "real", "frequency": "day"},
    )


def test_blocks_do_not_matter():
    job, world = run_job("sparq_gp_ucb"), World.open(SINE)
    whole = blocks.run_block(job, world, [1, 2, 3], FIT)
    parts = [blocks.run_block(job, world, seeds, FIT) for seeds in ([1], [2, 3])]
    for name in ("arm", "reward", "regret", "expert_queries", "places"):
        joined = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_array_equal(getattr(whole, name), joined)


def test_training_runs_use_draws_of_their_own():
    job = run_job("best_fixed_arm")
    reported, _, _ = build.run_once(job, World.open(SINE), 1, FIT)
    trained, _, _ = build.run_once(job, World.open(SINE, training=True), 1, FIT)
    assert not np.any(reported.reward == trained.reward)


def test_parameters_are_given_fitted_set_or_tuned():
    job = run_job(
        "sparq_gp_ucb",
        parameters={"version": "2025b"},
        from_fit={"delta": "epsilon"},
        tuned="query_scale",
    )
    environment = World.open(SINE).environment("1", 1)
    build.build_policy(job, environment, 15, FIT, 2)
    with pytest.raises(ValueError, match="query_scale has not been tuned"):
        build.build_policy(job, environment, 15, FIT)
    job = replace(job, from_fit={"delta": "alpha"})  # None where it was not fitted
    with pytest.raises(ValueError, match="delta, alpha of the fit: None is not a number"):
        build.build_policy(job, environment, 15, FIT | {"alpha": None}, 2)


def test_experiments_may_use_the_fitted_exponent():
    environment = World.open(SINE).environment("1", 1)
    for alpha, expected in (("0.5", 0.5), ("fit", 1.7)):
        policy = build.build_policy(
            replace(run_job("ui_gp_ucb"), alpha=alpha), environment, 15, FIT | {"alpha": 1.7}
        )
        assert f"alpha={expected}" in repr(policy)


def test_policies_of_a_field_see_elapsed_time(sites):
    """Rounds are the eleven days with a value, but the horizon and the times are those of twelve."""
    experiment = Experiment("x", None, {}, "x", None, None, False)
    world = World.open(experiment, sites)
    environment = world.environment("1", 1)
    assert environment.times(world.rounds).tolist() == [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]
    policy = build.build_policy(run_job("tv_gp_ucb", experiment=experiment), environment, world.rounds, FIT)
    assert "horizon=12" in repr(policy)


def test_a_fault_names_the_run():
    job = run_job("sw_gp_ucb", parameters={"window": 0})
    with pytest.raises(ValueError, match="rkhs_sine, sw_gp_ucb, alpha 1, seed 4: .*window"):
        blocks.run_block(job, World.open(SINE), [4], FIT)


def _tuned(job, fit):
    return tuning.tune(job, fit, tuning.open_training(job))


def test_tuning_takes_the_least_regret():
    run = run_job("sw_gp_ucb", tuned="window")
    tuned = _tuned(TuneJob(run, [1, 8, 15], seeds=2, days=None), FIT)
    assert tuned["value"] == [1, 8, 15][int(np.argmin(tuned["average_regret"]))]
    assert tuned["average_regret"] == pytest.approx(np.mean(tuned["regret"], axis=1))
    assert np.shape(tuned["regret"]) == np.shape(tuned["queries"]) == (3, 2)


@pytest.mark.parametrize(("price", "chosen"), [(0.0, 4), (1e6, 0)])
def test_a_price_of_queries_counts_in_tuning(price, chosen):
    reads = {"model": "tv", "rule": "upper_bound"}
    run = run_job("pandora_gp_ucb", parameters=reads, tuned="number", queries="before")
    fit = FIT | {"epsilon": 0.05}
    tuned = _tuned(TuneJob(run, [0, 1, 4], seeds=2, days=None, price=price), fit)
    costs = np.mean(tuned["regret"], axis=1) + price * np.mean(tuned["queries"], axis=1)
    assert tuned["value"] == chosen == [0, 1, 4][int(costs.argmin())]


def test_a_grid_may_hold_the_fitted_value():
    run = run_job("w_sparq_gp_ucb", tuned="alpha")
    grid = [{"from": "fit", "key": "alpha"}, 0.5, 2.0]
    found = _tuned(TuneJob(run, grid, seeds=1, days=None), FIT | {"alpha": 1.3})
    given = _tuned(TuneJob(run, [1.3, 0.5, 2.0], seeds=1, days=None), FIT)
    assert found == given and found["grid"] == [1.3, 0.5, 2.0]
    assert found["at_edge_of_grid"] == (found["value"] != 1.3)


def test_days_without_any_value_are_no_rounds(sites):
    experiment = Experiment("x", None, {}, "x", None, None, False)
    world = World.open(experiment, sites)
    block = blocks.run_block(run_job("uniform", experiment=experiment), world, [1], FIT)
    assert block.arm.shape == (1, 11) and block.data == "real"
    arms = world.describe_arms("1")
    assert list(arms["time"][4:6]) == ["2020-01-05", "2020-01-07"]
    assert arms["arms"].shape == (3, 2)
    assert World.open(replace(experiment, horizon=4), sites).rounds == 4


def test_environments_receive_exponent_and_horizon():
    drifting = Experiment("x", "drift", {"n_centres": 4}, None, 40, None, False)
    world = World.open(drifting).environment("0.5", 1)
    assert world.coefficients.shape == (40, 4)
    other = World.open(drifting).environment("2", 1)
    assert other.correlation_time != world.correlation_time
    given = replace(drifting, environment_parameters={"alpha": 2.0, "n_centres": 4})
    own = World.open(given).environment("1", 1)
    assert own.correlation_time == other.correlation_time
    with pytest.raises(ValueError, match=r"alpha is 3.0, must lie in \(0, 2\]"):
        World.open(drifting).environment("3", 1)


@pytest.mark.parametrize("scale", [{}, {"log_scale": [2.0, 0.0]}], ids=["values", "logarithms"])
@pytest.mark.parametrize("model", ["field", "chosen"])
def test_a_variant_of_a_field_plays_under_its_model(sites, model, scale):
    """Kernel (a matrix over the sites), scales, means and noise are those of that part of the fit."""
    matrix = [[2.0, 0.5, 0.1], [0.5, 2.0, 0.5], [0.1, 0.5, 2.0]]
    own = {
        "kernel": {"name": "empirical", "covariance": matrix},
        "prior_mean": [0.1, 0.2, 0.3],
        "noise_variance": 0.25,
        "norm_bound": None,
        "l_fast": 3.0,
        "l_slow": 40.0,
        "slow_share": 0.5,
        "own_share": 0.5,
        **scale,
    }
    experiment = Experiment("sites", None, {}, "sites", None, None, False)
    environment = World.open(experiment, sites).environment("1", 1)
    ours = build.build_policy(
        run_job("field_gp_ucb", experiment=experiment, model=model), environment, 11, {**FIT, model: own}
    )
    theirs = policies.make(
        "field_gp_ucb",
        arms=np.arange(3.0)[:, None],
        kernel=kernels.make(**own["kernel"]),
        noise_variance=0.25,
        prior_mean=(0.1, 0.2, 0.3),
        **{name: own[name] for name in build.FIELD},
        **scale,
    )
    for policy in (ours, theirs):
        policy.observe(1, 0, 1.0)
    np.testing.assert_array_equal(ours.posterior(3), theirs.posterior(3))
