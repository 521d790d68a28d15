"""BoTorch's SingleTaskGP, rebuilt at every step with fixed parameters."""

from __future__ import annotations

import gpytorch
from botorch.models import SingleTaskGP

from benchmarks.peers.gpytorch import GPyTorch


class BoTorch(GPyTorch):
    """float64, given noise variances, no transforms of inputs or outcomes."""

    def _answer(self, X, values, variances):
        model = SingleTaskGP(
            X,
            values[:, None],
            variances[:, None],
            covar_module=self._covariance,
            mean_module=gpytorch.means.ZeroMean(),
            outcome_transform=None,
        )
        model.eval()
        return model, model.posterior(self._everywhere)
