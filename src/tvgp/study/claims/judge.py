"""The rules that decide a verdict, for every claim and for the tables of regimes.

Of a row, that is of a claim under one interpretation in one experiment:

confirmed        the 95 % interval lies within what the claim allows: the stated range, or the
                 tolerance of a printed value; a computed condition holds
contradicted     the interval lies outside it; the condition does not hold
inconclusive     neither, or there is no interval; or the claim leaves a constant open and the bound with
                 ours does not hold; or it is about the worst function and random ones are easier
trend agrees,    the same for a statement about a limit: the interval of a slope over finitely many rounds
trend disagrees  lies within or outside what the statement allows
vacuous          the claim would hold for anything: a bound that nothing could exceed
data differ,     a paper's claim, measured on other real data, or on synthetic ones in a set-up known not
set-up differs   to be the paper's: no other verdict is given; the column on_these_data has what the rules
                 above say of what was played
not judged       nothing here measures it; the remark says why
not comparable   stand-in data, another horizon, not run, or no finite value

Growth exponents of regret agree with a bound, or are linear, up to a slack of 0.05
(`tvgp.study.results.growth.TOLERANCE`), but for the upper bounds of Janz20 and Vakili21; the computed
exponents of query schedules up to 0.02; numbers of cells up to what rounding up the first partition can add;
all other slopes have none. What is claimed of an order or a limit of a formula is decided by the formula.

Of a claim: the verdict of its rows where all that say anything agree; "depends on" what its interpretations
or experiments differ in where some support and others oppose it; otherwise inconclusive.

No interval is adjusted for the number of rows. Instead the report states how many false verdicts to
expect (`expected_false`): a false verdict needs an interval that misses on one given side, which has
probability 2.5 % where values are near normal (more on one side where they are skewed), and expectations
add up whatever the dependence between rows. A single row that rests on the worst or best of several methods
is adjusted (`results.statistics.largest_mean`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.claims.claim import (
    Claim,
    Comparison,
    Holds,
    Measured,
    NotComparable,
    Printed,
    Trend,
    Vacuous,
    Within,
)
from tvgp.study.results import mathematics
from tvgp.study.results.statistics import LEVEL, Estimate

DATA_DIFFER, SET_UP_DIFFERS, NOT_JUDGED = "data differ", "set-up differs", "not judged"
_DIFFER = (DATA_DIFFER, SET_UP_DIFFERS)
DEPENDS = "depends on"
SUPPORT, OPPOSE = ("confirmed", "trend agrees"), ("contradicted", "trend disagrees")
SILENT = ("vacuous", *_DIFFER, NOT_JUDGED, "not comparable")
VERDICTS = (
    "confirmed",
    "contradicted",
    "inconclusive",
    "trend agrees",
    "trend disagrees",
    DEPENDS,
    *SILENT,
)


def verdict(ours: Estimate | None, claimed: Comparison | None) -> str:
    """The verdict on a row, by the rule above; None: there is no estimate, or no claim."""
    if ours is None or claimed is None or not np.isfinite(ours.mean):
        return "not comparable"
    low, high = (ours.mean, ours.mean) if ours.runs == 0 else (ours.low, ours.high)
    match claimed:
        case Vacuous():
            return "vacuous"
        case Holds(holds):
            return "confirmed" if holds else "contradicted"
        case Printed(value, tolerance):
            least, most = (value + sign * tolerance * abs(value) for sign in (-1, 1))
            return _decided(least <= low and high <= most, high < least or low > most)
        case Within(least, most, open_constant):
            outside = high < least or low > most
            return _decided(least < low and high < most, outside and not open_constant)
        case Trend(least, most, worst_case):
            within = verdict(ours, Within(least, most, worst_case))
            return {"confirmed": "trend agrees", "contradicted": "trend disagrees"}.get(within, within)


def _decided(inside: bool, outside: bool) -> str:
    return "confirmed" if inside else "contradicted" if outside else "inconclusive"


def overall(claim: Claim, rows: Iterable[Mapping[str, object]]) -> str:
    """The verdict on a claim from its rows, by the rule above."""
    rows = list(rows)
    said = [str(row["verdict"]) for row in rows if row["verdict"] not in SILENT]
    if not said:
        silent = {str(row["verdict"]) for row in rows}
        return next(word for word in SILENT if word in silent)
    if len(set(said)) == 1:
        return said[0]
    if not (set(said) & set(SUPPORT) and set(said) & set(OPPOSE)):
        return "inconclusive"
    for column, cause in (("reading", claim.depends), ("experiment", claim.between)):
        if _separates(rows, column):
            return f"{DEPENDS} {cause}"
    return f"{DEPENDS} {claim.depends} and {claim.between}"


def _separates(rows: list[Mapping[str, object]], column: str) -> bool:
    """Whether no value of a column has rows that support and rows that oppose the claim."""
    sides: dict[object, set[bool]] = {}
    for row in rows:
        if row["verdict"] in (*SUPPORT, *OPPOSE):
            sides.setdefault(row[column], set()).add(row["verdict"] in SUPPORT)
    return all(len(found) == 1 for found in sides.values())


def category(judged: str) -> str:
    """The entry of `VERDICTS` under which a claim's verdict is counted."""
    return DEPENDS if judged.startswith(DEPENDS) else judged


def expected_false(decided_by: Iterable[str]) -> tuple[int, float]:
    """Rows that an interval had to decide, and how many false verdicts to expect among them at most."""
    tested = sum(by == "interval" for by in decided_by)
    return tested, tested * (1 - LEVEL) / 2


