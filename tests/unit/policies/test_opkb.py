"""OPKB: its designs, its estimator, its blocks and its restarts."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from tvgp import kernels, policies
from tvgp.policies.opkb import _best_step, inverse_information, optimal_design
from tvgp.posterior import Prior

ARMS = np.linspace(-6, 6, 9)[:, None]
SMOOTH = kernels.make("se", variance=1.0, length_scale=2.0)
APART = kernels.make("se", variance=4.0, length_scale=0.01)


def features_of(gram):
    return np.linalg.cholesky(gram + 1e-13 * np.eye(len(gram)))


def build(arms=ARMS, kernel=SMOOTH, **values):
    values = {"horizon": 2000} | values
    return policies.make("opkb", arms=arms, kernel=kernel, noise_variance=0.01, **values)


def play(policy, f, rounds, seed=0, noise=0.1):
    """Arms played when f(t) are the mean rewards, (rounds,)."""
    rng, errors, arms = np.random.default_rng(seed), np.random.default_rng(seed + 100), []
    for t in range(1, rounds + 1):
        arm = policy.choose(t, rng)
        policy.observe(t, arm, f(t)[arm] + noise * errors.standard_normal())
        arms.append(arm)
    return np.array(arms)


def objective(gram, costs, ridge, p):
    features = np.linalg.cholesky(gram + 1e-12 * np.eye(len(gram)))
    return costs @ p - np.linalg.slogdet(ridge * np.eye(len(gram)) + features.T @ np.diag(p) @ features)[1]


@pytest.mark.parametrize("ridge", [0.01, 0.5])
@pytest.mark.parametrize("scale", [0.0, 3.0, 100.0])
def test_the_design_is_the_minimum_that_a_solver_of_scipy_finds(ridge, scale):
    gram, n = SMOOTH(ARMS, ARMS), len(ARMS)
    costs = scale * np.random.default_rng(1).random(n)
    found = minimize(
        lambda p: objective(gram, costs, ridge, p),
        np.full(n, 1 / n),
        bounds=[(0, 1)] * n,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    p = optimal_design(features_of(gram), costs, ridge)
    assert p.min() >= 0 and p.sum() == pytest.approx(1)
    assert objective(gram, costs, ridge, p) <= found.fun + 1.1e-3
    assert objective(gram, costs, ridge, p) >= found.fun - 1e-6


@pytest.mark.parametrize("cost", [-2.0, 0.0, 0.4])
@pytest.mark.parametrize("ab", [0.2, 0.9, math.sqrt(0.84)])
def test_the_step_is_the_minimum_along_its_line(cost, ab):
    aa, bb = 1.2, 0.7
    h = _best_step(aa, bb, ab, cost)
    value = lambda h: h * cost - math.log((1 + h * aa) * (1 - h * bb) + h**2 * ab**2)  # noqa: E731
    if h < math.inf:
        assert value(h) < min(value(0.99 * h), value(1.01 * h))
    else:  # it falls for ever
        assert value(1e3) < value(1e2) < value(10.0)


def test_a_design_of_many_arms_is_near_the_optimum():
    """By the slopes, whose spread bounds it; more steps than between two factorisations."""
    X = np.random.default_rng(0).uniform(0, 6, (200, 2))
    features = Prior(X, SMOOTH).factor(200)
    costs = 3 * np.sin(X[:, 0])
    p = optimal_design(features, costs, 1e-4)
    inverse = inverse_information(features, p, 1e-4)
    slopes = costs - np.einsum("nm,mk,nk->n", features, inverse, features)
    assert p.min() >= 0 and p.sum() == pytest.approx(1)
    assert p @ slopes - slopes.min() <= 1.001e-3


def test_independent_arms_share_mass_like_water():
    """Where K = I the optimum is p(x) = max(0, 1 / (c(x) + level) - r)."""
    costs, ridge = np.array([0.0, 0.5, 1.0, 4.0, 30.0]), 0.05
    p = optimal_design(np.eye(5), costs, ridge)
    level = 1 / (p[0] + ridge)
    np.testing.assert_allclose(p, np.maximum(0, 1 / (costs + level) - ridge), atol=0.01)
    assert p[4] == 0
    np.testing.assert_allclose(optimal_design(np.eye(5), np.zeros(5), ridge), 0.2, atol=0.01)


def test_the_variances_are_those_of_woodburys_identity():
    """phi' (S(p) + r I)^-1 phi = (K - K P^1/2 (r I + P^1/2 K P^1/2)^-1 P^1/2 K) / r, P = diag(p)."""
    gram, rng = SMOOTH(ARMS, ARMS), np.random.default_rng(0)
    p = rng.dirichlet(np.ones(9))
    p[3] = 0.0
    weighted = np.sqrt(p)[:, None] * gram
    inside = weighted * np.sqrt(p) + 0.05 * np.eye(9)
    expected = (gram - weighted.T @ np.linalg.solve(inside, weighted)) / 0.05
    features = features_of(gram)
    found = features @ inverse_information(features, p, 0.05) @ features.T
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_design_in_few_features_is_that_in_many():
    wide = np.linspace(0, 1, 80)[:, None]
    gram = kernels.make("se", length_scale=0.3)(wide, wide)
    few = Prior(wide, kernels.make("se", length_scale=0.3)).factor(80)
    assert few.shape[1] < 25
    values, vectors = np.linalg.eigh(gram)
    many = vectors * np.sqrt(np.maximum(values, 0.0))
    for costs in (np.zeros(80), np.sin(9 * wide[:, 0])):
        np.testing.assert_allclose(
            optimal_design(few, costs, 0.02), optimal_design(many, costs, 0.02), atol=1e-8
        )


