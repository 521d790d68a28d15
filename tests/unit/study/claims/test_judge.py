"""Verdicts on rows and on claims: what an estimate says, what overrides it, what readings add."""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from tvgp.study.claims import CLAIMS
from tvgp.study.claims.claim import (
    KINDS,
    Claim,
    Holds,
    Measured,
    NotComparable,
    Printed,
    Source,
    Trend,
    Vacuous,
    Within,
    interpretation,
)
from tvgp.study.claims.judge import VERDICTS, again, category, expected_false, judge, verdict
from tvgp.study.claims.measures.bogunovic16 import fitted
from tvgp.study.claims.measures.entries import nothing
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
        (1, 2, Within(0.5, 2.5), "confirmed"),
        (1, 2, Within(0.5, 1.5), "inconclusive"),
        (1, 2, Within(2.5, 3.5), "contradicted"),
        (0.87, 1.22, Printed(1.0, 0.1), "inconclusive"),  # the mean alone is within 10 %
        (0.92, 1.05, Printed(1.0, 0.1), "confirmed"),
        (1.09, 1.12, Printed(1.0, 0.1), "inconclusive"),
        (1.11, 1.12, Printed(1.0, 0.1), "contradicted"),
        (-1.05, -0.95, Printed(-1.0, 0.1), "confirmed"),
        (0.9, 1.1, Printed(1.0), "inconclusive"),  # nothing shows two numbers equal
        (1.05, 1.1, Printed(1.0), "contradicted"),
        (0.7, 0.8, Trend(most=0.95), "trend agrees"),
        (0.97, 1.1, Trend(most=0.95), "trend disagrees"),
        (0.9, 1.1, Trend(most=0.95), "inconclusive"),
        (0.97, 1.1, Trend(least=0.95), "trend agrees"),
        (0.7, 0.8, Trend(least=0.95), "trend disagrees"),
        (0.7, 0.8, Trend(least=0.95, worst_case=True), "inconclusive"),
        (0.97, 1.1, Trend(least=0.95, worst_case=True), "trend agrees"),
        (1, 2, Holds(True), "confirmed"),
        (1, 2, Holds(False), "contradicted"),
        (1, 2, Vacuous(), "vacuous"),
        (-2, -1, Within(most=0, open_constant=True), "confirmed"),
        (1, 2, Within(most=0, open_constant=True), "inconclusive"),  # another constant may do
        (1, 2, None, "not comparable"),
    ],
)
def test_verdicts_follow_the_interval(low, high, claimed, expected):
    assert verdict(Estimate((low + high) / 2, low, high, 8), claimed) == expected


def test_one_run_decides_nothing_but_exact_values_do():
    limits = (Within(0.5, 1.5), Within(least=2), Trend(least=2), Printed(1.0, 0.1), Printed(2.0, 0.1))
    for claimed in limits:
        assert verdict(ONE_RUN, claimed) == "inconclusive"
    exact = Estimate.exact(1.0)
    words = [verdict(exact, claimed) for claimed in limits]
    assert words == ["confirmed", "contradicted", "trend disagrees", "confirmed", "contradicted"]
    assert verdict(None, Within(most=0)) == "not comparable"


@pytest.mark.parametrize("claimed", [Holds(False), Holds(True), Within(most=0), Printed(1.0), Vacuous()])
def test_no_finite_value_has_no_verdict(claimed):
    """A comparison with NaN is false, so that a condition on it would be contradicted."""
    for mean in (np.nan, np.inf):
        assert verdict(Estimate.exact(mean), claimed) == "not comparable"
    nothing_found = Claim(
        "P", "Fig. 1", ("a",), "x is 1", lambda part: Measured("x", Estimate.exact(np.nan), claimed)
    )
    (row,) = judge(nothing_found, {"a": _part()})
    assert (row["verdict"], row["remark"], row["decided_by"]) == ("not comparable", "no finite value", "")


def _part(data="synthetic", rounds=5, fit="") -> xr.Dataset:
    shape = xr.Dataset(coords={"round": np.arange(rounds)})
    return shape.assign_attrs(experiment="a", data=data, fit=fit)


def _measure(part, value) -> Measured:
    if value < 0:
        raise NotComparable("no such value")
    return Measured("x", Estimate(1.0, 0.9, 1.1, 3), Printed(value, 0.2), "a note")


