"""The ageing test bed plays the library's policies: same decisions, and data with the law of the model."""

import numpy as np
import pytest
from ageing import oracle
from scipy.stats import ks_2samp, kstest

from tvgp import kernels, policies, streams
from tvgp.ageing import methods
from tvgp.ageing.noise_growth import NoiseGrowth
from tvgp.ageing.simulate import simulate
from tvgp.contracts import Environment
from tvgp.posterior import Merged, Prior
from tvgp.simulate import simulate as simulate_in_environment
from tvgp.streams import NoiseField
from tvgp.theory.schedules import query_size

PRIOR = Prior(np.linspace(-50, 50, 41)[:, None], kernels.make("se", variance=0.5, length_scale=6.0))
F = 2 * np.exp(-0.01 * (PRIOR.arms[:, 0] - 10) ** 2)
GROWTH = NoiseGrowth(0.05, 1.5)
BY_PRICES = [name for name in methods.METHODS if methods.algorithm(name) == "pandora_gp_ucb"]
BY_BOUNDS = [name for name in methods.METHODS if name not in BY_PRICES]
# TV-GP-UCB has an engine of its own, see test_weight_space.py
BY_SUMS = [name for name in BY_BOUNDS if name != "tv_gp_ucb"]
# one for each rule of what is kept; the others choose other sets to ask about
KEEPING = [name for name in BY_SUMS if name.endswith("gp_ucb") or name == "ui_sparq_latest"]
ASKING = [name for name in methods.METHODS if "sparq" in name or name in BY_PRICES]


class Noise:
    """A double of NoiseField: what `draw` gives at each look."""

    def __init__(self, draw):
        self._draw = draw

    def at(self, t):
        return self._draw()

    @staticmethod
    def standard_normal(size, out):
        return np.zeros(size)


NONE = Noise(lambda: np.zeros(41))


def make(method, horizon, noise=NONE, growth=GROWTH):
    return methods.make(method, PRIOR, growth, F, horizon, noise=noise, redraws=NONE)


class Still(Environment):
    """F without noise, for `tvgp.simulate`."""

    arms, noise_std, expert_noise_std, noise_law = PRIOR.arms, 0.0, 0.0, "gaussian"

    @staticmethod
    def mean_rewards(t):
        return F


def recorded(policy):
    """The arms that the policy asks about, by round, filled while it plays."""
    sets, ask = {}, policy.expert_queries

    def expert_queries(t, rng, available=None):
        asked = ask(t, rng, available)  # in several calls a round, if one by one
        sets[t] = np.append(sets.get(t, np.empty(0, int)), asked)
        return asked

    policy.expert_queries = expert_queries
    return sets


@pytest.mark.parametrize("alpha", [0.5, 1.5])
@pytest.mark.parametrize(
    ("method", "moment"),
    [*((name, "after") for name in methods.METHODS), *((name, "before") for name in ASKING)],
)
def test_bed_without_noise_equals_plain_simulation(method, moment, alpha):
    """Same arms and expert sets in whole runs, once on the test bed's engine and once on the policy's."""
    growth, horizon = NoiseGrowth(GROWTH.noise_variance, alpha), 120
    policy, engine = make(method, horizon, growth=growth)
    asked = recorded(policy)
    bed = simulate(policy, engine, horizon, rng=np.random.default_rng(3), queries=moment)
    alone, _ = make(method, horizon, growth=growth)
    asked_alone = recorded(alone)
    silence = {kind: NoiseField(41, kind) for kind in ("noise", "expert_noise")}
    rng = np.random.default_rng(3)
    run = simulate_in_environment(alone, Still(), horizon, rng=rng, queries=moment, **silence)
    np.testing.assert_array_equal(bed.arm, run.arm)
    np.testing.assert_array_equal(bed.expert_queries, run.expert_queries)
    np.testing.assert_allclose(bed.regret, run.regret)
    evaluated = np.concatenate([bed.arm, *(asked.values() if method in BY_PRICES else ())])
    assert len(np.unique(evaluated)) > 3 and asked.keys() == asked_alone.keys()
    for t in asked:
        np.testing.assert_array_equal(asked[t], asked_alone[t])


