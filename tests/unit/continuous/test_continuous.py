"""Continuous domains: functions on a box, sampled paths and their maxima, batches of points."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

from tvgp import environments, kernels, policies, streams
from tvgp.continuous import policies as point_policies
from tvgp.continuous.sample_paths import ascend, maxima
from tvgp.continuous.simulate import OnCandidates, initial_points, simulate_continuous
from tvgp.contracts import ContinuousEnvironment, Environment, PointPolicy
from tvgp.environments.base.spread import spread_points
from tvgp.environments.continuous_optimisation import PROBLEMS
from tvgp.policies.base.thompson import draw_scale
from tvgp.simulate import simulate

SE = kernels.make("se", variance=0.5, length_scale=0.4)
BEST = {
    "shekel": [0.4] * 4,
    "ackley": [0.5] * 5,
    "hartmann": [0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573],
}
SMALL = {"size": 20, "features": 200, "candidates": 300, "starts": 2, "steps": 20}


def build(function="hartmann", **values):
    environment = environments.make("continuous_optimisation", function=function)
    return environment, point_policies.make(
        "s_gp_ts",
        domain=environment.domain,
        kernel=SE,
        noise_variance=0.5,
        **(SMALL | values),
    )


def play(policy, environment, rounds=2, batch=5, seed=0, initial=12):
    return simulate_continuous(
        policy,
        environment,
        rounds,
        batch,
        rng=streams.generator("test", seed, "policy"),
        noise=streams.generator("test", seed, "noise"),
        initial=initial_points(environment, initial, streams.generator("test", seed, "initial")),
    )


@pytest.mark.parametrize("function", PROBLEMS)
def test_published_minimisers_have_the_stated_minimum(function):
    """Each published minimiser, polished, has the stated value; no random point is better."""
    environment = environments.make("continuous_optimisation", function=function)
    cost = lambda x: -environment.mean_reward_at(x[None])[0]  # noqa: E731
    options = {"xatol": 1e-9, "fatol": 1e-13, "maxiter": 4000}
    found = minimize(cost, BEST[function], method="Nelder-Mead", options=options)
    assert -found.fun == pytest.approx(environment.optimum, abs=1e-9)
    np.testing.assert_allclose(found.x, BEST[function], atol=2e-3)
    points = np.random.default_rng(0).uniform(size=(20_000, len(found.x)))
    assert environment.mean_reward_at(points).max() < environment.optimum
    published = {"shekel": 10.536443, "ackley": 0.0, "hartmann": 3.32237}[function]
    assert environment.optimum == pytest.approx(published, abs=2e-6)


def test_shekel_does_not_change_as_its_halves_change_places():
    """(x_1, x_2, x_3, x_4) to (x_3, x_4, x_1, x_2): every published centre has two equal halves."""
    points = np.random.default_rng(0).uniform(size=(2000, 4))
    f = environments.make("continuous_optimisation", function="shekel").mean_reward_at
    np.testing.assert_allclose(f(points), f(points[:, [2, 3, 0, 1]]), rtol=1e-12)


def test_environments_offer_points_and_arms():
    environment, _ = build()
    assert isinstance(environment, ContinuousEnvironment) and isinstance(environment, Environment)
    expected = environment.mean_reward_at(environment.arms)
    np.testing.assert_array_equal(environment.mean_rewards(3), expected)
    assert environment.arms.min() >= 0 and environment.arms.max() <= 1
    with pytest.raises(ValueError, match="function is 'rastrigin', expected one of shekel"):
        environments.make("continuous_optimisation", function="rastrigin")


def test_ascent_reaches_the_maximum_inside_the_box():
    """Concave quadratics with tops inside and outside the box: their projections (diagonal)."""
    tops = np.array([[0.3, 0.8], [1.7, 0.5], [-1.0, 3.0]])
    stiff = np.array([1.0, 30.0])

    def function(X, label):
        rest = X - tops[label]
        return -(stiff * rest**2).sum(axis=1), -2 * stiff * rest

    domain = np.array([[0.0, 0.0], [1.0, 1.0]])
    X, values = ascend(function, np.full((3, 2), 0.5), np.arange(3), domain, 200)
    np.testing.assert_allclose(X, tops.clip(0, 1), atol=1e-4)
    np.testing.assert_allclose(values, function(X, np.arange(3))[0])


def test_maxima_of_paths_are_stationary_and_match_a_reference():
    """Not below L-BFGS-B from the same best candidate, to 1 % of the path's range."""
    environment, policy = build(fit=False)
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(60, 6))
    policy.observe_points(0, X, environment.mean_reward_at(X))
    paths = policy.paths(X[:20], rng, 8)
    candidates = rng.uniform(size=(500, 6))
    found = maxima(paths, candidates, environment.domain, starts=4, steps=100)
    scores = paths.everywhere(candidates)
    reached = paths.value_and_gradient(found, np.arange(8))[0]
    np.testing.assert_allclose(reached, paths.everywhere(found).diagonal(), atol=1e-9)
    assert (reached >= scores.max(axis=1)).all()
    for p in range(8):
        loss = lambda x, p=p: [  # noqa: E731
            -part[0] for part in paths.value_and_gradient(x[None], np.array([p]))
        ]
        start = candidates[scores[p].argmax()]
        best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, 1)] * 6)
        assert reached[p] >= -best.fun - 0.01 * np.ptp(scores[p])


