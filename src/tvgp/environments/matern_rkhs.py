"""Functions in the RKHS of a Matern kernel (Janz20, section 5, Table 1 and Fig. 1).

f = sum_i a_i k(., c_i) with m = 30 d centres c_i uniform on [0, 1]^d and a_i uniform on [-1, 1], on
the regular grid of 30^d points; |f|_k = sqrt(a' K_C a) exactly; noise uniform on [-1, 1]. k is the
Matern kernel with nu = 3/2 and l = 1/5. f does not change with time.
"""

from __future__ import annotations

import numpy as np

from tvgp import kernels, streams
from tvgp.environments.base.static import Static


def make(
    d: int = 2,
    n_side: int = 30,
    centres_per_dimension: int = 30,
    kernel: str = "matern32",
    length_scale: float = 0.2,
    noise_bound: float = 1.0,
    function: int | None = None,
    rng: np.random.Generator | None = None,
) -> MaternRKHS:
    """One function on n_side^d arms; noise_bound: the noise is uniform on [-noise_bound, ...];
    function: number of the function that all seeds share; None gives each seed its own.

    ValueError for d below 1, and without a stream for the draws.
    """
    if d < 1:
        raise ValueError(f"matern_rkhs: d is {d}, expected 1 or more")
    if function is not None:
        rng = streams.generator("matern_rkhs", d, function)
    if rng is None:
        raise ValueError("matern_rkhs: needs a random stream for its draws")
    covariance = kernels.make(kernel, variance=1.0, length_scale=length_scale)
    centres = rng.uniform(0.0, 1.0, (centres_per_dimension * d, d))
    coefficients = rng.uniform(-1.0, 1.0, len(centres))
    return MaternRKHS(grid(n_side, d), covariance, centres, coefficients, noise_bound)


def grid(n_side: int, d: int) -> np.ndarray:
    """n_side^d points of [0, 1]^d, borders included, last coordinate fastest, (n_side^d, d)."""
    side = np.linspace(0.0, 1.0, n_side)
    return np.stack(np.meshgrid(*[side] * d, indexing="ij"), axis=-1).reshape(-1, d)


class MaternRKHS(Static):
    """One static function; seeds differ in the function, the noise and the policy's draws."""

    noise_law = "uniform"

    def __init__(
        self,
        arms: np.ndarray,
        kernel: kernels.Kernel,
        centres: np.ndarray,
        coefficients: np.ndarray,
        noise_bound: float,
    ) -> None:
        self.arms = arms
        self.kernel = kernel
        self.centres = centres
        self.coefficients = coefficients
        self.noise_std = self.expert_noise_std = noise_bound / np.sqrt(3.0)
        self._values = kernel(arms, centres) @ coefficients

    def norm(self, t: int) -> float:
        """|f|_k = sqrt(a' K_C a)."""
        a = self.coefficients
        return float(np.sqrt(a @ self.kernel(self.centres, self.centres) @ a))