@pytest.mark.parametrize("method", BY_BOUNDS)
def test_bed_uses_the_policys_width(method, monkeypatch):
    """Another width in the policy's class is another run: there is no second copy of the rule."""
    policy, engine = make(method, 60)
    before = simulate(policy, engine, 60, rng=np.random.default_rng(0)).arm
    monkeypatch.setattr(type(policy), "_width", lambda self, t: 0.1)
    policy, engine = make(method, 60)
    after = simulate(policy, engine, 60, rng=np.random.default_rng(0)).arm
    assert type(policy).__module__.startswith("tvgp.policies.") and (before != after).any()


@pytest.mark.parametrize("alpha", [0.4, 1.5])
@pytest.mark.parametrize("method", BY_SUMS)
def test_sums_match_the_kept_observations_in_every_round(method, alpha, monkeypatch):
    """p = sum 1/w and p f + sqrt(q), q = sum v/w^2, that is with z = 1: the data's law, given that the
    sums of independent normal numbers are normal."""
    growth, seen = NoiseGrowth(GROWTH.noise_variance, alpha), {}
    policy, engine = make(method, 250, Noise(lambda: np.ones(41)), growth)
    policy.replace_engine(engine)
    plain = Merged.condition_sums

    def condition_sums(self, precision, weighted_sum):
        seen["p"], seen["sum"] = precision.copy(), weighted_sum.copy()
        plain(self, precision, weighted_sum)

    def see(history):
        arms, assumed, true = history.kept(method, growth, policy)
        p, q = (np.bincount(arms, terms, 41) for terms in (1 / assumed, true / assumed**2))
        np.testing.assert_allclose(seen["p"], p, rtol=1e-10, atol=1e-9)
        there = seen["p"] > 0  # the policy drops what is negligible
        np.testing.assert_allclose(seen["sum"][there], (p * F + np.sqrt(q))[there], rtol=1e-6)

    monkeypatch.setattr(Merged, "condition_sums", condition_sums)
    plays = np.random.default_rng(1).integers(41, size=250)
    oracle.play(policy, 250, np.random.default_rng(2), engine.begin_round, see, plays)


@pytest.mark.parametrize("method", BY_SUMS)
def test_posterior_means_have_the_law_of_single_draws(method):
    """Posterior mean at one arm over 2,000 redraws of the same kept data, and with every observation
    drawn by itself.

    Both against the exact normal law, Kolmogorov-Smirnov at level 1e-4 each: 22 tests, false-alarm
    rate 2.2e-3 in all. Variance and determinant have no noise and must agree to rounding.
    """
    redraws, point = np.random.default_rng(6), 24
    policy, engine = make(method, 37, Noise(lambda: redraws.standard_normal(41)))
    policy.replace_engine(engine)
    plays = np.random.default_rng(5).integers(12, 30, size=37)
    *_, history = oracle.play(policy, 37, np.random.default_rng(7), engine.begin_round, arms=plays)
    arms, assumed, true = history.kept(method, GROWTH, policy)
    a = np.linalg.solve(PRIOR.gram[np.ix_(arms, arms)] + np.diag(assumed), PRIOR.gram[arms, point])
    centre, spread = a @ F[arms], np.sqrt(a * a @ true)
    precision = np.bincount(arms, 1 / assumed, 41)
    direct = oracle.Direct(PRIOR, GROWTH, F, np.random.default_rng(8), method)
    means = np.empty((2, 2000))
    for i in range(2000):
        engine.condition_sums(precision, precision)
        direct.see(history, policy)
        means[:, i] = engine.mean[point], direct.mean[point]
    for drawn in means:
        assert kstest((drawn - centre) / spread, "norm").pvalue > 1e-4
    np.testing.assert_allclose(engine.variance, direct.variance, atol=1e-9)
    assert engine.log_det == pytest.approx(direct.log_det, abs=1e-9)


