"""The fit of W-DBO: its gradient, and what it reaches. The authors' package checks it in test_w_dbo.py."""

import numpy as np
import pytest

from tvgp import kernels
from tvgp.fitting import adam


def data(n=40):
    rng = np.random.default_rng(3)
    X, t = rng.random((n, 2)), np.sort(rng.random(n))
    K = kernels.make("matern52", length_scale=0.4)(X, X) * kernels.make("matern32", length_scale=0.3)(
        t[:, None], t[:, None]
    )
    return X, t, np.linalg.cholesky(K + 0.01 * np.eye(n)) @ rng.standard_normal(n)


def test_the_fit_is_that_of_adam_on_the_dense_likelihood():
    """150 steps from raw parameters 0, by central differences of the dense formula."""
    X, t, y = data(25)

    def natural(raw):
        return np.append(np.logaddexp(0.0, raw[0]) + 1e-4, np.append(raw[1], np.logaddexp(0.0, raw[2:])))

    def loss(raw):
        noise, mean, variance, length, l_time = natural(raw)
        K = kernels.make("matern52", variance=variance, length_scale=length)(X, X)
        K = K * kernels.make("matern32", length_scale=l_time)(t[:, None], t[:, None])
        A, rest = K + noise * np.eye(len(y)), y - mean
        return 0.5 * (rest @ np.linalg.solve(A, rest) + np.linalg.slogdet(A)[1]) / len(y)

    raw, first, second, steps = np.zeros(5), np.zeros(5), np.zeros(5), 1e-5 * np.eye(5)
    for n in range(1, 151):
        slope = np.array([loss(raw + step) - loss(raw - step) for step in steps]) / 2e-5
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        raw = raw - 0.1 * first / (1 - 0.9**n) / (np.sqrt(second / (1 - 0.999**n)) + 1e-8)
    fit = adam.fit_by_adam(X, t, y, "matern52", "matern32")
    np.testing.assert_allclose(list(vars(fit).values()), natural(raw), rtol=1e-5)


def test_the_fit_comes_near_the_truth():
    fit = adam.fit_by_adam(*data(80), "matern52", "matern32")
    assert fit.length_scale == pytest.approx(0.4, rel=0.5) and fit.l_time == pytest.approx(0.3, rel=0.5)
    assert 1e-4 < fit.noise_variance < 0.05


def test_the_noise_has_a_floor():
    """Where a smooth function has none."""
    x = np.linspace(0.0, 1.0, 40)
    fit = adam.fit_by_adam(x[:, None], x, np.sin(6 * x), "se", "se")
    assert 1e-4 < fit.noise_variance < 1.2e-4
