"""The fit of W-DBO: its gradient, and what it reaches. The authors' package checks it in test_w_dbo.py."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from scipy.stats import multivariate_normal

from tvgp import kernels
from tvgp.fitting import adam, gaussian


def data(n=40):
    rng = np.random.default_rng(3)
    X, t = rng.random((n, 2)), np.sort(rng.random(n))
    K = kernels.make("matern52", length_scale=0.4)(X, X) * kernels.make("matern32", length_scale=0.3)(
        t[:, None], t[:, None]
    )
    return X, t, np.linalg.cholesky(K + 0.01 * np.eye(n)) @ rng.standard_normal(n)


def test_the_slope_is_that_of_the_log_likelihood_per_observation():
    X, t, y = data()
    raw = np.array([-2.0, 0.3, 0.5, -0.7, 0.1])

    def loss(raw):
        noise, mean, variance, length, l_time = adam._natural(raw)
        K = kernels.make("matern52", variance=variance, length_scale=length)(X, X)
        K = K * kernels.make("matern32", length_scale=l_time)(t[:, None], t[:, None])
        return -multivariate_normal.logpdf(y, np.full(len(y), mean), K + noise * np.eye(len(y))) / len(y)

    steps = 1e-5 * np.eye(5)
    expected = [(loss(raw + step) - loss(raw - step)) / 2e-5 for step in steps]
    distances, lags = (gaussian.packed(squareform(pdist(each))) for each in (X, t[:, None]))
    units = kernels.make("matern52"), kernels.make("matern32")
    slope = adam._slope(raw, distances, lags, gaussian.diagonal(len(y)), y, *units)
    np.testing.assert_allclose(slope, expected, rtol=1e-5)


def test_the_fit_comes_near_the_truth():
    fit = adam.fit_by_adam(*data(80), "matern52", "matern32")
    assert fit.length_scale == pytest.approx(0.4, rel=0.5) and fit.l_time == pytest.approx(0.3, rel=0.5)
    assert 1e-4 < fit.noise_variance < 0.05


def test_the_noise_has_a_floor():
    np.testing.assert_allclose(adam._natural(np.full(5, -50.0)), [1e-4, -50.0, 0.0, 0.0, 0.0], atol=1e-12)
