"""The empirical kernel, and what it needs elsewhere: a prior mean for each arm, a first arm."""

import json

import numpy as np
import pytest

from tvgp import environments, kernels, policies, posterior, streams
from tvgp.posterior import Prior
from tvgp.simulate import simulate

N = 7


@pytest.fixture(scope="module")
def covariance():
    draws = np.random.default_rng(0).normal(size=(40, N)) @ np.diag(np.linspace(0.5, 2.0, N))
    return np.cov(draws + draws[:, :1], rowvar=False)


@pytest.fixture(scope="module")
def kernel(covariance):
    return kernels.make("empirical", covariance=covariance)


ARMS = np.arange(float(N))[:, None]


def test_kernel_values_equal_the_matrix(kernel, covariance):
    np.testing.assert_array_equal(kernel(ARMS, ARMS), covariance)
    np.testing.assert_array_equal(kernel(ARMS[[4, 1]], ARMS[[2]]), covariance[[4, 1]][:, [2]])
    np.testing.assert_array_equal(kernel.diagonal(ARMS[::-1]), np.diagonal(covariance)[::-1])
    assert kernel.variance == covariance.diagonal().max()


def test_describe_survives_json(kernel):
    text = json.dumps(kernels.describe(kernel))
    again = kernels.make(**json.loads(text))
    assert again == kernel
    assert hash(again) == hash(kernel)
    assert Prior.of(ARMS, again) is Prior.of(ARMS, kernel)


def test_empirical_kernel_is_not_fittable():
    """A fit tries every fittable kernel; this one has nothing to try."""
    assert "empirical" not in kernels.fittable()


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_engines_agree_on_an_empirical_kernel(kernel, epsilon):
    prior = Prior.of(ARMS, kernel)
    rng = np.random.default_rng(1)
    names = ("dense", "append", "weight_space")
    engines = [posterior.make(prior, 0.1, horizon=60, epsilon=epsilon, engine=n) for n in names]
    for _ in range(60):
        arm, value = int(rng.integers(N)), float(rng.normal())
        for engine in engines:
            engine.observe(arm, value)
            engine.advance()
    for engine in engines[1:]:
        np.testing.assert_allclose(engine.mean, engines[0].mean, atol=1e-9)
        np.testing.assert_allclose(engine.variance, engines[0].variance, atol=1e-9)


def test_singular_covariance_is_accepted():
    """Fewer training times than sensors: the sample covariance has no full rank."""
    draws = np.random.default_rng(2).normal(size=(4, N))
    kernel = kernels.make("empirical", covariance=np.cov(draws, rowvar=False))
    assert Prior(ARMS, kernel).factor(N).shape == (N, 3)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1.0, 2.0]], r"shape \(1, 2\), expected \(n, n\)"),
        ([[1.0, 0.0], [0.0]], "not a matrix of numbers"),
        ([["a"]], "not a matrix of numbers"),
        ([], "expected"),
        ([[1.0, 0.2], [0.3, 1.0]], "not symmetric"),
        ([[1.0, np.nan], [np.nan, 1.0]], r"covariance\[0, 1\] is nan"),
        ([[1.0, 0.0], [0.0, 0.0]], "variance of arm 1 is 0.0"),
        ([[1.0, 2.0], [2.0, 1.0]], "not positive semi-definite"),
    ],
)
def test_bad_matrices(matrix, message):
    with pytest.raises(ValueError, match=message) as error:
        kernels.make("empirical", covariance=matrix)
    assert "\n" not in str(error.value)


def test_bad_arms_and_parameters(kernel):
    with pytest.raises(ValueError, match="7 is not the index of one of 7 arms"):
        kernel(np.array([[7.0]]), ARMS)
    with pytest.raises(ValueError, match="0.5 is not the index"):
        kernel(ARMS, np.array([[0.5]]))
    with pytest.raises(ValueError, match="expected .m, 1. indices"):
        kernel(np.zeros((3, 2)), ARMS)
    with pytest.raises(ValueError, match="parameter 'covariance' is missing"):
        kernels.make("empirical")
    with pytest.raises(ValueError, match="unknown parameter 'variance'"):
        kernels.make("empirical", variance=1.0)


def policy(name, kernel, prior_mean, **more):
    return policies.make(
        name,
        arms=ARMS,
        kernel=kernel,
        noise_variance=0.1,
        prior_mean=prior_mean,
        width="logarithmic",
        c1=0.8,
        c2=0.4,
        horizon=30,
        **more,
    )


def play(chosen, values, **more):
    return simulate(
        chosen,
        environments.make("field", arms=ARMS, values=values),
        len(values),
        rng=streams.generator("rng"),
        noise=streams.NoiseField(N, "noise"),
        expert_noise=streams.NoiseField(N, "expert"),
        **more,
    )


@pytest.mark.parametrize("name", ["gp_ucb", "tv_gp_ucb", "r_gp_ucb", "sw_gp_ucb"])
def test_a_prior_mean_for_each_arm_models_residuals(name, kernel):
    """Scores by the dense formula: m + K (K + s I)^-1 (y - m(x)) + width sigma."""
    rng = np.random.default_rng(3)
    mean = rng.normal(size=N) * 3
    chosen = policy(name, kernel, tuple(mean))
    residual = policy(name, kernel, 0.0)
    values = mean + rng.normal(size=(30, N))
    for t in range(1, 31):
        arm = int(rng.integers(N))
        centre, spread = chosen.posterior(t)
        around, same = residual.posterior(t)
        np.testing.assert_allclose(centre, mean + around, atol=1e-12)
        np.testing.assert_array_equal(spread, same)
        width = np.sqrt(max(0.8 * np.log(0.4 * t), 0.0))
        scores = centre + width * spread
        assert scores[chosen.choose(t, rng)] == pytest.approx(scores.max(), abs=1e-9)
        chosen.observe(t, arm, values[t - 1, arm])
        residual.observe(t, arm, values[t - 1, arm] - mean[arm])


def test_a_constant_mean_given_for_each_arm_changes_nothing(kernel):
    values = np.random.default_rng(4).normal(size=(30, N)) + 5.0
    one, each = (play(policy("tv_gp_ucb", kernel, m), values) for m in (5.0, (5.0,) * N))
    np.testing.assert_array_equal(one.arm, each.arm)


def test_a_prior_mean_of_the_wrong_length(kernel):
    with pytest.raises(ValueError, match="prior_mean is 3 numbers, expected one number"):
        policy("gp_ucb", kernel, (0.0, 1.0, 2.0))


def test_every_policy_starts_at_the_first_arm(kernel):
    values = np.random.default_rng(5).normal(size=(30, N))
    for first in range(N):
        assert play(policy("gp_ucb", kernel, 0.0), values, first_arm=first).arm[0] == first
    oracle = policies.make("oracle", arms=ARMS, kernel=kernel, noise_variance=0.1)
    assert not play(oracle, values, first_arm=0).regret.any()
    values[0, 2] = np.nan
    with pytest.raises(ValueError, match="first arm, 2, is not available"):
        play(policy("gp_ucb", kernel, 0.0), values, first_arm=2)
