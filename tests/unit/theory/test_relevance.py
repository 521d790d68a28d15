"""Relevance: against quadrature of the distance between posteriors, and the authors' library."""

import numpy as np
import pytest
from scipy.integrate import quad, trapezoid

from tvgp import kernels
from tvgp.theory.relevance import overlap_in_space, overlap_in_time, relevance, without

TIME = ("matern12", "matern32", "se")


def draw(n=6, d=1, seed=0):
    """Points in [0, 1]^d, times before 1, values."""
    rng = np.random.default_rng(seed)
    return np.ascontiguousarray(rng.random((n, d))), np.sort(rng.random(n)), rng.normal(size=n)


def inverse_of(kernel, time_kernel, X, t, noise=0.05):
    return np.linalg.inv(kernel(X, X) * time_kernel(t[:, None], t[:, None]) + noise * np.eye(len(X)))


@pytest.mark.parametrize("name", ["se", "matern12", "matern32", "matern52"])
@pytest.mark.parametrize("distance", [0.0, 0.3])
def test_the_overlap_in_space_is_the_integral_over_the_line(name, distance):
    kernel = kernels.make(name, variance=7.0, length_scale=0.4)
    unit = kernels.make(name, length_scale=0.4)

    def integrand(x):
        at = np.array([[x]])
        return float(unit(at, np.zeros((1, 1)))[0, 0] * unit(at, np.full((1, 1), distance))[0, 0])

    whole = quad(integrand, -20, 20, points=[0.0, distance], limit=200)[0]
    ours = overlap_in_space(kernel, np.zeros((1, 1)), np.full((1, 1), distance), np.array([2.0]))
    assert ours[0, 0] == pytest.approx(whole / 2.0, rel=1e-7)


def test_the_overlap_in_space_is_at_most_the_domain():
    kernel = kernels.make("se", length_scale=(9.0, 0.1))
    ours = overlap_in_space(kernel, np.zeros((1, 2)), np.zeros((1, 2)), np.array([1.0, 1.0]))
    assert ours[0, 0] == 1.0
    ours = overlap_in_space(kernel, np.zeros((1, 2)), np.zeros((1, 2)), np.array([1.0, 10.0]))
    assert ours[0, 0] == pytest.approx(np.pi * 9.0 * 0.01)


@pytest.mark.parametrize("name", TIME)
def test_the_overlap_in_time_is_the_integral_over_the_future(name):
    kernel = kernels.make(name, length_scale=0.3)
    times = np.array([0.1, 0.7, 1.0])
    ours = overlap_in_time(kernel, times, 1.2)
    for i, s in enumerate(times):
        for j, t in enumerate(times):
            at = lambda u, v: kernel(np.array([[u]]), np.array([[v]]))[0, 0]  # noqa: E731
            expected = quad(lambda u: at(u, s) * at(u, t), 1.2, 12.0, limit=200)[0]  # noqa: B023
            assert ours[i, j] == pytest.approx(expected, rel=1e-6)


def test_relevance_is_the_distance_between_the_posteriors():
    """By quadrature over a wide line and the future, from the textbook posterior with and without each."""
    kernel = kernels.make("matern52", variance=1.4, length_scale=0.2)
    time_kernel = kernels.make("matern32", length_scale=0.15)
    X, t, y = draw()
    x, future = np.linspace(-2.5, 3.5, 301)[:, None], np.linspace(1.0, 3.0, 201)

    def moments(kept):
        k = kernel(X[kept], x)[:, :, None] * time_kernel(t[kept][:, None], future[:, None])[:, None, :]
        P = inverse_of(kernel, time_kernel, X[kept], t[kept])
        return np.einsum("nxt,n->xt", k, P @ y[kept]), -np.einsum("nxt,nm,mxt->xt", k, P, k, optimize=True)

    def distance(first, second):
        apart = (first[0] - second[0]) ** 2 + np.abs(first[1] - second[1])
        return np.sqrt(trapezoid(trapezoid(apart, x[:, 0], axis=0), future))

    everything = moments(np.arange(6))
    whole = distance(everything, (0.0, 0.0))
    expected = [distance(everything, moments(np.delete(np.arange(6), i))) / whole for i in range(6)]
    overlap = overlap_in_space(kernel, X, X, np.ones(1)) * overlap_in_time(time_kernel, t, 1.0)
    ours = relevance(inverse_of(kernel, time_kernel, X, t), y, overlap)
    np.testing.assert_allclose(ours, expected, rtol=1e-3)


