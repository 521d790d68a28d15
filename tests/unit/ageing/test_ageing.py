"""Ageing observations: one draw per arm has the law of one per observation."""

import copy

import numpy as np
import pytest
from scipy.stats import ks_2samp, kstest

from tvgp import environments, kernels
from tvgp.ageing import simulate
from tvgp.ageing.rules import Ageing, AllData, FreshSamples, LongData, Windows
from tvgp.ageing.tv_gp_ucb import AgeingFilter, matched_epsilon
from tvgp.posterior import Prior, make_batch
from tvgp.streams import NoiseField
from tvgp.theory import query_counts, schedules

PRIOR = Prior(np.linspace(-50, 50, 41)[:, None], kernels.make("se", variance=0.5, length_scale=6.0))
F = 2 * np.exp(-0.01 * (PRIOR.arms[:, 0] - 10) ** 2)
ALPHA, VARIANCE = 1.5, 0.05


def _rules(horizon: int) -> dict:
    ageing = Ageing(VARIANCE, ALPHA, horizon)
    return {
        "gp_ucb": AllData(ageing, PRIOR),
        "ui_gp_ucb": AllData(ageing, PRIOR, discount=None),
        "sw_gp_ucb": AllData(ageing, PRIOR, window=7),
        "w_gp_ucb": AllData(ageing, PRIOR, discount=0.8),
        "sparq_gp_ucb": Windows(ageing, PRIOR, np.arange(1, horizon + 1)),
        "w_sparq_gp_ucb": Windows(ageing, PRIOR, schedules.window_starts(horizon, ALPHA)),
    }


NAMES = list(_rules(2))


