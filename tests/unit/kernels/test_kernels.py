"""Kernels: closed values, scikit-learn, finite differences, limits, and what they refuse."""

import json
from dataclasses import dataclass

import numpy as np
import pytest
from example_kernels import EXAMPLES
from scipy.spatial.distance import cdist
from sklearn.gaussian_process import kernels as sk

from tvgp import kernels, policies
from tvgp.posterior import inducing
from tvgp.posterior.features import FourierFeatures

REFERENCE = {
    "se": sk.RBF,
    "matern12": lambda scale: sk.Matern(scale, nu=0.5),
    "matern32": lambda scale: sk.Matern(scale, nu=1.5),
    "matern52": lambda scale: sk.Matern(scale, nu=2.5),
}
ARD = (0.6, 2.0, 0.3)


def points(d, n=20, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def test_every_kernel_has_an_example():
    assert {kernel.name for kernel in EXAMPLES.values()} == set(kernels.names()) - {"empirical"}


@pytest.mark.parametrize("name", kernels.fittable())
@pytest.mark.parametrize("scale", [0.6, ARD])
@pytest.mark.parametrize("d", [1, 3])
def test_equal_to_scikit_learn(name, scale, d):
    X, Y = points(d), points(d, 30, 1)
    scale = scale[:d] if scale is ARD else scale
    ours = kernels.make(name, variance=1.7, length_scale=scale)
    np.testing.assert_allclose(ours(X, Y), 1.7 * REFERENCE[name](scale)(X, Y), atol=1e-13)


def test_periodic_is_equal_to_scikit_learn_on_the_line():
    X, Y = points(1), points(1, 30, 1)
    ours = kernels.make("periodic", variance=1.7, length_scale=0.6, period=0.9)
    np.testing.assert_allclose(ours(X, Y), 1.7 * sk.ExpSineSquared(0.6, 0.9)(X, Y), atol=1e-13)


def test_kernels_have_their_closed_form_values():
    """Half a period apart: exp(-2 / l^2); a whole one: 1; each coordinate has its own factor."""
    k = kernels.make("periodic", variance=3.0, length_scale=(0.5, 2.0), period=(1.0, 4.0))
    X = np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 2.0], [0.5, 2.0], [1.0, 4.0]])
    expected = 3.0 * np.exp([0.0, -8.0, -0.5, -8.5, 0.0])
    np.testing.assert_allclose(k(X[:1], X)[0], expected, rtol=1e-14)
    se, rough = kernels.make("se", variance=2.0), kernels.make("matern12", length_scale=2.0)
    line = np.array([[0.0], [2.0]])
    assert (se + rough)(line, line)[0, 1] == 2.0 * np.exp(-2.0) + np.exp(-1.0)
    assert (se * rough)(line, line)[0, 1] == 2.0 * np.exp(-2.0) * np.exp(-1.0)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_positive_semi_definite_with_its_own_diagonal(name, d):
    """On random points and on a grid, where a function of the distance alone shows what it is not."""
    k = EXAMPLES[name]
    side = np.linspace(0.0, 1.6, 5)
    grid = np.stack(np.meshgrid(*[side] * d), axis=-1).reshape(-1, d)
    for X in (points(d, 60), grid):
        K = k(X, X)
        np.testing.assert_allclose(k.diagonal(X), K.diagonal(), rtol=1e-14)
        np.testing.assert_allclose(k.diagonal(X), k.variance, rtol=1e-14)
        np.testing.assert_array_equal(K, K.T)
        assert np.linalg.eigvalsh(K)[0] > -1e-13 * len(X) * k.variance


@pytest.mark.parametrize("name", kernels.fittable())
def test_equal_length_scales_are_one_bit_for_bit(name):
    one = kernels.make(name, variance=1.7, length_scale=0.3)
    three = kernels.make(name, variance=1.7, length_scale=[0.3] * 3)
    X, Y, weights = points(3), points(3, 30, 1), points(30, 20, 2)
    np.testing.assert_array_equal(three(X, Y), one(X, Y))
    np.testing.assert_array_equal(
        three.combination_gradient(X, Y, weights), one.combination_gradient(X, Y, weights)
    )
    draws = [k.frequencies(3, 50, np.random.default_rng(0)) for k in (one, three)]
    np.testing.assert_array_equal(*draws)


