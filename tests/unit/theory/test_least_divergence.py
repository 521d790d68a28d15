"""How near a posterior from few observations can be to that from all: means over data, lower bounds."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from tvgp import kernels
from tvgp.study import analyses, figures
from tvgp.study.figures import sparse_limits
from tvgp.theory import divergence

NOISE = 0.05
SE = kernels.make("se", variance=0.5, length_scale=3.0)
ROUGH = kernels.make("matern12", variance=2.0, length_scale=0.5)


def problem(seed):
    """Distinct inputs, how often each is played, those chosen, and the same round by round."""
    rng = np.random.default_rng(seed)
    X = np.sort(rng.uniform(0, 12, (9, 1)), axis=0)
    plays = rng.integers(1, 6, 9)
    chosen = np.sort(rng.choice(9, 4, replace=False))
    every = np.repeat(np.arange(9), plays)
    first = np.array([int(np.flatnonzero(every == arm)[0]) for arm in chosen])
    return X, plays, chosen, X[every], first


def left(kernel, chosen, rest):
    """Covariance of f at the inputs `rest` given one observation at each of those chosen."""
    cross = kernel(chosen, rest)
    return kernel(rest, rest) - cross.T @ np.linalg.solve(
        kernel(chosen, chosen) + NOISE * np.eye(len(chosen)), cross
    )


def draws(X, number, kernel=SE):
    law = multivariate_normal(np.zeros(len(X)), kernel(X, X) + NOISE * np.eye(len(X)))
    return law.rvs(number, random_state=0)


@pytest.mark.parametrize("seed", range(3))
def test_the_expected_divergence_is_a_mean(seed):
    """Within five standard errors of 3,000 draws: a false alarm in a million."""
    X, plays, chosen, rounds, first = problem(seed)
    found = [divergence.divergence(SE, rounds, y, first, NOISE) for y in draws(rounds, 3000)]
    expected = divergence.expected_divergence(SE, X, plays, chosen, NOISE)
    assert abs(np.mean(found) - expected) < 5 * np.std(found) / np.sqrt(3000)


@pytest.mark.parametrize("seed", range(3))
def test_the_expected_variational_divergence_is_a_mean(seed):
    X, plays, chosen, rounds, _ = problem(seed)
    kls = [divergence.variational(SE, rounds, y, X[chosen], X, NOISE)[0] for y in draws(rounds, 1000)]
    expected = divergence.expected_variational_divergence(SE, X, plays, chosen, NOISE)
    assert abs(np.mean(kls) - expected) < 5 * np.std(kls) / np.sqrt(1000)
    assert divergence.expected_variational_divergence(SE, X, plays, np.arange(9), NOISE) < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_variances_are_those_of_all_rounds(seed):
    X, plays, chosen, rounds, first = problem(seed)
    sparse, exact, q = divergence.variances(SE, X, plays, chosen, NOISE)
    np.testing.assert_allclose(
        sparse / exact, divergence.variance_ratio(SE, rounds, first, X, NOISE), rtol=1e-9
    )
    ratio = divergence.variational(SE, rounds, np.zeros(len(rounds)), X[chosen], X, NOISE)[1]
    np.testing.assert_allclose(q / exact, ratio, rtol=1e-6)


@pytest.mark.parametrize("kernel", [SE, ROUGH], ids=["se", "matern12"])
@pytest.mark.parametrize("seed", range(20))
def test_no_observations_beat_the_least_divergence_and_ratio(kernel, seed):
    """Any inputs, any M of the observations, repeats included."""
    rng = np.random.default_rng(seed)
    k = float(kernel.diagonal(np.zeros((1, 1)))[0])
    X = rng.uniform(0, 6, (5, 1))[rng.integers(5, size=40)]
    size = int(rng.integers(1, 40))
    chosen = rng.choice(40, size, replace=False)
    rest = np.setdiff1d(np.arange(40), chosen)
    c = np.linalg.eigvalsh(left(kernel, X[chosen], X[rest]) / NOISE)
    expected = (c - 0.5 * np.log1p(c)).sum()
    assert expected >= divergence.least_divergence(40, size, k, NOISE) * (1 - 1e-9)
    ratio = divergence.variance_ratio(kernel, X, chosen, X, NOISE)
    plays = (X == X.T).sum(axis=0)
    assert (ratio >= divergence.least_variance_ratio(plays, size, k, NOISE) * (1 - 1e-9)).all()


@pytest.mark.parametrize(("rounds", "size"), [(10, 1), (100, 30), (1000, 42)])
def test_one_input_played_always_nearly_attains_the_bound(rounds, size):
    """There C has one eigenvalue, c = (T - M) k / (sigma^2 + M k), and the ratio is its bound."""
    X = np.zeros((rounds, 1))
    ratio = divergence.variance_ratio(SE, X, np.arange(size), X[:1], NOISE)
    assert ratio[0] == pytest.approx(float(divergence.least_variance_ratio(rounds, size, 0.5, NOISE)))
    least = float(divergence.least_divergence(rounds, size, 0.5, NOISE))
    c = np.trace(left(SE, X[:size], X[size:])) / NOISE
    assert c == pytest.approx(2 * least) and least <= c - 0.5 * np.log1p(c) <= 2 * least


def test_the_bound_holds_for_a_fixed_function_at_three_quarters():
    """f = 0, the most favourable one, by the mean over the noise of 4,000 draws."""
    X, plays, chosen, rounds, first = problem(1)
    noise = np.sqrt(NOISE) * np.random.default_rng(0).standard_normal((4000, len(rounds)))
    found = np.mean([divergence.divergence(SE, rounds, y, first, NOISE) for y in noise])
    assert found >= 0.75 * divergence.least_divergence(len(rounds), len(chosen), 0.5, NOISE)
    c = np.logspace(-6, 6, 2000)
    assert ((c + c / (1 + c) - np.log1p(c)) / 2 >= 0.75 * c / 2).all()


def test_five_sixths_of_the_rounds_are_needed():
    """2 KL <= 1/5 leaves M >= (T - 2 eta sigma^2 / k) / (1 + 2 eta), with eta = 1/10."""
    for rounds in (100, 1000, 10**6):
        sizes = np.arange(1, min(rounds, 2000)) if rounds < 10**4 else np.array([rounds // 2])
        below = sizes[divergence.least_divergence(rounds, sizes, 0.5, 0.01) <= 0.1]
        assert not len(below) or below.min() >= (rounds - 0.2 * 0.02) / 1.2 - 1e-9
        assert rounds > 10**4 or below.min() <= rounds / 1.2 + 1


def test_the_analysis_and_its_figure(monkeypatch):
    data = analyses.run("sparse_limits", [1, 2], times=(20, 60), scales=(2.0, 50.0), n_arms=41)
    every = data.isel(scale=-1)
    assert (every["size"] == every.distinct).all() and (data["size"] <= data.distinct).all()
    assert (data.divergence >= data.least_divergence).all() and (data.ratio >= data.least_ratio).all()
    assert (data.divergence.isel(scale=1) <= data.divergence.isel(scale=0)).all()
    assert (every.variational_divergence < 1e-6).all()
    gathered = data.expand_dims(part=["sparq"]).assign_attrs(analysis="sparse_limits", data="synthetic")
    assert "2 runs" in sparse_limits.caption([gathered])
    assert len(figures.draw("sparse_limits", [gathered]).axes) == 2