@pytest.mark.parametrize(
    ("part", "value", "word", "remark"),
    [
        (_part(), 1.0, "confirmed", "a note; mind"),
        (_part("real"), 1.0, "confirmed", "a note; mind"),  # nothing says that they differ
        (_part("standin"), 1.0, "not comparable", "stand-in data, not measurements; a note; mind"),
        (_part(rounds=4), 1.0, "not comparable", "4 rounds here, 5 claimed; a note; mind"),
        (
            _part("real", fit='{"substitute": "a lab for another"}'),
            1.0,
            "data differ",
            "a lab for another; a note; mind",
        ),
        (
            _part("real", rounds=4, fit='{"substitute": "a lab for another"}'),
            1.0,
            "data differ",
            "a lab for another; a note; mind",
        ),
        (_part(), -1.0, "not comparable", "no such value"),
    ],
)
def test_results_unlike_the_claims_premises_are_not_compared(part, value, word, remark):
    claim = Claim("P", "Fig. 1", ("a", "b"), "x is 1", _measure, {"value": value}, 5, "mind")
    (row,) = judge(claim, {"a": part, "c": part})
    assert (row["paper"], row["experiment"]) == ("P", "a")
    assert row["verdict"] == word and row["verdict"] in VERDICTS
    assert row["remark"].startswith(remark)
    assert np.isnan(row["ours"]) == (value < 0)


def test_a_papers_claim_about_other_data_has_no_other_verdict():
    """Whether the data or the claim says that they differ, or the set-up of synthetic ones; facts of ours are
    about the data that we have."""
    claim = Claim("P", "Fig. 1", ("a",), "x is 1", lambda part: _measure(part, 3.0), data="other years")
    replaced = _part("real", fit='{"substitute": "a lab for another"}')
    for part, word, remark in (
        (_part("real"), "data differ", "other years; a note"),
        (replaced, "data differ", "a lab for another; a note"),
        (_part(), "set-up differs", "other years; a note"),
    ):
        (row,) = judge(claim, {"a": part})
        assert (row["verdict"], row["remark"]) == (word, remark)
        assert (row["ours"], row["claim_verdict"]) == (1.0, word)
        assert (row["decided_by"], row["on_these_data"]) == ("", "contradicted")
    (row,) = judge(replace(claim, data=""), {"a": _part()})
    assert (row["verdict"], row["on_these_data"]) == ("contradicted", "")
    (row,) = judge(replace(claim, paper="fact"), {"a": replaced})
    assert row["verdict"] == "contradicted"


def test_what_has_no_interval_is_not_called_a_run():
    found = {"key": "noise_variance", "value": 1.0, "tolerance": 0.1}
    claim = Claim("P", "Sec. 5", ("a",), "$σ^2 = 1$", fitted, found, remark="of 20 runs")
    (row,) = judge(claim, {"a": _part(fit='{"noise_variance": 1.0}')})
    assert row["verdict"] == "inconclusive" and row["remark"].endswith("of 20 runs; one value, no interval")


def test_a_claim_that_nothing_measures_has_a_reason():
    (row,) = judge(Claim("P", "Fig. 1", (), "x is 1", nothing, remark="no data"), {"a": _part()})
    assert (row["verdict"], row["claim_verdict"], row["remark"]) == ("not judged", "not judged", "no data")
    assert row["verdict"] in VERDICTS and row["decided_by"] == "" and np.isnan(row["ours"])
    with pytest.raises(NotComparable, match="a does not measure this"):
        nothing(_part())
    assert all(claim.remark for claim in CLAIMS if not claim.experiments)


def test_rows_of_claims_on_several_experiments():
    each = Claim("P", "Fig. 1", ("a", "b"), "x is 1", _measure, {"value": 1.0})
    assert [row["experiment"] for row in judge(each, {"a": _part(), "b": _part()})] == ["a", "b"]
    (row,) = judge(each, {})
    assert (row["verdict"], row["remark"]) == ("not comparable", "not run: a, b")
    both = Claim("P", "Fig. 1", ("a", "b"), "x is 1", _measure, {"value": 1.0}, together=True)
    assert [row["experiment"] for row in judge(both, {"a": _part(), "b": _part()})] == ["a, b"]
    (row,) = judge(both, {"a": _part()})
    assert (row["verdict"], row["remark"]) == ("not comparable", "not run: b")


def _claim(**interpretations: float) -> Claim:
    return Source("P", ("a", "b"), between="the data").claim(
        "Fig. 1",
        "x is 1",
        _measure,
        interpretations=tuple(interpretation(name, value=value) for name, value in interpretations.items()),
        depends="the chain length",
    )


@pytest.mark.parametrize(
    ("claim", "verdicts", "expected"),
    [
        (_claim(few=1.0, many=1.0), ["confirmed"] * 4, "confirmed"),
        (_claim(few=1.0, many=3.0), ["confirmed"] * 2 + ["contradicted"] * 2, "depends on the chain length"),
        (_claim(few=1.0, many=1.2), ["confirmed"] * 2 + ["inconclusive"] * 2, "inconclusive"),
        (_claim(few=1.0, many=-1.0), ["confirmed"] * 2 + ["not comparable"] * 2, "confirmed"),
        (_claim(few=-1.0, many=-1.0), ["not comparable"] * 4, "not comparable"),
    ],
)
def test_a_claim_under_several_readings_is_one_claim(claim, verdicts, expected):
    rows = judge(claim, {"a": _part(), "b": _part()})
    assert [row["reading"] for row in rows] == ["few", "few", "many", "many"]
    assert [row["verdict"] for row in rows] == verdicts
    assert {row["claim_verdict"] for row in rows} == {expected}
    assert category(expected) in VERDICTS