def judge(claim: Claim, parts: Mapping[str, xr.Dataset]) -> list[dict[str, object]]:
    """Rows of the claims table: one for each interpretation and each of its experiments among `parts`; one
    for an interpretation whose experiments are judged together or of which none was run."""
    rows = []
    for read in claim.interpretations or (None,):
        one = claim
        if read is not None:
            one = replace(
                claim,
                experiments=read.experiments or claim.experiments,
                arguments={**claim.arguments, **read.arguments},
                remark="; ".join(filter(None, (claim.remark, read.remark))),
            )
        rows += [row | {"reading": read.name if read else ""} for row in _rows(one, parts)]
    judged = overall(claim, rows)
    return [row | {"claim_verdict": judged} for row in rows]


def again(claim: Claim, rows: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """The published rows of a claim, cells as text, judged anew as far as that needs no results: by its
    `rule`, by `data` that differ, and together. All else stays as it was judged when it was measured."""
    new = [dict(row) for row in rows]
    for row in new:
        if row["verdict"] in ("not comparable", NOT_JUDGED):
            continue
        here, remarks = row["verdict"], row["remark"].split("; ")
        if claim.rule and row["decided_by"]:
            here = row["verdict"] = verdict(_stored(row), claim.rule)
            row["decided_by"] = _decided_by(claim, row["decided_by"])
            remarks += mathematics.plain(claim.remark).split("; ")
        if claim.kind == "published" and claim.data and here not in _DIFFER:
            differ = DATA_DIFFER if "real" in row["data"] else SET_UP_DIFFERS
            row |= {"verdict": differ, "on_these_data": here, "decided_by": ""}
            remarks = [*mathematics.plain(claim.data).split("; "), *remarks]
        row["remark"] = "; ".join(dict.fromkeys(filter(None, remarks)))
    judged = mathematics.plain(overall(claim, new))
    return [row | {"claim_verdict": judged} for row in new]


def _stored(row: Mapping[str, str]) -> Estimate:
    """The estimate of a published row; of its runs only whether there is an interval."""
    low, high = (float(row[end] or "nan") for end in ("low", "high"))
    return Estimate(float(row["ours"]), low, high, {"interval": 2, "computation": 0}[row["decided_by"]])


def _rows(claim: Claim, parts: Mapping[str, xr.Dataset]) -> list[dict[str, object]]:
    if not claim.experiments:
        return [_row(claim, "", "", None, NOT_JUDGED, claim.remark)]
    run = {name: parts[name] for name in claim.experiments if name in parts}
    missing = [name for name in claim.experiments if name not in parts]
    if not run or (claim.together and missing):
        why = f"not run: {', '.join(missing)}"
        return [_row(claim, claim.experiments[0], "", None, "not comparable", why)]
    if claim.together:
        return [_judged(claim, run, run)]
    return [_judged(claim, part, {name: part}) for name, part in run.items()]


def _judged(
    claim: Claim, measured_on: xr.Dataset | Mapping[str, xr.Dataset], parts: Mapping[str, xr.Dataset]
) -> dict[str, object]:
    name = ", ".join(parts)
    data = ", ".join(dict.fromkeys(str(part.attrs["data"]) for part in parts.values()))
    try:
        measured = claim.measure(measured_on, **claim.arguments)
    except NotComparable as reason:
        return _row(claim, name, data, None, "not comparable", str(reason))
    unlike = _unlike(claim, list(parts.values()))
    alone = measured.ours.runs == 1 and np.isnan(measured.ours.low) and not unlike  # a run, a fit or a path
    here = verdict(measured.ours, claim.rule or measured.claimed)
    judged, why = unlike or (here, "" if np.isfinite(measured.ours.mean) else "no finite value")
    remarks = (why, measured.note, claim.remark, "one value, no interval" if alone else "")
    row = _row(claim, name, data, measured, judged, "; ".join(text for text in remarks if text))
    row |= {"decided_by": _decided_by(claim, str(row["decided_by"]))}
    return row | {"on_these_data": here if judged in _DIFFER else ""}


def _decided_by(claim: Claim, by: str) -> str:
    """No interval decides a rule that holds or does not, whatever is measured beside it."""
    return "computation" if by and isinstance(claim.rule, Holds) else by


def _unlike(claim: Claim, parts: list[xr.Dataset]) -> tuple[str, str] | None:
    """The verdict and the reason where the claim does not apply to these results, else None."""
    if any(map(results.is_standin, parts)):
        return "not comparable", "stand-in data, not measurements"
    if claim.kind == "published":
        real = [part for part in parts if part.attrs["data"] == "real"]
        substitutes = (str(results.fit(part).get("substitute") or "") for part in real)
        if differ := next(filter(None, substitutes), claim.data):
            return DATA_DIFFER if real else SET_UP_DIFFERS, differ
    rounds = [part.sizes["round"] for part in parts if "round" in part.sizes]
    if claim.horizon is not None and set(rounds) != {claim.horizon}:
        return "not comparable", f"{max(rounds, default=0)} rounds here, {claim.horizon} claimed"
    return None


def _row(
    claim: Claim, experiment: str, data: str, measured: Measured | None, judged: str, remark: str
) -> dict[str, object]:
    quantity, ours = (measured.quantity, measured.ours) if measured else ("", Estimate.exact(np.nan))
    decided_by = ""
    if judged not in SILENT:
        decided_by = "interval" if np.isfinite(ours.low) else "" if ours.runs else "computation"
    return {
        "kind": claim.kind,
        "paper": claim.paper,
        "item": claim.item,
        "claimed": claim.claimed,
        "reading": "",
        "experiment": experiment,
        "data": data,
        "quantity": quantity,
        **ours.columns("ours", ""),
        "verdict": judged,
        "claim_verdict": judged,
        "on_these_data": "",
        "decided_by": decided_by,
        "remark": remark,
    }
