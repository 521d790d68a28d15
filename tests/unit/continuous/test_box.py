"""Boxes: values to coordinates and back, neighbours, and one line for what does not fit."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvgp.continuous import Box, Category, Integer, Real
from tvgp.continuous.box import Domain

FINITE = st.floats(-1e6, 1e6)


@st.composite
def reals(draw):
    low, width, log = draw(FINITE), draw(st.floats(1e-3, 1e6)), draw(st.booleans())
    low = math.exp(low / 1e5) if log else low
    return Real(low, low + width, log), low + width * draw(st.floats(0, 1))


@st.composite
def integers(draw):
    low, width, log = draw(st.integers(-1000, 1000)), draw(st.integers(1, 1000)), draw(st.booleans())
    low = 1 + abs(low) if log else low
    return Integer(low, low + width, log), draw(st.integers(low, low + width))


@given(reals())
def test_numbers_come_back(case):
    side, value = case
    value = min(value, side.high)
    u = side.encode(value)
    assert 0 <= u[0] <= 1
    span = abs(side.low) + abs(side.high)
    assert side.decode(np.array(u)) == pytest.approx(value, abs=1e-12 * span, rel=1e-9)
    assert side.decode(np.zeros(1)) == pytest.approx(side.low) and side.low <= side.decode(np.ones(1))
    assert side.decode(np.zeros(1)) >= side.low and side.decode(np.ones(1)) <= side.high


@given(integers())
def test_integers_come_back_from_anywhere_in_their_cell(case):
    side, value = case
    u = np.array(side.encode(value))
    assert 0 < u[0] < 1 and side.decode(u) == value and type(side.decode(u)) is int
    np.testing.assert_array_equal(side.snap(u[None]), u[None])
    steps = [abs(side.decode(near) - value) for near in side.neighbours(u)]
    assert all(step.bit_count() == 1 for step in steps)
    assert set(steps) >= {1} and len(steps) <= 2 * (side.high - side.low).bit_length()
    near = side.neighbours(u)[0]
    assert side.decode(0.55 * u + 0.45 * near) == value or side.log
    assert side.decode(np.zeros(1)) == side.low and side.decode(np.ones(1)) == side.high


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "ends",
    [
        (1, 10**12),
        (1, 10**25),
        (2**53 - 7, 2**54),
        (np.int64(1), np.int64(2**63 - 1)),
        (np.int8(1), np.int8(127)),
        (np.int64(-(2**62)), np.int64(2**62)),
    ],
)
def test_what_a_huge_integer_gives_it_takes(ends):
    for side in [Integer(*ends, log=log) for log in {False, bool(ends[0] > 0)}]:
        values = [side.decode(np.array([u])) for u in np.linspace(0, 1, 101)]
        assert all(side.low <= value <= side.high and 0 <= side.encode(value)[0] <= 1 for value in values)


@given(
    st.lists(st.one_of(st.text(max_size=3), st.integers(), st.booleans(), st.none()), min_size=2, max_size=6)
)
def test_categories_come_back_and_are_equally_far(values):
    values = [v for i, v in enumerate(values) if not any(type(v) is type(w) and v == w for w in values[:i])]
    if len(values) < 2:
        return
    side = Category(values)
    rows = np.array([side.encode(value) for value in values])
    assert all(side.decode(row) is value for row, value in zip(rows, values, strict=True))
    apart = np.linalg.norm(rows[:, None] - rows, axis=2)
    np.testing.assert_allclose(apart, 1 - np.eye(len(values)))
    np.testing.assert_array_equal(side.snap(rows + 0.3 * np.eye(len(values))[::-1]), rows)
    assert len(side.neighbours(rows[0])) == len(values) - 1


def test_integer_cells_have_equal_shares():
    u = (np.arange(6000) + 0.5)[:, None] / 6000
    values, counts = np.unique(Integer(3, 8).snap(u), return_counts=True)
    assert (counts == 1000).all()
    np.testing.assert_allclose(values, (np.arange(6) + 0.5) / 6)


def box():
    sides = {"x": (0.0, 10.0), "n": Integer(1, 4), "kind": Category(["a", "b", "c"]), "hour": (0, 24)}
    return Box(sides, context=["hour"])


def test_points_of_a_box_come_back():
    point = {"x": 2.5, "n": 3, "kind": "b", "hour": 6.0}
    u = box().encode(point)
    np.testing.assert_allclose(u, [0.25, 0.625, 0, math.sqrt(0.5), 0, 0.25])
    assert box().decode(u) == point
    seen = box().encode_context({"hour": 6})
    np.testing.assert_array_equal(np.isnan(seen), [True] * 5 + [False])


def test_snap_and_neighbours_of_a_domain():
    domain = box().domain
    u = domain.snap(np.array([[1.7, 0.3, 0.1, 0.2, 0.9, 0.5]]))[0]
    np.testing.assert_allclose(u, [1.0, 0.375, 0, 0, math.sqrt(0.5), 0.5])
    near = domain.neighbours(u, np.ones(6, dtype=bool))
    points = [box().decode(row) for row in near]
    assert [(p["n"], p["kind"]) for p in points] == [(1, "c"), (3, "c"), (4, "c"), (2, "a"), (2, "b")]
    assert not len(Domain.of(np.array([[0.0], [1.0]])).neighbours(np.zeros(1), np.ones(1, dtype=bool)))
    np.testing.assert_array_equal(domain.smooth, [True, False, False, False, False, True])


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        ({"x": (1.0, 0.0)}, "box: side x: ends 1.0 and 0.0, expected finite numbers, the lower one first"),
        ({"x": (0.0, math.inf)}, "box: side x: ends 0.0 and inf, expected finite numbers"),
        ({"x": [0.0, 1.0]}, r"box: side x is \[0.0, 1.0\], expected \(low, high\), Real, Integer or Cate"),
        ({}, "box: no side is left to choose"),
    ],
)
def test_bad_sides_are_named_in_one_line(sides, message):
    with pytest.raises(ValueError, match=message) as caught:
        Box(sides)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Real(0.0, 1.0, log=True), "ends 0.0 and 1.0 on a log scale, expected positive numbers"),
        (lambda: Integer(0.5, 2), "ends 0.5 and 2, expected whole numbers"),
        (lambda: Integer(10**17, 10**17 + 9), "between which float64 has not all numbers"),
        (lambda: Integer(2**53 - 3, 2**53 - 1), "between which float64 has not all numbers"),
        (lambda: Real(0, 10**400), "expected finite numbers, the lower one first"),
        (lambda: Real(0, 1).encode(10**400), "expected a number from 0 to 1"),
        (lambda: Category([math.nan, 1]), "categories are (nan, 1), expected no NaN"),
        (lambda: Category(["a"]), "categories are ['a'], expected a list of two or more"),
        *(
            (lambda given=given: Category(given), f"categories are {given!r}, expected a list of two or more")
            for given in ("ab", b"ab", {1, 2}, {"a": 1, "b": 2}, None, 3)
        ),
        (lambda: Category(["a", "b", "a"]), "expected different ones"),
        (lambda: Box({"x": (0, 1)}, context=["x"]), "box: no side is left to choose"),
        (lambda: Box({"x": (0, 1)}, context=["y"]), "box: context is ['y'], expected a list of names"),
        (lambda: Box({"x": (0, 1), "y": (0, 1)}, context="y"), "box: context is 'y', expected a list"),
        (
            lambda: Box([("x", (0, 1))]),
            "box: sides are [('x', (0, 1))], expected a dictionary of sides by name",
        ),
        (lambda: Box({1: (0, 1)}), "box: sides are {1: (0, 1)}, expected a dictionary of sides by name"),
        (lambda: Domain.of(np.zeros((3, 2))), "domain has shape (3, 2), expected (2, d)"),
        (lambda: box().encode({"x": 1.0}), "box: point has ['x'], expected a value for each of"),
        (lambda: box().encode([1.0]), "box: point has [1.0], expected a value for each of"),
        (lambda: box().encode_context(None), "box: context has [], expected a value for each of ['hour']"),
    ],
)
def test_bad_values_are_named_in_one_line(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("x", 10.5, "box: x is 10.5, expected a number from 0.0 to 10.0"),
        ("x", math.nan, "box: x is nan, expected a number from 0.0 to 10.0"),
        ("x", "1", "box: x is '1', expected a number from 0.0 to 10.0"),
        ("x", True, "box: x is True, expected a number from 0.0 to 10.0"),
        ("n", 2.5, "box: n is 2.5, expected a whole number from 1 to 4"),
        ("kind", "d", "box: kind is 'd', expected one of 'a', 'b', 'c'"),
    ],
)
def test_values_outside_the_box_are_named(name, value, message):
    point = {"x": 1.0, "n": 1, "kind": "a", "hour": 0} | {name: value}
    with pytest.raises(ValueError, match=re.escape(message)):
        box().encode(point)


@pytest.mark.parametrize("side", [Integer(1, 12), Integer(1, 12, log=True)])
def test_a_whole_number_is_in_the_middle_of_its_cell(side):
    u = np.linspace(0.0, 1.0, 20_001)
    cells = np.array([side.decode(each[None]) for each in u])
    for value in range(1, 13):
        own = u[cells == value]
        assert side.encode(value)[0] == pytest.approx((own[0] + own[-1]) / 2, abs=1e-4)


def test_equal_values_of_different_types_are_different_choices():
    side = Category([1, 1.0, True])
    assert [int(np.argmax(side.encode(value))) for value in (1, 1.0, True)] == [0, 1, 2]
    with pytest.raises(ValueError, match="expected different ones"):
        Category([1, 2, 1])


def test_categories_are_those_given_whatever_becomes_of_the_list():
    values = ["a", "b"]
    side = Category(values)
    values[0] = "z"
    assert [side.decode(np.array(u)) for u in ([1.0, 0.0], [0.0, 1.0])] == ["a", "b"]


@pytest.mark.parametrize("values", [np.array([3, 7]), np.array([0.5, 2.0]), np.array(["a", "b"])])
def test_categories_of_numpy_are_those_of_python(values):
    given, plain = Category(values), Category(values.tolist())
    for value in [*values, *values.tolist()]:
        assert given.encode(value) == plain.encode(value)
    assert type(given.decode(np.array([1.0, 0.0]))) is type(values.tolist()[0])
