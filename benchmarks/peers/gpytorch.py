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

    name = "GPyTorch"

    def __init__(self, arms, kernel, noise_variance, epsilon=0.0) -> None:
        if epsilon or not isinstance(kernel, SquaredExponential):
            raise ValueError("GPyTorch: only the SE kernel with constant or given noise is set up")
        super().__init__(arms, kernel, noise_variance)
        torch.set_num_threads(1)
        self._everywhere = torch.as_tensor(arms, dtype=torch.float64)

    def _fit(self, arms, values, variances, ages) -> None:
        X, y = self._everywhere[arms], torch.as_tensor(values, dtype=torch.float64)
        exact = gpytorch.settings.fast_computations(False, False, False)
        with torch.no_grad(), exact, gpytorch.settings.max_cholesky_size(1 << 20):
            noise = torch.as_tensor(variances, dtype=torch.float64)
            likelihood = gpytorch.likelihoods.FixedNoiseGaussianLikelihood(noise)
            model = _Exact(X, y, likelihood, self._kernel).double()
            model.eval()
            likelihood.eval()
            answer = model(self._everywhere)
            self.mean = answer.mean.numpy().copy()
            self.variance = np.maximum(answer.variance.numpy(), 0.0)
            factor = model.prediction_strategy.lik_train_train_covar.cholesky()
            diagonal = torch.diagonal(factor.to_dense()).numpy()
        self.log_det = 2.0 * np.log(diagonal).sum() - np.log(variances).sum()


class _Exact(gpytorch.models.ExactGP):
    def __init__(self, X, y, likelihood, kernel) -> None:
        super().__init__(X, y, likelihood)
        self.mean_module = gpytorch.means.ZeroMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())
        self.covar_module.outputscale = kernel.variance
        self.covar_module.base_kernel.lengthscale = kernel.length_scale

    def forward(self, X):
        """Prior over X."""
        covariance = self.covar_module(X)
        return gpytorch.distributions.MultivariateNormal(self.mean_module(X), covariance)
