"""Kernels against scikit-learn and finite differences."""

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as sk

from tvgp import kernels

REFERENCE = {
    "se": sk.RBF,
    "matern12": lambda scale: sk.Matern(scale, nu=0.5),
    "matern32": lambda scale: sk.Matern(scale, nu=1.5),
    "matern52": lambda scale: sk.Matern(scale, nu=2.5),
}


@pytest.mark.parametrize("name", kernels.names())
@pytest.mark.parametrize("d", [1, 3])
def test_equal_to_scikit_learn(name, d):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(20, d)), rng.normal(size=(30, d))
    ours = kernels.make(name, variance=1.7, length_scale=0.6)
    np.testing.assert_allclose(ours(X, Y), 1.7 * REFERENCE[name](0.6)(X, Y), atol=1e-13)
    np.testing.assert_allclose(ours.diagonal(X), np.diagonal(ours(X, X)))


@pytest.mark.parametrize("name", kernels.names())
@pytest.mark.parametrize("parameter", ["variance", "length_scale"])
def test_log_gradients(name, parameter):
    X = np.random.default_rng(1).normal(size=(15, 2))
    kernel = kernels.make(name, variance=0.8, length_scale=0.9)
    h = 1e-6
    value = getattr(kernel, parameter)
    up = kernel.with_parameters(**{parameter: value * np.exp(h)})(X, X)
    down = kernel.with_parameters(**{parameter: value * np.exp(-h)})(X, X)
    np.testing.assert_allclose(kernel.log_gradients(X)[parameter], (up - down) / (2 * h), atol=1e-8)


def test_describe_is_the_inverse_of_make():
    for name in kernels.names():
        kernel = kernels.make(name, variance=2.0, length_scale=3.0)
        assert kernels.make(**kernels.describe(kernel)) == kernel


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kernels.make("rbf"), "unknown kernel 'rbf'; known: matern12"),
        (lambda: kernels.make("se", nu=2.0), "unknown parameter 'nu'"),
        (lambda: kernels.make("se", variance=-1.0), "variance is -1.0, must be positive"),
        (lambda: kernels.make("se", length_scale=float("nan")), "length_scale is nan"),
        (lambda: kernels.forgetting_correlation(np.arange(3.0), 1.5), "epsilon is 1.5"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
