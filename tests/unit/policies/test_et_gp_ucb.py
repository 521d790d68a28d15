"""ET-GP-UCB: events where f jumps, and only there."""

import numpy as np
import pytest

from tvgp import kernels, policies

ARMS = np.linspace(-15, 15, 61)[:, None]
KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
ROOT = np.linalg.cholesky(KERNEL(ARMS, ARMS) + 1e-10 * np.eye(61))


def events(seed, flip=None, **values):
    """Rounds of events in 200 rounds on a draw of the prior, whose sign changes at round `flip`."""
    rng = np.random.default_rng(seed)
    f = ROOT @ rng.standard_normal(61)
    policy = policies.make("et_gp_ucb", arms=ARMS, kernel=KERNEL, noise_variance=0.01, **values)
    for t in range(1, 201):
        arm = policy.choose(t, rng)
        sign = -1.0 if flip and t >= flip else 1.0
        policy.observe(t, arm, sign * f[arm] + 0.1 * rng.standard_normal())
    return policy.events


def test_a_change_of_sign_is_an_event_within_20_rounds():
    """In 20 of 20 seeds; with a probability of 0.95 per seed, fewer than 17 have one in 1.6 % of cases."""
    found = [events(seed, flip=101) for seed in range(20)]
    assert sum(any(101 <= t <= 120 for t in rounds) for rounds in found) >= 17


def test_a_static_function_has_no_event():
    """Expected at most delta_B = 0.1 per run; more than five in 20 runs have a probability of 2 %."""
    assert sum(len(events(seed)) for seed in range(20)) <= 5


def test_a_first_observation_is_no_event():
    """However far from the prior mean: there are no data that it contradicts."""
    policy = policies.make("et_gp_ucb", arms=ARMS, kernel=KERNEL, noise_variance=0.01)
    policy.observe(1, 30, 100.0)
    assert policy.events == []


def test_after_an_event_only_its_observation_is_left():
    policy = policies.make("et_gp_ucb", arms=ARMS, kernel=KERNEL, noise_variance=0.01)
    for t in range(1, 11):
        policy.observe(t, 30, 1.0)
    policy.observe(11, 30, -1.0)
    assert policy.events == [11] and policy.posterior(12)[0][30] == pytest.approx(-0.5 / 0.51)


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize(("factor", "expected"), [(0.999, 0), (1.001, 1)])
def test_an_event_needs_an_error_above_the_threshold(n, factor, expected):
    """sqrt(rho) sigma + sqrt(s2 rho), rho = 2 log(2 pi^2 (n + 1)^2 / 6 / 0.1), after n observations."""
    policy = policies.make("et_gp_ucb", arms=ARMS, kernel=KERNEL, noise_variance=0.01)
    for t in range(1, n + 1):
        policy.observe(t, 5 * t, 0.1)
    mean, std = policy.posterior(n + 1)
    rho = 2 * np.log(2 * np.pi**2 * (n + 1) ** 2 / 6 / 0.1)
    threshold = np.sqrt(rho) * std[7] + np.sqrt(0.03 * rho)
    policy.observe(n + 1, 7, mean[7] - factor * threshold, noise_variance=0.03)
    assert len(policy.events) == expected
