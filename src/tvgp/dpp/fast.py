"""The compiled forms, where they are available and pay."""

from __future__ import annotations

from functools import cache
from itertools import count
from types import ModuleType

# Calls of `compiled` by a process before it imports numba, which costs it as much as they did: some 0.5 s.
_PATIENCE = 5000
_calls = count()


def compiled() -> ModuleType | None:
    """`tvgp.dpp.compiled`; None without numba (the extra `fast`), and at first."""
    return load() if next(_calls) >= _PATIENCE else None


@cache
def load() -> ModuleType | None:
    """`tvgp.dpp.compiled`, now; None without numba or a folder for what it compiles."""
    try:
        from tvgp.dpp import compiled
    except (ImportError, RuntimeError, OSError):
        return None
    return compiled
