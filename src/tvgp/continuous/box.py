"""Boxes: named sides of real numbers, integers or categories, and their coordinates in the unit cube.

| side | coordinates u |
| --- | --- |
| `Real(low, high)` | (v - low) / (high - low); of the logarithms where log is true |
| `Integer(low, high)` | the centre of v's cell; the cells fill [0, 1], on a log scale where log is true |
| `Category(values)` | one per value, 1/sqrt(2) for v and 0 for the others: all values are at distance 1 |

An integer or category has few coordinates; a policy moves any others to the nearest ones (`Domain.snap`), so
that its model is constant over a cell (Garrido-Merchán & Hernández-Lobato 2020).
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from tvgp.plugins.types import plain

_ON = math.sqrt(0.5)  # the coordinate of the chosen category
_EXACT = 2**52  # float64 has all whole numbers and halves up to here


@dataclass(frozen=True)
class Real:
    """Numbers from low to high."""

    low: float
    high: float
    log: bool = False

    coordinates = 1

    def __post_init__(self) -> None:
        _check_ends(self, self.low, self.high)

    def encode(self, value: Any) -> list[float]:
        """u of a value. ValueError unless it is a number of the side."""
        if not (_is_number(value) and self.low <= value <= self.high):
            raise ValueError(f"{value!r:.40}, expected a number from {self.low} to {self.high}")
        low, high = self._ends()
        return [min(max((self._scaled(value) - low) / (high - low), 0.0), 1.0)]

    def decode(self, u: np.ndarray) -> float:
        """The value at u (1,)."""
        low, high = self._ends()
        v = low + float(u[0]) * (high - low)
        return min(max(math.exp(v) if self.log else v, float(self.low)), float(self.high))

    def snap(self, u: np.ndarray) -> np.ndarray:
        """Coordinates of values nearest to u (n, 1): u."""
        return u

    def neighbours(self, u: np.ndarray) -> np.ndarray:
        """Coordinates of the values next to u (1,), (m, 1): none, as there is no next number."""
        return np.empty((0, 1))

    def _scaled(self, value: float) -> float:
        return math.log(value) if self.log else float(value)

    def _ends(self) -> tuple[float, float]:
        return self._scaled(self.low), self._scaled(self.high)


@dataclass(frozen=True)
class Integer:
    """Whole numbers from low to high, both included."""

    low: int
    high: int
    log: bool = False

    coordinates = 1

    def __post_init__(self) -> None:
        _check_ends(self, self.low, self.high)
        if not (float(self.low).is_integer() and float(self.high).is_integer()):
            raise ValueError(f"ends {self.low!r} and {self.high!r}, expected whole numbers")
        if max(abs(int(self.low)), abs(int(self.high))) > _EXACT > int(self.high) - int(self.low):
            raise ValueError(
                f"ends {self.low!r} and {self.high!r}, between which float64 has not all numbers"
            )

    def encode(self, value: Any) -> list[float]:
        """u of a value. ValueError unless it is a whole number of the side."""
        if not (_is_number(value) and self.low <= value <= self.high and float(value).is_integer()):
            raise ValueError(f"{value!r:.40}, expected a whole number from {self.low} to {self.high}")
        return [float(self._centre(np.array(float(value))))]

    def decode(self, u: np.ndarray) -> int:
        """The value in whose cell u (1,) is."""
        # float64 may have no number as near to a huge end
        return min(max(int(self._value(u[0])), int(self.low)), int(self.high))

    def snap(self, u: np.ndarray) -> np.ndarray:
        """Centres of the cells in which u (n, 1) is."""
        return self._centre(self._value(u))

    def neighbours(self, u: np.ndarray) -> np.ndarray:
        """Coordinates of values 1, 2, 4, ... less and more than that at u (1,), (m, 1), within the side."""
        value, longest = self.decode(u), int(self.high) - int(self.low)
        steps = [2**power for power in range(longest.bit_length())]
        near = [value + sign * step for step in steps for sign in (-1, 1)]
        near = [each for each in near if self.low <= each <= self.high]
        return self._centre(np.array(near, dtype=float)[:, None])

    def _scaled(self, value: np.ndarray | float) -> np.ndarray:
        return np.asarray(np.log(value) if self.log else value, dtype=float)

    def _edges(self) -> tuple[np.ndarray, np.ndarray]:
        return self._scaled(self.low - 0.5), self._scaled(self.high + 0.5)

    def _centre(self, value: np.ndarray) -> np.ndarray:
        low, high = self._edges()
        middle = 0.5 * (self._scaled(value - 0.5) + self._scaled(value + 0.5))
        return np.asarray((middle - low) / (high - low))

    def _value(self, u: np.ndarray) -> np.ndarray:
        low, high = self._edges()
        v = low + np.asarray(u) * (high - low)
        return np.clip(np.floor((np.exp(v) if self.log else v) + 0.5), self.low, self.high)


@dataclass(frozen=True)
class Category:
    """Values without an order, two or more."""

    values: Sequence[Any]

    def __post_init__(self) -> None:
        listed = hasattr(self.values, "__getitem__") and hasattr(self.values, "__len__")
        if not listed or isinstance(self.values, str | bytes | Mapping) or len(self.values) < 2:
            raise ValueError(f"categories are {self.values!r:.40}, expected a list of two or more")
        object.__setattr__(self, "values", tuple(map(plain, self.values)))  # the caller may change his list
        if any(self._same(a, b) for a, b in combinations(self.values, 2)):
            raise ValueError(f"categories are {self.values!r:.40}, expected different ones")
        if not all(self._same(each, each) for each in self.values):
            raise ValueError(
                f"categories are {self.values!r:.40}, expected no NaN, which equals nothing; None?"
            )

    @property
    def coordinates(self) -> int:
        """One per value."""
        return len(self.values)

    def encode(self, value: Any) -> list[float]:
        """u of a value. ValueError unless it is one of the values."""
        u = [_ON if self._same(each, plain(value)) else 0.0 for each in self.values]
        if not any(u):
            raise ValueError(f"{value!r:.40}, expected one of {', '.join(map(repr, self.values))}")
        return u

    def decode(self, u: np.ndarray) -> Any:
        """The value with the largest coordinate in u (m,)."""
        return self.values[int(np.argmax(u))]

    def snap(self, u: np.ndarray) -> np.ndarray:
        """Coordinates of the values with the largest coordinates in u (n, m)."""
        return _ON * np.eye(len(self.values))[u.argmax(axis=1)]

    def neighbours(self, u: np.ndarray) -> np.ndarray:
        """Coordinates of all other values, (m - 1, m)."""
        return np.delete(_ON * np.eye(len(self.values)), int(np.argmax(u)), axis=0)

    @staticmethod
    def _same(one: Any, other: Any) -> bool:
        # 1, 1.0 and True are equal for Python, and different choices for users
        return type(one) is type(other) and bool(one == other)


Side = Real | Integer | Category


@dataclass(frozen=True)
class Domain:
    """Points as policies see them: rows of coordinates between two corners (2, d).

    groups: number of the side of each coordinate, (d,); sides: those of a box, None where all coordinates are
    real numbers."""

    corners: np.ndarray
    groups: np.ndarray
    sides: tuple[Side, ...] | None = None

    @classmethod
    def of(cls, corners: np.ndarray | Domain) -> Domain:
        """The domain between two corners. ValueError unless they are finite and (2, d), lower and upper."""
        if isinstance(corners, Domain):
            return corners
        ends = np.asarray(corners, dtype=float)
        if ends.ndim != 2 or len(ends) != 2 or not (np.isfinite(ends).all() and (ends[0] < ends[1]).all()):
            raise ValueError(f"domain has shape {ends.shape}, expected (2, d): a lower and an upper corner")
        return cls(ends, np.arange(ends.shape[1]))

    @property
    def d(self) -> int:
        """Number of coordinates."""
        return self.corners.shape[1]

    @cached_property
    def smooth(self) -> np.ndarray:
        """Whether a coordinate takes all numbers between the corners, (d,)."""
        if self.sides is None:
            return np.ones(self.d, dtype=bool)
        return np.array([isinstance(self.sides[group], Real) for group in self.groups])

    def snap(self, X: np.ndarray) -> np.ndarray:
        """The nearest points of the domain to X (n, d), a new array."""
        X = np.clip(X, *self.corners)
        for side, columns in self._discrete():
            X[:, columns] = side.snap(X[:, columns])
        return X

    def neighbours(self, x: np.ndarray, free: np.ndarray) -> np.ndarray:
        """Points that differ from x (d,) by one step of one integer or category whose coordinates are free
        (d,), (m, d)."""
        found = [np.empty((0, self.d))]
        for side, columns in self._discrete():
            if free[columns].all():
                steps = side.neighbours(x[columns])
                moved = np.repeat(x[None], len(steps), axis=0)
                moved[:, columns] = steps
                found.append(moved)
        return np.concatenate(found)

    def _discrete(self) -> list[tuple[Side, np.ndarray]]:
        """The integers and categories, with their coordinates."""
        sides = () if self.sides is None else self.sides
        return [
            (side, np.flatnonzero(self.groups == group))
            for group, side in enumerate(sides)
            if not isinstance(side, Real)
        ]


class Box:
    """Points {name: value}, a value per side.

    >>> box = Box({"x": (0.0, 10.0), "rate": Real(1e-4, 1.0, log=True), "solver": Category(["a", "b"])})
    >>> u = box.encode({"x": 5.0, "rate": 0.01, "solver": "b"})
    >>> u.round(2)
    array([0.5 , 0.5 , 0.  , 0.71])
    >>> box.decode(u)["solver"]
    'b'
    """

    def __init__(self, sides: Mapping[str, Side | tuple[float, float]], context: Sequence[str] = ()) -> None:
        """sides: by name, (low, high) for `Real(low, high)`; context: names of those that are seen before a
        choice and not chosen. ValueError for no side to choose, bad ends, or a context without a side."""
        if not (isinstance(sides, Mapping) and all(isinstance(name, str) for name in sides)):
            raise ValueError(f"box: sides are {sides!r:.60}, expected a dictionary of sides by name")
        self.sides: dict[str, Side] = {name: _side(name, side) for name, side in sides.items()}
        self.context = tuple(context)
        for name in self.context:
            if isinstance(context, str) or name not in self.sides:
                raise ValueError(f"box: context is {context!r:.60}, expected a list of names of sides")
        if not set(self.sides) - set(self.context):
            raise ValueError("box: no side is left to choose, expected one or more that are no context")
        counts = [side.coordinates for side in self.sides.values()]
        d = sum(counts)
        groups = np.repeat(np.arange(len(counts)), counts)
        self.domain = Domain(np.array([np.zeros(d), np.ones(d)]), groups, tuple(self.sides.values()))

    def __repr__(self) -> str:
        seen = f", context={list(self.context)!r}" if self.context else ""
        return f"Box({self.sides!r}{seen})"

    def encode(self, point: Mapping[str, Any]) -> np.ndarray:
        """Coordinates of a point, (d,). ValueError for a missing or unknown name or a value outside."""
        _check_names("point", point, self.sides)
        return self._encoded(point)

    def decode(self, u: np.ndarray) -> dict[str, Any]:
        """The point at coordinates (d,)."""
        named = enumerate(self.sides.items())
        return {name: side.decode(u[self.domain.groups == group]) for group, (name, side) in named}

    def encode_context(self, context: Mapping[str, Any] | None) -> np.ndarray:
        """Coordinates (d,), NaN where they are to be chosen. ValueError unless the whole context is given."""
        _check_names("context", {} if context is None else context, self.context)
        return self._encoded(context or {})

    def _encoded(self, values: Mapping[str, Any]) -> np.ndarray:
        u: list[float] = []
        for name, side in self.sides.items():
            try:
                u += side.encode(values[name]) if name in values else [math.nan] * side.coordinates
            except ValueError as error:
                raise ValueError(f"box: {name} is {error}") from None
        return np.array(u)


def _side(name: str, side: Any) -> Side:
    if isinstance(side, Real | Integer | Category):
        return side
    if not (isinstance(side, tuple) and len(side) == 2):
        raise ValueError(f"box: side {name} is {side!r:.60}, expected (low, high), Real, Integer or Category")
    try:
        return Real(*side)
    except ValueError as error:
        raise ValueError(f"box: side {name}: {error}") from None


def _is_number(value: object) -> bool:
    try:
        return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # an integer beyond float64
        return False


def _check_ends(side: Real | Integer, low: Any, high: Any) -> None:
    if not (_is_number(low) and _is_number(high) and low < high and math.isfinite(float(high) - float(low))):
        raise ValueError(f"ends {low!r:.40} and {high!r:.40}, expected finite numbers, the lower one first")
    if side.log and not low > 0:
        raise ValueError(f"ends {low!r} and {high!r} on a log scale, expected positive numbers")
    if side.log and not math.log(low) < math.log(high):
        raise ValueError(f"ends {low!r} and {high!r} on a log scale, which float64 cannot tell apart")


def _check_names(what: str, given: Any, expected: Any) -> None:
    if not isinstance(given, Mapping) or set(given) != set(expected):
        names = (
            sorted(map(str, given)) if isinstance(given, Mapping) else f"{' '.join(repr(given).split()):.40}"
        )
        raise ValueError(f"box: {what} has {names}, expected a value for each of {sorted(expected)}")