@pytest.mark.parametrize("method", KEEPING)
def test_runs_have_the_law_of_single_draws(method, monkeypatch):
    """Regret over 25 rounds of 120 runs each way; two-sample KS at 1e-4, 8 tests: 8e-4 in all."""
    monkeypatch.setattr(streams, "_SLAB", 25 * 41)  # no more noise than a run has
    ours, theirs = [], []
    for seed in range(120):
        policy, engine = make(method, 25, NoiseField(41, "runs", method, seed))
        run = simulate(policy, engine, 25, rng=np.random.default_rng([seed, 0]))
        ours.append(run.regret.sum())
        policy, _ = make(method, 25)
        direct = oracle.Direct(PRIOR, GROWTH, F, np.random.default_rng(1000 + seed), method)
        policy.replace_engine(direct)
        see = lambda history, policy=policy, direct=direct: direct.see(history, policy)  # noqa: E731
        arms, *_ = oracle.play(policy, 25, np.random.default_rng([seed, 1]), see=see)
        theirs.append((F.max() - F[arms]).sum())
    assert ks_2samp(ours, theirs).pvalue > 1e-4


@pytest.mark.parametrize("method", BY_BOUNDS)
def test_queries_follow_the_schedule(method):
    """Q_t = ceil(6 log t), but for arms not yet played where past inputs are asked about."""
    policy, engine = make(method, 25, NoiseField(41, "counts"))
    run = simulate(policy, engine, 25, rng=np.random.default_rng(0))
    nominal = np.zeros(25, dtype=int)
    if "sparq" in method:
        starts = oracle.window_starts(method, 25, GROWTH.alpha)
        nominal[starts - 1] = [query_size(t, 6.0) for t in starts.tolist()]
    distinct = [len(np.unique(run.arm[:t])) for t in range(1, 26)]
    most = 41 if "domain" in method else distinct
    np.testing.assert_array_equal(run.expert_queries, np.minimum(nominal, most))


@pytest.mark.parametrize("moment", ["after", "before"])
@pytest.mark.parametrize("told", [0.5, 3.0])
@pytest.mark.parametrize("method", ["ui_gp_ucb", "pandora", "asks_3"])
def test_told_exponents_leave_the_true_law_of_the_data(method, told, moment, monkeypatch):
    """p = sum 1/w by the policy itself, and p f + sqrt(q), q = sum v/w^2, in every posterior of a run: each
    is from data of one round and those before, so that p and q of that round are those."""
    data, seen, plain = [], [], Merged.condition_sums
    ones = Noise(lambda: np.ones(41))
    given = {"noise": ones, "redraws": NONE, "told": told}
    policy, engine = methods.make(method, PRIOR, GROWTH, F, 60, **given)
    answer, begin_round = engine.answer, engine.begin_round
    growth, assumed = GROWTH.variance, NoiseGrowth(GROWTH.noise_variance, told).variance

    def condition_sums(self, precision, weighted_sum):
        t = max((s for s, _ in data), default=0)
        lags = np.array([t - s for s, _ in data], dtype=float)
        arms = np.array([arm for _, arm in data], dtype=int)
        p = np.bincount(arms, 1 / assumed(lags), 41)
        q = np.bincount(arms, growth(lags) / assumed(lags) ** 2, 41)
        np.testing.assert_allclose(precision, p, rtol=1e-10)
        np.testing.assert_allclose(weighted_sum, p * F + np.sqrt(q), rtol=1e-10)
        seen.append(t)
        plain(self, precision, weighted_sum)

    monkeypatch.setattr(Merged, "condition_sums", condition_sums)
    engine.answer = lambda t, arms: (data.extend((t, arm) for arm in arms), answer(t, arms))[1]
    engine.begin_round = lambda arm: (data.append((engine._t + 1, arm)), begin_round(arm))
    simulate(policy, engine, 60, rng=np.random.default_rng(0), queries=moment)
    assert len(seen) >= 60 and len(data) > 60 - (method == "ui_gp_ucb")


