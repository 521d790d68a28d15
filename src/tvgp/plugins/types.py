"""Whether values from a configuration are of the types that a function or dataclass declares."""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping
from collections.abc import Sequence as AbstractSequence
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

MAX_WHOLE = 10**8  # no count, seed or size of a study is larger
MAX_NUMBER = 1e12
_WORDS = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def fault(declared: Callable, name: str, value: Any) -> str | None:
    """What is wrong with `value` for the parameter `name` of a function or dataclass; None if
    nothing is, or if the type is none that a configuration could give."""
    hint = _hints(declared).get(name)
    if hint is None or _fits(value, hint) is not False:
        return None
    return f"{repr(value)[:60]} is not {_said(hint)}"


def first_fault(declared: Callable, values: Mapping[str, Any]) -> str | None:
    """The first fault of several parameters, with the parameter's name before it."""
    for name, value in values.items():
        found = fault(declared, name, value)
        if found:
            return f"{name}: {found}"
    return None


@cache
def _hints(declared: Callable) -> dict[str, Any]:
    return get_type_hints(declared)


def _options(hint: Any) -> tuple:
    union = get_origin(hint) in (Union, types.UnionType)
    return get_args(hint) if union else (hint,)


def _fits(value: Any, hint: Any) -> bool | None:
    """None where the type says nothing about configurations."""
    found = [_fits_one(value, option) for option in _options(hint)]
    return True if True in found else None if None in found else False


def _fits_one(value: Any, hint: Any) -> bool | None:
    if hint is type(None):
        return value is None
    if hint is bool or hint is str:
        return isinstance(value, hint)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_WHOLE
    if hint is float:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return number and math.isfinite(value) and abs(value) <= MAX_NUMBER
    if get_origin(hint) in (AbstractSequence, list, tuple):
        inner = [part for part in get_args(hint) if part is not Ellipsis]
        if not isinstance(value, (list, tuple)):
            return False
        return all(_fits(item, inner[0]) is not False for item in value) if inner else True
    return None


def _said(hint: Any) -> str:
    words = []
    for option in _options(hint):
        inner = get_args(option)
        if option is type(None):
            words.append("null")
        elif get_origin(option) in (AbstractSequence, list, tuple) and inner:
            words.append(f"a list, each {_said(inner[0])}")
        else:
            words.append(_WORDS.get(option, getattr(option, "__name__", str(option))))
    return " or ".join(words)
