"""Exact Thompson sampling: two samplers, one law, against the closed form."""

import numpy as np
import pytest
from moments import moments_agree
from scipy.stats import chi2_contingency

from tvgp import kernels, policies
from tvgp.policies.base.thompson import draw_scale
from tvgp.posterior import Dense, JointRoot, Pathwise, Prior

TAU = 0.05
LINE = np.linspace(0.0, 1.0, 12)[:, None]
# full rank on these arms, and rank 9: both roots of the prior
KERNELS = {
    "full": kernels.make("matern32", variance=1.3, length_scale=0.3),
    "low": kernels.make("se", variance=1.3, length_scale=2.0),
}
PLAYED, VALUES = [3, 7, 3, 11, 0, 3], [0.4, -1.0, 0.7, 0.2, 1.1, 0.1]


def conditioned(sampler, kernel):
    found = sampler(Prior(LINE, kernel), TAU)
    for arm, value in zip(PLAYED, VALUES, strict=True):
        found.observe(arm, value)
    return found


def closed(kernel):
    K = kernel(LINE, LINE)
    A = K[np.ix_(PLAYED, PLAYED)] + TAU * np.eye(len(PLAYED))
    gain = np.linalg.solve(A, K[PLAYED]).T
    return gain @ VALUES, K - gain @ K[PLAYED]


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("sampler", [JointRoot, Pathwise])
def test_moments_and_gain_equal_the_dense_engine(sampler, name):
    found = conditioned(sampler, KERNELS[name])
    dense = Dense(Prior(LINE, KERNELS[name]), TAU)
    for arm, value in zip(PLAYED, VALUES, strict=True):
        dense.observe(arm, value)
    np.testing.assert_allclose(found.mean, dense.mean, atol=1e-8)
    np.testing.assert_allclose(found.variance, dense.variance, atol=1e-8)
    assert found.log_det == pytest.approx(dense.log_det, abs=1e-8)


@pytest.mark.parametrize("scale", [1.0, 3.0])
@pytest.mark.parametrize("sampler", [JointRoot, Pathwise])
def test_draws_have_the_posterior_distribution(sampler, scale):
    """Every mean and every entry of the covariance; false alarms 1e-3 a case, fixed seed."""
    found = conditioned(sampler, KERNELS["full"])
    rng = np.random.default_rng(8)
    draws = [found.draw(rng, scale) for _ in range(4000)]
    mean, covariance = closed(KERNELS["full"])
    covariance = covariance + 1e-9 * np.eye(12)
    assert moments_agree(np.array(draws), mean, scale**2 * covariance)


def test_joint_and_pathwise_choose_alike():
    """Two samples of 4,000 choices by the policies; chi-squared test of equal shares among the
    arms chosen at least ten times in all, level 1e-3, fixed seeds."""
    counts = []
    for seed, sampling in enumerate(("joint", "pathwise")):
        policy = policies.make(
            "gp_ts", arms=LINE, kernel=KERNELS["full"], noise_variance=TAU, sampling=sampling
        )
        for t, (arm, value) in enumerate(zip(PLAYED, VALUES, strict=True), 1):
            policy.observe(t, arm, value)
        rng = np.random.default_rng(seed)
        chosen = [policy.choose(7, rng) for _ in range(4000)]
        counts.append(np.bincount(chosen, minlength=12))
    table = np.array(counts)
    table = table[:, table.sum(axis=0) >= 10]
    assert table.shape[1] >= 4
    assert chi2_contingency(table).pvalue > 1e-3


def test_a_long_run_stays_exact():
    """1,000 rank-one updates of the root: as good as the covariance from scratch."""
    rng = np.random.default_rng(2)
    kernel, found = KERNELS["full"], JointRoot(Prior(LINE, KERNELS["full"]), TAU)
    arms, values = rng.integers(12, size=1000), rng.normal(size=1000)
    for arm, value in zip(arms, values, strict=True):
        found.observe(int(arm), float(value))
    n = np.bincount(arms, minlength=12)
    y = np.bincount(arms, values, minlength=12) / n
    K = kernel(LINE, LINE)
    gain = np.linalg.solve(K + np.diag(TAU / n), K).T
    np.testing.assert_allclose(found.mean, gain @ y, atol=1e-9)
    np.testing.assert_allclose(found.variance, (K - gain @ K).diagonal(), atol=1e-9)


def test_the_scale_of_draws_is_the_published_formula():
    """alpha_t = 2 (B + sqrt(2 (gamma + 1 + 2 log t))); a small scale plays the posterior mean."""
    assert draw_scale("theory", 1, 3.0, 0.0, TAU) == pytest.approx(2 * (3 + np.sqrt(2)))
    expected = 2 * (3 + np.sqrt(2 * (0.7 + 1 + 2 * np.log(10))))
    assert draw_scale("theory", 10, 3.0, 1.4, TAU) == pytest.approx(expected)
    policy = policies.make("gp_ts", arms=LINE, kernel=KERNELS["full"], noise_variance=TAU, scale=1e-9)
    for t, (arm, value) in enumerate(zip(PLAYED, VALUES, strict=True), 1):
        policy.observe(t, arm, value)
    assert policy.choose(7, np.random.default_rng(0)) == closed(KERNELS["full"])[0].argmax()
    wild = {"scale": "theory", "norm_bound": 20.0}
    policy = policies.make("gp_ts", arms=LINE, kernel=KERNELS["full"], noise_variance=TAU, **wild)
    rng = np.random.default_rng(0)
    assert len({policy.choose(2, rng) for _ in range(200)}) > 8
    with pytest.raises(ValueError, match="scale is 'practice', expected a number from 0, or theory"):
        policies.make("gp_ts", arms=LINE, kernel=KERNELS["full"], noise_variance=1, scale="practice")
