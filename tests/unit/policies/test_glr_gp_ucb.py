"""GLR-GP-UCB: restarts where f jumps, and only there; forced exploration."""

import numpy as np
import pytest
from scipy.stats import norm

from tvgp import kernels, policies
from tvgp.policies import glr_gp_ucb

ARMS = np.linspace(-15, 15, 61)[:, None]
KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
ROOT = np.linalg.cholesky(KERNEL(ARMS, ARMS) + 1e-10 * np.eye(61))


def build(**values):
    return policies.make("glr_gp_ucb", arms=ARMS, kernel=KERNEL, noise_variance=0.01, horizon=200, **values)


def play(seed, rounds=200, flip=None, **values):
    """The policy after a run on a draw of the prior, whose sign changes at round `flip`, and the arms."""
    rng = np.random.default_rng(seed)
    f = ROOT @ rng.standard_normal(61)
    policy, arms = build(**values), []
    for t in range(1, rounds + 1):
        arms.append(policy.choose(t, rng))
        sign = -1.0 if flip and t >= flip else 1.0
        policy.observe(t, arms[-1], sign * f[arms[-1]] + 0.1 * rng.standard_normal())
    return policy, arms


@pytest.mark.parametrize(("test", "within"), [("residuals", 20), ("arms", 60)])
def test_a_change_of_sign_restarts(test, within):
    """In 20 of 20 seeds here; with a probability of 0.95 per seed, fewer than 17 do in 1.6 % of cases."""
    found = [play(seed, flip=101, test=test)[0].events for seed in range(20)]
    assert sum(any(101 <= t <= 100 + within for t in rounds) for rounds in found) >= 17


@pytest.mark.parametrize("test", ["residuals", "arms"])
def test_a_static_function_hardly_ever_restarts(test):
    """Probability below delta = 200^(-1/2) = 0.07 per run; more than seven of 40 runs: 0.6 %."""
    assert sum(bool(play(seed, test=test)[0].events) for seed in range(40)) <= 7


@pytest.mark.parametrize("test", ["residuals", "arms"])
@pytest.mark.parametrize("rounds", [range(1, 400, 2), range(3, 1400, 7), range(2, 2000, 10)])
def test_a_change_is_found_where_rounds_are_skipped(test, rounds):
    """A flip after 100 of 200 rewards at one arm, twenty standard deviations wide."""
    policy, rng = build(test=test, cover=0.9), np.random.default_rng(0)
    arm = policy.covering[0] if test == "arms" else 30
    for i, t in enumerate(rounds):
        policy.observe(t, arm, (1.0 if i < 100 else -1.0) + 0.1 * rng.standard_normal())
    flip = rounds[100]
    assert policy.events and flip <= policy.events[0] <= flip + 20 * (rounds[1] - rounds[0])


def test_tests_keep_their_distance():
    """A flip after round 100 that a test in every round finds before one in every thirty rounds."""
    found = {}
    for every in (1, 30):
        policy, rng = build(test_every=every), np.random.default_rng(0)
        for t in range(1, 151):
            policy.observe(t, 30, (1.0 if t <= 100 else -1.0) + 0.1 * rng.standard_normal())
        found[every] = policy.events[0]
    assert 101 <= found[1] < 120 == found[30]


def test_noisier_rewards_that_say_so_restart_nothing():
    """Standard deviation 1, ten times the usual, on a static f: 1 % of runs restart (4 of 400), so more
    than two of 20 do in 0.1 % of cases; tested with the usual variance every run restarts."""
    found = 0
    for seed in range(20):
        policy, rng = build(test="arms", cover=0.9), np.random.default_rng(seed)
        for t in range(1, 201):
            policy.observe(t, policy.covering[t % 6], rng.standard_normal(), noise_variance=1.0)
        found += bool(policy.events)
    assert found <= 2


def test_covering_arms_are_played_in_turn():
    """With 6 arms and 200 rounds, a = sqrt(6 log(200)/200) = 0.40: every 16 rounds."""
    policy, arms = play(1, rounds=64, test="arms", cover=0.9)
    covering = policy.covering
    assert len(covering) == 6 and not policy.events
    assert all(arms[start : start + 6] == covering for start in (0, 16, 32, 48))
    assert arms[54:64] != covering + covering[:4]


