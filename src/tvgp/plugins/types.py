"""Type checks of values against a function's or dataclass's annotations."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from collections.abc import Sequence as AbstractSequence
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

LARGEST = {int: 10**8, float: 1e12}  # upper limits of integers (counts, seeds, sizes) and of all numbers
_NAMES = {int: "a whole number", float: "a number", str: "text", bool: "true or false", type(None): "null"}
_LISTS = (AbstractSequence, list, tuple)


def plain(value: Any) -> Any:
    """NumPy's numbers as Python's, arrays as tuples of them; other values unchanged.

    A float32 would make NumPy compute in single precision, and JSON has no number but Python's.
    """
    if isinstance(value, np.ndarray | np.generic):
        number = value.tolist()
        return tuple(number) if isinstance(number, list) else number
    if isinstance(value, list):
        return [plain(each) for each in value]
    return tuple(map(plain, value)) if isinstance(value, tuple) else value


def fault(declared: Callable[..., Any], name: str, value: object, limited: bool = True) -> str | None:
    """The fault of `value` for the parameter `name` of a function or dataclass; None if there is
    none, or if no value from a configuration can have the declared type. limited: whether numbers
    beyond LARGEST are faults."""
    hint = _hints(declared).get(name, Any)
    return None if _fits(value, hint, limited) else f"{repr(value)[:60]} is not {_description(hint)}"


def first_fault(
    declared: Callable[..., Any], values: Mapping[str, object], limited: bool = True
) -> str | None:
    """The first fault of several parameters, prefixed with the parameter's name."""
    for name, value in values.items():
        text = fault(declared, name, value, limited)
        if text:
            return f"{name}: {text}"
    return None


@cache
def _hints(declared: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(declared)


def _options(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _fits(value: Any, hint: Any, limited: bool) -> bool:
    """Whether a value has one of the types; types that no configuration can contain accept any value."""
    return any(_fits_one(value, option, limited) for option in _options(hint))


def _fits_one(value: Any, hint: Any, limited: bool) -> bool:
    if hint in (int, float):
        numbers = int if hint is int else (int, float)
        number = isinstance(value, numbers) and not isinstance(value, bool)
        return number and (not limited or abs(value) <= LARGEST[hint])
    if hint in (bool, str, type(None)):
        return isinstance(value, hint)
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) in _LISTS:
        each = get_args(hint)[0]
        return isinstance(value, (list, tuple)) and all(_fits(item, each, limited) for item in value)
    return True


def _description(hint: Any) -> str:
    return " or ".join(map(_described, _options(hint)))


def _described(option: Any) -> str:
    if get_origin(option) is Literal:
        return f"one of {', '.join(map(str, get_args(option)))}"
    if get_origin(option) in _LISTS:
        return f"a list, each {_description(get_args(option)[0])}"
    return _NAMES.get(option, str(option))
