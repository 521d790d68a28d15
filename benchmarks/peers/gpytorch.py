"""GPyTorch's exact GP, rebuilt at every step with fixed parameters."""

from __future__ import annotations

import gpytorch
import numpy as np
import torch

from benchmarks.peers.refit import Refit
from tvgp.kernels import SquaredExponential


class GPyTorch(Refit):
    """float64, Cholesky for every size, no fast approximations. SE kernels without a time kernel.

    The log determinant of the width is taken from the Cholesky factor that GPyTorch keeps.
    """

    def __init__(self, arms, kernel, noise_variance, epsilon=0.0) -> None:
        if epsilon or not isinstance(kernel, SquaredExponential):
            raise ValueError("GPyTorch: only the SE kernel with constant or given noise is set up")
        super().__init__(arms, kernel, noise_variance)
        torch.set_num_threads(1)
        self._everywhere = torch.as_tensor(arms, dtype=torch.float64)
        self._covariance = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel()).double()
        self._covariance.outputscale = kernel.variance
        self._covariance.base_kernel.lengthscale = kernel.length_scale

    def _fit(self, arms, values, variances, ages) -> None:
        data = (torch.as_tensor(column, dtype=torch.float64) for column in (values, variances))
        exact = gpytorch.settings.fast_computations(False, False, False)
        with torch.no_grad(), exact, gpytorch.settings.max_cholesky_size(1 << 20):
            model, answer = self._answer(self._everywhere[arms], *data)
            self.mean = answer.mean.numpy().reshape(-1).copy()
            self.variance = np.maximum(answer.variance.numpy().reshape(-1), 0.0)
            factor = model.prediction_strategy.lik_train_train_covar.cholesky()
            diagonal = torch.diagonal(factor.to_dense()).numpy()
        self.log_det = 2.0 * np.log(diagonal).sum() - np.log(variances).sum()

    def _answer(self, X, values, variances):
        """A model of the data, and its posterior over all arms."""
        likelihood = gpytorch.likelihoods.FixedNoiseGaussianLikelihood(variances)
        model = _Exact(X, values, likelihood, self._covariance)
        model.eval()
        likelihood.eval()
        return model, model(self._everywhere)


class _Exact(gpytorch.models.ExactGP):
    def __init__(self, X, y, likelihood, covariance) -> None:
        super().__init__(X, y, likelihood)
        self.mean_module = gpytorch.means.ZeroMean()
        self.covar_module = covariance

    def forward(self, X):
        """Prior over X."""
        covariance = self.covar_module(X)
        return gpytorch.distributions.MultivariateNormal(self.mean_module(X), covariance)
