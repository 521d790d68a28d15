"""scikit-learn's GaussianProcessRegressor, refitted at every step with fixed parameters."""

from __future__ import annotations

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Kernel, Matern

from benchmarks.peers.refit import Refit
from tvgp.kernels import Radial as SpatialKernel
from tvgp.kernels import forgetting_correlation


class ScikitLearn(Refit):
    """fit() and predict(return_std=True) on all arms; noise variances as `alpha`."""

    def __init__(self, arms, kernel, noise_variance, epsilon=0.0) -> None:
        super().__init__(arms, kernel, noise_variance, epsilon)
        spatial = ConstantKernel(kernel.variance, "fixed") * _shape(kernel)
        self._translated = _WithTime(spatial, epsilon) if epsilon else spatial

    def _fit(self, arms, values, variances, ages) -> None:
        X, everywhere = self.prior.arms[arms], self.prior.arms
        if self._epsilon:
            X = np.column_stack([X, ages])
            everywhere = np.column_stack([everywhere, np.zeros(len(everywhere))])
        gp = GaussianProcessRegressor(self._translated, alpha=variances, optimizer=None)
        gp.fit(X, values)
        self.mean, std = gp.predict(everywhere, return_std=True)
        self.variance = std**2
        self.log_det = 2.0 * np.log(gp.L_.diagonal()).sum() - np.log(variances).sum()
        self._lower = gp.L_


def _shape(kernel: SpatialKernel) -> Kernel:
    if np.isinf(kernel.smoothness):
        return RBF(kernel.length_scale, "fixed")
    return Matern(kernel.length_scale, "fixed", nu=kernel.smoothness)


class _WithTime(Kernel):
    """A spatial kernel times the time kernel of TV-GP-UCB; the last column is the age."""

    def __init__(self, spatial: Kernel, epsilon: float) -> None:
        self.spatial = spatial
        self.epsilon = epsilon

    def __call__(self, X, Y=None, eval_gradient=False):
        Y = X if Y is None else Y
        lags = X[:, -1:] - Y[:, -1]
        K = self.spatial(X[:, :-1], Y[:, :-1]) * forgetting_correlation(lags, self.epsilon)
        return (K, np.empty((*K.shape, 0))) if eval_gradient else K

    def diag(self, X):
        """k(x, x)."""
        return self.spatial.diag(X[:, :-1])

    def is_stationary(self):
        """True: both factors are."""
        return True