def test_the_true_exponent_told_leaves_runs_as_they_are():
    for method in ("ui_gp_ucb", "pandora"):
        runs = []
        for told in (None, GROWTH.alpha):
            noise = {"noise": NoiseField(41, "told"), "redraws": NONE}
            policy, engine = methods.make(method, PRIOR, GROWTH, F, 40, **noise, told=told)
            runs.append(simulate(policy, engine, 40, rng=np.random.default_rng(0)).arm)
        np.testing.assert_array_equal(*runs)


def test_variances_grow_from_lag_zero():
    growth = NoiseGrowth(0.01, 2.0)
    np.testing.assert_allclose(growth.variance(np.arange(4.0)), 0.01 * np.array([1, 2, 5, 10]))
    np.testing.assert_array_equal(NoiseGrowth(0.01, 0.0).variance(np.arange(3.0)), [0.01, 0.02, 0.02])


def test_bad_input():
    with pytest.raises(ValueError, match="alpha is -1; expected 0 or more"):
        NoiseGrowth(0.01, -1)
    with pytest.raises(ValueError, match="noise variance is 0; expected more than 0"):
        NoiseGrowth(0, 1)
    with pytest.raises(ValueError, match="no method 'thompson'; known: gp_ucb"):
        make("thompson", 30)
    noise = {"noise": NONE, "redraws": NONE}
    for method in ("sparq_gp_ucb", "ui_sparq_gp_ucb", "w_gp_ucb"):
        with pytest.raises(ValueError, match=f"{method} is told 2; expected ui_gp_ucb or Pandora"):
            methods.make(method, PRIOR, GROWTH, F, 2, **noise, told=2.0)
    with pytest.raises(ValueError, match="f has shape \\(3,\\), expected \\(41,\\)"):
        methods.make("gp_ucb", PRIOR, GROWTH, np.zeros(3), 2, **noise)
    policy, engine = make("ui_gp_ucb", 9)
    with pytest.raises(ValueError, match="queries is 'befor', expected before, after, both"):
        simulate(policy, engine, 2, rng=np.random.default_rng(0), queries="befor")
    simulate(policy, engine, 2, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="engine holds 2 observations"):
        simulate(policy, engine, 2, rng=np.random.default_rng(0))


def test_every_method_names_an_algorithm():
    assert {methods.algorithm(name) for name in methods.METHODS} <= set(policies.names())


def test_answers_before_a_choice_are_fresh_and_own_data_older():
    """Precisions in the posterior that chooses in round t: 1 / sigma^2 for an answer of t, and 1 / (sigma^2
    (1 + (t - s)^alpha)) for data of round s < t; its variance follows from them."""
    policy, engine = make("pandora", 20)
    policy.replace_engine(engine)
    rng, lag = np.random.default_rng(0), GROWTH.variance
    asked = [policy.expert_queries(1, rng)]
    policy.observe_expert(1, asked[0], F[asked[0]])
    policy.observe(1, 5, F[5])
    answer = policy.expert_queries(2, rng)
    policy.observe_expert(2, answer, F[answer])
    expected = np.zeros(41)
    for arm, age in ((asked[0].item(), 1.0), (5, 1.0), (answer.item(), 0.0)):
        expected[arm] += 1 / float(lag(np.array(age)))
    seen = np.flatnonzero(expected)
    k = PRIOR.gram[seen]
    A = k[:, seen] + np.diag(1 / expected[seen])
    variance = PRIOR.diagonal - np.einsum("ng,ng->g", k, np.linalg.solve(A, k))
    np.testing.assert_allclose(engine.variance, variance, rtol=1e-9)