def test_nothing_is_irrelevant_where_clipping_leaves_no_distance():
    kernel, X, t = kernels.make("se", length_scale=3.0), np.array([[0.0], [0.3], [0.6]]), np.zeros(3)
    overlap = overlap_in_space(kernel, X, X, np.ones(1))
    assert (overlap == 1.0).all()
    overlap[0, 2] = overlap[2, 0] = 0.7  # as in more dimensions
    inverse = inverse_of(kernel, kernels.make("se"), X, t, noise=1e-4)
    assert np.vdot(inverse, overlap) < 0.0
    assert (relevance(inverse, np.zeros(3), overlap) == np.inf).all()


def test_a_duplicate_without_noise_is_irrelevant():
    kernel, time_kernel = kernels.make("se", length_scale=0.3), kernels.make("se", length_scale=0.3)
    X, t, y = draw()
    X[3], t[3], y[3] = X[2], t[2], y[2]
    overlap = overlap_in_space(kernel, X, X, np.ones(1)) * overlap_in_time(time_kernel, t, 1.0)
    R = relevance(inverse_of(kernel, time_kernel, X, t, noise=1e-8), y, overlap)
    assert R[[2, 3]].max() < 1e-3 < 0.05 < np.delete(R, [2, 3]).max()


def test_the_inverse_without_an_observation():
    kernel, time_kernel = kernels.make("se", length_scale=0.3), kernels.make("matern32", length_scale=0.3)
    X, t, _ = draw()
    kept = [0, 1, 2, 4, 5]
    expected = inverse_of(kernel, time_kernel, X[kept], t[kept])
    np.testing.assert_allclose(without(inverse_of(kernel, time_kernel, X, t), 3), expected, atol=1e-9)


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize(("nu", "name"), [(1.5, "matern32"), (2.5, "matern52")])
def test_the_library_of_the_authors_agrees(d, nu, name):
    library = pytest.importorskip("wdbo_criterion")
    X, t, y = draw(n=20, d=d)
    kernel = kernels.make(name, variance=1.3, length_scale=0.3)
    time_kernel = kernels.make("matern32", length_scale=0.2)
    theirs = library.wasserstein_criterion(
        X, y, t, 20, d, 1.3, 0.05, library.MaternKernel(0.3, nu), library.MaternKernel(0.2, 1.5), 1.05, 0, 1
    )
    overlap = overlap_in_space(kernel, X, X, np.ones(d)) * overlap_in_time(time_kernel, t, 1.05)
    ours = relevance(inverse_of(kernel, time_kernel, X, t), y, overlap)
    np.testing.assert_allclose(ours, np.ravel(theirs), rtol=1e-5)


@pytest.mark.parametrize("name", ["matern12", "matern32", "matern52", "se"])
@pytest.mark.parametrize("length", [1e-160, 1e-3, 1.0, 1e9])
@pytest.mark.parametrize("d", [1, 2, 20, 100])
def test_the_overlap_in_space_overflows_nowhere(name, length, d):
    """Length-scales that a fit may try; RuntimeWarnings of the package are errors here."""
    X = np.random.default_rng(0).uniform(size=(6, d))
    found = overlap_in_space(kernels.make(name, length_scale=length), X, X, np.ones(d))
    assert ((found >= 0) & (found <= 1)).all() and (found <= found.diagonal()).all()


def test_kernels_without_a_closed_form_are_refused():
    periodic = kernels.make("periodic", period=1.0)
    with pytest.raises(ValueError, match="kernel periodic has no closed form, expected se or matern"):
        overlap_in_space(periodic, np.zeros((1, 1)), np.zeros((1, 1)), np.ones(1))
    with pytest.raises(ValueError, match="time kernel periodic, expected matern12, matern32 or se"):
        overlap_in_time(periodic, np.zeros(1), 1.0)
