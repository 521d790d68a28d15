"""Docstrings as the source has them: under `python -OO` there are none in memory."""

from __future__ import annotations

import ast
import inspect
from textwrap import dedent
from types import ModuleType
from typing import Any


def of(documented: Any) -> str:
    """The docstring of a module or a class, without indentation; empty where its source has none."""
    try:
        tree = ast.parse(dedent(inspect.getsource(documented)))
    except (OSError, TypeError):  # such as `object`, whose source is not in Python
        return ""
    held: Any = tree if isinstance(documented, ModuleType) else tree.body[0]
    return ast.get_docstring(held) or ""
