"""The verdict's one rule: what an estimate says of each kind of claim, and what overrides it."""

import numpy as np
import pytest
import xarray as xr

from tvgp.study.claims.claim import Claim, Holds, Measured, NotComparable, Printed, Vacuous, Within
from tvgp.study.claims.judge import VERDICTS, judge, verdict
from tvgp.study.results.statistics import Estimate

ONE_RUN = Estimate(1.0, np.nan, np.nan, 1)


@pytest.mark.parametrize(
    ("low", "high", "claimed", "expected"),
    [
        (-2, -1, Within(most=0), "confirmed"),
        (1, 2, Within(most=0), "contradicted"),
        (-1, 2, Within(most=0), "inconclusive"),
        (0, 0, Within(most=0), "inconclusive"),  # no difference in any run is not less regret
        (-2, -1, Within(least=0), "contradicted"),
        (-2, -1, Within(least=0, refutable=False), "inconclusive"),
        (1, 2, Within(0.5, 2.5), "confirmed"),
        (1, 2, Within(0.5, 1.5), "inconclusive"),
        (1, 2, Within(2.5, 3.5), "contradicted"),
        (1, 2, Printed(1.6, 0.1), "confirmed"),  # within 10 % of it, and it lies inside
        (1, 2, Printed(1.9, 0.1), "confirmed"),  # inside alone
        (1.45, 1.55, Printed(1.6, 0.1), "confirmed"),  # within 10 % alone
        (1.45, 1.55, Printed(1.6), "contradicted"),
        (1.45, 1.55, Printed(2.0, 0.1), "contradicted"),
        (1, 2, Printed(1.9), "confirmed"),
        (1, 2, Holds(True), "confirmed"),
        (1, 2, Holds(False), "contradicted"),
        (1, 2, Holds(False, refutable=False), "inconclusive"),
        (1, 2, Vacuous(), "vacuous"),
        (1, 2, None, "not comparable"),
    ],
)
def test_intervals(low, high, claimed, expected):
    assert verdict(Estimate((low + high) / 2, low, high, 8), claimed) == expected


def test_one_run_decides_nothing_but_a_value_with_a_tolerance():
    for claimed in (Within(0.5, 1.5), Within(least=2), Printed(1.0), Printed(2.0)):
        assert verdict(ONE_RUN, claimed) == "inconclusive"
    assert verdict(ONE_RUN, Printed(1.05, 0.1)) == "confirmed"
    assert verdict(ONE_RUN, Printed(2.0, 0.1)) == "contradicted"
    assert verdict(None, Within(most=0)) == "not comparable"


def _part(data="synthetic", rounds=5, fit="") -> xr.Dataset:
    shape = xr.Dataset(coords={"round": np.arange(rounds)})
    return shape.assign_attrs(experiment="a", data=data, fit=fit)


def _measure(part, value) -> Measured:
    if value < 0:
        raise NotComparable("no such value")
    return Measured("x", Estimate(1.0, 0.9, 1.1, 3), Printed(value), "a note")


@pytest.mark.parametrize(
    ("part", "value", "word", "remark"),
    [
        (_part(), 1.0, "confirmed", "a note; mind"),
        (_part("real"), 1.0, "confirmed", "a note; mind; other years and places than the paper's"),
        (_part("standin"), 1.0, "not comparable", "stand-in data, not measurements; a note; mind"),
        (_part(rounds=4), 1.0, "not comparable", "4 rounds here, 5 claimed; a note; mind"),
        (
            _part("real", fit='{"substitute": "a lab for another"}'),
            1.0,
            "not comparable",
            "a lab for another",
        ),
        (_part(), -1.0, "not comparable", "no such value"),
    ],
)
def test_what_is_not_what_the_claim_is_about_is_not_compared(part, value, word, remark):
    claim = Claim("P", "Fig. 1", ("a", "b"), "x is 1", _measure, {"value": value}, 5, "mind")
    (row,) = judge(claim, {"a": part, "c": part})
    assert (row["paper"], row["experiment"]) == ("P", "a")
    assert row["verdict"] == word and row["verdict"] in VERDICTS
    assert row["remark"].startswith(remark)
    assert np.isnan(row["ours"]) == (value < 0)


def test_rows_of_claims_on_several_experiments():
    each = Claim("P", "Fig. 1", ("a", "b"), "x is 1", _measure, {"value": 1.0})
    assert [row["experiment"] for row in judge(each, {"a": _part(), "b": _part()})] == ["a", "b"]
    (row,) = judge(each, {})
    assert (row["verdict"], row["remark"]) == ("not comparable", "not run: a, b")
    both = Claim("P", "Fig. 1", ("a", "b"), "x is 1", _measure, {"value": 1.0}, together=True)
    assert [row["experiment"] for row in judge(both, {"a": _part(), "b": _part()})] == ["a, b"]
    (row,) = judge(both, {"a": _part()})
    assert (row["verdict"], row["remark"]) == ("not comparable", "not run: b")