def test_gaps_are_those_of_the_estimator_over_explicit_features():
    """Over several blocks and replays, each step weighted by its own distribution; the kernel's variance is
    scaled away, and the prior mean added back."""
    means = np.linspace(0, 0.3, 9)
    policy = build(horizon=300, j_star=0, prior_mean=tuple(means), epsilon_scale=1e3)
    rewards = np.random.default_rng(5).normal(size=200)
    rng = np.random.default_rng(3)
    arms, drawn_from = [], []
    for t in range(1, 201):
        arms.append(policy.choose(t, rng))
        drawn_from.append(policy.distribution)
        policy.observe(t, arms[-1], rewards[t - 1])
    assert policy.block >= 2 and not policy.events
    assert len(np.unique(drawn_from, axis=0)) >= 3
    features = np.linalg.cholesky(SMOOTH(ARMS, ARMS) + 1e-13 * np.eye(9))
    for last in (200, 37):
        theta = np.zeros(9)
        for p, arm, y in list(zip(drawn_from, arms, rewards, strict=True))[-last:]:
            S = features.T @ np.diag(p) @ features + 100 / 300 * np.eye(9)
            theta += np.linalg.solve(S, features[arm] * (y - means[arm])) / last
        estimate = means + features @ theta
        np.testing.assert_allclose(policy.estimated_gaps(last), estimate.max() - estimate, atol=1e-7)


