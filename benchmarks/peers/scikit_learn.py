"""scikit-learn's GaussianProcessRegressor, refitted at every step with fixed parameters."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Kernel, Matern

from benchmarks.peers.refit import Refit
from tvgp.kernels import Radial as SpatialKernel
from tvgp.kernels import forgetting_correlation


class ScikitLearn(Refit):
    """fit() and predict(return_std=True) on all arms; noise variances as `alpha`."""

    name = "scikit-learn"

    def __init__(self, arms, kernel, noise_variance, epsilon=0.0) -> None:
        super().__init__(arms, kernel, noise_variance, epsilon)
        spatial = ConstantKernel(kernel.variance, "fixed") * _shape(kernel)
        self._translated = _WithTime(spatial, epsilon) if epsilon else spatial

    def _fit(self, arms, values, variances, ages) -> None:
        X, everywhere = self._X[arms], self._X
        if self._epsilon:
            X = np.column_stack([X, ages])
            everywhere = np.column_stack([everywhere, np.zeros(len(everywhere))])
        gp = GaussianProcessRegressor(self._translated, alpha=variances, optimizer=None)
        gp.fit(X, values)
        self.mean, std = gp.predict(everywhere, return_std=True)
        self.variance = std**2
        self.log_det = 2.0 * np.log(gp.L_.diagonal()).sum() - np.log(variances).sum()
        self._gp = gp

    def mismatch(self, truth: np.ndarray) -> tuple[np.ndarray, float]:
        """As `tvgp.posterior.Dense.mismatch`, true noise variances (n,)."""
        cross = self._gp.kernel_(self._gp.X_train_, self._X)
        a = cho_solve((self._gp.L_, True), cross)
        return self._worth(a, cross, self._gp.kernel_(self._gp.X_train_), truth)


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
