"""A horizon of 10^9 rounds: refused in one line where something is computed per round."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies, posterior, simulate
from tvgp.theory import premises, query_counts, schedules

LONG = 10**9
ARMS = np.linspace(0.0, 1.0, 5)[:, None]
KERNEL = kernels.make("se", length_scale=0.2)


def make_policy(name):
    return policies.make(name, arms=ARMS, kernel=KERNEL, noise_variance=0.01, horizon=LONG)


def test_drift_and_gp_markov_name_their_limits():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="drift: horizon is 1000000000, must be at most 2097152$"):
        environments.make("drift", alpha=1.0, step=0.1, horizon=LONG, rng=rng)
    with pytest.raises(ValueError, match="gp_markov: horizon is 1000000000, must be at most 107374$"):
        environments.make("gp_markov", horizon=LONG, rng=rng)


@pytest.mark.parametrize("name", ["moving_bump", "rkhs_sine"])
def test_variations_name_their_limits(name):
    with pytest.raises(ValueError, match=f"{name}: variation: horizon is .* at most 1000000$"):
        environments.make(name).variation(LONG)


@pytest.mark.parametrize("name", ["r_gp_ucb", "sw_gp_ucb", "w_gp_ucb"])
def test_recommended_parameters_name_their_limit(name):
    with pytest.raises(ValueError, match="information gain: horizon is 1000000000, must be at most 1000000$"):
        make_policy(name)


def test_schedules_name_their_limits():
    with pytest.raises(ValueError, match="window starts: horizon is .* at most 100000000$"):
        schedules.window_starts(LONG, 3.0)
    with pytest.raises(ValueError, match="window starts: horizon"):
        premises.mean_precision(LONG, 1.0)
    with pytest.raises(ValueError, match="SparQ's queries: horizon"):
        query_counts.sparq_total(np.array([LONG]))
    prior = posterior.Prior(ARMS, KERNEL)
    with pytest.raises(ValueError, match="information gain: horizon"):
        schedules.information_gains(prior, 0.01, np.array([LONG]))


def test_hindsight_names_its_limit():
    environment = environments.make("moving_bump")
    with pytest.raises(ValueError, match="table of all rewards: horizon is .* at most 268167$"):
        simulate.reward_table(environment, LONG)


def test_other_policies_play_towards_a_long_horizon():
    rng = np.random.default_rng(0)
    for name in ("gp_ucb", "gp_ts", "pi_gp_ucb", "sparq_gp_ucb", "tv_gp_ucb", "ui_gp_ucb", "w_sparq_gp_ucb"):
        if name == "pi_gp_ucb":
            kernel = kernels.make("matern32", length_scale=0.2)
            policy = policies.make(name, arms=ARMS, kernel=kernel, noise_variance=0.01, horizon=LONG)
        else:
            policy = make_policy(name)
        policy.observe(1, policy.choose(1, rng), 0.1)
        assert 0 <= policy.choose(2, rng) < len(ARMS)
