"""BoTorch's fit of TV-GP-UCB's model: SE or Matern in space, (1 - eps)^(lag / 2) = Matern 1/2 in time."""

from __future__ import annotations

import gpytorch
import numpy as np
import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from gpytorch.constraints import GreaterThan, LessThan
from gpytorch.kernels import MaternKernel, RBFKernel, ScaleKernel

LEAST_EPSILON, LEAST_NOISE = 1e-5, 1e-6  # tvgp's bounds


def log_likelihood(kernel: str, points: np.ndarray, times: np.ndarray, values: np.ndarray) -> float:
    """That of the fitted parameters; float64, one start, no priors and no mean, as in tvgp."""
    torch.set_num_threads(1)
    d, horizon = points.shape[1], times.max()
    longest = LessThan(-2.0 / np.log1p(-LEAST_EPSILON) / horizon)
    space = RBFKernel if kernel == "se" else MaternKernel
    order = {} if kernel == "se" else {"nu": int(kernel[-2]) / 2}
    time = MaternKernel(nu=0.5, active_dims=[d], lengthscale_constraint=longest)
    noise = gpytorch.likelihoods.GaussianLikelihood(noise_constraint=GreaterThan(LEAST_NOISE))
    model = SingleTaskGP(
        torch.as_tensor(np.column_stack([points, times / horizon])),
        torch.as_tensor(values)[:, None],
        likelihood=noise,
        covar_module=ScaleKernel(space(active_dims=range(d), **order) * time),
        mean_module=gpytorch.means.ZeroMean(),
        outcome_transform=None,
    )
    likelihood = gpytorch.mlls.ExactMarginalLogLikelihood(noise, model)
    fit_gpytorch_mll(likelihood)
    likelihood.train()
    with torch.no_grad():
        per_value = likelihood(model(*model.train_inputs), model.train_targets)
    return per_value.item() * len(values)
