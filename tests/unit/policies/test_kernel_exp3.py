"""Kernelised exponential weights against the Gram matrix's formulas, Exp3 as a limit, and Rexp3 on a bump."""

import math

import numpy as np
import pytest

from tvgp import kernels, policies

ARMS = np.arange(12.0)[:, None]
RNG = np.random.default_rng


def build(length_scale=2.0, arms=ARMS, **values):
    kernel = kernels.make("se", variance=0.5, length_scale=length_scale)
    return policies.make("kernel_exp3", arms=arms, kernel=kernel, noise_variance=0.01, **values)


def gram(length_scale=2.0):
    return np.exp(-((ARMS - ARMS.T) ** 2) / (2 * length_scale**2))


def shares(logs, mix):
    weights = np.exp(logs - logs.max())
    return (1 - mix) * weights / weights.sum() + mix / len(logs)


def learnt(policy, t):
    """eta times the sum of the estimates of this batch before round t, up to a constant, from p."""
    rate = math.sqrt(math.log(len(ARMS)) / (policy.dimension * policy.length))
    mix = min(1.0, rate * policy.dimension / 2)
    return rate, np.log((policy.probabilities(t) - mix / len(ARMS)) / (1 - mix))


def test_probabilities_are_those_of_the_gram_matrix():
    """(K P + lambda I)^-1 K in place of features, with batches, a mean per arm and skipped rounds."""
    mean = np.sin(ARMS[:, 0])
    policy = build(scale=2.0, horizon=60, prior_mean=tuple(mean), variation_budget=9.0, regularisation=0.03)
    K, n = gram(), len(ARMS)
    dimension = np.diag(np.linalg.solve(K / n + 0.03 * np.eye(n), K)).max()
    assert policy.dimension == pytest.approx(dimension)
    length = math.ceil((dimension * math.log(n)) ** (1 / 3) * (60 / 4.5) ** (2 / 3))
    assert policy.length == length < 30
    rate = math.sqrt(math.log(n) / (dimension * length))
    mix, logs, rng = min(1.0, rate * dimension / 2), np.zeros(n), RNG(0)
    for t in range(1, 61):
        if (t - 1) % length == 0:
            logs = np.zeros(n)
        if t % 7 == 0:
            continue
        p = shares(logs, mix)
        np.testing.assert_allclose(policy.probabilities(t), p, rtol=1e-8)
        arm = policy.choose(t, rng)
        reward = mean[arm] + (5.0 if arm > 8 else 0.3)  # the first is cut off at half the range
        policy.observe(t, arm, reward)
        r = 0.5 if arm > 8 else 0.15
        h = mean / 2.0 + np.linalg.solve(K @ np.diag(p) + 0.03 * np.eye(n), K[:, arm]) * r
        logs = logs + rate * h


def test_estimates_are_right_on_average_up_to_the_bound():
    """Expectation over the arm drawn, exactly, of an f in the RKHS: differences between arms are within
    the docstring's bounds."""
    K, coefficients = gram(), RNG(1).normal(size=len(ARMS)) / 40
    f, lam = K @ coefficients, 1e-4
    norm = math.sqrt(coefficients @ f)
    expected = np.zeros(len(ARMS))
    p = build(scale=1.0, regularisation=lam).probabilities(1)
    for arm, share in enumerate(p):
        policy = build(scale=1.0, regularisation=lam)
        policy.observe(1, arm, f[arm])
        rate, logs = learnt(policy, 2)
        expected += share * logs / rate
    inverse = np.linalg.solve(K @ np.diag(p) + lam * np.eye(len(ARMS)), K)
    bound = norm * np.sqrt(lam * np.diag(inverse))
    error = (expected - f)[:, None] - (expected - f)
    assert (np.abs(error) <= bound[:, None] + bound + 1e-9).all()
    assert np.abs(error).max() > 1e-6  # there is a bias


def test_arms_without_neighbours_are_those_of_exp3():
    """A length-scale far below the spacing and lambda near 0: r / p at the arm played, 0 elsewhere, d = n."""
    policy = build(length_scale=0.01, scale=2.0, regularisation=1e-12, horizon=100)
    assert policy.dimension == pytest.approx(12.0)
    p = policy.probabilities(1)
    policy.observe(1, 3, 0.6)
    rate, logs = learnt(policy, 2)
    expected = np.zeros(12)
    expected[3] = rate * 0.3 / p[3]
    np.testing.assert_allclose(logs - logs[0], expected, atol=1e-9)


def test_a_step_of_the_weights_is_at_most_one():
    """|eta h| <= 1 at every arm, for the p of every round and rewards of the range: what Exp3's proof
    needs."""
    policy, rng, largest = build(scale=1.0, horizon=400), RNG(2), 0.0
    for t in range(1, 200):
        p, arm = policy.probabilities(t), policy.choose(t, rng)
        h = 0.5 * np.linalg.solve(gram() @ np.diag(p) + np.eye(12) / 400, gram()[:, arm])
        rate, before = learnt(policy, t)
        policy.observe(t, arm, rng.choice([-0.5, 0.5]))
        largest = max(largest, rate * np.abs(h).max())
        if t % policy.length:  # the step is that of the formula
            step = np.abs(np.diff(learnt(policy, t + 1)[1] - before))
            np.testing.assert_allclose(step, rate * np.abs(np.diff(h)), atol=1e-9)
    assert 0.1 < largest <= 1.0


def test_neighbours_teach_what_exp3_learns_arm_by_arm():
    """501 arms, 600 rounds, a still bump: 1.3 times Rexp3's reward in each of 3 runs."""
    arms = np.arange(501.0)[:, None]
    kernel = kernels.make("se", variance=0.5, length_scale=60.0)
    bump = np.exp(-((arms[:, 0] - 350.0) ** 2) / 5000.0)

    def total(name, seed):
        own = {"scale": 2.0, "horizon": 600, "variation_budget": 0.1}
        policy = policies.make(name, arms=arms, kernel=kernel, noise_variance=0.01, **own)
        rng, gained = RNG(seed), 0.0
        for t in range(1, 601):
            arm = policy.choose(t, rng)
            gained += bump[arm]
            policy.observe(t, arm, bump[arm] + 0.1 * rng.standard_normal())
        return gained

    for seed in range(3):
        assert total("kernel_exp3", seed) > 1.3 * total("rexp3", seed)


def test_a_kernel_of_too_large_a_rank_is_refused():
    arms = np.arange(4200.0)[:, None]
    with pytest.raises(ValueError, match="rank above 512 on 4200 arms"):
        build(length_scale=0.5, arms=arms)