def test_paths_have_the_moments_of_the_posterior():
    """Mean and variance over 3,000 paths, features included, at five points: within 5 standard
    errors (false alarms 3e-6 in all) and 10 % (of which sampling has a standard error of 2.6 %,
    3,000 features one of about 2 %: false alarms about 1 %; fixed seed)."""
    environment, policy = build(fit=False, features=3000)
    rng = np.random.default_rng(4)
    X, T = rng.uniform(size=(40, 6)), rng.uniform(size=(5, 6))
    y = environment.mean_reward_at(X)
    policy.observe_points(0, X, y)
    draws = policy.paths(X, rng, 3000).everywhere(T)
    A = SE(X, X) + 0.5 * np.eye(40)
    mean = SE(T, X) @ np.linalg.solve(A, y - y.mean())
    variance = 0.5 - (SE(T, X) * np.linalg.solve(A, SE(X, T)).T).sum(axis=1)
    assert (np.abs(draws.mean(axis=0) - mean) < 5 * np.sqrt(variance / 3000)).all()
    np.testing.assert_allclose(draws.var(axis=0), variance, rtol=0.1)


def test_theory_scale_multiplies_the_random_part():
    """Paths of the same weights are mean + alpha times one deviation."""
    X = np.random.default_rng(8).uniform(size=(30, 6))
    paths = {}
    for scale in (1.0, 2.0, "theory"):
        environment, policy = build(fit=False, scale=scale, norm_bound=2.0)
        policy.observe_points(0, X, environment.mean_reward_at(X))
        paths[scale] = policy.paths(X[:9], np.random.default_rng(9), 4).everywhere(X)
    deviation = paths[2.0] - paths[1.0]
    Q = SE(X, X[:9]) @ np.linalg.solve(SE(X[:9], X[:9]), SE(X[:9], X))
    log_det = np.linalg.slogdet(np.eye(30) + Q / 0.5)[1]
    alpha = draw_scale("theory", 31, 2.0, log_det, 0.5)
    np.testing.assert_allclose(paths["theory"], paths[1.0] + (alpha - 1) * deviation, rtol=1e-9)
    for scale in ("printed", 0.0):
        with pytest.raises(ValueError, match="expected a positive number or theory"):
            build(scale=scale)


@pytest.mark.parametrize("name", ["ard", "sum"])
def test_a_kernel_without_one_length_scale_is_not_fitted(name):
    """Rejected at construction; plays without fitting."""
    kernel = {"ard": kernels.make("se", length_scale=(0.3, 0.5)), "sum": SE + SE}[name]
    given = {"domain": np.array([[0.0, 0.0], [1.0, 1.0]]), "kernel": kernel, "noise_variance": 0.1}
    with pytest.raises(ValueError, match=f"kernel {kernel.name} has no single length-scale to fit"):
        point_policies.make("s_gp_ts", **given)
    policy = point_policies.make("s_gp_ts", fit=False, size=5, features=50, candidates=50, **given)
    rng = np.random.default_rng(0)
    points = rng.uniform(size=(8, 2))
    policy.observe_points(0, points, np.sin(5 * points[:, 0]))
    assert policy.propose(1, rng, 3).shape == (3, 2)


@pytest.mark.parametrize("selection", ["greedy", "kdpp", "kmeans"])
def test_every_selection_of_inducing_points_plays(selection):
    environment, policy = build(selection=selection)
    run = play(policy, environment)
    assert run.points.shape == (22, 6) and np.ptp(run.points[12:], axis=0).min() > 0


