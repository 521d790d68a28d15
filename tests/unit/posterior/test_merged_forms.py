"""The forms of the merged engine against the dense engine: harmonic, and updated over long runs."""

import numpy as np
import pytest

from tvgp import kernels
from tvgp.kernels import SquaredExponential
from tvgp.posterior import Dense, Merged, Prior
from tvgp.posterior.merged.forms import Dual, Harmonic, Primal, Workspace
from tvgp.posterior.merged.harmonics import Harmonics
from tvgp.posterior.merged.rank_one import RankOneForm


def line(n_arms, length_scale, name="se"):
    arms = np.linspace(-50, 50, n_arms)[:, None]
    return Prior(arms, kernels.make(name, variance=0.5, length_scale=length_scale))


def assert_equal(engine, dense, std=1e-9, mean=1e-8):
    """Errors of the mean in posterior standard deviations."""
    deviation = np.sqrt(dense.variance)
    np.testing.assert_allclose(np.sqrt(engine.variance), deviation, rtol=std)
    np.testing.assert_allclose((engine.mean - dense.mean) / deviation, 0.0, atol=mean)
    assert engine.log_det == pytest.approx(dense.log_det, abs=1e-8)


@pytest.mark.parametrize("n_arms, length_scale", [(501, 6.0), (500, 3.0), (301, 7.7)])
def test_harmonic_form_equals_the_dense_posterior(n_arms, length_scale, monkeypatch):
    """Odd and even numbers of arms, all or half of them seen, at one end or everywhere."""
    made = []
    monkeypatch.setattr(Merged, "cheapest", lambda engine, n, total: made.append(n) or Harmonic)
    rng, prior = np.random.default_rng(1), line(n_arms, length_scale)
    engine, dense = Merged(prior), Dense(prior)
    for seen in (np.arange(n_arms), rng.permutation(n_arms)[: n_arms // 2], np.arange(n_arms // 2)):
        p, q = np.zeros((2, n_arms))
        p[seen] = rng.uniform(1, 400, len(seen))
        q[seen] = rng.uniform(0, 2, len(seen)) * p[seen]
        s = p * np.sin(prior.arms[:, 0] / 5) + np.sqrt(p) * rng.normal(size=n_arms)
        for each in (engine, dense):
            each.condition_sums(p, s)
        assert made.pop() == engine.n == len(seen) and not made
        assert_equal(engine, dense)
        ours, theirs = engine.mismatch_sums(q), dense.mismatch_sums(q)
        np.testing.assert_allclose(ours[0], theirs[0], atol=1e-10)
        assert ours[1] == pytest.approx(theirs[1], abs=1e-8)


@pytest.mark.parametrize("form", [Dual, Primal, Harmonic, RankOneForm])
def test_covariances_are_those_of_the_formula(form, monkeypatch):
    """K - k_u' (K_u + D^-1)^-1 k_u, with the variances on the diagonal, before data and as they change."""
    rng, prior = np.random.default_rng(8), line(301, 7.7)
    engine, p = Merged(prior), np.zeros(301)
    np.testing.assert_array_equal(engine.covariance(np.array([3, 9])), prior.gram[[3, 9]])
    p[rng.permutation(301)[:150]] = rng.uniform(1, 400, 150)
    if form is not RankOneForm:
        monkeypatch.setattr(Merged, "cheapest", lambda engine, n, total: form)
        monkeypatch.setattr(Merged, "_follows", lambda engine, n: False)
    for arm in (4, 4, 200):
        p[arm] += 30.0
        engine.condition_sums(p, p * np.cos(prior.arms[:, 0]))
        seen = p.nonzero()[0]
        k = prior.gram[seen]
        expected = prior.gram - k.T @ np.linalg.solve(k[:, seen] + np.diag(1 / p[seen]), k)
        for arms in (np.array([7]), np.array([7, 150]), np.arange(301)):
            np.testing.assert_allclose(engine.covariance(arms), expected[arms], atol=1e-9)
        np.testing.assert_allclose(engine.covariance(np.arange(301)).diagonal(), engine.variance, atol=1e-10)
    assert type(engine._form) is form


def test_harmonics_are_as_many_as_the_gram_matrix_needs():
    """The prior's variance at all arms to a share of 1e-14, with little more columns than the factor."""
    prior = line(501, 3.0)
    harmonics = Harmonics.of(prior, 501)
    covariance = np.diag(1 / harmonics.precision(np.zeros(501)).diagonal())
    covariance[harmonics.rank // 2, harmonics.rank // 2] = 0
    np.testing.assert_allclose(harmonics.diagonal(covariance), prior.diagonal, rtol=1e-14)
    assert prior.factor(501).shape[1] < harmonics.rank < 1.25 * prior.factor(501).shape[1]


@pytest.mark.parametrize("total", [1e2, 1e4, 1e6])
def test_dropped_weights_move_the_posterior_below_1e9(total, monkeypatch):
    """In standard deviations, against all weights; data of little precision need fewer."""
    rng, prior = np.random.default_rng(6), line(501, 3.0)
    workspace, every = Workspace(prior), Workspace(prior)
    basis = workspace.harmonics
    monkeypatch.setattr("tvgp.posterior.merged.harmonics._INSIGNIFICANT", 0.0)
    assert every.harmonics.significant(total) is every.harmonics
    assert basis.significant(total) is basis.significant(total)
    assert (
        basis.significant(1.0).rank < basis.significant(1e4).rank < basis.significant(1e9).rank == basis.rank
    )
    near = rng.normal(70, 15, 2000).astype(int) % 501
    p = np.bincount(near, rng.exponential(1.0, 2000), 501)
    p *= total / p.sum()
    s = p * np.cos(prior.arms[:, 0] / 9) + np.sqrt(p) * rng.normal(size=501)
    ours, theirs = Harmonic(workspace, p), Harmonic(every, p)
    mean, variance = ours.posterior(s)
    expected, expected_variance = theirs.posterior(s)
    deviation = np.sqrt(expected_variance)
    np.testing.assert_allclose((mean - expected) / deviation, 0.0, atol=1e-9)
    np.testing.assert_allclose(np.sqrt(variance), deviation, rtol=1e-9)
    assert ours.log_det == pytest.approx(theirs.log_det, abs=2e-9)


@pytest.mark.parametrize(
    "arms, length_scale, kinds", [(501, 3.0, "DHHH"), (201, 3.0, "DDHH"), (201, 9.0, "PPPP")]
)
def test_the_cheapest_form_follows_the_number_of_distinct_arms(arms, length_scale, kinds):
    """For 40, 80, 110 and all arms."""
    engine = Merged(line(arms, length_scale))
    assert "".join(engine.cheapest(n, 1.0).__name__[0] for n in (40, 80, 110, arms)) == kinds


def test_the_harmonic_form_is_not_used_where_it_loses_the_mean():
    """Of 300 data of little noise near one another, by 0.1 to 100 posterior standard deviations."""
    rng, prior = np.random.default_rng(0), line(501, 3.0)
    arms = rng.integers(150, 330, 300)
    p, values = np.bincount(arms, minlength=501), np.sin(prior.arms[:, 0] / 5)
    for noise in (1e-2, 1e-8, 1e-10):
        engine, dense = Merged(prior), Dense(prior)
        assert engine.cheapest(np.count_nonzero(p), 1.0) is Harmonic
        for each in (engine, dense):
            each.condition_sums(p / noise, p * values / noise)
        assert isinstance(engine._form, Harmonic) == (noise == 1e-2)
        assert np.max(np.abs(engine.mean - dense.mean) / np.sqrt(dense.variance)) < 1e-3


@pytest.mark.parametrize(
    "prior",
    [
        Prior(np.sort(np.random.default_rng(2).uniform(0, 90, 300))[:, None], SquaredExponential(0.5, 3.0)),
        Prior(np.linspace(0, 90, 300)[:, None] ** 1.01, SquaredExponential(0.5, 3.0)),
        Prior(np.linspace(0, 90, 300).reshape(-1, 2), SquaredExponential(0.5, 3.0)),
        line(300, 3.0, "matern52"),
        line(300, 30.0),
        line(120, 3.0),
    ],
    ids=["uneven", "nearly even", "plane", "high rank", "long reach", "few arms per harmonic"],
)
def test_no_harmonics_for_other_priors(prior):
    assert Harmonics.of(prior, prior.n_arms // 3) is None


@pytest.fixture
def updates(monkeypatch):
    """Grows at every round in which the engine uses the updated form."""
    found, made, follow = [], RankOneForm.__init__, RankOneForm.follow
    monkeypatch.setattr(
        RankOneForm, "__init__", lambda self, *data: found.append("made") or made(self, *data)
    )
    monkeypatch.setattr(
        RankOneForm, "follow", lambda self, *data: found.append("followed") or follow(self, *data)
    )
    return found


@pytest.mark.parametrize("window", [80, None])
@pytest.mark.parametrize("name", ["se", "matern52"])
def test_updates_and_downdates_stay_equal_to_the_dense_posterior(name, window, updates):
    """3,000 rounds: fresh data of one arm a round, in a window or all; most of them near one arm, so
    that others are dropped to zero and come back."""
    rng, prior = np.random.default_rng(3), line(60, 12.0, name)
    engine, dense, fresh = Merged(prior), Dense(prior), 1 / 0.01
    arms = np.where(rng.random(3000) < 0.5, 30 + rng.integers(4, size=3000), rng.integers(60, size=3000))
    for t in range(1, 3001):
        kept = arms[t - (min(window or t, t)) : t]
        p = np.bincount(kept, np.full(len(kept), fresh), 60)
        values = p * np.cos(prior.arms[:, 0] / 9) + np.sqrt(p) * rng.normal(size=60)
        engine.condition_sums(p, values)
        if t % 97 == 0 or t > 2990:
            dense.condition_sums(p, values)
            assert_equal(engine, dense)
            assert engine.n == np.count_nonzero(p)
    assert updates.count("followed") > 1000


def test_updates_are_computed_afresh_at_the_stated_interval(monkeypatch):
    """Once in 1,024 changes, whatever their number per round; and then as a new engine would."""
    rng, prior, made = np.random.default_rng(4), line(60, 12.0), []
    plain = Primal.__init__
    monkeypatch.setattr(Primal, "__init__", lambda self, *data: made.append(now[0]) or plain(self, *data))
    engine, p, now = Merged(prior), np.full(60, 50.0), [0]
    engine.condition_sums(p, p)
    for t in range(1, 1040):
        now[0] = t
        p[rng.permutation(60)[:2]] += rng.uniform(1, 9, 2)
        engine.condition_sums(p, p)
    assert made == [0, 1, 514, 1027]


def test_many_changes_end_a_series_of_updates(updates):
    rng, prior, used = np.random.default_rng(5), line(60, 12.0), []
    engine, dense, p = Merged(prior), Dense(prior), np.full(60, 50.0)
    for changed in (60, 1, 1, 3, 1, 60, 2, 2):
        p[:changed] += rng.uniform(1, 9, changed)
        before = len(updates)
        for each in (engine, dense):
            each.condition_sums(p, p)
        used.append(len(updates) > before)
        assert_equal(engine, dense)
    assert used == [False, True, True, False, True, False, True, True]
    found, expected = engine.mismatch_sums(0.5 * p), dense.mismatch_sums(0.5 * p)
    np.testing.assert_allclose(found[0], expected[0], atol=1e-10)
    engine.condition_sums(p + (np.arange(60) == 7), p)  # goes on after that
    dense.condition_sums(p + (np.arange(60) == 7), p)
    assert_equal(engine, dense)