def test_the_cover_is_as_fine_as_asked():
    engine_arms = build(test="arms", cover=0.3).covering
    K = KERNEL(ARMS, ARMS)
    k = K[engine_arms]
    left = 0.5 - np.einsum("ng,ng->g", k, np.linalg.solve(k[:, engine_arms] + 0.01 * np.eye(len(k)), k))
    assert left.max() <= 0.3**2 * 0.5 and len(set(engine_arms)) == len(engine_arms)


@pytest.mark.parametrize("gap", [1, 2])
def test_a_restart_forgets_all_and_explores_more(gap):
    """a = sqrt(2) 0.40 in the second episode: every 11 rounds that are played."""
    policy = build(test="arms", cover=0.9, test_every=1, split_every=1)
    for t in range(1, 7):
        policy.observe(t, policy.covering[0], 1.0 if t < 6 else -1.0)
    assert policy.events == [6]
    np.testing.assert_array_equal(policy.posterior(7)[0], 0.0)
    turns, best, rng = [], [], np.random.default_rng(0)
    for t in range(7, 7 + 22 * gap, gap):
        turns.append(policy.choose(t, rng))
        mean, reach, _ = policy.confidence_band(t)
        best.append(int((mean + reach).argmax()))
        policy.observe(t, turns[-1], 3.0 * KERNEL(ARMS[[40]], ARMS[turns[-1:]]).item())
    assert turns[:6] == turns[11:17] == policy.covering != best[11:17]
    assert turns[6:11] == best[6:11] and turns[17:] == best[17:]


def log_ratio(values, split, parts):
    """Log-likelihood ratio of two parts against one, by the normal densities."""
    return sum(parts(values[:split])) + sum(parts(values[split:])) - sum(parts(values))


def _best_fit(values, deviations):
    """Log-likelihood of the mean that is likeliest for these standard deviations."""
    mean = np.average(values, weights=deviations**-2)
    return norm.logpdf(values, mean, deviations).sum()


def series(values, deviations, every):
    found = glr_gp_ucb.Splits(every)
    for value, deviation in zip(values, deviations, strict=True):
        found.append(float(value), float(deviation) ** -2)
    return found


def test_a_test_reads_one_number_per_split_not_the_values():
    """Whatever their number: the sums at the splits grow, by doubling, nothing else does."""
    found = series(np.arange(10_000.0), np.ones(10_000), 5)
    assert found._sums.shape == (2, 2048) and all(len(each) == 1999 for each in found.halves())
    assert not any(isinstance(each, list) for each in vars(found).values())


def test_the_statistics_are_likelihood_ratios():
    rng = np.random.default_rng(0)
    values = rng.normal(size=23)
    values[9:] = 2.0 * values[9:] + 0.5
    means = lambda part: norm.logpdf(part, part.mean(), 0.3)  # noqa: E731
    expected = max(log_ratio(values, s, means) for s in range(3, 23, 3))
    assert glr_gp_ucb.split_means(series(values, np.full(23, 0.3), 3)) == pytest.approx(expected)
    deviations = rng.uniform(0.1, 2.0, size=23)
    expected = max(
        sum(_best_fit(values[part], deviations[part]) for part in (slice(s), slice(s, None)))
        - _best_fit(values, deviations)
        for s in range(3, 23, 3)
    )
    assert glr_gp_ucb.split_means(series(values, deviations, 3)) == pytest.approx(expected)
    scales = lambda part: norm.logpdf(part, 0.0, np.sqrt((part**2).mean()))  # noqa: E731
    rising = [s for s in range(3, 23, 3) if (values[s:] ** 2).mean() > (values[:s] ** 2).mean()]
    expected = max(log_ratio(values, s, scales) for s in rising)
    assert glr_gp_ucb.larger_later(series(values**2, np.ones(23), 3)) == pytest.approx(expected)
    assert glr_gp_ucb.larger_later(series(values[::-1] ** 2, np.ones(23), 11)) == -np.inf
    assert glr_gp_ucb.threshold(100, 0.05) == pytest.approx(np.log(80000))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"test": "means"}, "test is 'means', expected residuals or arms"),
        ({"split_every": 0}, "split_every is 0, expected 1 or more"),
        ({"delta_restart": 0.0}, "delta_restart is 0.0, expected between 0 and 1"),
        ({"cover": 1.0}, "cover is 1.0, expected between 0 and 1"),
    ],
)
def test_bad_parameters_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        build(**values)
