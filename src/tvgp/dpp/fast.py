"""The compiled forms, if they can be had."""

from __future__ import annotations

from functools import cache
from types import ModuleType


@cache
def compiled() -> ModuleType | None:
    """`tvgp.dpp.compiled`; None without numba (the extra `fast`) or a folder for what it compiles.

    Imported at the first call only: numba takes longer to import than a short job takes.
    """
    try:
        from tvgp.dpp import compiled
    except (ImportError, RuntimeError):
        return None
    return compiled
