"""Values of a configuration against declared types."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pytest

from tvgp.plugins import types


@dataclass
class Declared:
    count: int
    rate: float
    names: Sequence[str] | None
    moment: Literal["before", "after"]
    anything: object


@pytest.mark.parametrize(
    "values",
    [
        {"count": 3, "rate": 3, "names": None},
        {"rate": -1e12, "names": ["a", "b"], "anything": object()},
        {"unknown": 3, "moment": "after"},
    ],
)
def test_values_of_the_declared_types(values):
    assert types.first_fault(Declared, values) is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"count": 3.0}, "count: 3.0 is not a whole number"),
        ({"count": True}, "count: True is not a whole number"),
        ({"count": 10**9}, "count: 1000000000 is not a whole number"),
        ({"rate": float("nan")}, "rate: nan is not a number"),
        ({"rate": float("inf")}, "rate: inf is not a number"),
        ({"rate": 10**13}, "rate: 10000000000000 is not a number"),
        ({"count": 1, "names": "ab"}, "names: 'ab' is not a list, each text or null"),
        ({"names": ["a", 1]}, "names: ['a', 1] is not a list, each text or null"),
        ({"moment": "befor"}, "moment: 'befor' is not one of before, after"),
        ({"moment": ["after"]}, "moment: ['after'] is not one of before, after"),
    ],
)
def test_wrong_types_are_reported_with_the_expected_type(values, message):
    assert types.first_fault(Declared, values) == message


def test_a_number_too_large_for_a_float_is_a_fault():
    assert types.fault(Declared, "rate", 10**400).endswith("is not a number")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float32(0.5), 0.5),
        (np.array(3), 3),
        (np.arange(2, dtype=np.int8), (0, 1)),
        ([np.float32(1), 2], [1.0, 2]),
        ((np.bool_(True), None), (True, None)),
        ("text", "text"),
    ],
)
def test_numbers_of_numpy_become_plain(value, expected):
    found = types.plain(value)
    assert repr(found) == repr(expected)