@pytest.mark.parametrize("name", NAMES)
def test_direct_and_aggregated_posteriors_have_one_law(name, monkeypatch):
    """Posterior mean at one arm over 2,000 redraws of the same kept data.

    Both against the exact normal law, Kolmogorov-Smirnov at level 1e-4 each: 12 tests, false-alarm
    rate 1.2e-3 in all. Variance and determinant have no noise and must agree to rounding.
    """
    rule, rng = _rules(40)[name], np.random.default_rng(5)
    for t in range(1, 38):
        rule.played(t, int(rng.integers(12, 30)))
        rule.queries(t, rng)
    kept, sums = rule.kept(37), rule.sums(37)
    assert len(kept.arms) > len(np.unique(kept.arms)) or "sparq" in name or name == "sw_gp_ucb"
    engine, point = make_batch(PRIOR), 24
    fields = {
        "aggregated": simulate.aggregated(NoiseField(41, "law", name)),
        "direct": simulate.direct(np.random.default_rng(6)),
    }
    K = PRIOR.gram[np.ix_(kept.arms, kept.arms)]
    a = np.linalg.solve(K + np.diag(kept.assumed), PRIOR.gram[kept.arms, point])
    centre, spread = a @ F[kept.arms], np.sqrt(a * a @ kept.actual)
    certain = []
    monkeypatch.setattr(rule, "kept", lambda t: kept)
    monkeypatch.setattr(rule, "sums", lambda t: sums)
    for draw in fields.values():
        means = []
        for t in range(1, 2001):
            draw(engine, t, rule, F)
            means.append(engine.mean[point])
        assert kstest((np.array(means) - centre) / spread, "norm").pvalue > 1e-4
        certain.append((engine.variance.copy(), engine.log_det))
    np.testing.assert_allclose(certain[0][0], certain[1][0], atol=1e-9)
    assert certain[0][1] == pytest.approx(certain[1][1], abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_direct_and_aggregated_runs_have_one_law(name):
    """Regret over 25 rounds of 120 runs each way; two-sample KS at 1e-4, 6 tests: 6e-4 in all."""
    totals = {"aggregated": [], "direct": []}
    for seed in range(120):
        draws = {
            "aggregated": simulate.aggregated(NoiseField(41, "runs", name, seed)),
            "direct": simulate.direct(np.random.default_rng(1000 + seed)),
        }
        for kind, draw in draws.items():
            rng = np.random.default_rng([seed, kind == "direct"])
            run = simulate.simulate(_rules(25)[name], PRIOR, F, 25, rng=rng, draw=draw)
            totals[kind].append(run.regret.sum())
    assert ks_2samp(totals["aggregated"], totals["direct"]).pvalue > 1e-4


def test_queries_are_those_of_the_schedule():
    """As counted without a run, but for arms not yet played and the one of round 1."""
    rng = np.random.default_rng(0)
    for name, starts in (("sparq_gp_ucb", range(1, 26)), ("w_sparq_gp_ucb", None)):
        draw = simulate.aggregated(NoiseField(41, "counts"))
        run = simulate.simulate(_rules(25)[name], PRIOR, F, 25, rng=rng, draw=draw)
        starts = schedules.window_starts(25, ALPHA) if starts is None else np.array(starts)
        nominal = np.zeros(25, dtype=int)
        nominal[starts - 1] = np.maximum(query_counts.nominal_queries(starts), 1)
        distinct = [len(np.unique(run.arm[:t])) for t in range(1, 26)]
        np.testing.assert_array_equal(run.expert_queries, np.minimum(nominal, distinct))


def test_lags_start_at_zero():
    ageing = Ageing(0.01, 2.0, 10)
    np.testing.assert_allclose(1 / ageing.weights(4), 0.01 * np.array([10, 5, 2, 1]))
    assert ageing.weight(3) == pytest.approx(10)
    windows = Windows(ageing, PRIOR, np.array([1, 4]))
    for t in range(1, 7):
        windows.played(t, t)
        windows.queries(t, np.random.default_rng(0))
    kept = windows.kept(6)
    np.testing.assert_array_equal(kept.arms, [1, 2, 3, 4, 5, 6])
    np.testing.assert_allclose(kept.assumed, 0.01 * np.array([5, 5, 5, 5, 2, 1]))


@pytest.mark.parametrize("discount", [1.0, 0.99, None])
def test_sums_of_long_runs_are_those_of_what_is_kept(discount):
    rule = LongData(Ageing(0.01, 0.75, 10**6), PRIOR, discount)
    rng = np.random.default_rng(1)
    for t in range(1, 3001):
        rule.played(t, int(rng.integers(41)))
        if t in (1, 200, 3000):
            for found, every in zip(rule.sums(t), rule.kept(t).sums(41), strict=True):
                np.testing.assert_allclose(found, every, rtol=1e-11, atol=1e-8)
                assert (found >= 0).all()


@pytest.mark.parametrize("alpha", [0.2, 1.0])
def test_sums_of_windows_are_those_of_what_is_kept(alpha, monkeypatch):
    """By blocks of rounds where windows are long (alpha 0.2), at once where they are not."""
    monkeypatch.setattr("tvgp.ageing.rules.LONG", 500)
    starts = schedules.window_starts(3000, alpha)
    rule = Windows(Ageing(0.01, alpha, 3000), PRIOR, starts)
    assert (rule._sums is not None) == (alpha == 0.2)
    rng = np.random.default_rng(1)
    for t in range(1, 3001):
        rule.played(t, int(rng.integers(41)))
        rule.queries(t, rng)
        if t in (1, 2, 3, 40, 700, 1500, 3000, *starts[-3:], *(starts[-3:] - 1)):
            for found, every in zip(rule.sums(t), rule.kept(t).sums(41), strict=True):
                np.testing.assert_allclose(found, every, rtol=1e-10, atol=1e-8)


def test_sums_of_fresh_samples_are_those_of_what_is_kept():
    rule = FreshSamples(Ageing(0.01, 1.0, 60), PRIOR, np.arange(1, 61, 4))
    rng = np.random.default_rng(1)
    for t in range(1, 61):
        rule.played(t, int(rng.integers(41)))
        rule.queries(t, rng)
        for found, every in zip(rule.sums(t), rule.kept(t).sums(41), strict=True):
            np.testing.assert_array_equal(found, every)


def test_bad_input():
    with pytest.raises(ValueError, match="alpha is -1; expected 0 or more"):
        Ageing(0.01, -1, 10)
    with pytest.raises(ValueError, match="discount is 1.5; expected"):
        AllData(Ageing(0.01, 1, 10), PRIOR, discount=1.5)
    with pytest.raises(ValueError, match="f has shape \\(3,\\), expected one value for 41 arms"):
        simulate.simulate(AllData(Ageing(0.01, 1, 10), PRIOR), PRIOR, np.zeros(3), 2, rng=None, draw=None)


def test_the_function_has_the_norm_asked_for():
    """Also sqrt(f' K^-1 f) on the centres, where f = K a."""
    world = environments.make("ageing", n_arms=20, norm_bound=3.0, rng=np.random.default_rng(4))
    K = kernels.make("se", variance=0.5, length_scale=3.0)(world.arms, world.arms)
    f = world.mean_rewards(1)
    assert world.norm(1) == pytest.approx(3.0)
    assert np.sqrt(f @ np.linalg.solve(K, f)) == pytest.approx(3.0, rel=1e-6)
    assert world.mean_rewards(9) is f and world.variation(10) == 0.0
    with pytest.raises(ValueError, match="ageing: needs a random stream"):
        environments.make("ageing")


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_the_filter_draws_the_mean_of_tv_gp_ucb_from_its_law(alpha):
    """Mean at one arm over 800 redraws: normal with centre a'f and variance sum a_i^2 v_i,

    a the dense weights of TV-GP-UCB. KS at level 1e-4, 3 tests: false-alarm rate 3e-4 in all.
    """
    horizon, epsilon, point = 30, 0.3, 24
    ageing = Ageing(VARIANCE, alpha, horizon)
    plays = np.random.default_rng(1).integers(12, 30, size=horizon)
    K = PRIOR.gram[np.ix_(plays, plays)]
    lags = horizon - 1.0 - np.arange(horizon)
    decay = (1 - epsilon) ** (np.abs(lags[:, None] - lags) / 2)
    k = PRIOR.gram[plays, point] * (1 - epsilon) ** ((lags + 1) / 2)
    a = np.linalg.solve(K * decay + VARIANCE * np.eye(horizon), k)
    spread = np.sqrt(a * a @ (1 / ageing.weights(horizon)))
    engine = AgeingFilter(PRIOR, ageing, epsilon, F, np.random.default_rng(0))
    for arm in plays[:-1]:
        engine.observe(int(arm))
    means = []
    for seed in range(800):
        last = copy.deepcopy(engine)
        last._rng = np.random.default_rng(seed)
        last.observe(int(plays[-1]))
        means.append(last.mean[point])
    assert kstest((np.array(means) - a @ F[plays]) / spread, "norm").pvalue > 1e-4
    variance = PRIOR.diagonal[point] - k @ a
    assert last.variance[point] == pytest.approx(variance, abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 0.95])
