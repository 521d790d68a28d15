"""TV-GP-UCB with a rate of change that is fitted: against the marginal likelihood in closed form."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from tvgp import kernels, policies

ARMS = np.linspace(0.0, 10.0, 21)[:, None]
KERNEL = kernels.make("se", variance=0.8, length_scale=2.0)
GIVEN = {"arms": ARMS, "kernel": KERNEL, "noise_variance": 0.04}
EPSILONS = (0.003, 0.05, 0.5)


def likelihood(epsilon, told):
    """log N(y - m; 0, K o D + sigma^2 I) of rounds, arms and values."""
    t, arms, y = (np.array(each) for each in zip(*told, strict=True))
    D = np.sqrt(1 - epsilon) ** np.abs(t[:, None] - t)
    A = KERNEL(ARMS[arms], ARMS[arms]) * D + 0.04 * np.eye(len(y))
    return multivariate_normal.logpdf(y - 0.3, cov=A)


@pytest.mark.parametrize("drift", [0.003, 0.5])
def test_the_likeliest_rate_plays_in_every_round(drift):
    rng, used = np.random.default_rng(4), set()
    policy = policies.make("fitted_tv_gp_ucb", epsilons=EPSILONS, prior_mean=0.3, **GIVEN)
    root = np.linalg.cholesky(KERNEL(ARMS, ARMS) + 1e-9 * np.eye(21))
    f, told = root @ rng.standard_normal(21), []
    for t in (t for t in range(1, 40) if t % 5):  # rounds may be skipped
        arm = policy.choose(t, rng)
        y = 0.3 + float(f[arm]) + 0.2 * rng.standard_normal()
        policy.observe(t, arm, y)
        told.append((t, arm, y))
        best = max(EPSILONS, key=lambda epsilon: likelihood(epsilon, told))
        if t > 1:  # after one observation all are as likely
            assert policy.epsilon == best
        used.add(policy.epsilon)
        f = np.sqrt(1 - drift) * f + np.sqrt(drift) * (root @ rng.standard_normal(21))
    known = policies.make("tv_gp_ucb", epsilon=policy.epsilon, prior_mean=0.3, **GIVEN)
    for t, arm, y in told:
        known.observe(t, arm, y)
    np.testing.assert_allclose(policy.posterior(40), known.posterior(40), atol=1e-10)
    assert policy.epsilon == drift


@pytest.mark.parametrize("epsilons", [(), (0.1, 0.1), (0.3, 0.1), (-0.1, 0.1), (0.5, 1.5)])
def test_candidates_must_be_rising_rates(epsilons):
    with pytest.raises(ValueError, match="epsilons is .* expected rising rates between 0 and 1"):
        policies.make("fitted_tv_gp_ucb", epsilons=epsilons, **GIVEN)
