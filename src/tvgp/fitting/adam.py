"""Space-time hyper-parameters by a fixed number of steps of Adam, as W-DBO fits them (Bardou et al. 2024).

    y_i = m + f(x_i, t_i) + noise,  cov(f) = v k_1(|x - x'| / l_S) k_1(|t - t'| / l_T),  noise variance s^2

Loss: minus the log marginal likelihood per observation. Adam (Kingma & Ba 2015) with rate 0.1 takes 150 steps
in (s^2, m, v, l_S, l_T) from raw values of 0, where a positive parameter is log(1 + e^raw), plus 1e-4 for the
noise: parameters, start and steps of the authors' code (wdbo_algo 1.0.7 with the defaults of GPyTorch). It
stops after 150 steps, converged or not; for a maximum, see `tvgp.fitting.marginal_likelihood`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist, squareform

from tvgp import kernels
from tvgp.fitting import gaussian

STEPS, RATE = 150, 0.1
LEAST_NOISE = 1e-4

_BETA_1, _BETA_2, _EPSILON = 0.9, 0.999, 1e-8


@dataclass(frozen=True)
class SpaceTimeFit:
    """s^2, m, v, l_S and l_T, in the units of the data."""

    noise_variance: float
    mean: float
    variance: float
    length_scale: float
    l_time: float


def fit_by_adam(
    points: np.ndarray, times: np.ndarray, values: np.ndarray, kernel: str, time_kernel: str
) -> SpaceTimeFit:
    """The fit to values (n,) at points (n, d) and times (n,), all scaled to about 1.

    kernel, time_kernel: names of kernels that `tvgp.fitting` fits. ValueError if a step has no
    factorisation.
    """
    distances, lags = (gaussian.packed(squareform(pdist(each))) for each in (points, times[:, None]))
    on = gaussian.diagonal(len(values))
    units = kernels.make(kernel), kernels.make(time_kernel)
    raw, first, second = [0.0] * 5, [0.0] * 5, [0.0] * 5  # lists: five numbers are too few for arrays
    for step in range(1, STEPS + 1):
        slopes = _slopes(raw, distances, lags, on, values, *units)
        first = [_BETA_1 * m + (1 - _BETA_1) * slope for m, slope in zip(first, slopes, strict=True)]
        second = [_BETA_2 * v + (1 - _BETA_2) * slope**2 for v, slope in zip(second, slopes, strict=True)]
        size, share = RATE / (1 - _BETA_1**step), 1 - _BETA_2**step
        moments = zip(raw, first, second, strict=True)
        raw = [x - size * m / (math.sqrt(v / share) + _EPSILON) for x, m, v in moments]
    return SpaceTimeFit(*_natural(raw))


def _natural(raw: Sequence[float]) -> list[float]:
    noise, mean, *others = raw
    return [_softplus(noise) + LEAST_NOISE, mean, *map(_softplus, others)]


def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _slopes(
    raw: Sequence[float],
    distances: np.ndarray,
    lags: np.ndarray,
    on: np.ndarray,
    values: np.ndarray,
    kernel: kernels.Kernel,
    time_kernel: kernels.Kernel,
) -> list[float]:
    """Gradient of the loss in the five raw parameters; distances and lags packed, their diagonal at `on`;
    kernels of variance and length-scale 1."""
    n = len(values)
    noise, mean, variance, length, l_time = _natural(raw)
    space = kernel.log_gradients_at(distances / length)
    time = time_kernel.log_gradients_at(lags / l_time)
    shape = space["variance"] * time["variance"]
    covariance = variance * shape
    covariance[on] += noise
    try:
        density = gaussian.density(values - mean, covariance, on)
    except np.linalg.LinAlgError:
        raise ValueError(f"fit: covariance of {n} observations is not positive definite in float64") from None
    space["length_scale"] *= time["variance"]
    time["length_scale"] *= space["variance"]
    slopes = [
        density.noise_slope,
        float(density.weights.sum()),
        density.slope(shape),
        density.slope(space["length_scale"]) * variance / length,
        density.slope(time["length_scale"]) * variance / l_time,
    ]
    inner = [1.0 / (1.0 + math.exp(-x)) for x in raw]
    inner[1] = 1.0
    return [-slope * each / n for slope, each in zip(slopes, inner, strict=True)]