@pytest.mark.parametrize("horizon", [1, 63, 64, 65, 200])
def test_what_the_filter_makes_of_the_noise_of_each_round(epsilon, horizon):
    """One unit of noise on one round moves the mean by a_s sqrt(v_s), a the dense weights."""

    class OneUnit:
        def standard_normal(self, size):
            self.size = size
            return (np.arange(size) == self.place).astype(float)

    ageing = Ageing(VARIANCE, 1.0, horizon)
    plays = np.random.default_rng(1).integers(0, 41, size=horizon)
    lags = horizon - 1.0 - np.arange(horizon)
    decay = (1 - epsilon) ** (np.abs(lags[:, None] - lags) / 2)
    k = PRIOR.gram[plays] * (1 - epsilon) ** ((lags[:, None] + 1) / 2)
    a = np.linalg.solve(PRIOR.gram[np.ix_(plays, plays)] * decay + VARIANCE * np.eye(horizon), k)
    engine = AgeingFilter(PRIOR, ageing, epsilon, F, np.random.default_rng(0))
    for arm in plays[:-1]:
        engine.observe(int(arm))
    for s in {horizon - 1, max(horizon - 2, 0), horizon // 2, max(horizon - 70, 0)}:
        last = copy.deepcopy(engine)
        last._rng = OneUnit()
        last._rng.place = s % len(last._gains)
        last.observe(int(plays[-1]))
        if horizon - s <= last._rng.size:
            moved = a[s] / np.sqrt(ageing.weights(horizon)[s])
            np.testing.assert_allclose(last.mean - a.T @ F[plays], moved, atol=1e-8)


def test_the_filter_forgets_in_a_ring():
    """Beyond its memory the draws go on as with all gains kept: spread over 400 redraws, z < 4.9

    for the variance of a normal sample, false-alarm rate 1e-6."""
    ageing, epsilon = Ageing(VARIANCE, 1.0, 200), 0.5
    engine = AgeingFilter(PRIOR, ageing, epsilon, F, np.random.default_rng(3))
    assert len(engine._gains) < 100
    plays = np.random.default_rng(1).integers(12, 30, size=120)
    for arm in plays[:-1]:
        engine.observe(int(arm))
    means = []
    for _ in range(400):
        other = copy.deepcopy(engine)
        other._rng = np.random.default_rng(len(means))
        other.observe(int(plays[-1]))
        means.append(other.mean[24])
    lags = 119.0 - np.arange(120)
    K = PRIOR.gram[np.ix_(plays, plays)] * (1 - epsilon) ** (np.abs(lags[:, None] - lags) / 2)
    k = PRIOR.gram[plays, 24] * (1 - epsilon) ** ((lags + 1) / 2)
    a = np.linalg.solve(K + VARIANCE * np.eye(120), k)
    expected = a * a @ (1 / ageing.weights(120))
    assert abs(np.var(means) / expected - 1) < 4.9 * np.sqrt(2 / 400)
    assert np.mean(means) == pytest.approx(a @ F[plays], abs=4.9 * np.sqrt(expected / 400))
    with pytest.raises(ValueError, match="noise variance is 3; expected less than 1"):
        matched_epsilon(3, 0.5)
