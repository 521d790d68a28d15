"""Bandits without coordinates (UCB1, D-UCB, SW-UCB, discounted TS, Rexp3) against direct sums over rounds."""

import copy
import math

import numpy as np
import pytest

from tvgp import kernels, policies

ARMS = np.arange(5.0)[:, None]
RNG = np.random.default_rng


def build(name, **values):
    kernel = kernels.make("se", variance=1.0, length_scale=1.0)
    return policies.make(name, arms=ARMS, kernel=kernel, noise_variance=0.01, **values)


def index(name, t, rounds, arms, rewards, **v):
    """Mean reward plus bonus of every arm for round t, from the papers' definitions."""
    scale = v.get("scale", 4.0)
    lags = t - 1 - np.array(rounds)
    if name == "ucb1":
        weights, bonus = np.ones(len(lags)), lambda n: np.sqrt(2 * math.log(len(lags)) / n)
    elif name == "sw_ucb":
        weights = (lags < v["window"]).astype(float)
        bonus = lambda n: np.sqrt(v["xi"] * math.log(min(t, v["window"])) / n)  # noqa: E731
    else:
        weights = v["gamma"] ** lags.astype(float)
        total = weights.sum()
        bonus = lambda n: 2 * np.sqrt(v["xi"] * math.log(max(total, 1)) / n)  # noqa: E731
    n = np.bincount(arms, weights, 5)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.bincount(arms, weights * np.array(rewards), 5) / n
        return np.where(n > 0, means + scale * bonus(n), np.inf)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("ucb1", {}),
        ("ucb1", {"scale": 0.3}),
        ("d_ucb", {"gamma": 0.9, "xi": 0.6}),
        ("d_ucb", {"gamma": 0.7, "xi": 0.3, "scale": 0.5}),
        ("sw_ucb", {"window": 12, "xi": 0.6, "scale": 0.5}),
    ],
)
def test_indices_are_those_of_direct_sums(name, values):
    """Over rounds of which every seventh is skipped."""
    policy, rng, noise = build(name, **values), RNG(0), RNG(1)
    rounds, arms, rewards = [], [], []
    for t in (t for t in range(1, 120) if t % 7):
        arm = policy.choose(t, rng)
        if rounds:
            scores = index(name, t, rounds, arms, rewards, **values)
            assert scores[arm] >= scores.max() - 1e-9
        reward = math.sin(arm + t / 20) + 0.1 * noise.standard_normal()
        policy.observe(t, arm, reward)
        for column, entry in zip((rounds, arms, rewards), (t, arm, reward), strict=True):
            column.append(entry)
    assert len(set(arms)) == 5


def test_discounted_thompson_samples_have_mean_and_variance():
    """Arm 1 was rewarded last; over 4,000 choices its share is that of the normal law, within 5 errors."""
    policy, choices = build("discounted_ts", gamma=0.5, scale=1.0), RNG(3)
    for t, (arm, reward) in enumerate([(0, 0.2), (2, -9.0), (3, -9.0), (4, -9.0), (1, 0.5)], start=1):
        policy.observe(t, arm, reward)
    spread = math.sqrt(1 / 1.0 + 1 / 0.5**4)
    expected = 0.5 * (1 + math.erf((0.5 - 0.2) / spread / math.sqrt(2)))
    found = np.mean([policy.choose(6, choices) == 1 for _ in range(4000)])
    chosen = np.mean([policy.choose(6, choices) in (0, 1) for _ in range(4000)])
    assert abs(found / chosen - expected) < 5 * math.sqrt(0.25 / 4000) + 0.02


def test_rexp3_weights_are_those_of_exp3_in_each_batch():
    policy, rng = build("rexp3", scale=2.0, low=-1.0, horizon=300, variation_budget=40.0), RNG(0)
    size = 5 * math.log(5)
    assert policy.length == math.ceil(size ** (1 / 3) * (300 / 20) ** (2 / 3))
    mix = min(1.0, math.sqrt(size / ((math.e - 1) * policy.length)))
    weights = np.ones(5)
    for t in range(1, 3 * policy.length):
        if (t - 1) % policy.length == 0:
            weights = np.ones(5)
        p = (1 - mix) * weights / weights.sum() + mix / 5
        np.testing.assert_allclose(policy.probabilities(t), p)
        arm = policy.choose(t, rng)
        reward = 3.0 if arm == 4 else 0.0  # cut off at 1 and in the middle of the range
        policy.observe(t, arm, reward)
        weights[arm] *= math.exp(mix * (1.0 if arm == 4 else 0.5) / (5 * p[arm]))


@pytest.mark.parametrize("name", ["rexp3", "kernel_exp3"])
def test_estimates_are_unbiased_where_arms_are_unavailable(name):
    """Over the draws of the first round, an arm that is there gains on the others what it does if all are."""
    there, means = np.array([True, False, True, False, False]), np.array([1.5, 0.0, 0.5, 0.0, 0.0])

    def gains(available):
        policy = build(name, scale=4.0, horizon=3000)
        gained, p = np.zeros(5), policy.probabilities(1, available)
        policy.choose(1, RNG(0), available)
        for arm in np.flatnonzero(p):
            played = copy.deepcopy(policy)
            played.observe(1, int(arm), float(means[arm]))
            after = played.probabilities(2)
            mix = played._mix
            gained += p[arm] * np.log((after - mix / 5) / (1 - mix))
        return gained[0] - gained[2]

    assert gains(there) == pytest.approx(gains(None), rel=1e-2)


@pytest.mark.parametrize("name", ["ucb1", "d_ucb", "sw_ucb", "discounted_ts"])
def test_every_arm_is_played_before_any_is_repeated(name):
    policy, rng, arms = build(name), RNG(0), []
    for t in range(1, 6):
        arms.append(policy.choose(t, rng))
        policy.observe(t, arms[-1], 100.0)
    assert sorted(arms) == list(range(5))


def test_the_range_of_rexp3_lies_around_the_prior_mean():
    """Rewards near -1675 would all be cut off by a range around 0."""
    for own, least in (
        ({"prior_mean": 0.0}, -2.0),
        ({"prior_mean": -1675.0}, -1677.0),
        ({"prior_mean": (7.0, 5.0, 6.0, 9.0, 8.0)}, 3.0),
        ({"prior_mean": 7.0, "low": 1.0}, 1.0),
    ):
        # what the arm gains by one reward, from the lower end to the upper one
        gains = []
        for share in (-1.0, 0.0, 0.01, 0.99, 1.0, 2.0):
            policy = build("rexp3", **own)
            policy.observe(1, 2, least + 4.0 * share)
            gains.append(policy.probabilities(2)[2] - 0.2)
        assert gains[0] == gains[1] == pytest.approx(0.0) and gains[4] == gains[5]
        assert gains[1] < gains[2] - 1e-6 < gains[3] < gains[4] - 1e-6
