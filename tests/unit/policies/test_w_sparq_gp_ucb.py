"""W-SparQ-GP-UCB: whole runs against the paper's algorithm, its windows and queries, limiting cases."""

import math

import numpy as np
import pytest
from dense_sparq import NOISE, RNG, SINE, DenseSparQ, assert_regression, assert_same_run, build, play

from tvgp.policies.base import aged_data
from tvgp.theory.schedules import next_window_start, window_starts


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("subset", ["dpp", "greedy"])
@pytest.mark.parametrize("alpha", [0.4, 1.0, 2.0])
def test_runs_equal_the_dense_algorithm(alpha, subset, seed):
    policy = build("w_sparq_gp_ucb", alpha=alpha, subset=subset, expert_noise_variance=0.02)
    assert_same_run(policy, DenseSparQ("windows", subset, alpha, expert_noise=0.02), 120, seed)


@pytest.mark.parametrize(("noise", "keep_own"), [("virtual", True), ("constant", False), ("constant", True)])
def test_variants_equal_the_dense_algorithm(noise, keep_own):
    policy = build("w_sparq_gp_ucb", alpha=0.5, noise=noise, keep_own=keep_own)
    reference = DenseSparQ("windows", alpha=0.5, ages=noise == "virtual", keep_own=keep_own)
    assert_same_run(policy, reference, 120, 0)


@pytest.mark.parametrize(("alpha", "windows"), [(0.5, 42), (1.0, 123), (2.0, 210)])
def test_queries_come_at_window_starts_of_equation_32(alpha, windows):
    """t_{j+1} = t_j + floor(t_j^(1/4 alpha)) + 1, each with min(played, ceil(6 log t)) arms."""
    asked, played = {}, set()

    def note(each):
        played.add(each.arm)
        if len(each.queries):
            asked[each.t] = len(each.queries), min(len(played), max(1, math.ceil(6 * math.log(each.t))))
            assert set(each.queries.tolist()) <= played

    play(build("w_sparq_gp_ucb", alpha=alpha, subset="random", width=2.0), 500, on_round=note)
    starts, t = [], 1
    while t <= 500:
        starts.append(t)
        t += math.floor(t ** (0.25 / alpha)) + 1
    assert list(asked) == starts == window_starts(500, alpha, 0.25).tolist()
    assert len(starts) == windows
    assert all(found == expected for found, expected in asked.values())


def test_a_window_opens_after_a_skipped_start():
    policy, rng, opened = build("w_sparq_gp_ucb"), RNG(0), []
    for t in (t for t in range(2, 400) if t % 11):
        policy.observe(t, t % 31, 0.0)
        if len(policy.expert_queries(t, rng)):
            opened.append(t)
    assert opened[0] == 2 and len(opened) > 90
    for start, after in zip(opened, opened[1:], strict=False):
        due = next_window_start(start, 1.0, 0.25)
        assert after == due + (due % 11 == 0)


def test_a_window_start_forgets_all_before_its_answers():
    policy, rng, starts = build("w_sparq_gp_ucb"), RNG(0), window_starts(60, 1.0, 0.25).tolist()
    prior = policy.posterior(1)
    for t in range(1, 61):
        policy.observe(t, t % 31, 1.0)
        if t in starts:
            np.testing.assert_allclose(policy.posterior(t + 1), prior, atol=1e-12)
        asked = policy.expert_queries(t, rng)
        assert bool(len(asked)) == (t in starts)
        if len(asked):
            policy.observe_expert(t, asked, np.ones(len(asked)))
            assert (policy.posterior(t + 1)[1] < prior[1] - 0.1).any()


def test_windows_of_one_round_are_sparq_2025b(monkeypatch):
    """alpha_tilde / alpha -> 0 gives windows of two rounds at least; here they have one."""
    monkeypatch.setattr("tvgp.policies.w_sparq_gp_ucb.next_window_start", lambda start, *exponents: start + 1)
    assert_same_run(build("w_sparq_gp_ucb"), DenseSparQ("2025b"), 60, 0)


def test_querying_every_arm_is_the_regression_of_the_function():
    """The answers of the start at t = 12, aged by two rounds, and the rewards of rounds 13 and 14."""
    policy, rng = build("w_sparq_gp_ucb", alpha=0.4, query_scale=1e9, place="domain"), RNG(0)
    for t in range(1, 15):
        policy.observe(t, t, 1.0)
        asked = policy.expert_queries(t, rng)
        if len(asked):
            start, f = t, SINE.mean_rewards(t)
            policy.observe_expert(t, asked, f[asked])
    assert start == 12 and len(asked) == 0
    variances = [NOISE * (1 + 2**0.4)] * 101 + [2 * NOISE, NOISE]
    assert_regression(policy, 15, [*range(101), 13, 14], [*f, 1.0, 1.0], variances)


def test_with_worthless_answers_it_is_gp_ucb_in_the_last_window():
    """Answers of no precision, constant noise and one endless window from round 3 on."""
    options = {"noise": "constant", "keep_own": True, "alpha": 0.01, "expert_noise_variance": 1e30}
    policy, plain, rng = build("w_sparq_gp_ucb", **options), build("gp_ucb"), RNG(0)
    for t in range(1, 41):
        arm = policy.choose(t, rng)
        assert t <= 3 or arm == plain.choose(t, rng)
        reward = float(SINE.mean_rewards(t)[arm])
        policy.observe(t, arm, reward)
        asked = policy.expert_queries(t, rng)
        assert len(asked) == (t in (1, 3)) * len(set(asked))
        if len(asked):
            policy.observe_expert(t, asked, np.full(len(asked), 5.0))
        if t >= 3:
            plain.observe(t, arm, reward)
    for ours, theirs in zip(policy.posterior(41), plain.posterior(41), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-7)


@pytest.mark.parametrize("keep_own", [False, True])
def test_long_windows_summed_by_blocks_play_the_same_arms(keep_own, monkeypatch):
    runs, made, usual = [], [], aged_data.AgedSums
    monkeypatch.setattr(aged_data, "AgedSums", lambda *given, **more: made.append(1) or usual(*given, **more))
    for long in (10**9, 50):
        monkeypatch.setattr(aged_data, "LONG", long)
        build("w_sparq_gp_ucb", alpha=1.0, horizon=600)  # windows of 5 rounds at most
        runs.append(play(build("w_sparq_gp_ucb", alpha=0.2, keep_own=keep_own, horizon=600), 600))
        assert len(made) == (long == 50)
    np.testing.assert_array_equal(runs[0].arm, runs[1].arm)
    assert runs[0].expert_queries.astype(bool).sum() < 100