def plain(
    K, f, T, rng, errors, *, gamma=100.0, e=0.01, g=0.05, b=50.0, mu=0.2, mix=0.2, tol=1e-4, eps=0.005, j0=2
):
    """The algorithm once more, by explicit features and without bookkeeping: arms and detections."""
    N, r = len(K), gamma / T
    phi = np.linalg.cholesky(K)
    design = lambda costs, G=K: optimal_design(features_of(G), costs, r)  # noqa: E731
    pi = design(np.zeros(N))
    S = lambda p: phi.T @ np.diag(p) @ phi  # noqa: E731
    gain = 0.5 * np.linalg.slogdet(np.eye(N) + S(pi) / r)[1]
    log = np.log(8 * N * T * np.log2(T) / tol)
    E, alpha = int(np.ceil(4 * gain * log * e)), gamma / (4 * log)
    epsilon = lambda m: (40 + 16 * np.sqrt(alpha)) * 0.5 / np.sqrt(2**m)  # noqa: E731

    def gap(history):
        theta = sum(np.linalg.solve(S(p) + r * np.eye(N), phi[x] * y) for p, x, y in history) / len(history)
        return max(phi @ theta) - phi @ theta

    arms, events, t = [], [], 0
    while t < T:
        history, gaps, ps, m, again = [], [], [pi], 0, False
        while t < T and not again:
            spans = {j: rng.random(2 ** (m - j)) < np.sqrt(2.0 ** (j - m)) for j in range(j0, m)}
            for step in range(E * 2**m):
                if t == T or again:
                    break
                t += 1
                index = min([j for j in spans if spans[j][step // (E * 2**j)]], default=m)
                u = rng.random() * np.cumsum(ps[index])[-1]
                arms.append(int((np.cumsum(ps[index]) <= u).sum()))
                history.append((ps[index], arms[-1], f(t)[arms[-1]] + 0.1 * errors.standard_normal()))
                for j in spans:
                    length = E * 2**j
                    if (step + 1) % length == 0 and spans[j][step // length]:
                        new = gap(history[-length:])
                        for k in range(j0, m):
                            worst = max(max(gaps[k] - 4 * new), max(new - 4 * gaps[k]))
                            again |= worst / (4 * (epsilon(k) + epsilon(j)) / 2 * eps) > 1
            if again:
                events.append(t)
            elif t < T:
                gaps.append(gap(history))
                m += 1
                near = gaps[-1] <= 2 * alpha * gain / (2 * gain / epsilon(m) * b) * b * g
                among = np.zeros(N)
                among[near] = design(np.zeros(sum(near)), K[near][:, near])
                share = 0.5 / np.sqrt(2**m) * mu
                q = (1 - mix) * design(gaps[-1] * gain / epsilon(m) * b) + mix * among
                ps.append((1 - share) * q + share * pi)
    return arms, events


SIX = np.arange(6.0)[:, None]
UNEQUAL = np.linspace(1.0, 2.0, 6)[:, None] * SMOOTH(SIX, SIX) * np.linspace(1.0, 2.0, 6)
UNEQUAL = kernels.make("empirical", covariance=UNEQUAL)


@pytest.mark.parametrize(
    ("kernel", "scale"),
    [(APART, 0.005), (SMOOTH, 0.005), (APART, 0.002), (SMOOTH, 0.002), (UNEQUAL, 0.002)],
)
def test_play_is_that_of_a_plain_version(kernel, scale):
    arms, T = SIX, 1000
    K = kernel(arms, arms) / kernel.diagonal(arms).max()
    values = np.array([0.0, 0.1, -0.8, 0.8, 0.1, 0.3])
    f = lambda t: values if t <= 400 else -values  # noqa: E731
    expected, events = plain(K, f, T, np.random.default_rng(0), np.random.default_rng(100), eps=scale)
    policy = build(arms, kernel, horizon=T, j_star=2, epsilon_scale=scale)
    assert play(policy, f, T).tolist() == expected
    assert policy.events == events and events


def test_arms_are_drawn_from_the_distribution_of_the_step():
    """First block: frequencies within five standard errors of p_0 (one false alarm in about 10^5), which is
    the design without costs."""
    policy, rng = build(), np.random.default_rng(0)
    drawn = np.bincount([policy.choose(1, rng) for _ in range(4000)], minlength=9) / 4000
    p = policy.distribution
    np.testing.assert_allclose(
        p, optimal_design(features_of(SMOOTH(ARMS, ARMS)), np.zeros(9), 0.05), atol=0.02
    )
    assert (np.abs(drawn - p) <= 5 * np.sqrt(p * (1 - p) / 4000) + 1e-12).all()


def test_arms_without_mass_are_drawn_where_no_other_is_there():
    policy, rng = build(np.linspace(-6, 6, 30)[:, None]), np.random.default_rng(0)
    left = policy.distribution == 0.0
    drawn = {policy.choose(1, rng, left) for _ in range(200)}
    assert drawn == set(np.flatnonzero(left).tolist()) and len(drawn) > 1


def test_a_block_told_before_its_first_choice_has_no_replays():
    for seed in range(5):
        policy = build(j_star=0, epsilon_scale=1e3)
        play(policy, lambda t: np.zeros(9), policy.first_block, seed)
        assert policy.block == 1
        policy.observe(10**4, 0, 0.0)
        rng, p = np.random.default_rng(seed), policy.distribution
        for t in range(10**4 + 1, 10**4 + 2 * policy.first_block):
            policy.choose(t, rng)
            np.testing.assert_array_equal(policy.distribution, p)
            policy.observe(t, 0, 0.0)
        assert policy.block == 2


def test_static_functions_double_blocks_and_find_the_best_arm():
    values = np.array([0.0, 0.1, 0.2, 0.8, 0.1])
    policy = build(np.arange(5.0)[:, None], APART)
    E = policy.first_block
    log = math.log(8 * 5 * 2000 * math.log2(2000) / 1e-4)
    assert math.ceil(4 * 0.01 * 2.5 * math.log1p(0.2 / 0.05) * log) - E in (0, 1)  # p_0 is uniform to 1e-3
    arms = play(policy, lambda t: values, 63 * E)
    assert policy.block == 6 and not policy.events
    assert (arms[-32 * E :] == 3).mean() > 0.8 > 2 * (arms[:E] == 3).mean()


def test_a_sign_flip_is_detected_and_play_starts_again():
    values = np.array([0.0, 0.1, -0.8, 0.8, 0.1])
    policy = build(np.arange(5.0)[:, None], APART)
    flip = 63 * policy.first_block
    arms = play(policy, lambda t: values if t <= flip else -values, 2000)
    assert len(policy.events) >= 1 and flip < policy.events[0] < 4 * flip
    assert (arms[-200:] == 2).mean() > 0.5


def test_after_a_hundred_detections_there_are_no_more():
    """The hundredth starts nothing: blocks of 1, 2, 4, ... steps go on from the one before."""

    def played(rounds):
        policy = build(np.arange(2.0)[:, None], APART, epsilon_scale=1e-9, j_star=0, e_scale=1e-4)
        assert policy.first_block == 1
        play(policy, lambda t: np.zeros(2), rounds)
        assert len(policy.events) == 100
        return policy

    before = played(1500).events[98]
    assert [played(before + steps).block for steps in (1022, 1023)] == [9, 10]


def test_no_detection_without_replays():
    values = np.array([0.0, 0.1, -0.8, 0.8, 0.1])
    policy = build(np.arange(5.0)[:, None], APART, j_star=30)
    play(policy, lambda t: values if t <= 300 else -values, 1500)
    assert not policy.events


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"gamma": 0.0}, "gamma is 0.0, expected positive"),
        ({"mixture": 1.5}, r"mixture is 1.5, expected in \[0, 1\]"),
        ({"tol": 1.0}, "tol is 1.0, expected between 0 and 1"),
        ({"j_star": -1}, "j_star is -1, expected 0 or more"),
    ],
)
def test_bad_parameters(values, message):
    with pytest.raises(ValueError, match=message):
        build(**values)
