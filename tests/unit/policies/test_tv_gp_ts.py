"""Thompson sampling from the posterior of TV-GP-UCB: the law of its draws, against the closed form."""

import numpy as np
import pytest
from moments import moments_agree

from tvgp import kernels, policies
from tvgp.posterior import Dense, JointRoot, MarkovRoot, Prior

TAU, EPS = 0.05, 0.2
LINE = np.linspace(0.0, 1.0, 12)[:, None]
KERNELS = {
    "full": kernels.make("matern32", variance=1.3, length_scale=0.3),
    "low": kernels.make("se", variance=1.3, length_scale=2.0),
}
ROUNDS, PLAYED, VALUES = [1, 2, 3, 5, 6, 7, 8], [3, 7, 3, 11, 0, 5, 9], [0.4, -1.0, 0.7, 0.2, 1.1, -0.3, 0.6]
NOW = 9
FEW, MANY = 5, 7  # values, for a kernel of full rank: less and more than half of it


def told(sampler, values=MANY):
    """So many values in their rounds, then advanced to round 9."""
    now = 1
    for t, arm, value in list(zip(ROUNDS, PLAYED, VALUES, strict=True))[:values]:
        sampler.advance(t - now) if t > now else None
        now = t
        sampler.observe(arm, value)
    sampler.advance(NOW - now)
    return sampler


def closed(kernel, values=MANY):
    K, rho = kernel(LINE, LINE), np.sqrt(1 - EPS)
    t, played = np.array(ROUNDS[:values]), PLAYED[:values]
    A = K[np.ix_(played, played)] * rho ** np.abs(t[:, None] - t) + TAU * np.eye(values)
    across = K[played] * (rho ** (NOW - t))[:, None]
    gain = np.linalg.solve(A, across).T
    return gain @ VALUES[:values], K - gain @ across


@pytest.mark.parametrize("values", [FEW, MANY])
@pytest.mark.parametrize("name", KERNELS)
def test_moments_and_gain_equal_the_closed_form(name, values):
    prior = Prior(LINE, KERNELS[name])
    found, dense = (told(made(prior, TAU, EPS), values) for made in (MarkovRoot, Dense))
    mean, covariance = closed(KERNELS[name], values)
    np.testing.assert_allclose(found.mean, mean, atol=1e-7)
    np.testing.assert_allclose(found.variance, covariance.diagonal(), atol=1e-7)
    assert found.log_det == pytest.approx(dense.log_det, abs=1e-7)


@pytest.mark.parametrize("values", [FEW, MANY])
@pytest.mark.parametrize("name", KERNELS)
def test_draws_have_the_posterior_covariance(name, values):
    """R of mu + R z column by column, from unit vectors z."""
    found = told(MarkovRoot(Prior(LINE, KERNELS[name]), TAU, EPS), values)

    asked = []

    class Unit:
        def __init__(self, i):
            self.i = i

        def standard_normal(self, rank):
            asked.append(rank)
            return np.eye(rank)[self.i]

    found.draw(Unit(0), 1.0)
    root = np.array([found.draw(Unit(i), 1.0) - found.mean for i in range(asked[0])])
    np.testing.assert_allclose(root.T @ root, closed(KERNELS[name], values)[1], atol=1e-7)


@pytest.mark.parametrize("values", [FEW, MANY])
def test_draws_have_the_posterior_distribution(values):
    """Every mean and every entry of the covariance; false alarms 1e-3 each, fixed seed."""
    found = told(MarkovRoot(Prior(LINE, KERNELS["full"]), TAU, EPS), values)
    mean, covariance = closed(KERNELS["full"], values)
    rng = np.random.default_rng(8)
    draws = np.array([found.draw(rng, 2.0) for _ in range(4000)])
    assert moments_agree(draws, mean, 4.0 * (covariance + 1e-9 * np.eye(12)))


def test_without_forgetting_it_is_gp_ts():
    prior = Prior(LINE, KERNELS["full"])
    static, joint = MarkovRoot(prior, TAU, 0.0), JointRoot(prior, TAU)
    for t, (arm, value) in enumerate(zip(PLAYED, VALUES, strict=True)):
        static.observe(arm, value)
        joint.observe(arm, value)
        static.advance(t)
    np.testing.assert_allclose(static.mean, joint.mean, atol=1e-9)
    draws = [each.draw(np.random.default_rng(1), 1.0) for each in (static, joint)]
    np.testing.assert_allclose(*draws, atol=1e-8)


def test_the_policy_plays_the_maximum_of_the_draw():
    values = {"arms": LINE, "kernel": KERNELS["full"], "noise_variance": TAU}
    policy = policies.make("tv_gp_ts", epsilon=EPS, scale=1e-9, **values)
    for t, arm, value in zip(ROUNDS, PLAYED, VALUES, strict=True):
        policy.observe(t, arm, value)
    assert policy.choose(NOW, np.random.default_rng(0)) == closed(KERNELS["full"])[0].argmax()
    with pytest.raises(ValueError, match="epsilon is 1.5, expected between 0 and 1"):
        policies.make("tv_gp_ts", epsilon=1.5, **values)
