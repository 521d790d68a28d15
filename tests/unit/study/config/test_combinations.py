"""Parts of an analysis that are combinations of settings."""

import re

import pytest

from tvgp.study.config import combinations

FIELDS = {"ozone": {"dataset": "ozone"}, "lab": {"dataset": "intel_lab", "rounds": 240}}
WIDTHS = {"": {}, "_wide": {"width": 1.0}}


def _parts(*factors: object, **own: object) -> dict:
    written = combinations.written_out(
        {"analyses": {"price": {"seeds": 2, "combinations": list(factors), **own}}}
    )
    assert set(written["analyses"]["price"]) == {"seeds", "parts"}
    return written["analyses"]["price"]["parts"]


def test_a_part_for_each_combination_in_order():
    assert list(_parts(FIELDS, WIDTHS).items()) == [
        ("ozone", {"dataset": "ozone"}),
        ("ozone_wide", {"dataset": "ozone", "width": 1.0}),
        ("lab", {"dataset": "intel_lab", "rounds": 240}),
        ("lab_wide", {"dataset": "intel_lab", "rounds": 240, "width": 1.0}),
    ]


def test_parts_written_by_hand_stand_first():
    assert list(_parts(WIDTHS, parts={"own": {"width": 2.0}})) == ["own", "", "_wide"]


def test_parts_that_are_no_mapping_are_left_for_the_schema():
    assert _parts(WIDTHS, parts=3) == 3


def test_the_later_of_two_settings_holds():
    assert _parts({"a": {"width": 1.0}}, {"_b": {"width": 2.0}}) == {"a_b": {"width": 2.0}}


@pytest.mark.parametrize("factors", ["ozone", FIELDS, [["ozone"]], [{"ozone": 3}]])
def test_anything_else_is_refused(factors):
    with pytest.raises(
        ValueError, match=re.escape("analyses.price.combinations: expected a list of mappings")
    ):
        combinations.written_out({"analyses": {"price": {"combinations": factors}}})


def test_two_parts_of_one_name_are_refused():
    with pytest.raises(ValueError, match="analyses.price.combinations: two parts have one name"):
        _parts({"a": {}, "a_b": {}}, {"_b_c": {}, "_c": {}})


@pytest.mark.parametrize("config", [{}, {"analyses": None}, {"analyses": {"price": None}}])
def test_a_configuration_without_combinations_stays(config):
    assert combinations.written_out(config) == config
