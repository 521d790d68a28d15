"""The compiled loops, where they are available and worthwhile."""

from __future__ import annotations

from functools import cache
from itertools import count
from types import ModuleType

# Calls of `compiled` before a process imports numba: the import takes as long as they do, about 0.5 s.
_PATIENCE = 5000
_calls = count()


def compiled() -> ModuleType | None:
    """`tvgp.dpp.compiled`; None without numba (the extra `fast`), and at first."""
    return load() if next(_calls) >= _PATIENCE else None


@cache
def load() -> ModuleType | None:
    """`tvgp.dpp.compiled` at once; None without numba or a folder for its cache."""
    try:
        from tvgp.dpp import compiled
    except (ImportError, RuntimeError, OSError):
        return None
    return compiled
