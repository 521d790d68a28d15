"""Families of reward functions, one file each; the file name is the name everywhere.

A module offers `make(**parameters)`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

from tvgp import plugins
from tvgp.contracts import Environment


def names() -> list[str]:
    """Names of all environments."""
    return plugins.names(__name__)


def parameters(name: str) -> set[str]:
    """Parameter names that environment `name` accepts."""
    return set(inspect.signature(declaration(name)).parameters)


def declaration(name: str) -> Callable[..., Environment]:
    """The function that declares the parameters of environment `name`, and makes one."""
    return plugins.load(__name__, name).make


def make(name: str, **values) -> Environment:
    """An environment. ValueError for an unknown name or parameter."""
    unknown = set(values) - parameters(name)
    if unknown:
        raise ValueError(
            f"environment {name} has no parameter {sorted(unknown)[0]!r};"
            f" it has: {', '.join(sorted(parameters(name)))}"
        )
    return plugins.load(__name__, name).make(**values)
