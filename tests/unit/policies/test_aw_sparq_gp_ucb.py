"""AW-SparQ: windows by staleness, the fit of the drift, limiting cases."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies, streams
from tvgp.fitting import variogram
from tvgp.policies import aw_sparq_gp_ucb
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


def test_published_windows_and_noise_law_give_w_sparq():
    """c = sigma^2 is the noise law of W-SparQ."""
    policy = build(learn=False, windows="published", alpha=1.0, drift_variance=0.01)
    ours, theirs = play(policy), play(build("w_sparq_gp_ucb", alpha=1.0))
    np.testing.assert_array_equal(ours.arm, theirs.arm)
    np.testing.assert_array_equal(ours.expert_queries, theirs.expert_queries)


def test_a_learning_policy_ignores_the_true_drift():
    first, second = play(build(alpha=0.3, drift_variance=0.5)), play(build())
    np.testing.assert_array_equal(first.arm, second.arm)


def test_pairs_are_the_squared_differences_at_shared_arms():
    policy = build()
    rng = np.random.default_rng(0)
    asked = {}
    for t in range(1, 120):
        policy.observe(t, int(rng.integers(51)), 0.1 * float(rng.normal()))
        arms = policy.expert_queries(t, rng)
        if len(arms):
            values = 0.3 * rng.normal(size=len(arms))
            asked[t] = dict(zip(arms.tolist(), values.tolist(), strict=True))
            policy.observe_expert(t, arms, values)
    assert len(policy.pairs) > 50
    for t, lag, total, count in policy.pairs:
        now, before = asked[int(t)], asked[int(t - lag)]
        shared = [(now[arm] - before[arm]) ** 2 for arm in now.keys() & before.keys()]
        assert count == len(shared) and total == pytest.approx(sum(shared))


def test_the_drift_is_fitted_to_pairs_before_its_window():
    policy = build()
    rng = np.random.default_rng(0)
    fitted = 0
    for t in range(1, 80):
        before, pairs = policy.drift, policy.pairs
        policy.observe(t, int(rng.integers(51)), float(rng.normal()))
        if policy.drift != before and t not in policy.events:
            _, lags, squares, counts = pairs.T
            expected = variogram.Grid(lags, counts, noise_variance=0.01, prior_variance=0.5).fit(squares)
            assert policy.drift == expected
            fitted += 1
        arms = policy.expert_queries(t, rng)
        policy.observe_expert(t, arms, rng.normal(size=len(arms)))
    assert fitted >= 2


JUMP = 121


def play_jump(seed, changes=(JUMP,), **values):
    """A sign flip in round 121 of 200; the policy, the run, and of each window with a query its first round,
    its length and the longest lag seen before it."""
    environment = environments.make(
        "abrupt", changes=changes, n_arms=51, horizon=200, rng=streams.generator("jump", seed)
    )
    return watch(build(**values), environment, seed)


def watch(policy, environment, seed):
    windows = []

    def record(played):
        if len(played.queries):
            before = policy.pairs[policy.pairs[:, 0] < played.t]
            windows.append((played.t, policy.window, before[:, 1].max(initial=0.0)))

    fields = streams.noise_fields(51, "jump", seed)
    rng = streams.generator("jump", seed, "policy")
    return policy, simulate(policy, environment, 200, rng=rng, on_round=record, **fields), np.array(windows)


@pytest.mark.parametrize("noise", [0.0025, 0.01, 0.04, 0.16])
def test_no_window_is_longer_than_the_longest_lag_seen(noise):
    """Or than five rounds; with any variance of answers assumed, on static functions, jumps and drifts."""
    rng = streams.generator("aw", 1)
    drift = environments.make("drift", n_arms=51, horizon=200, step=0.1, rng=rng)
    played = [play_jump(1, (), expert_noise_variance=noise), play_jump(1, expert_noise_variance=noise)]
    played.append(watch(build(expert_noise_variance=noise), drift, 1))
    for _, _, windows in played:
        assert len(windows) >= 5
        assert (windows[:, 1] <= np.maximum(windows[:, 2], 5)).all()


def test_a_sign_flip_inside_a_long_window_ends_it():
    """Within three rounds in each of ten runs, and before it in none: a false restart has probability 0.1
    in a run, so that more than three of the ten have one with probability 1 %."""
    early = 0
    for seed in range(10):
        policy, run, windows = play_jump(seed)
        (before,) = windows[(windows[:, 0] < JUMP) & (windows[:, 0] + windows[:, 1] > JUMP)]
        early += policy.events[0] < JUMP
        assert before[1] > 20 and any(JUMP <= t < JUMP + 3 for t in policy.events)
        assert run.regret[150:].mean() < 0.3
    assert early <= 3


def test_a_restart_forgets_the_drift_and_its_answers():
    policy, _, windows = play_jump(0)
    (event,) = policy.events
    assert (policy.pairs[:, 0] - policy.pairs[:, 1] >= event).all()
    assert event in windows[:, 0]


@pytest.mark.parametrize(
    ("values", "noise", "events"), [({}, None, [2]), ({}, 100.0, []), ({"learn": False}, None, [])]
)
def test_an_event_is_a_surprise_given_the_noise_of_the_reading(values, noise, events):
    """30 where 0 was read; without `learn` nothing is one."""
    policy = build(**values)
    policy.observe(1, 3, 0.0)
    policy.observe(2, 3, 30.0, noise_variance=noise)
    assert policy.events == events


def test_after_queries_an_event_ends_the_window_with_its_round():
    policy, rng, t = build(), np.random.default_rng(0), 1
    while not len(asked := policy.expert_queries(t, rng)):
        policy.observe(t, 3, 0.0)
        t += 1
    policy.observe_expert(t, asked, np.zeros(len(asked)))
    policy.observe(t, 3, 30.0)
    assert policy.events == [t] and len(policy.expert_queries(t + 1, rng))


def test_sets_of_answers_kept_are_few_and_of_all_ages():
    policy = build(horizon=500, delta_event=1e-12)
    run = play(policy, horizon=500, step=0.3)
    asked = np.flatnonzero(run.expert_queries) + 1
    lags = policy.pairs[policy.pairs[:, 0] == asked[-1], 1]
    assert not policy.events and len(lags) <= aw_sparq_gp_ucb._SETS < len(asked)
    assert lags.max() > 0.5 * asked[-1] and lags.min() < 0.05 * asked[-1]
    assert np.diff(np.log1p(np.sort(lags))).max() < 1.0


@pytest.mark.parametrize("seed", [2, 3, 7])
def test_a_drift_too_fast_for_the_first_windows_is_still_fitted(seed):
    """Events in most rounds before the first fit do not keep it from coming."""
    policy, environment = build(), environments.make("rkhs_sine", n_arms=51)
    fields = streams.noise_fields(51, "sine", seed)
    simulate(policy, environment, 200, rng=streams.generator("sine", seed, "policy"), **fields)
    assert policy.events and policy.window == 1 and len(policy.events) < 10


def test_static_functions_double_windows_and_rarely_restart():
    """Differences of noise alone: whatever the seed, two windows at most start in the second half. A run
    has a false restart with probability 0.1 at most, so that more than three of ten have one with
    probability 1 %."""
    restarted = 0
    for seed in range(10):
        policy, run, _ = play_jump(seed, ())
        restarted += bool(policy.events)
        assert policy.window >= 100 or policy.events
        assert np.count_nonzero(run.expert_queries[100:]) <= 2 or policy.events
    assert restarted <= 3


@pytest.mark.parametrize("times", [4, 16])
def test_an_overestimated_answer_noise_does_not_stop_queries(times):
    for seed in (5, 9):
        told = play(build(), step=0.1, seed=seed)
        misled = play(build(expert_noise_variance=0.01 * times), step=0.1, seed=seed)
        assert misled.expert_queries.sum() > told.expert_queries.sum() / 4


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
        ({"delta_event": 1.0}, "delta_event is 1.0, expected between 0 and 1"),
    ],
)
def test_bad_parameters_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        build(**values)
