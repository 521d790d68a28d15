"""BoTorch's SingleTaskGP, rebuilt at every step with fixed parameters."""

from __future__ import annotations

import gpytorch
import numpy as np
import torch
from botorch.models import SingleTaskGP

from benchmarks.peers.refit import Refit
from tvgp.kernels import SquaredExponential


class BoTorch(Refit):
    """float64, given noise variances, no transforms of inputs or outcomes."""

    name = "BoTorch"

    def __init__(self, arms, kernel, noise_variance, epsilon=0.0) -> None:
        if epsilon or not isinstance(kernel, SquaredExponential):
            raise ValueError("BoTorch: only the SE kernel with constant or given noise is set up")
        super().__init__(arms, kernel, noise_variance)
        torch.set_num_threads(1)
        self._everywhere = torch.as_tensor(arms, dtype=torch.float64)
        self._covariance = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel()).double()
        self._covariance.outputscale = kernel.variance
        self._covariance.base_kernel.lengthscale = kernel.length_scale

    def _fit(self, arms, values, variances, ages) -> None:
        exact = gpytorch.settings.fast_computations(False, False, False)
        with torch.no_grad(), exact, gpytorch.settings.max_cholesky_size(1 << 20):
            model = SingleTaskGP(
                self._everywhere[arms],
                torch.as_tensor(values, dtype=torch.float64)[:, None],
                torch.as_tensor(variances, dtype=torch.float64)[:, None],
                covar_module=self._covariance,
                mean_module=gpytorch.means.ZeroMean(),
                outcome_transform=None,
            )
            model.eval()
            answer = model.posterior(self._everywhere)
            self.mean = answer.mean[:, 0].numpy().copy()
            self.variance = np.maximum(answer.variance[:, 0].numpy(), 0.0)
            factor = model.prediction_strategy.lik_train_train_covar.cholesky()
            diagonal = torch.diagonal(factor.to_dense()).numpy()
        self.log_det = 2.0 * np.log(diagonal).sum() - np.log(variances).sum()
