"""Queries chosen one at a time: against dense formulas, and the number of evaluations."""

import math

import numpy as np
import pytest

from tvgp import environments, kernels, policies, streams
from tvgp.contracts import SequentialQueries
from tvgp.simulate import simulate
from tvgp.theory.query_counts import nominal_queries
from tvgp.theory.schedules import window_starts

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
SINE = environments.make("rkhs_sine", n_arms=81)
K = KERNEL(SINE.arms, SINE.arms)
HORIZON = 40


def build(**values):
    return policies.make(
        "sequential_query_ucb", arms=SINE.arms, kernel=KERNEL, noise_variance=0.01, horizon=HORIZON, **values
    )


def play(policy):
    rounds = []
    fields = streams.noise_fields(81, "test", 3)
    run = simulate(policy, SINE, HORIZON, rng=streams.generator("test", 3), on_round=rounds.append, **fields)
    return run, rounds, fields["expert_noise"]


def scores(data, t, model, window, width):
    """mu + width sigma of f_t from (round, arm, value), by the textbook formula."""
    data = [d for d in data if model != "sw" or d[0] > t - window]
    rounds, arms, values = (np.array(column) for column in zip(*data, strict=True))
    rho = math.sqrt(0.9) if model == "tv" else 1.0
    A = K[np.ix_(arms, arms)] * rho ** np.abs(rounds[:, None] - rounds) + 0.01 * np.eye(len(arms))
    k = K[arms] * (rho ** (t - rounds))[:, None]
    half = np.linalg.solve(A, k)
    return half.T @ values + width * np.sqrt(np.maximum(K.diagonal() - (half * k).sum(axis=0), 0))


@pytest.mark.parametrize("model", ["gp", "sw", "tv"])
def test_each_query_maximises_the_bound_after_earlier_answers(model):
    """Ties of the argmax are within 1e-9, the dense formula within 1e-6."""
    run, rounds, noise = play(build(model=model, window=4, epsilon=0.1, width="logarithmic", query_scale=2.0))
    data = []
    for each, reward in zip(rounds, run.reward, strict=True):
        t, f = each.t, SINE.mean_rewards(each.t)
        data.append((t, each.arm, reward))
        free = np.ones(81, dtype=bool)
        for arm in each.queries.tolist():
            bound = scores(data, t, model, 4, math.sqrt(0.8 * math.log(4 * t)))
            assert bound[arm] >= bound[free].max() - 1e-6 and free[arm]
            free[arm] = False
            data.append((t, arm, f[arm] + SINE.expert_noise_std * noise.at(t)[arm]))


@pytest.mark.parametrize("schedule", ["sparq", "w_sparq"])
def test_budget_is_that_of_the_schedule(schedule):
    policy = build(schedule=schedule, alpha=2.0)
    assert isinstance(policy, SequentialQueries)
    run, _, _ = play(policy)
    t = np.arange(1, HORIZON + 1)
    asked = np.maximum(nominal_queries(t), 1)
    if schedule == "w_sparq":
        asked[~np.isin(t, window_starts(HORIZON, 2.0))] = 0
    np.testing.assert_array_equal(run.expert_queries, asked)
    assert policy.queries_left == 0


def test_a_policy_that_asks_once_is_asked_once():
    assert not isinstance(
        policies.make("sparq_gp_ucb", arms=SINE.arms, kernel=KERNEL, noise_variance=0.01), SequentialQueries
    )
