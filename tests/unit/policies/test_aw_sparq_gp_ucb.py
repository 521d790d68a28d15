"""AW-SparQ: windows by staleness, the fit of the drift, limiting cases."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies, streams
from tvgp.fitting import variogram
from tvgp.simulate import simulate

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
ARMS = np.linspace(-50, 50, 51)[:, None]


def build(name="aw_sparq_gp_ucb", **values):
    values = {"horizon": 200, "width": 2.0, **values}
    return policies.make(name, arms=ARMS, kernel=KERNEL, noise_variance=0.01, **values)


def play(policy, horizon=200, seed=1, **values):
    environment = environments.make(
        "drift", n_arms=51, horizon=horizon, rng=streams.generator("aw", seed), **values
    )
    fields = streams.noise_fields(51, "aw", seed)
    return simulate(policy, environment, horizon, rng=streams.generator("aw", seed, "policy"), **fields)


@pytest.mark.parametrize(
    ("alpha", "scale", "window"),
    [(1.0, 0.01, 5), (2.0, 0.01, 2), (0.5, 0.01, 25), (1.0, 1.0, 1), (0.1, 1e-5, 1000)],
)
def test_a_window_lasts_until_answers_are_stale(alpha, scale, window):
    """floor((0.1 * 0.5 / c)^(1/alpha)), from 1 to 1,000."""
    policy = build(learn=False, alpha=alpha, drift_variance=scale)
    policy.observe(1, 3, 0.5)
    assert policy.window == window


def test_with_the_published_windows_and_a_drift_of_the_noise_variance_it_is_w_sparq():
    """c = sigma^2 is the noise law of W-SparQ."""
    policy = build(learn=False, windows="published", alpha=1.0, drift_variance=0.01)
    ours, theirs = play(policy), play(build("w_sparq_gp_ucb", alpha=1.0))
    np.testing.assert_array_equal(ours.arm, theirs.arm)
    np.testing.assert_array_equal(ours.expert_queries, theirs.expert_queries)


def test_what_the_study_knows_of_the_drift_does_not_reach_a_policy_that_learns():
    first, second = play(build(alpha=0.3, drift_variance=0.5)), play(build())
    np.testing.assert_array_equal(first.arm, second.arm)


def test_pairs_are_the_squared_differences_at_shared_arms():
    policy = build()
    rng = np.random.default_rng(0)
    asked = {}
    for t in range(1, 120):
        policy.observe(t, int(rng.integers(51)), float(rng.normal()))
        arms = policy.expert_queries(t, rng)
        if len(arms):
            values = rng.normal(size=len(arms))
            asked[t] = dict(zip(arms.tolist(), values.tolist(), strict=True))
            policy.observe_expert(t, arms, values)
    assert len(policy.pairs) > 50
    for t, lag, total, count in policy.pairs:
        now, before = asked[int(t)], asked[int(t - lag)]
        shared = [(now[arm] - before[arm]) ** 2 for arm in now.keys() & before.keys()]
        assert count == len(shared) and total == pytest.approx(sum(shared))


def test_the_drift_in_use_is_the_fit_to_the_pairs_before_its_window():
    policy = build()
    rng = np.random.default_rng(0)
    fitted = 0
    for t in range(1, 80):
        before, pairs = policy.drift, policy.pairs
        policy.observe(t, int(rng.integers(51)), float(rng.normal()))
        if policy.drift != before:
            _, lags, squares, counts = pairs.T
            expected = variogram.fit(lags, squares, counts, noise_variance=0.01, prior_variance=0.5)
            assert policy.drift == expected
            fitted += 1
        arms = policy.expert_queries(t, rng)
        policy.observe_expert(t, arms, rng.normal(size=len(arms)))
    assert fitted >= 2


def test_on_a_static_function_queries_stop():
    """Differences of noise alone: the last window is at its cap, whatever the seed."""
    for seed in range(5):
        policy = build()
        environment = environments.make(
            "abrupt", changes=0, n_arms=51, horizon=200, rng=streams.generator("still", seed)
        )
        fields = streams.noise_fields(51, "still", seed)
        run = simulate(policy, environment, 200, rng=streams.generator("still", seed, "policy"), **fields)
        assert policy.window >= 100 and run.expert_queries[100:].sum() <= 40


def test_a_faster_drift_gives_shorter_windows():
    slow, fast = build(), build()
    play(slow, step=0.02, alpha=1.0)
    play(fast, step=0.2, alpha=1.0)
    assert slow.window > 4 * fast.window


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"drift_variance": 0.0}, "drift_variance is 0.0, expected positive"),
        ({"staleness": -1.0}, "staleness is -1.0, expected positive"),
        ({"windows": "long"}, "windows is 'long', expected staleness or published"),
        ({"exponent_prior": -1.0}, "exponent_prior is -1.0, expected 0 or more"),
    ],
)
def test_bad_parameters_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        build(**values)
