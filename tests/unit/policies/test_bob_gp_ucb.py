"""BOB-GP-UCB: windows per block, and how their weights follow the rewards."""

import numpy as np
import pytest

from tvgp import kernels, policies
from tvgp.policies.bob_gp_ucb import window_grid

ARMS = np.linspace(-15, 15, 31)[:, None]
KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
G = np.sqrt(2 * np.log(2) / ((np.e - 1) * 100))  # of two windows and 100 blocks


def build(**values):
    return policies.make("bob_gp_ucb", arms=ARMS, kernel=KERNEL, noise_variance=0.01, **values)


def test_block_and_windows_follow_the_horizon():
    policy = build(horizon=500)
    assert policy.block_length == 44 and policy.windows == [1, 2, 6, 17, 44]
    assert window_grid(1) == [1] and window_grid(2) == [1, 2] and window_grid(8) == [1, 2, 4, 8]
    np.testing.assert_allclose(policy.probabilities, 0.2)


def play(policy, rounds, reward, seed=0):
    """The windows drawn, one per block."""
    rng, windows = np.random.default_rng(seed), []
    for t in range(1, rounds + 1):
        arm = policy.choose(t, rng)
        if (t - 1) % policy.block_length == 0:
            windows.append(policy.window)
        policy.observe(t, arm, reward(policy))
    return windows


def test_the_weights_by_hand():
    """H = 4 and T = 400: g = sqrt(2 log(2)/((e - 1) 100)), R = 0.1/2."""
    policy = build(horizon=400, block_length=4, windows=(1, 3), reward_bound=2.0)
    drawn = play(policy, 8, lambda policy: 1.0)
    p, s = np.array([0.5, 0.5]), np.ones(2)
    for window in drawn:
        j = (1, 3).index(window)
        s[j] *= np.exp(G / (2 * p[j]) * (0.5 + 2.0 / (8 + 0.2 * np.sqrt(4 * np.log(200)))))
        p = (1 - G) * s / s.sum() + G / 2
    np.testing.assert_allclose(policy.probabilities, p)


@pytest.mark.parametrize(("reward", "share"), [(1.0, 1.0), (-1.0, 0.0)])
def test_a_block_of_batches_counts_as_the_best_or_worst(reward, share):
    """Ten rewards a round add up to more than the four of a block of single ones."""
    policy, rng = (
        build(horizon=400, block_length=4, windows=(1, 3), reward_bound=1.0),
        np.random.default_rng(0),
    )
    for t in range(1, 5):
        policy.observe_batch(t, policy.choose_batch(t, rng, 10), np.full(10, reward))
    s = np.where(np.array([1, 3]) == policy.window, np.exp(G * share), 1.0)
    np.testing.assert_allclose(policy.probabilities, (1 - G) * s / s.sum() + G / 2)


def test_one_block_teaches_nothing():
    """g = 1 where there are few blocks; a block may be far longer than the horizon."""
    for horizon in (1, 100):
        policy = build(horizon=horizon, block_length=100)
        play(policy, 100, lambda policy: 1.0 / policy.window)
        np.testing.assert_allclose(policy.probabilities, 1 / len(policy.windows))


def test_a_block_told_before_its_first_choice_counts_for_none():
    policy, rng = build(horizon=400, block_length=4, windows=(1, 3)), np.random.default_rng(1)
    policy.observe(1, 0, 9.0)
    for t in range(2, 5):
        assert policy.choose(t, rng) >= 0 and policy.window == 3
        policy.observe(t, 0, 9.0)
    np.testing.assert_allclose(policy.probabilities, 0.5)


def test_the_better_window_is_drawn_more_often():
    """Reward 1 with window 3, -1 with window 1, over 500 blocks: 0.5 +- 0.022 each without learning."""
    policy = build(horizon=2000, block_length=4, windows=(1, 3), reward_bound=1.0)
    drawn = play(policy, 2000, lambda policy: 1.0 if policy.window == 3 else -1.0)
    assert drawn.count(3) > 400 and policy.probabilities[1] > 0.9


def test_every_window_drawn_is_that_of_sw_gp_ucb():
    """Block by block against SW-GP-UCB with the window drawn; all five of the grid are."""
    policy, rng, drawn = build(horizon=500, block_length=44), np.random.default_rng(3), set()
    for t in range(1, 20 * 44 + 1):
        arm = policy.choose(t, rng)
        if t % 44 == 1:
            drawn.add(policy.window)
            values = {"arms": ARMS, "kernel": KERNEL, "noise_variance": 0.01, "horizon": 500}
            plain = policies.make("sw_gp_ucb", window=policy.window, **values)
        for ours, theirs in zip(policy.posterior(t), plain.posterior(t), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-9)
        reward = float(np.sin(0.3 * ARMS[arm, 0] + 0.1 * t))
        policy.observe(t, arm, reward)
        plain.observe(t, arm, reward)
    assert drawn == {1, 2, 6, 17, 44}


def test_rewards_beyond_the_bound_are_clipped():
    first, second = (build(horizon=400, block_length=4, windows=(1, 3), reward_bound=1.0) for _ in range(2))
    play(first, 4, lambda policy: 1.0)
    play(second, 4, lambda policy: 1e6)
    np.testing.assert_array_equal(first.probabilities, second.probabilities)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"windows": (3, 0)}, r"windows is \(3, 0\), expected one or more windows"),
        ({"block_length": 0}, "block_length is 0, expected 1 or more"),
        ({"reward_bound": 0.0}, "reward_bound is 0.0, expected positive"),
    ],
)
def test_bad_parameters_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        build(**values)