def test_what_a_verdict_depends_on_is_named():
    """Confirmed in one experiment and contradicted in the other, whatever the reading; then by neither
    alone."""

    def measure(part, value):
        at = {"a": 1.0, "b": value}[part.attrs["experiment"]]
        return Measured("x", Estimate(at, at - 0.1, at + 0.1, 3), Printed(1.0, 0.2))

    parts = {"a": _part(), "b": _part().assign_attrs(experiment="b")}
    for interpretations, cause in (
        ({"few": 3.0, "many": 3.0}, "depends on the data"),
        ({"few": 1.0, "many": 3.0}, "depends on the chain length and the data"),
    ):
        claim = replace(_claim(**interpretations), measure=measure)
        assert {row["claim_verdict"] for row in judge(claim, parts)} == {cause}


def test_a_reading_may_have_experiments_of_its_own():
    source = Source("P", ("a",))
    both = (
        interpretation("as printed"),
        interpretation("squared", experiments=("b",), remark="not in the text"),
    )
    claim = source.claim("Fig. 1", "x is 1", _measure, interpretations=both, value=1.0)
    rows = judge(claim, {"a": _part(), "b": _part()})
    assert [(row["reading"], row["experiment"]) for row in rows] == [("as printed", "a"), ("squared", "b")]
    assert rows[1]["remark"] == "a note; not in the text"


PUBLISHED = {
    "verdict": "contradicted",
    "claim_verdict": "contradicted",
    "on_these_data": "",
    "decided_by": "interval",
    "data": "synthetic",
    "reading": "",
    "experiment": "a",
    "ours": "1",
    "low": "0.9",
    "high": "1.1",
    "remark": "a note",
}


@pytest.mark.parametrize(
    ("changes", "published", "expected"),
    [
        ({}, {}, {}),  # the rule is in the measurement, which needs results
        ({"rule": Within(most=2)}, {}, {"verdict": "confirmed"}),
        ({"rule": Trend(least=2, worst_case=True)}, {}, {"verdict": "inconclusive"}),
        ({"rule": Within(most=2)}, {"low": "", "high": "", "decided_by": ""}, {}),  # one run
        ({"rule": Within(most=2)}, {"verdict": "not comparable", "decided_by": ""}, {}),
        (
            {"rule": Holds(True), "remark": "by the formula"},
            {},
            {"verdict": "confirmed", "decided_by": "computation", "remark": "a note; by the formula"},
        ),
        (
            {"data": "another width"},
            {},
            {
                "verdict": "set-up differs",
                "on_these_data": "contradicted",
                "decided_by": "",
                "remark": "another width; a note",
            },
        ),
        ({"data": "other years"}, {"data": "real"}, {"verdict": "data differ"}),
        ({"paper": "fact", "data": "other years"}, {"data": "real"}, {}),
    ],
)
def test_a_published_row_is_judged_again_by_todays_rule(changes, published, expected):
    row = PUBLISHED | published
    claim = replace(Claim("P", "Fig. 1", ("a",), "x is 1", nothing), **changes)
    (new,) = again(claim, [row])
    assert {name: new[name] for name in expected} == expected
    assert new["claim_verdict"] == new["verdict"]
    assert expected or new == row | {"claim_verdict": row["verdict"]}
    assert again(claim, [new]) == [new]


def test_published_rows_are_judged_together():
    """One that no rule changes, and one that the rule does: what they differ in is named."""
    claim = Claim("P", "Fig. 1", ("a", "b"), "x is 1", nothing, between="$a(t)$", rule=Within(most=2))
    rows = [PUBLISHED, PUBLISHED | {"experiment": "b", "ours": "3", "low": "2.9", "high": "3.1"}]
    assert {row["claim_verdict"] for row in again(claim, rows)} == {"depends on a(t)"}


def test_a_condition_is_decided_by_computation():
    claim = Claim("P", "Fig. 1", ("a",), "x is 1", lambda part: _measure(part, 1.0), rule=Holds(False))
    (row,) = judge(claim, {"a": _part()})
    assert (row["verdict"], row["decided_by"]) == ("contradicted", "computation")


def test_expected_false_verdicts_count_the_rows_with_an_interval():
    rows = judge(_claim(few=1.0, many=3.0), {"a": _part(), "b": _part("standin")})
    decided_by = [row["decided_by"] for row in rows]
    assert decided_by == ["interval", "", "interval", ""]
    assert expected_false([*decided_by, "computation"]) == (2, pytest.approx(0.05))


def test_claims_have_a_kind_and_are_told_apart():
    assert {claim.kind for claim in CLAIMS} == set(KINDS)
    names = [(claim.paper, claim.item, claim.claimed) for claim in CLAIMS]
    assert len(set(names)) == len(names)
    for claim in CLAIMS:
        assert (claim.kind == "published") == (claim.paper not in ("fact", "hypothesis"))
        read = [one.name for one in claim.interpretations]
        assert len(set(read)) == len(read)
