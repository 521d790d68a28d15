"""ST-GP-UCB: the model that it learns, and its limits."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies, posterior, streams
from tvgp.policies import st_gp_ucb
from tvgp.simulate import simulate

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
SINE = environments.make("rkhs_sine", n_arms=101, norm_factor="rooted")


def play(horizon, **values):
    policy = policies.make(
        "st_gp_ucb", arms=SINE.arms, kernel=KERNEL, noise_variance=0.01, horizon=horizon, **values
    )
    noise = streams.noise_fields(101, "test")
    return policy, simulate(policy, SINE, horizon, rng=streams.generator("test"), **noise)


@pytest.fixture
def sizes(monkeypatch):
    """Shapes of the arrays from which time kernels are chosen."""
    found, choose = [], st_gp_ucb.time_kernel.choose

    def spy(gram, *arguments):
        found.append(gram.shape)
        return choose(gram, *arguments)

    monkeypatch.setattr(st_gp_ucb.time_kernel, "choose", spy)
    return found


@pytest.mark.parametrize("rounds", [39, 40, 54, 73, 74])
def test_posterior_is_that_of_all_data_under_the_chosen_kernel(rounds):
    """By brute force, just before and after a choice; no data of the round to come."""
    policy, run = play(rounds)
    assert (policy.time_kernel == kernels.make("matern12", length_scale=200.0)) == (rounds < 40)
    mean, variance = brute_force(policy, run)
    found = policy.posterior(rounds + 1)
    np.testing.assert_allclose(found[0], mean, atol=1e-7)
    np.testing.assert_allclose(found[1] ** 2, variance, atol=1e-7)


def brute_force(policy, run, kernel=KERNEL, latest=None):
    """Mean and variance given the latest observations of a run, None for all."""
    kept = slice(-latest if latest else None, None)
    arms, rewards = run.arm[kept], run.reward[kept]
    at, now = np.arange(1.0, len(arms) + 1)[:, None], np.array([[len(arms) + 1.0]])
    gram = kernel(SINE.arms[arms], SINE.arms[arms]) * policy.time_kernel(at, at)
    k = kernel(SINE.arms[arms], SINE.arms) * policy.time_kernel(at, now)
    half = np.linalg.solve(gram + 0.01 * np.eye(len(arms)), k)
    return half.T @ rewards, 0.5 - np.einsum("ng,ng->g", k, half)


@pytest.mark.parametrize("time_kernel", ["matern32", "se"])
def test_a_run_beyond_its_horizon_goes_on_in_the_state_space(monkeypatch, time_kernel):
    """Planned for 100 rounds, in which the space-time engine is faster; its arrays would go on growing."""
    monkeypatch.setattr(posterior, "_EXACT_HORIZON", 150)
    monkeypatch.setattr(st_gp_ucb, "_LATEST", 60)  # of choices alone
    kernel, rounds = kernels.make("se", variance=0.5, length_scale=40.0), 250
    values = {"time_kernel": time_kernel, "l_time": 60.0, "horizon": 100}
    policy = policies.make("st_gp_ucb", arms=SINE.arms, kernel=kernel, noise_variance=0.01, **values)
    assert policy.engine == "space_time"
    noise = streams.noise_fields(101, "test")
    run = simulate(policy, SINE, rounds, rng=streams.generator("test"), **noise)
    assert policy.engine == "state_space"
    mean, variance = brute_force(policy, run, kernel)
    found = policy.posterior(rounds + 1)
    np.testing.assert_allclose(found[0], mean, atol=1e-5)
    np.testing.assert_allclose(found[1] ** 2, variance, atol=1e-6)


def test_the_latest_data_choose_the_time_kernel(monkeypatch, sizes):
    """No array of a choice is larger; a periodic kernel then decays, and has the latest data only."""
    monkeypatch.setattr(st_gp_ucb, "_LATEST", 60)
    policy, run = play(99)
    assert sizes == [(40, 40), (54, 54), (60, 60), (60, 60)]
    slow = kernels.make("matern12", length_scale=240.0)
    assert policy.time_kernel.right == slow and policy.time_kernel.left.name == "periodic"
    mean, variance = brute_force(policy, run, latest=86)  # 60 in round 73; the kernel is the same in round 99
    np.testing.assert_allclose(policy.posterior(100)[0], mean, atol=1e-6)
    np.testing.assert_allclose(policy.posterior(100)[1] ** 2, variance, atol=1e-7)


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


def test_the_next_choice_follows_the_number_of_observations(sizes):
    """40, 54, 73, 99, 134, ...: also where a batch jumps over some of them."""
    policy, _ = play(45)
    policy.observe_batch(46, np.arange(60), np.sin(np.arange(60.0)))
    for t in range(47, 76):
        policy.observe(t, t, np.sin(t))
    assert sizes == [(n, n) for n in (40, 105, 134)]


@pytest.mark.parametrize(("family", "value"), [("constant", None), ("matern12", 8.0), ("se", 12.0)])
def test_a_choice_keeps_gaps_batches_and_their_noise(family, value):
    """Where the time kernel chosen plays on each engine, by brute force."""
    arms, rng = np.arange(8.0)[:, None], np.random.default_rng(2)
    rounds = np.cumsum(rng.integers(0, 3, 90)) + 1
    chosen, noise = rng.integers(0, 8, 90), rng.uniform(0.01, 0.03, 90)
    truth = kernels.make(family, **({} if value is None else {"length_scale": value}))
    X, t = arms[chosen], rounds[:, None].astype(float)
    cov = KERNEL(X, X) * truth(t, t) + np.diag(noise)
    rewards = np.linalg.cholesky(cov) @ rng.standard_normal(90)
    policy = policies.make("st_gp_ucb", arms=arms, kernel=KERNEL, noise_variance=0.02, refit_first=80)
    for each in np.unique(rounds):
        here = rounds == each
        policy.observe_batch(int(each), chosen[here], rewards[here], noise[here])
    assert policy.time_kernel.name == family
    for now in (rounds[-1] + 1, rounds[-1] + 4):
        at = np.array([[float(now)]])
        gram = KERNEL(X, X) * policy.time_kernel(t, t) + np.diag(noise)
        k = KERNEL(X, arms) * policy.time_kernel(t, at)
        half = np.linalg.solve(gram, k)
        mean, std = policy.posterior(int(now))
        np.testing.assert_allclose(mean, half.T @ rewards, atol=1e-6)
        np.testing.assert_allclose(std**2, 0.5 - np.einsum("ng,ng->g", k, half), atol=1e-6)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"time_kernel": "wiener"}, "expected auto, constant, ou, matern32, se, periodic, quasi"),
        ({"period": 0.0}, "positive, in rounds"),
        ({"refit_growth": 1.0}, "above 1"),
        ({"time_kernel": "se", "engine": "lazy"}, "known: auto, space_time, state_space"),
    ],
)
def test_bad_parameters_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        play(2, **values)
