"""Noise far below the prior's variance: exact where float64 allows it, refused below."""

from fractions import Fraction

import numpy as np
import pytest

from tvgp import kernels, policies, posterior
from tvgp.posterior import Prior

# close pairs of arms, which jitter on the diagonal would tell apart
ARMS = np.concatenate([np.linspace(0.0, 1.0, 4), np.linspace(0.0, 1.0, 4) + 2e-8])[:, None]
KERNEL = kernels.make("matern32", length_scale=0.2)
ROUNDS = 300


def data(prior, noise):
    rng = np.random.default_rng(5)
    arms = np.where(rng.random(ROUNDS) < 0.8, rng.choice((0, 4), ROUNDS), rng.integers(8, size=ROUNDS))
    values, vectors = np.linalg.eigh(prior.gram)
    f = vectors @ (np.sqrt(np.maximum(values, 0.0)) * rng.standard_normal(8))
    return arms, f[arms] + np.sqrt(noise) * rng.standard_normal(ROUNDS)


def exact_moments(prior, noise, arms, values):
    """Posterior mean and standard deviation in rational arithmetic, one arm's data at a time."""
    exact = np.vectorize(Fraction, otypes=[object])
    P, mean = exact(prior.gram), exact(np.zeros(8))
    for arm in np.unique(arms):
        own = values[arms == arm]
        c = P[arm].copy()
        s = c[arm] + Fraction(noise) / len(own)
        mean = mean + c * ((exact(own).sum() / len(own) - mean[arm]) / s)
        P = P - np.multiply.outer(c, c / s)
    return mean.astype(float), np.sqrt(P.diagonal().astype(float))


@pytest.mark.parametrize("noise", [1e-6, 1e-8])
@pytest.mark.parametrize("sampling", ["joint", "pathwise"])
def test_thompson_sampling_has_the_exact_posterior(sampling, noise):
    prior = Prior(ARMS, KERNEL)
    arms, values = data(prior, noise)
    policy = policies.make("gp_ts", arms=ARMS, kernel=KERNEL, noise_variance=noise, sampling=sampling)
    for t, (arm, value) in enumerate(zip(arms.tolist(), values.tolist(), strict=True), start=1):
        policy.observe(t, arm, value)
    mean, std = exact_moments(prior, noise, arms, values)
    actual_mean, actual_std = policy.posterior(ROUNDS + 1)
    assert np.max(np.abs(actual_mean - mean) / std) < 1e-4
    assert np.max(np.abs(actual_std - std) / std) < 1e-4


def test_pathwise_draws_have_the_exact_spread():
    """Draws of close arms: their difference has the posterior's spread, not that of a jitter."""
    prior, noise = Prior(ARMS, KERNEL), 1e-8
    sampler = posterior.Pathwise(prior, noise)
    rng = np.random.default_rng(7)
    draws = np.array([sampler.draw(rng, 1.0) for _ in range(400)])
    apart = draws[:, 0] - draws[:, 4]
    expected = np.sqrt(prior.gram[0, 0] + prior.gram[4, 4] - 2.0 * prior.gram[0, 4])
    # the ratio's standard error is 3.5 %: false alarms below 1e-10
    assert abs(apart.std() / expected - 1.0) < 0.25


@pytest.mark.parametrize("engine", ["append", "weight_space", "grid", "lazy", "dense", "auto"])
def test_engines_refuse_noise_below_the_floor(engine):
    prior = Prior(ARMS, KERNEL)
    with pytest.raises(ValueError, match="noise variance is 1e-14, must be at least 1e-10, 1e-10 of the"):
        posterior.make(prior, 1e-14, horizon=100, engine=engine)
    assert posterior.make(prior, 1.01e-10, horizon=100, engine=engine).n == 0


@pytest.mark.parametrize("name", ["gp_ucb", "gp_ts", "w_sparq_gp_ucb"])
def test_policies_refuse_noise_below_the_floor(name):
    with pytest.raises(ValueError, match="noise variance is 1e-14, must be at least"):
        policies.make(name, arms=ARMS, kernel=KERNEL, noise_variance=1e-14)
