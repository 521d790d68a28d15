"""Kernels of the scaled distance: squared exponential and Matern (Rasmussen & Williams 2006, 4.2).

k(x, x') = M_k^2 shape(r), r = |(x - x') / l|: variance M_k^2, length-scale l, one number or one
per dimension (automatic relevance determination).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from tvgp.kernels.base import Kernel, check_variance, checked_scale, scales


@dataclass(frozen=True)
class Radial(Kernel):
    """M_k^2 shape(r); subclasses define the shape, its derivative and the spectral density.

    ValueError unless variance and length_scale are positive.
    """

    variance: float = 1.0
    length_scale: float | tuple[float, ...] = 1.0

    fittable = True

    def __post_init__(self) -> None:
        check_variance(self)
        object.__setattr__(self, "length_scale", checked_scale(self, "length_scale", self.length_scale))

    @abstractmethod
    def _shape(self, r: np.ndarray) -> np.ndarray:
        """k / M_k^2 at distances r, any shape; 1 at 0."""

    @abstractmethod
    def _shape_and_slope(self, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same, and -r d shape(r) / dr, new arrays."""

    def __call__(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """k(X, Y), (n, m)."""
        return self.variance * self._shape(self._distance(X, Y))

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """k(x, x) for each row of X, shape (n,)."""
        return np.full(len(X), float(self.variance))

    def log_gradients_at(self, distances: np.ndarray) -> dict[str, np.ndarray]:
        """d/d log(parameter) of the covariance of points at these distances, any shape.

        ValueError for one length-scale per dimension.
        """
        if isinstance(self.length_scale, tuple):
            self._lacks("single length_scale")
        # d/d log l = -r d/dr for a function of r = |x - x'| / l
        shape, slope = self._shape_and_slope(distances / self.length_scale)
        if self.variance != 1.0:  # products cost as much as the kernel where points are few
            shape *= self.variance
            slope *= self.variance
        return {"variance": shape, "length_scale": slope}

    def combination_gradient(self, X: np.ndarray, Z: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Gradient in x_i of sum_j w_ij k(x_i, z_j), (n, d), for weights (n, m).

        A term with x_i = z_j counts as 0; Matern 1/2 has no gradient there.
        """
        first, stretch = self._first_and_stretch(X.shape[1])
        pull = weights * self._slope(self._distance(X, Z)) * (self.variance / first**2)
        return (pull @ Z - pull.sum(axis=1, keepdims=True) * X) * stretch**2

    def _normal_frequencies(self, d: int, size: int, rng: np.random.Generator) -> np.ndarray:
        """Normal with standard deviation 1/l, (size, d)."""
        return rng.standard_normal((size, d)) / scales(self, "length_scale", d)

    def _slope(self, scaled: np.ndarray) -> np.ndarray:
        """-shape'(r) / r, 0 at r = 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(scaled > 0, self._shape_and_slope(scaled)[1] / scaled**2, 0.0)

    def _distance(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """r, (n, m)."""
        from scipy.spatial.distance import cdist  # slow to import

        first, stretch = self._first_and_stretch(X.shape[1])
        if isinstance(self.length_scale, tuple):
            X, Y = X * stretch, Y * stretch
        return cdist(X, Y) / first

    def _first_and_stretch(self, d: int) -> tuple[float, np.ndarray | float]:
        """l_1 and l_1 / l_i: equal length-scales give the same bits as one number."""
        if not isinstance(self.length_scale, tuple):
            return self.length_scale, 1.0
        each = scales(self, "length_scale", d)
        return float(each[0]), each[0] / each


@dataclass(frozen=True)
class SquaredExponential(Radial):
    """k(x, x') = M_k^2 exp(-r^2 / 2)."""

    name = "se"
    label = "squared exponential"
    smoothness = np.inf

    @staticmethod
    def _shape(r: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * r * r)

    def _shape_and_slope(self, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        squared = r * r
        shape = -0.5 * squared
        np.exp(shape, out=shape)
        squared *= shape
        return shape, squared

    def frequencies(self, d: int, size: int, rng: np.random.Generator) -> np.ndarray:
        """Normal with standard deviation 1/l, (size, d)."""
        return self._normal_frequencies(d, size, rng)


class Matern(Radial):
    """Matern kernels, nu = `smoothness`: shape = p(a) exp(-a), a = sqrt(2 nu) r, for a polynomial p."""

    @abstractmethod
    def _polynomial(self, a: np.ndarray) -> np.ndarray | float:
        """p(a)."""

    @abstractmethod
    def _slope_polynomial(self, a: np.ndarray) -> np.ndarray:
        """a (p(a) - p'(a))."""

    def _shape(self, r: np.ndarray) -> np.ndarray:
        a = math.sqrt(2.0 * self.smoothness) * r
        return self._polynomial(a) * np.exp(-a)

    def _shape_and_slope(self, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        a = math.sqrt(2.0 * self.smoothness) * r
        decay = np.exp(-a)
        shape, slope = self._polynomial(a), self._slope_polynomial(a)
        slope *= decay  # in place: temporaries cost as much as the exponential where points are few
        return shape * decay, slope

    def frequencies(self, d: int, size: int, rng: np.random.Generator) -> np.ndarray:
        """Student t with 2 nu degrees of freedom and scale 1/l, (size, d)."""
        w, degrees = self._normal_frequencies(d, size, rng), 2.0 * self.smoothness
        return w / np.sqrt(rng.chisquare(degrees, (size, 1)) / degrees)


@dataclass(frozen=True)
class Matern12(Matern):
    """k(x, x') = M_k^2 exp(-r)."""

    name = "matern12"
    label = "Matérn 1/2"
    smoothness = 0.5

    @staticmethod
    def _polynomial(a: np.ndarray) -> float:
        return 1.0

    @staticmethod
    def _slope_polynomial(a: np.ndarray) -> np.ndarray:
        return a


@dataclass(frozen=True)
class Matern32(Matern):
    """k(x, x') = M_k^2 (1 + a) exp(-a), a = sqrt(3) r."""

    name = "matern32"
    label = "Matérn 3/2"
    smoothness = 1.5

    @staticmethod
    def _polynomial(a: np.ndarray) -> np.ndarray:
        return 1.0 + a

    @staticmethod
    def _slope_polynomial(a: np.ndarray) -> np.ndarray:
        return a * a


@dataclass(frozen=True)
class Matern52(Matern):
    """k(x, x') = M_k^2 (1 + a + a^2 / 3) exp(-a), a = sqrt(5) r."""

    name = "matern52"
    label = "Matérn 5/2"
    smoothness = 2.5

    @staticmethod
    def _polynomial(a: np.ndarray) -> np.ndarray:
        squared = a * a
        squared /= 3.0
        squared += 1.0 + a
        return squared

    @staticmethod
    def _slope_polynomial(a: np.ndarray) -> np.ndarray:
        slope = a * a
        slope *= 1.0 + a
        slope /= 3.0
        return slope
