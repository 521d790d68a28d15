"""Covariance functions: k(X, Y) -> (n, m), for X of shape (n, d) and Y of shape (m, d).

Spatial kernels are stationary and isotropic with variance M_k^2 = k(x, x) and length-scale l.
Every kernel is a frozen dataclass: hashable, comparable, printable. `log_gradients` gives the
derivatives that marginal-likelihood fitting needs (Rasmussen & Williams 2006, chapters 4 and 5).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

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
    """Kernel names accepted by `make`."""
    return sorted(_KERNELS)


def make(name: str, **parameters: float) -> Kernel:
    """Kernel by name; ValueError for an unknown name or parameter."""
    if name not in _KERNELS:
        raise ValueError(f"unknown kernel {name!r}; known: {', '.join(names())}")
    unknown = set(parameters) - {"variance", "length_scale"}
    if unknown:
        raise ValueError(f"kernel {name}: unknown parameter {sorted(unknown)[0]!r}")
    return _KERNELS[name](**parameters)


def describe(kernel: Kernel) -> dict:
    """Plain mapping {name, variance, length_scale}, so that `make(**describe(k)) == k`."""
    name = next(n for n, cls in _KERNELS.items() if type(kernel) is cls)
    return {"name": name, **asdict(kernel)}
