"""Floors of the papers' order: against simulated functions, and against a method that reads every arm."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies, streams
from tvgp.posterior import Prior
from tvgp.simulate import reward_table, simulate
from tvgp.theory import query_order

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
ARMS = np.linspace(-50, 50, 201)[:, None]
MAXIMUM = query_order.expected_maximum(Prior.of(ARMS, KERNEL), np.random.default_rng(0))


def informed(table):
    """Regret of the maximum of f_t in round t + 1, by round."""
    now, before = table[1:], table[:-1]
    return now.max(axis=1) - now[np.arange(len(now)), before.argmax(axis=1)]


def test_the_expected_maximum_is_that_of_more_draws():
    rng = np.random.default_rng(1)
    root = np.linalg.cholesky(KERNEL(ARMS, ARMS) + 1e-9 * np.eye(201))
    other = np.mean((root @ rng.standard_normal((201, 20_000))).max(axis=0))
    assert pytest.approx(other, abs=0.02) == MAXIMUM  # five standard errors of the difference


@pytest.mark.parametrize("epsilon", [0.03, 0.3])
def test_no_one_beats_the_floor_of_forgetting(epsilon):
    """Over 40 draws of 200 rounds; seeded, within five standard errors over draws (false alarm 1e-6)."""
    prior = Prior.of(
        environments.make("gp_markov", n_side=10, rng=np.random.default_rng(0)).arms,
        kernels.make("se", length_scale=0.2),
    )
    maximum = query_order.expected_maximum(prior, np.random.default_rng(0))
    found = []
    for seed in range(40):
        given = {"n_side": 10, "epsilon": epsilon, "horizon": 200, "rng": np.random.default_rng(seed)}
        found.append(informed(reward_table(environments.make("gp_markov", **given), 200)).mean())
    error = np.std(found, ddof=1) / np.sqrt(40)
    assert abs(np.mean(found) - query_order.forgetting_floor(epsilon, maximum)) < 5 * error + 0.003


def test_no_one_beats_the_floor_of_a_wiener_process():
    floors = np.array([query_order.wiener_floor(0.03, t, MAXIMUM) for t in range(1, 200)])
    found = []
    for seed in range(100):
        draw = environments.make("wiener", q=0.03, horizon=200, rng=np.random.default_rng(seed))
        found.append(informed(reward_table(draw, 200)).mean())
    error = np.std(found, ddof=1) / 10
    assert abs(np.mean(found) - floors.mean()) < 5 * error + 0.003


def test_the_floor_of_a_wiener_process_grows_with_the_root():
    floors = [query_order.wiener_floor(0.03, t, MAXIMUM) for t in range(1, 1001)]
    assert sum(floors) == pytest.approx((np.sqrt(31.0) - 1.0) * MAXIMUM)


def test_reading_every_arm_stays_above_it_after_the_choice_only():
    draw = environments.make(
        "gp_markov", n_side=10, epsilon=0.3, horizon=200, noise_std=1e-6, rng=np.random.default_rng(3)
    )
    regret = {}
    for moment in ("after", "before"):
        policy = policies.make(
            "yesterdays_best",
            arms=draw.arms,
            kernel=kernels.make("se", length_scale=0.2),
            noise_variance=0.01,
        )
        fields = streams.noise_fields(100, "floor", 1)
        run = simulate(policy, draw, 200, rng=np.random.default_rng(0), queries=moment, **fields)
        regret[moment] = run.regret[1:].mean()
    assert regret["after"] == pytest.approx(informed(reward_table(draw, 200)).mean(), abs=1e-3)
    assert regret["before"] < 1e-4 < regret["after"]