@pytest.mark.parametrize("d", [1, 2])
def test_a_long_period_gives_the_squared_exponential(d):
    """sin(z)^2 = z^2 (1 - z^2 / 3 + ...): an error of order 1e-11 at a period of 1e6."""
    X = points(d)
    k = kernels.make("periodic", variance=1.7, length_scale=1e-6, period=1e6)
    se = kernels.make("se", variance=1.7, length_scale=1.0 / (2.0 * np.pi))
    np.testing.assert_allclose(k(X, X), se(X, X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", kernels.fittable())
@pytest.mark.parametrize("parameter", ["variance", "length_scale"])
def test_log_gradients_equal_finite_differences(name, parameter):
    X = points(2, 15, 1)
    kernel = kernels.make(name, variance=0.8, length_scale=0.9)
    h = 1e-6
    value = getattr(kernel, parameter)
    up = kernel.with_parameters(**{parameter: value * np.exp(h)})(X, X)
    down = kernel.with_parameters(**{parameter: value * np.exp(-h)})(X, X)
    found = kernel.log_gradients_at(cdist(X, X))[parameter]
    np.testing.assert_allclose(found, (up - down) / (2 * h), atol=1e-8)


@pytest.mark.parametrize("name", kernels.fittable())
def test_shape_and_slope_together_are_those_computed_apart(name):
    """Derivatives in the parameters have them together, covariances and gradients one each."""
    kernel, r = EXAMPLES[name], np.linspace(0.0, 9.0, 100)[1:, None]
    together = kernel.log_gradients_at(r[:, 0])
    np.testing.assert_array_equal(together["variance"], kernel(r, np.zeros((1, 1)))[:, 0])
    slope = -r * kernel.combination_gradient(r, np.zeros((1, 1)), np.ones((len(r), 1)))
    np.testing.assert_allclose(together["length_scale"], slope[:, 0], rtol=1e-13)


@pytest.mark.parametrize("k", [*EXAMPLES.values(), kernels.make("se", length_scale=ARD)], ids=str)
def test_gradient_of_a_combination_of_kernels(k):
    rng = np.random.default_rng(0)
    X, Z, weights = rng.uniform(size=(6, 3)), rng.uniform(size=(4, 3)), rng.normal(size=(6, 4))
    value = lambda points: (k(points, Z) * weights).sum(axis=1)  # noqa: E731
    gradient = k.combination_gradient(X, Z, weights)
    for axis in range(3):
        step = np.eye(3)[axis] * 1e-6
        slope = (value(X + step) - value(X - step)) / 2e-6
        np.testing.assert_allclose(gradient[:, axis], slope, rtol=1e-5, atol=1e-7)
    assert np.isfinite(k.combination_gradient(Z, Z, np.ones((4, 4)))).all()


@pytest.mark.parametrize("k", [*EXAMPLES.values(), kernels.make("matern32", length_scale=ARD)], ids=str)
def test_frequencies_have_the_kernel_as_characteristic_function(k):
    """E cos(w'(x - x')) = k(x, x') / M_k^2 from 40,000 draws; standard error at most 0.004."""
    X = points(3, 8)
    angle = X @ k.frequencies(3, 40_000, np.random.default_rng(1)).T
    mean = (np.cos(angle) @ np.cos(angle).T + np.sin(angle) @ np.sin(angle).T) / 40_000
    np.testing.assert_allclose(mean, k(X, X) / k.variance, atol=0.02)


def test_every_kernel_states_its_smoothness():
    found = {name: kernel.smoothness for name, kernel in EXAMPLES.items()}
    assert found == {
        "se": np.inf,
        "matern12": 0.5,
        "matern32": 1.5,
        "matern52": 2.5,
        "periodic": np.inf,
        "constant": np.inf,
        "sum": 1.5,
        "product": 2.5,
    }


@pytest.mark.parametrize("kernel", [*EXAMPLES.values(), kernels.make("se", length_scale=ARD)], ids=str)
def test_describe_is_the_inverse_of_make(kernel):
    again = kernels.make(**json.loads(json.dumps(kernels.describe(kernel))))
    assert again == kernel and hash(again) == hash(kernel)


@dataclass(frozen=True)
class Cauchy(kernels.Radial):
    """M_k^2 / (1 + r^2), with no more than a kernel must have."""

    name = "cauchy"
    label = "Cauchy"

    @staticmethod
    def _shape(r):
        return 1.0 / (1.0 + r * r)

    def _shape_and_slope(self, r):
        return self._shape(r), 2.0 * r * r / (1.0 + r * r) ** 2


class Smooth(Cauchy):
    """The same with its smoothness and spectral density."""

    smoothness = np.inf

    def frequencies(self, d, size, rng):
        """Laplace distributed on the line."""
        return rng.laplace(scale=1.0 / self.length_scale, size=(size, d))


def test_adding_a_kernel_takes_one_class():
    """Its smoothness and spectral density reach pi-GP-UCB and S-GP-TS; what it lacks is named."""
    X, k = np.linspace(0.0, 1.0, 9)[:, None], Smooth(length_scale=0.3)
    phi = FourierFeatures(k, 1, 40_000, np.random.default_rng(1))(X)
    np.testing.assert_allclose(phi @ phi.T, k(X, X), atol=0.05)
    assert inducing.rule_sizes(k, 1, 1000, "points") == (7, 7)
    arguments = {"arms": X, "noise_variance": 0.1}
    policies.make("pi_gp_ucb", kernel=k, **arguments)
    with pytest.raises(ValueError, match="kernel cauchy has no smoothness"):
        policies.make("pi_gp_ucb", kernel=Cauchy(), **arguments)
    policy = policies.make("s_gp_ts", kernel=Cauchy(), size=3, features=9, **arguments)
    with pytest.raises(ValueError, match="kernel cauchy has no spectral density"):
        policy.choose(1, np.random.default_rng(0))


def test_missing_properties_are_named_in_errors():
    table, total = kernels.make("empirical", covariance=[[1.0]]), EXAMPLES["sum"]
    X = np.zeros((1, 1))
    for call, message in (
        (lambda: table.smoothness, "kernel empirical has no smoothness"),
        (lambda: (table + total).smoothness, "kernel empirical has no smoothness"),
        (lambda: table.frequencies(1, 5, None), "kernel empirical has no spectral density"),
        (lambda: table.combination_gradient(X, X, X), "kernel empirical has no combination_gradient"),
        (lambda: EXAMPLES["periodic"].log_gradients_at(X), "kernel periodic has no log_gradients_at"),
        (lambda: total.with_parameters(variance=1.0), "kernel sum has no parameter 'variance'"),
        (
            lambda: kernels.make("se", length_scale=(1.0, 2.0))(X, X),
            "2 values of length_scale for points",
        ),
        (lambda: kernels.make("periodic", period=(1.0, 2.0))(X, X), "2 values of period for points"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: kernels.make("rbf"),
            "unknown kernel 'rbf' .did you mean se.*; known: constant, empirical,",
        ),
        (
            lambda: kernels.make("se", nu=2.0),
            "kernel se: unknown parameter 'nu'; it has: variance",
        ),
        (lambda: kernels.make("se", period=2.0), "kernel se: unknown parameter 'period'"),
        (lambda: kernels.make("se", variance=-1.0), "kernel se: variance is -1.0, must be positive"),
        (
            lambda: kernels.make("se", variance=(1.0, 2.0)),
            "variance is .1.0, 2.0., must be positive",
        ),
        (lambda: kernels.make("se", length_scale=float("nan")), "length_scale is nan"),
        (lambda: kernels.make("se", length_scale=[0.3, 0.0]), "length_scale is 0.0, must be positive"),
        (lambda: kernels.make("se", length_scale=[]), "length_scale is .., must be positive"),
        (lambda: kernels.make("se", length_scale="fit"), "length_scale is 'fit', must be positive"),
        (lambda: kernels.make("periodic", period=0.0), "kernel periodic: period is 0.0, must be positive"),
        (lambda: kernels.make("sum", left={"name": "se"}), "kernel sum: parameter 'right' is missing"),
        (lambda: kernels.make("sum", left={}, right={}), "kernel sum: left is a mapping without a name"),
        (lambda: kernels.make("se") + 1.0, "kernel sum: 1.0 is not a kernel"),
        (lambda: kernels.forgetting_correlation(np.arange(3.0), 1.5), "epsilon is 1.5"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)