def test_fit_raises_the_evidence():
    """Of all data as inducing points, for which the bound that is maximised is the evidence."""
    environment, policy = build(size=80, selection="greedy")
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(80, 6))
    y = 3.0 * environment.mean_reward_at(X)
    policy.observe_points(0, X, y)
    policy.propose(1, rng, 1)
    evidence = [
        multivariate_normal.logpdf(y - y.mean(), cov=kernel(X, X) + 0.5 * np.eye(80))
        for kernel in (SE, policy.kernel)
    ]
    assert evidence[1] > evidence[0] + 1


def test_pure_noise_rewards_keep_a_positive_variance():
    """Without a prior on the kernel the fitted variance would fall to 0 and stay there."""
    environment, policy = build(size=30, selection="greedy")
    rng = np.random.default_rng(6)
    X, y = rng.uniform(size=(30, 6)), rng.normal(0.0, np.sqrt(0.5), 30)
    policy.observe_points(0, X, y)
    policy.propose(1, rng, 1)
    assert policy.kernel.variance > 0.1 * y.var()


@pytest.mark.parametrize("name", point_policies.names())
def test_every_point_policy_keeps_the_contract(name):
    environment = environments.make("continuous_optimisation", function="shekel")
    values = SMALL if name == "s_gp_ts" else {}
    make = lambda: point_policies.make(  # noqa: E731
        name, domain=environment.domain, kernel=SE, noise_variance=0.5, **values
    )
    assert isinstance(make(), PointPolicy)
    one, two = play(make(), environment), play(make(), environment)
    np.testing.assert_array_equal(one.points, two.points)
    assert one.points.shape == (22, 4) and (one.regret >= 0).all()
    assert one.rounds.tolist() == [0] * 12 + [1] * 5 + [2] * 5
    assert (np.diff(one.simple_regret) <= 0).all()
    with pytest.raises(ValueError, match=f"policy {name} has no parameter 'colour'"):
        point_policies.make(name, domain=environment.domain, kernel=SE, noise_variance=0.5, colour="red")


def test_policies_share_initial_points_and_noise():
    environment, policy = build()
    control = point_policies.make("uniform", domain=environment.domain, kernel=SE, noise_variance=0.5)
    one, two = play(policy, environment), play(control, environment)
    np.testing.assert_array_equal(one.points[:12], two.points[:12])
    noise = [run.rewards - (environment.optimum - run.regret) for run in (one, two)]
    np.testing.assert_allclose(*noise, atol=1e-12)


def test_policies_for_arms_play_unchanged():
    """On the arms of the environment, and among candidates of the box that hold the initial
    points."""
    environment, _ = build()
    for name in ("gp_ts", "s_gp_ts", "igp_ucb", "uniform"):
        values = {"arms": environment.arms, "kernel": SE, "noise_variance": 0.5}
        fields = {
            "horizon": streams.NoiseField(len(environment.arms), "a"),
            "expert": streams.NoiseField(len(environment.arms), "b"),
        }
        run = simulate(
            policies.make(name, **values),
            environment,
            4,
            rng=streams.generator("test"),
            noise=fields["horizon"],
            expert_noise=fields["expert"],
        )
        assert (run.regret >= 0).all()
        initial = initial_points(environment, 12, streams.generator("test", 0, "initial"))
        arms = np.vstack([initial, spread_points(100, 6)])
        policy = OnCandidates(policies.make(name, **(values | {"arms": arms})), arms)
        assert isinstance(policy, PointPolicy)
        found = play(policy, environment)
        assert {p.tobytes() for p in found.points} <= {a.tobytes() for a in arms}
    with pytest.raises(ValueError, match="is not among the 112 candidates"):
        policy.observe_points(1, np.full((1, 6), 0.123), np.zeros(1))


def test_simulate_rejects_bad_points():
    environment, _ = build()

    class Bad:
        def __init__(self, points):
            self.points = points

        def propose(self, t, rng, batch):
            return self.points

        def observe_points(self, t, points, rewards):
            pass

    with pytest.raises(ValueError, match="round 1: a point lies outside the box"):
        play(Bad(np.full((5, 6), 1.5)), environment)
    with pytest.raises(ValueError, match=r"points have shape \(4, 6\), expected \(5, 6\)"):
        play(Bad(np.zeros((4, 6))), environment)
    with pytest.raises(ValueError, match="needs initial points"):
        build()[1].propose(1, np.random.default_rng(0), 3)
