"""The filtered marginal likelihood: equal to the batch formula in value and gradient."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from tvgp import kernels
from tvgp.fitting import log_marginal_likelihood, marginal_likelihood
from tvgp.fitting.filtered import Filtered

NAMES = ("variance", "length_scale", "noise_variance", "epsilon")


def observations(seed, sites=9, rounds=12, missing=0.4):
    """Points (n, 2), times with holes, values, in random order; some rounds have no value."""
    rng = np.random.default_rng(seed)
    points, times = rng.uniform(0, 3, (sites, 2)), np.cumsum(rng.integers(1, 4, rounds))
    present = rng.random((rounds, sites)) > missing
    present[rounds // 2] = False
    row, column = np.nonzero(present)
    order = rng.permutation(len(row))
    row, column = row[order], column[order]
    return points[column], times[row].astype(float), rng.standard_normal(len(row))


@pytest.mark.parametrize("epsilon", [0.0, 0.03, 0.5, 0.999, 1.0])
@pytest.mark.parametrize("name", ["matern12", "se"])
@pytest.mark.parametrize("levels", [0.0, 2.0, 1000.0])
def test_value_and_gradient_equal_the_batch_formula(name, levels, epsilon):
    data, kernel = (*observations(1), levels), kernels.make(name, variance=1.3, length_scale=0.8)
    value, slopes = Filtered(*data).evaluate(kernel, 0.1, epsilon, True)
    expected, gradient = marginal_likelihood.Batch(*data).evaluate(kernel, 0.1, epsilon, True)
    assert value == pytest.approx(expected, rel=1e-11)
    assert Filtered(*data).evaluate(kernel, 0.1, epsilon, False) == (value, {})
    for each in NAMES:
        assert slopes[each] == pytest.approx(gradient[each], rel=1e-9, abs=1e-9)


def test_site_levels_add_a_gaussian_per_point():
    points, times, values = observations(4)
    kernel = kernels.make("se", variance=1.3, length_scale=0.8)
    A = kernel(points, points) * 0.8 ** (np.abs(np.subtract.outer(times, times)) / 2)
    A += 3.0 * (points[:, None] == points).all(axis=2) + 0.1 * np.eye(len(points))
    expected = multivariate_normal(np.zeros(len(A)), A).logpdf(values)
    data = (points, times, values)
    value = log_marginal_likelihood(kernel, *data, 0.1, 0.2, gradient=False, level_variance=3.0)
    assert value == pytest.approx(expected, rel=1e-10)


def test_the_gradient_is_exact_over_many_rounds():
    """Rounding errors that are not symmetric would grow from round to round."""
    data, kernel = observations(2, 10, 100, 0.02), kernels.make("se", variance=2.2, length_scale=2.0)
    _, slopes = Filtered(*data).evaluate(kernel, 0.05, 0.13, True)
    _, gradient = marginal_likelihood.Batch(*data).evaluate(kernel, 0.05, 0.13, True)
    for each in NAMES:
        assert slopes[each] == pytest.approx(gradient[each], rel=1e-7)


def test_repeated_sites_are_evaluated_densely_not_filtered(monkeypatch):
    """And so are as many rounds as values; few sites over many rounds are filtered."""
    points, times, values = observations(3)
    kernel, made = kernels.make("se"), []
    monkeypatch.setattr(marginal_likelihood, "Filtered", lambda *data: made.append(0) or Filtered(*data))
    for rounds, filtered in ((times, True), (np.arange(len(values)), False)):
        made.clear()
        log_marginal_likelihood(kernel, points, rounds, values, 0.1, 0.2, gradient=False)
        assert bool(made) == filtered
    twice = (np.vstack([points, points[:1]]), np.append(times, times[0]), np.append(values, 0.5))
    expected, _ = marginal_likelihood.Batch(*twice).evaluate(kernel, 0.1, 0.2, False)
    assert log_marginal_likelihood(kernel, *twice, 0.1, 0.2, gradient=False) == expected and not made


def test_a_failed_factorisation_is_an_error_with_advice():
    points = np.repeat(np.array([[0.0, 0.0], [1e-12, 0.0], [1.0, 0.0]]), 30, axis=0)
    times = np.tile(np.arange(30.0), 3)
    with pytest.raises(ValueError, match="90 observations is not positive definite.*raise the lower"):
        log_marginal_likelihood(kernels.make("se"), points, times, np.sin(times), 0.0)
