"""The sparse argument and the adaptive decision, against direct computations."""

from importlib import import_module

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from tvgp import kernels, streams
from tvgp.study import analyses, figures
from tvgp.study.tables import coverage
from tvgp.theory import bump_family, divergence

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
NOISE = 0.05


def _posterior(X, y, at):
    K = KERNEL(X, X) + NOISE * np.eye(len(X))
    cross = KERNEL(X, at)
    mean = cross.T @ np.linalg.solve(K, y)
    return mean, KERNEL(at, at) - cross.T @ np.linalg.solve(K, cross)


def _kl(m0, S0, m1, S1):
    """KL(N(m0, S0) || N(m1, S1))."""
    inverse = np.linalg.inv(S1)
    d = m1 - m0
    log_dets = np.linalg.slogdet(S1)[1] - np.linalg.slogdet(S0)[1]
    return 0.5 * (np.trace(inverse @ S0) + d @ inverse @ d - len(d) + log_dets)


@pytest.mark.parametrize("seed", range(3))
def test_divergence_is_that_of_the_posteriors_at_the_data(seed):
    rng = np.random.default_rng(seed)
    X = np.arange(8.0)[:, None] * 2.5 + rng.uniform(-0.3, 0.3, (8, 1))
    y = rng.standard_normal(8)
    chosen = np.array([0, 3, 5])
    ours = divergence.divergence(KERNEL, X, y, chosen, NOISE)
    direct = _kl(*_posterior(X[chosen], y[chosen], X), *_posterior(X, y, X))
    assert ours == pytest.approx(direct, rel=1e-6)
    assert divergence.divergence(KERNEL, X, y, np.arange(8), NOISE) == pytest.approx(0)
    ratio = divergence.variance_ratio(KERNEL, X, chosen, X, NOISE)
    sparse, full = _posterior(X[chosen], y[chosen], X)[1], _posterior(X, y, X)[1]
    np.testing.assert_allclose(ratio, sparse.diagonal() / full.diagonal(), rtol=1e-9)


def test_variational_divergence_is_bounded_by_its_trace():
    rng = np.random.default_rng(5)
    X = np.linspace(0.0, 20.0, 12)[:, None]
    K = KERNEL(X, X) + NOISE * np.eye(12)
    exact, ratio = divergence.variational(KERNEL, X, rng.standard_normal(12), X, X, NOISE)
    assert exact == pytest.approx(0, abs=1e-5)
    np.testing.assert_allclose(ratio, 1, atol=1e-5)
    # in the mean over y ~ N(0, K + sigma^2 I) it lies between half the trace and the trace, scaled
    Z = X[::3]
    ys = multivariate_normal(np.zeros(12), K).rvs(400, random_state=1)
    mean = np.mean([divergence.variational(KERNEL, X, y, Z, X, NOISE)[0] for y in ys])
    trace = divergence.residual_trace(KERNEL, X, Z)
    assert trace / (2 * NOISE) <= mean * 1.1 and mean <= 1.1 * trace / NOISE


@pytest.mark.parametrize("seed", range(20))
def test_the_nystrom_residual_falls_with_more_points(seed):
    """Lemma 3.8 of Mauduit25b: points joined to data and subset never raise tr(K - U)."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-50, 50, (30, 1))
    chosen = rng.choice(30, 6, replace=False)
    more = rng.uniform(-50, 50, (int(rng.integers(1, 6)), 1))
    before = divergence.residual_trace(KERNEL, X, X[chosen])
    after = divergence.residual_trace(KERNEL, np.concatenate([X, more]), np.concatenate([X[chosen], more]))
    assert after <= before + 1e-7 * before


def test_adaptive_decisions_fall_from_guessing_to_certainty():
    bumps = bump_family.family(0.5, bump_family.narrowest_width(0.5))
    m = len(bumps.centres)

    def error(total):
        rng = streams.generator("test", total)
        asked = bump_family.even(400, total)
        return bump_family.decide_adaptively(bumps, asked, np.array([400]), 2.0, 0.01, 300, rng)[0].mean()

    guess = 1 - 1 / m
    # misses for one seed in 1,000: three standard errors of 300 trials
    assert abs(error(0) - guess) < 3 * np.sqrt(guess / m / 300)
    assert error(40) > 0.8 and error(8000) < 0.2
    assert bump_family.even(400, 37).sum() == 37


def _noise_played(monkeypatch, name, **parameters):
    """noise_std of the environments in which an analysis plays."""
    module, found = import_module(f"tvgp.study.analyses.{name}"), []
    play = module.simulate_named

    def recorded(policy, environment, *args, **kwargs):
        found.append(environment.noise_std)
        return play(policy, environment, *args, **kwargs)

    monkeypatch.setattr(module, "simulate_named", recorded)
    analyses.run(name, [1], **parameters)
    return found


def test_analyses_and_their_words(monkeypatch):
    data = analyses.run("sparse_argument", [1], times=(20, 40))
    assert (data.ratio_median >= 1).all() and (data.divergence > 0).all()
    other = analyses.run("sparse_argument", [1], times=(20, 40), query_scale=3.0, noise_variance=0.1)
    assert np.all(other["size"].values[0] == [9, 12])  # ceil(3 log T)
    gathered = other.expand_dims(part=["played"]).assign_attrs(analysis="sparse_argument")
    words = figures.caption("sparse_argument", [gathered])
    assert r"⌈3 \log T⌉" in words and "$σ^2 = 0.1$;" in words
    noisy = _noise_played(monkeypatch, "sparse_argument", times=(20,), noise_variance=0.25)
    assert noisy == [0.5] and _noise_played(monkeypatch, "window_partition", horizon=20) == [0.1]
    band = analyses.run("coverage", [1, 2], algorithm="gp_ucb", horizon=30)
    assert ((band.covered >= 0) & (band.covered <= 1)).all()
    assert (band.everywhere <= band.covered).all()
    fate = analyses.run("window_partition", [1], horizon=40).fate.values[0]
    assert fate[-1] in (0, 1) and set(np.unique(fate)) <= {0, 1, 2}
    frame = coverage.rows([band.expand_dims(part=["gp_ucb"])])
    assert frame.loc[0, "runs"] == 2 and 0 <= frame.loc[0, "arms"] <= 1
    with pytest.raises(ValueError, match="inputs is 'all', expected one of played, uniform"):
        analyses.run("sparse_argument", [1], inputs="all")
    with pytest.raises(ValueError, match="schedule is 'late', expected even, bursts, w_sparq"):
        analyses.run("lower_bounds", [1], schedule="late")
