"""Covariance functions: k(X, Y) -> (n, m), for X of shape (n, d) and Y of shape (m, d).

`Kernel` is the protocol; kernels add and multiply. `radial` holds the squared exponential and the
Matern kernels, `periodic` and `empirical` one kernel each. To add a kernel, write its class and list
it in `_CLASSES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from tvgp.kernels.base import Kernel, Product, Sum
from tvgp.kernels.constant import Constant
from tvgp.kernels.empirical import Empirical
from tvgp.kernels.periodic import Periodic
from tvgp.kernels.radial import Matern12, Matern32, Matern52, Radial, SquaredExponential
from tvgp.plugins import nearest

__all__ = [
    "Constant",
    "Empirical",
    "Kernel",
    "Matern12",
    "Matern32",
    "Matern52",
    "Periodic",
    "Product",
    "Radial",
    "SquaredExponential",
    "Sum",
    "describe",
    "find",
    "fittable",
    "forgetting_correlation",
    "make",
    "names",
]

_CLASSES = (SquaredExponential, Matern12, Matern32, Matern52, Periodic, Constant, Empirical, Sum, Product)
# names that other packages give them
_ELSEWHERE = dict.fromkeys(("rbf", "RBF", "gaussian", "squared_exponential"), "se")
_KERNELS: dict[str, type[Kernel]] = {kernel.name: kernel for kernel in _CLASSES}


def forgetting_correlation(lags: np.ndarray, epsilon: float) -> np.ndarray:
    """(1 - eps)^(|s - t| / 2), the time kernel of TV-GP-UCB (Bogunovic16, section 2)."""
    if not 0.0 <= epsilon <= 1.0:
        raise ValueError(f"epsilon is {epsilon}, must lie in [0, 1]")
    return (1.0 - epsilon) ** (0.5 * np.abs(lags))


def names() -> list[str]:
    """Names of all kernels."""
    return sorted(_KERNELS)


def fittable() -> list[str]:
    """Names of the kernels that `tvgp.fitting` fits: variance and one length-scale."""
    return [name for name in names() if _KERNELS[name].fittable]


def find(name: str) -> type[Kernel]:
    """The class of a kernel; ValueError for an unknown name."""
    if name not in _KERNELS:
        meant = nearest(_ELSEWHERE.get(name, name), names())
        raise ValueError(f"unknown kernel {name!r}{meant}; known: {', '.join(names())}")
    return _KERNELS[name]


def make(name: str, **parameters: Any) -> Kernel:
    """Kernel by name; ValueError for an unknown name, and for an unknown or missing parameter.

    Parameters are the fields of the kernel's class: variance and length_scale, with a period for
    "periodic"; covariance for "empirical"; left and right for "sum" and "product", kernels or
    mappings as from `describe`.

    >>> kernel = make("se", variance=0.5, length_scale=3.0)
    >>> kernel(np.array([[0.0]]), np.array([[0.0], [3.0]])).round(4)
    array([[0.5   , 0.3033]])
    >>> kernel + make("matern32", variance=1.0, length_scale=2.0)  # doctest: +ELLIPSIS
    Sum(left=SquaredExponential(...), right=Matern32(...))
    """
    known = {field.name: field.default for field in fields(find(name))}
    for parameter in parameters:
        if parameter not in known:
            raise ValueError(f"kernel {name}: unknown parameter {parameter!r}; it has: {', '.join(known)}")
    for parameter, default in known.items():
        if default is MISSING and parameter not in parameters:
            raise ValueError(f"kernel {name}: parameter {parameter!r} is missing")
    return find(name)(**{key: _part(name, key, value) for key, value in parameters.items()})


def describe(kernel: Kernel) -> dict[str, Any]:
    """JSON-ready mapping of name and parameters, such that `make(**describe(k)) == k`."""
    parameters = {field.name: getattr(kernel, field.name) for field in fields(kernel)}
    return {"name": kernel.name, **{key: _plain(value) for key, value in parameters.items()}}


def _part(name: str, parameter: str, value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    if "name" not in value:
        raise ValueError(f"kernel {name}: {parameter} is a mapping without a name")
    return make(**value)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value if np.isscalar(value) else describe(value)
