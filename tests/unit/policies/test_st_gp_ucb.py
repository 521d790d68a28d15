"""ST-GP-UCB: the model that it learns, and its limits."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies, streams
from tvgp.simulate import simulate

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
SINE = environments.make("rkhs_sine", n_arms=101, norm_factor="rooted")


def play(horizon, **values):
    policy = policies.make(
        "st_gp_ucb", arms=SINE.arms, kernel=KERNEL, noise_variance=0.01, horizon=horizon, **values
    )
    noise = streams.noise_fields(101, "test")
    return policy, simulate(policy, SINE, horizon, rng=streams.generator("test"), **noise)


@pytest.mark.parametrize("rounds", [39, 40, 54, 73, 74])
def test_posterior_is_that_of_all_data_under_the_chosen_kernel(rounds):
    """By brute force, just before and after a choice; no data of the round to come."""
    policy, run = play(rounds)
    assert (policy.time_kernel == kernels.make("matern12", length_scale=200.0)) == (rounds < 40)
    at, now = np.arange(1.0, rounds + 1)[:, None], np.array([[rounds + 1.0]])
    gram = KERNEL(SINE.arms[run.arm], SINE.arms[run.arm]) * policy.time_kernel(at, at)
    k = KERNEL(SINE.arms[run.arm], SINE.arms) * policy.time_kernel(at, now)
    half = np.linalg.solve(gram + 0.01 * np.eye(rounds), k)
    mean, std = policy.posterior(rounds + 1)
    np.testing.assert_allclose(mean, half.T @ run.reward, atol=1e-7)
    np.testing.assert_allclose(std**2, 0.5 - np.einsum("ng,ng->g", k, half), atol=1e-7)


def test_it_finds_the_period_of_the_sine_coefficients():
    """2 pi / 0.3 = 20.94 rounds, within 1/(4 T) in frequency."""
    policy, run = play(150)
    assert abs(1 / policy.time_kernel.period - 0.3 / (2 * np.pi)) < 1 / 600
    assert run.regret[100:].mean() < 0.3 * run.regret[:50].mean()


def test_the_ou_kernel_plays_as_tv_gp_ucb():
    _, run = play(80, time_kernel="ou", l_time=-2 / np.log(0.97), width="logarithmic")
    tv = policies.make(
        "tv_gp_ucb", arms=SINE.arms, kernel=KERNEL, noise_variance=0.01, horizon=80, epsilon=0.03
    )
    other = simulate(tv, SINE, 80, rng=streams.generator("test"), **streams.noise_fields(101, "test"))
    np.testing.assert_array_equal(run.arm, other.arm)


def test_the_next_choice_follows_the_number_of_observations():
    """40, 54, 73, 99, ...: also where a batch jumps over one of them."""
    policy, _ = play(45)
    assert policy._due == 54
    for t in range(46, 50):
        policy.observe_batch(t, np.arange(20), np.sin(np.arange(20.0)))
    assert policy._due == 134


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"time_kernel": "wiener"}, "expected auto, constant, ou, matern32, se, periodic, quasi"),
        ({"period": 0.0}, "positive, in rounds"),
        ({"refit_growth": 1.0}, "above 1"),
        ({"time_kernel": "se", "engine": "state_space"}, "has no finite state-space form"),
    ],
)
def test_bad_parameters_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        play(2, **values)
