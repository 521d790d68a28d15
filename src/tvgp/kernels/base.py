"""The kernel protocol, used by engines, policies and fitting; sums and products of kernels.

A kernel k(x, x') is a symmetric, positive semi-definite function. Subclasses implement `__call__` and
`diagonal`; the other methods default to a ValueError that names the missing property.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import Field, dataclass, fields, replace
from typing import Any, ClassVar, NoReturn, Protocol

import numpy as np


class Kernel(Protocol):
    """k(X, Y) -> (n, m), for X of shape (n, d) and Y of shape (m, d).

    Kernels are frozen dataclasses: hashable, comparable, printable. `name` identifies the kernel in
    `kernels.make` and in configurations; `label` is its name in text.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    name: ClassVar[str]
    label: ClassVar[str]

    # True if `fitting` can fit it: a function of the distance with the parameters variance and length_scale,
    # which implements `log_gradients_at`
    fittable: ClassVar[bool] = False

    @abstractmethod
    def __call__(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """k(x_i, y_j), (n, m)."""

    @abstractmethod
    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """k(x, x) for each row of X, shape (n,)."""

    def __hash__(self) -> int:
        """Kernels are cache keys; frozen dataclasses hash their parameters."""
        return object.__hash__(self)

    @property
    def variance(self) -> float:
        """M_k^2, the largest k(x, x), or a bound on it."""
        self._lacks("variance")

    @property
    def smoothness(self) -> float:
        """nu: the spectral density falls as |w|^-(2 nu + d); infinity where it falls faster than any
        power. ValueError for a kernel without one."""
        self._lacks("smoothness")

    def frequencies(self, d: int, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draws w of the normalised spectral density, (size, d): k(x, x') = M_k^2 E cos(w'(x - x')).

        ValueError for a kernel that is not stationary (Bochner's theorem).
        """
        raise ValueError(f"kernel {self.name} has no spectral density: it is not known to be stationary")

    def log_gradients_at(self, distances: np.ndarray) -> dict[str, np.ndarray]:
        """d/d log(parameter) of the covariance of points at these distances, any shape. ValueError where it
        is not a function of the distance."""
        self._lacks("log_gradients_at")

    def combination_gradient(self, X: np.ndarray, Z: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Gradient in x_i of sum_j w_ij k(x_i, z_j), (n, d), for weights (n, m).

        ValueError for a kernel that is not a function of coordinates.
        """
        self._lacks("combination_gradient")

    def with_parameters(self, **parameters: Any) -> Kernel:
        """A copy with the given parameters changed. ValueError for an unknown parameter."""
        known = {field.name for field in fields(self)}
        for name in parameters:
            if name not in known:
                self._lacks(f"parameter {name!r}")
        return replace(self, **parameters)

    def __add__(self, other: Kernel) -> Sum:
        return Sum(self, other)

    def __mul__(self, other: Kernel) -> Product:
        return Product(self, other)

    def _lacks(self, what: str) -> NoReturn:
        raise ValueError(f"kernel {self.name} has no {what}")


@dataclass(frozen=True)
class _Pair(Kernel):
    left: Kernel
    right: Kernel

    def __post_init__(self) -> None:
        for part in (self.left, self.right):
            if not callable(getattr(part, "diagonal", None)):
                raise ValueError(f"kernel {self.name}: {part!r} is not a kernel")

    @property
    def smoothness(self) -> float:
        """nu of the rougher part: its spectral density has the heavier tail."""
        return min(self.left.smoothness, self.right.smoothness)


@dataclass(frozen=True)
class Sum(_Pair):
    """k(x, x') = k_1(x, x') + k_2(x, x'), written left + right."""

    name = "sum"
    label = "sum of kernels"

    def __call__(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """k(X, Y), (n, m)."""
        return self.left(X, Y) + self.right(X, Y)

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """k(x, x) for each row of X, shape (n,)."""
        return self.left.diagonal(X) + self.right.diagonal(X)

    @property
    def variance(self) -> float:
        """M_1^2 + M_2^2."""
        return self.left.variance + self.right.variance

    def frequencies(self, d: int, size: int, rng: np.random.Generator) -> np.ndarray:
        """The spectral density is a mixture of the parts' densities, weighted by their variances."""
        first = rng.random((size, 1)) * self.variance < self.left.variance
        left, right = self.left.frequencies(d, size, rng), self.right.frequencies(d, size, rng)
        return np.where(first, left, right)

    def combination_gradient(self, X: np.ndarray, Z: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Gradient in x_i of sum_j w_ij k(x_i, z_j), (n, d)."""
        left = self.left.combination_gradient(X, Z, weights)
        return left + self.right.combination_gradient(X, Z, weights)


@dataclass(frozen=True)
class Product(_Pair):
    """k(x, x') = k_1(x, x') k_2(x, x'), written left * right."""

    name = "product"
    label = "product of kernels"

    def __call__(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """k(X, Y), (n, m)."""
        return self.left(X, Y) * self.right(X, Y)

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """k(x, x) for each row of X, shape (n,)."""
        return self.left.diagonal(X) * self.right.diagonal(X)

    @property
    def variance(self) -> float:
        """M_1^2 M_2^2."""
        return self.left.variance * self.right.variance

    def frequencies(self, d: int, size: int, rng: np.random.Generator) -> np.ndarray:
        """The spectral density is a convolution: w is the sum of independent draws."""
        return self.left.frequencies(d, size, rng) + self.right.frequencies(d, size, rng)

    def combination_gradient(self, X: np.ndarray, Z: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Gradient in x_i of sum_j w_ij k(x_i, z_j), (n, d), by the product rule."""
        left = self.left.combination_gradient(X, Z, weights * self.right(X, Z))
        return left + self.right.combination_gradient(X, Z, weights * self.left(X, Z))


def check_variance(kernel: Kernel) -> None:
    """Make the variance a Python number; ValueError unless it is positive."""
    object.__setattr__(kernel, "variance", _positive(kernel.name, "variance", kernel.variance))


def checked_scale(
    kernel: Kernel, parameter: str, value: float | Sequence[float] | np.ndarray
) -> float | tuple[float, ...]:
    """A scale: one number, or one per dimension as a tuple. ValueError unless positive."""
    if isinstance(value, (Sequence, np.ndarray)) and np.ndim(value) == 1 and len(value):
        return tuple(float(_positive(kernel.name, parameter, each)) for each in value)
    return _positive(kernel.name, parameter, value)


def scales(kernel: Kernel, parameter: str, d: int) -> np.ndarray:
    """A scale parameter per dimension, (d,). ValueError if the number of dimensions differs."""
    value = np.asarray(getattr(kernel, parameter), dtype=float)
    if value.ndim and len(value) != d:
        raise ValueError(
            f"kernel {kernel.name}: {len(value)} values of {parameter} for points in {d} dimensions"
        )
    return np.broadcast_to(value, (d,))


def _positive(kernel: str, parameter: str, value: Any) -> float:
    """A NumPy number as a Python number, in double precision."""
    value = value.item() if np.ndim(value) == 0 and hasattr(value, "item") else value
    if not (isinstance(value, int | float) and np.isfinite(value) and value > 0):
        raise ValueError(f"kernel {kernel}: {parameter} is {value!r}, must be positive")
    return value
