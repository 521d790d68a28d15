"""Plug-ins by file name: one module per algorithm, environment, dataset, figure or table."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType


def names(package: str) -> list[str]:
    """Module names in a package, sorted; a leading underscore hides a file."""
    path = importlib.import_module(package).__path__
    found = pkgutil.iter_modules(path)
    return sorted(m.name for m in found if not m.ispkg and not m.name.startswith("_"))


@cache
def load(package: str, name: str) -> ModuleType:
    """The module `package.name`. ValueError, naming what there is, for an unknown name.

    Each run asks several times, and looking into a folder takes as long as ten rounds.
    """
    known = names(package)
    if name not in known:
        kind = package.rsplit(".", 1)[-1]
        raise ValueError(f"no {name!r} in {kind}; known: {', '.join(known)}")
    return importlib.import_module(f"{package}.{name}")
