"""Docstrings as the source has them: under `python -OO` there are none in memory."""

from __future__ import annotations

import ast
import importlib.util
import inspect
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any


def of(documented: Any) -> str:
    """The docstring of a class, of a module, or of a module that is only named and not imported, without
    indentation; empty where its source has none."""
    try:
        if isinstance(documented, str):
            found = importlib.util.find_spec(documented)
            source = Path(found.origin).read_text(encoding="utf-8") if found and found.origin else ""
        else:
            source = dedent(inspect.getsource(documented))
        tree = ast.parse(source)
    except (OSError, TypeError):  # such as `object`, whose source is not in Python
        return ""
    held: Any = tree if isinstance(documented, str | ModuleType) else tree.body[0]
    return ast.get_docstring(held) or ""
