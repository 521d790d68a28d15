"""The periodic kernel of MacKay (1998), "Introduction to Gaussian processes", section 3."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tvgp.kernels.base import Kernel, check_variance, checked_scale, scales


@dataclass(frozen=True)
class Periodic(Kernel):
    """k(x, x') = M_k^2 exp(-2 sum_i sin^2(pi (x_i - x'_i) / p_i) / l_i^2), period p.

    The sum over coordinates makes it a kernel in every dimension; as a function of the distance
    |x - x'| it is a kernel in one dimension only. length_scale (dimensionless) and period (in units
    of x) are one number, or one per dimension. A period far above the range of x gives the squared
    exponential with length-scale p l / (2 pi). ValueError unless all are positive.
    """

    variance: float = 1.0
    length_scale: float | tuple[float, ...] = 1.0
    period: float | tuple[float, ...] = 1.0

    name = "periodic"
    label = "periodic"
    smoothness = np.inf

    def __post_init__(self) -> None:
        check_variance(self)
        for parameter in ("length_scale", "period"):
            value = checked_scale(self, parameter, getattr(self, parameter))
            object.__setattr__(self, parameter, value)

    def __call__(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """k(X, Y), (n, m)."""
        total = np.zeros((len(X), len(Y)))
        for x, y, length, period in self._columns(X, Y):
            total += (np.sin(np.pi * (x[:, None] - y) / period) / length) ** 2
        return self.variance * np.exp(-2.0 * total)

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """k(x, x) for each row of X, shape (n,)."""
        return np.full(len(X), float(self.variance))

    def frequencies(self, d: int, size: int, rng: np.random.Generator) -> np.ndarray:
        """2 pi n_i / p_i, n_i the difference of two Poisson numbers of mean 1 / (2 l_i^2), (size, d).

        exp(a cos u - a) = sum_n exp(-a) I_n(a) cos(n u), u = 2 pi (x - x') / p, a = 1 / l^2: the
        weights are the Skellam distribution.
        """
        mean = 0.5 / scales(self, "length_scale", d) ** 2
        n = rng.poisson(mean, (size, d)) - rng.poisson(mean, (size, d))
        return 2.0 * np.pi * n / scales(self, "period", d)

    def combination_gradient(self, X: np.ndarray, Z: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Gradient in x_i of sum_j w_ij k(x_i, z_j), (n, d), for weights (n, m)."""
        weighted, columns = weights * self(X, Z), []
        for x, z, length, period in self._columns(X, Z):
            slope = np.sin(2.0 * np.pi * (x[:, None] - z) / period)
            columns.append((weighted * slope).sum(axis=1) * (-2.0 * np.pi / (period * length**2)))
        return np.stack(columns, axis=1)

    def _columns(self, X: np.ndarray, Y: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, float, float]]:
        """Per dimension: coordinates of X and of Y, l and p."""
        d = X.shape[1]
        return zip(X.T, Y.T, scales(self, "length_scale", d), scales(self, "period", d), strict=True)
