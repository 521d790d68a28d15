"""The Gauss-Markov model of Bogunovic16, section 2: a GP that drifts.

    f_1 = g_1,  f_{t+1} = sqrt(1 - eps) f_t + sqrt(eps) g_{t+1},  g_t i.i.d. GP(0, k)

on a square grid of [0, 1]^2 (their eq. 3-4; section 5.1 has 50 x 50 points). The draws come from
the environment's stream, so all policies of a trial face the same functions.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.linalg import LinAlgError, cholesky
from scipy.linalg.blas import dtrmm

from tvgp import kernels
from tvgp.contracts import require_horizon
from tvgp.environments.base.drawn import LARGEST_TABLE, Drawn


def make(
    kernel: str = "se",
    length_scale: float = 0.2,
    variance: float = 1.0,
    epsilon: float = 0.01,
    n_side: int = 50,
    horizon: int = 200,
    noise_std: float = 0.1,
    rng: np.random.Generator | None = None,
) -> Drawn:
    """One draw of f_1, ..., f_horizon on n_side^2 arms.

    ValueError for epsilon outside [0, 1], and for draws of more than 2 GiB.
    """
    require_horizon("gp_markov", horizon, LARGEST_TABLE // n_side**2)
    if not 0.0 <= epsilon <= 1.0:
        raise ValueError(f"gp_markov: epsilon is {epsilon}, must lie in [0, 1]")
    if rng is None:
        raise ValueError("gp_markov: needs a random stream for its draws")
    prior = kernels.make(kernel, variance=variance, length_scale=length_scale)
    innovations = draw_grid(prior, n_side, horizon, rng)
    return Drawn(grid(n_side), markov(innovations, epsilon), noise_std)


def grid(n_side: int) -> np.ndarray:
    """n_side^2 points of [0, 1]^2, second coordinate fastest, (n_side^2, 2)."""
    side = np.linspace(0.0, 1.0, n_side)
    return np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)


def draw_grid(kernel: kernels.Kernel, n_side: int, n_draws: int, rng: np.random.Generator) -> np.ndarray:
    """n_draws independent draws of GP(0, k) on `grid(n_side)`, (n_draws, n_side^2).

    A squared exponential factorises over the coordinates: K = M^2 R (x) R, and a draw is
    M A Z A' with A A' = R. Other kernels use a Cholesky factor of the whole matrix.
    """
    z = rng.standard_normal((n_draws, n_side * n_side))
    if isinstance(kernel, kernels.SquaredExponential):
        A = _side_root(kernel, n_side)
        fields = A @ z.reshape(n_draws, n_side, n_side) @ A.T
        return np.sqrt(kernel.variance) * fields.reshape(n_draws, -1)
    # L z' as a triangular product
    return dtrmm(1.0, _grid_root(kernel, n_side), z.T, lower=1, overwrite_b=1).T


def markov(innovations: np.ndarray, epsilon: float) -> np.ndarray:
    """f_1, ..., f_T from g_1, ..., g_T, both (T, n_arms)."""
    f = innovations.copy()
    for t in range(1, len(f)):
        f[t] *= np.sqrt(epsilon)
        f[t] += np.sqrt(1.0 - epsilon) * f[t - 1]
    return f


@lru_cache(maxsize=4)
def _side_root(kernel: kernels.Kernel, n_side: int) -> np.ndarray:
    # the correlation of 50 points is singular in float64; the eigenvalue root needs no jitter
    side = np.linspace(0.0, 1.0, n_side)[:, None]
    values, vectors = np.linalg.eigh(kernel(side, side) / kernel.variance)
    return vectors * np.sqrt(np.maximum(values, 0.0))


@lru_cache(maxsize=2)
def _grid_root(kernel: kernels.Kernel, n_side: int) -> np.ndarray:
    points = grid(n_side)
    try:
        return np.asfortranarray(cholesky(kernel(points, points), lower=True))
    except LinAlgError as error:
        raise ValueError(
            f"gp_markov: the covariance of {n_side} x {n_side} points is not positive definite in"
            f" float64 for {kernel}; use fewer points or a shorter length-scale"
        ) from error
