"""Covariance functions: k(X, Y) -> (n, m), for X of shape (n, d) and Y of shape (m, d).

Spatial kernels are stationary and isotropic with variance M_k^2 = k(x, x) and length-scale l.
Every kernel is a frozen dataclass: hashable, comparable, printable. `log_gradients` gives the
derivatives that marginal-likelihood fitting needs (Rasmussen & Williams 2006, chapters 4 and 5).
The empirical kernel is a covariance matrix over a finite set of arms instead.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property

import numpy as np
from scipy.spatial.distance import cdist


@dataclass(frozen=True)
class Kernel:
    """Stationary isotropic kernel M_k^2 * shape(|x - x'| / l); use one of its subclasses."""

    variance: float = 1.0
    length_scale: float = 1.0

    def __post_init__(self) -> None:
        for name in ("variance", "length_scale"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0):
                raise ValueError(f"{type(self).__name__}: {name} is {value}, must be positive")

    def __call__(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        return self.variance * self._shape(cdist(X, Y) / self.length_scale)

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """k(x, x) for each row of X, shape (n,)."""
        return np.full(len(X), float(self.variance))

    def log_gradients(self, X: np.ndarray) -> dict[str, np.ndarray]:
        """dK(X, X)/d log(parameter) for each parameter, each (n, n)."""
        scaled = cdist(X, X) / self.length_scale
        return {
            "variance": self.variance * self._shape(scaled),
            # d/d log l = -r d/dr for a function of r = |x - x'| / l
            "length_scale": self.variance * self._minus_r_derivative(scaled),
        }

    def combination_gradient(self, X: np.ndarray, Z: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Gradient in x_i of sum_j w_ij k(x_i, z_j), (n, d), for weights (n, m).

        Taken as 0 where x_i = z_j, where Matern 1/2 has none.
        """
        scaled = cdist(X, Z) / self.length_scale
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(scaled > 0, self._minus_r_derivative(scaled) / scaled**2, 0.0)
        pull = weights * slope * (self.variance / self.length_scale**2)
        return pull @ Z - pull.sum(axis=1, keepdims=True) * X

    def with_parameters(self, **parameters: float) -> Kernel:
        """A copy with some parameters changed."""
        return replace(self, **parameters)


@dataclass(frozen=True)
class SquaredExponential(Kernel):
    """k(x, x') = M_k^2 exp(-|x - x'|^2 / (2 l^2))."""

    @staticmethod
    def _shape(r: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * r * r)

    @staticmethod
    def _minus_r_derivative(r: np.ndarray) -> np.ndarray:
        return r * r * np.exp(-0.5 * r * r)


@dataclass(frozen=True)
class Matern12(Kernel):
    """k(x, x') = M_k^2 exp(-r), r = |x - x'| / l."""

    @staticmethod
    def _shape(r: np.ndarray) -> np.ndarray:
        return np.exp(-r)

    @staticmethod
    def _minus_r_derivative(r: np.ndarray) -> np.ndarray:
        return r * np.exp(-r)


@dataclass(frozen=True)
class Matern32(Kernel):
    """k(x, x') = M_k^2 (1 + a) exp(-a), a = sqrt(3) |x - x'| / l."""

    @staticmethod
    def _shape(r: np.ndarray) -> np.ndarray:
        a = np.sqrt(3.0) * r
        return (1.0 + a) * np.exp(-a)

    @staticmethod
    def _minus_r_derivative(r: np.ndarray) -> np.ndarray:
        a = np.sqrt(3.0) * r
        return a * a * np.exp(-a)


@dataclass(frozen=True)
class Matern52(Kernel):
    """k(x, x') = M_k^2 (1 + a + a^2 / 3) exp(-a), a = sqrt(5) |x - x'| / l."""

    @staticmethod
    def _shape(r: np.ndarray) -> np.ndarray:
        a = np.sqrt(5.0) * r
        return (1.0 + a + a * a / 3.0) * np.exp(-a)

    @staticmethod
    def _minus_r_derivative(r: np.ndarray) -> np.ndarray:
        a = np.sqrt(5.0) * r
        return a * a * (1.0 + a) / 3.0 * np.exp(-a)


@dataclass(frozen=True)
class Empirical:
    """k(i, j) = C_ij, a covariance matrix C (n, n) over the arms 0..n-1.

    Arms are indices: coordinates are (m, 1) with values 0..n-1. C must be symmetric and positive
    semi-definite to rounding; it may be singular. ValueError where it is not, and for
    coordinates that are no indices.
    """

    covariance: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        try:
            matrix = np.array(self.covariance, dtype=float)
        except (TypeError, ValueError):
            raise ValueError("Empirical: covariance is not a matrix of numbers") from None
        if matrix.ndim != 2 or not len(matrix) or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"Empirical: covariance has shape {matrix.shape}, expected (n, n)")
        if not np.isfinite(matrix).all():
            row, column = np.argwhere(~np.isfinite(matrix))[0]
            raise ValueError(f"Empirical: covariance[{row}, {column}] is {matrix[row, column]}")
        largest = np.abs(matrix).max()
        if np.abs(matrix - matrix.T).max() > 1e-12 * largest:
            raise ValueError("Empirical: covariance is not symmetric")
        diagonal = np.diagonal(matrix)
        if diagonal.min() <= 0:
            arm = int(diagonal.argmin())
            raise ValueError(f"Empirical: variance of arm {arm} is {diagonal[arm]}, not positive")
        smallest = np.linalg.eigvalsh(matrix)[0]
        if smallest < -1e-10 * len(matrix) * largest:
            raise ValueError(
                f"Empirical: covariance is not positive semi-definite, eigenvalue {smallest:.3g}"
            )
        # tuples, also from lists or an array: hashable, and equal to what JSON gives back
        object.__setattr__(self, "covariance", tuple(map(tuple, matrix.tolist())))

    def __call__(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        return self._matrix[np.ix_(self._indices(X), self._indices(Y))]

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """k(x, x) for each row of X, shape (n,)."""
        return np.diagonal(self._matrix)[self._indices(X)].copy()

    @property
    def variance(self) -> float:
        """M_k^2, the largest k(x, x)."""
        return float(np.diagonal(self._matrix).max())

    @cached_property
    def _matrix(self) -> np.ndarray:
        return np.array(self.covariance)

    def _indices(self, X: np.ndarray) -> np.ndarray:
        X = np.asarray(X, dtype=float)
        n = len(self.covariance)
        if X.ndim != 2 or X.shape[1] != 1:
            raise ValueError(f"Empirical: arms have shape {X.shape}, expected (m, 1) indices")
        index = X[:, 0].astype(int)
        wrong = (index != X[:, 0]) | (index < 0) | (index >= n)
        if wrong.any():
            raise ValueError(f"Empirical: {X[wrong.argmax(), 0]:g} is not the index of one of {n} arms")
        return index


def forgetting_correlation(lags: np.ndarray, epsilon: float) -> np.ndarray:
    """(1 - eps)^(|s - t| / 2), the time kernel of TV-GP-UCB (Bogunovic16, section 2)."""
    if not 0.0 <= epsilon <= 1.0:
        raise ValueError(f"epsilon is {epsilon}, must lie in [0, 1]")
    return (1.0 - epsilon) ** (0.5 * np.abs(lags))


_KERNELS = {
    "se": SquaredExponential,
    "matern12": Matern12,
    "matern32": Matern32,
    "matern52": Matern52,
}


def names() -> list[str]:
    """Names of the stationary kernels, which `make` accepts beside "empirical"."""
    return sorted(_KERNELS)


def make(name: str, **parameters) -> Kernel | Empirical:
    """Kernel by name; ValueError for an unknown name or parameter.

    Parameters are variance and length_scale; of "empirical" covariance, which must be given.
    """
    if name != "empirical" and name not in _KERNELS:
        raise ValueError(f"unknown kernel {name!r}; known: {', '.join(names())}, empirical")
    known = {"covariance"} if name == "empirical" else {"variance", "length_scale"}
    unknown = set(parameters) - known
    if unknown:
        raise ValueError(f"kernel {name}: unknown parameter {sorted(unknown)[0]!r}")
    if name == "empirical":
        if not parameters:
            raise ValueError("kernel empirical: covariance is not given")
        return Empirical(**parameters)
    return _KERNELS[name](**parameters)


def describe(kernel: Kernel | Empirical) -> dict:
    """Plain mapping, so that `make(**describe(k)) == k`: {name, variance, length_scale}, or
    {name: "empirical", covariance: [[...], ...]}."""
    if isinstance(kernel, Empirical):
        return {"name": "empirical", "covariance": [list(row) for row in kernel.covariance]}
    name = next(n for n, cls in _KERNELS.items() if type(kernel) is cls)
    return {"name": name, **asdict(kernel)}
