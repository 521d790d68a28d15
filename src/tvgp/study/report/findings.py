"""Findings in sentences, written from the numbers, including those that speak against a method.

Every comparison is paired over runs or, on a fixed record, over blocks of its rounds; "clearly" means
that its 95 % interval excludes 0, which in one case of forty on either side it does by chance where
differences are near normal.
"Least" has the interval of a minimum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.claims import judge
from tvgp.study.report.papers import Paper
from tvgp.study.report.wording import joined
from tvgp.study.results import subsets
from tvgp.study.results.advice import difference
from tvgp.study.results.statistics import Estimate, digits, least_mean

TUNED = ("r_gp_ucb", "sw_gp_ucb", "tv_gp_ucb", "w_gp_ucb")
BUDGET_TOLERANCE = 1.05  # evaluations of a control per evaluation of its method
_HOLDS, _FAILS = ("confirmed", "trend agrees"), ("contradicted", "trend disagrees")
_SHOWN = 3  # rows of an answer
SUBSETS = {
    "greedy": "the greedy set, at which the paper's chain of swaps starts,",
    "random": "a random subset",
}


def sentences(collected: xr.Dataset) -> list[str]:
    """Findings of one experiment, the most important first; plain text."""
    part = results.at_alpha(collected)
    published = results.variants(part, "published")
    if not published:
        return ["No published method was run."]
    findings = []
    if results.is_standin(part):
        findings.append(
            "These results come from stand-in data, not from measurements: they show that the"
            " study runs, and say nothing about the real world."
        )
    findings += _best(part)
    findings += _against_references(part, published)
    findings += _effort(part)
    findings += _subsets(part)
    findings += _places(part)
    findings += _same_budget(part)
    findings += _tuning(part)
    findings += _fit(part)
    return findings


def of_paper(
    paper: Paper, claims: Sequence[Mapping[str, Any]], runs: Mapping[str, xr.Dataset], verdicts: Sequence[str]
) -> list[str]:
    """A paper in up to four sentences: what it asked; the answer of `claims`, the rows of the table that it
    names; its method beside a rival chosen beforehand, in the first of its pairs that was run; the verdicts
    on its claims."""
    text = [paper.asked, *_answered(claims, paper.denied)]
    for experiment, method, rival in paper.pairs:
        if experiment in runs:
            part = results.at_alpha(runs[experiment])
            if {method, rival} <= set(part.policy.values):
                text.append(_beside(part, method, rival))
                break
    return [*text, *_judged(verdicts)]


def _answered(rows: Sequence[Mapping[str, Any]], denied: bool) -> list[str]:
    """Yes, no or that it depends, with what was measured; nothing where no row says either."""
    said = [row for row in rows if row["verdict"] in (*_HOLDS, *_FAILS)]
    if not said:
        return []
    holds = {(row["verdict"] in _HOLDS) != denied for row in said}
    so_far = any(row["verdict"].startswith("trend") for row in said)
    word = "It depends" if len(holds) == 2 else ("Yes" if True in holds else "No") + ", so far" * so_far
    found = "; ".join(
        f"{row['experiment']}, {row['quantity']}: {_measured(row)} ({row['verdict']})"
        for row in said[:_SHOWN]
    )
    return [f"{word} ({said[0]['paper']}, {said[0]['item']}). {found}."]


def _measured(row: Mapping[str, Any]) -> str:
    """With its interval, where it has one."""
    interval = f" [{digits(row['low'])}, {digits(row['high'])}]" if row["low"] == row["low"] else ""
    return f"{digits(row['ours'])}{interval}"


def _beside(part: xr.Dataset, method: str, rival: str) -> str:
    d = difference(part, method, rival)
    compared = d.choose("clearly less than", "clearly more than", "not clearly different from")
    spent = [_evaluations(part, name) for name in (method, rival)]
    effort = ""
    if max(spent) > 1:
        rounds = results.round_label(part)
        effort = f"; evaluations per {rounds}: {spent[0]:.3g} against {spent[1]:.3g}"
    return (
        f"{'On stand-in data: ' if results.is_standin(part) else ''}{results.title(part)}:"
        f" {results.label(part, method)} has an average regret of {_average(part, method)},"
        f" {compared} {results.label(part, rival)} ({_difference(d, part)}{effort})."
    )


def _judged(verdicts: Sequence[str]) -> list[str]:
    """How many claims have each verdict."""
    if not verdicts:
        return []
    counts = {word: sum(judge.category(v) == word for v in verdicts) for word in judge.VERDICTS}
    said = {
        "confirmed": "confirmed",
        "trend agrees": "supported by the trend",
        "contradicted": "contradicted",
        "trend disagrees": "opposed by the trend",
        judge.DEPENDS: "decided differently by different readings or experiments",
        "inconclusive": "inconclusive",
        "vacuous": "vacuous",
        judge.DATA_DIFFER: "about data that differ from ours",
        judge.SET_UP_DIFFERS: "about a set-up that differs from ours",
        judge.NOT_JUDGED: "not judged",
        "not comparable": "not comparable here",
    }
    listed = [f"{counts[word]} {text}" for word, text in said.items() if counts[word]]
    claims = "claim" if len(verdicts) == 1 else "claims"
    return [f"Of its {len(verdicts)} {claims}: {', '.join(listed)}."]


def _best(part: xr.Dataset) -> list[str]:
    names = results.variants(part, "published")
    least, index = least_mean([results.joined(part, results.final_average(part, name)) for name in names])
    ours = replace(least, low=max(least.low, 0.0))  # NaN stays
    allowed = f", an interval that allows for the choice among {len(names)}" if np.isfinite(ours.low) else ""
    return [
        f"Least average regret of the published methods: {results.label(part, names[index])},"
        f" {ours.shown(_unit(part))}{allowed}."
    ]


def _against_references(part: xr.Dataset, published: list[str]) -> list[str]:
    findings = []
    for reference, doing in (
        ("yesterdays_best", "Playing yesterday's best arm (full information, no model)"),
        ("best_fixed_arm", "Always playing the one arm that is best in hindsight"),
        (
            "preference_order",
            "Playing the first available arm of a preference order fixed in hindsight (several arms)",
        ),
    ):
        if reference not in part.policy.values:
            continue
        beaten = [name for name in published if difference(part, reference, name).sign < 0]
        if not beaten:
            text = "not clearly less than any published method"
        elif len(beaten) == len(published):
            text = "clearly less than every published method"
        else:
            text = f"clearly less than {_list(part, beaten)}"
        findings.append(f"{doing} has an average regret of {_average(part, reference)}: {text}.")
    if "uniform" in part.policy.values:
        poor = [name for name in published if difference(part, name, "uniform").sign >= 0]
        text = f"not clearly better: {_list(part, poor)}" if poor else "all published do better"
        value = _average(part, "uniform")
        findings.append(f"Uniformly random play has an average regret of {value}; {text}.")
    return findings


def _effort(part: xr.Dataset) -> list[str]:
    names = [name for name in subsets.METHODS if name in part.policy.values]
    if not names:
        return []
    listed = " and ".join(f"{results.label(part, n)} {_evaluations(part, n):.3g}" for n in names)
    return [
        f"Evaluations (plays and expert queries) per {results.round_label(part)}: {listed}; methods"
        " without an expert make 1. Their curves are not comparable at equal effort."
    ]


def _subsets(part: xr.Dataset) -> list[str]:
    findings = []
    for method in subsets.METHODS:
        for rule, subset in SUBSETS.items():
            control = subsets.variant(method, rule)
            if {control, method} <= set(part.policy.values):
                d = difference(part, control, method)
                verdict = d.choose("clearly lowers", "clearly raises", "makes no clear difference to")
                findings.append(
                    f"Replacing the exact k-DPP of {results.label(part, method)} by {subset} {verdict}"
                    f" its regret ({_difference(d, part)})."
                )
    return findings


def _places(part: xr.Dataset) -> list[str]:
    """The greedy set over the whole domain, against that of the arms played: only the place differs. It may
    cost more, as few arms may have been played."""
    findings = []
    for asker in subsets.METHODS:
        control, method = (subsets.variant(asker, rule) for rule in ("domain_greedy", "greedy"))
        if not {control, method} <= set(part.policy.values):
            continue
        d = difference(part, control, method)
        spent = [_evaluations(part, name) for name in (control, method)]
        doing = d.choose("clearly lowers", "clearly raises", "makes no clear difference to")
        text = (
            f"{results.label(part, method)}: taking the greedy set over the whole domain instead of the"
            f" arms played {doing} regret ({_difference(d, part)}; {spent[0]:.3g} evaluations per"
            f" {results.round_label(part)} against {spent[1]:.3g})"
        )
        if spent[0] > BUDGET_TOLERANCE * spent[1]:
            text += ": the efforts differ, because few distinct arms had been played"
        elif d.sign <= 0:
            text += ": at this effort the history of plays shows no benefit"
        findings.append(f"{text}.")
    return findings


def _tuning(part: xr.Dataset) -> list[str]:
    gains = []
    for plain in TUNED:
        tuned = f"{plain}_tuned"
        if {tuned, plain} <= set(part.policy.values):
            ours, base = (results.final_average(part, name).mean() for name in (tuned, plain))
            if not base:
                continue
            change = ours / base - 1
            clear = "" if difference(part, tuned, plain).sign else ", not clear"
            gains.append(f"{results.label(part, plain)} {_percent(change)}{clear}")
    if not gains:
        return []
    return [
        "Change of average regret when the window, block, weight or forgetting rate is tuned on"
        f" training seeds instead of set as recommended: {'; '.join(gains)}."
    ]


def _same_budget(part: xr.Dataset) -> list[str]:
    """SparQ and W-SparQ against the best method that spends as many evaluations one by one."""
    found = []
    for method in subsets.METHODS:
        ending = f"_same_budget_{method.removesuffix('_gp_ucb')}"
        rivals = [name for name in results.variants(part) if name.endswith(ending)]
        if method not in part.policy.values or not rivals:
            continue
        rival = min(rivals, key=lambda name: results.final_average(part, name).mean())
        d = difference(part, rival, method, len(rivals))
        compared = d.choose("clearly less than", "clearly more than", "not clearly different from")
        found.append(
            f"With as many evaluations as {results.label(part, method)}, each the argmax of its own upper"
            f" bound, {results.label(part, rival).split(',')[0]} has an average regret of"
            f" {_average(part, rival)}, {compared} that of"
            f" {results.label(part, method)} ({_difference(d, part)})."
        )
    return found


def _fit(part: xr.Dataset) -> list[str]:
    hit = results.bounds_hit(part)
    return [f"The fit ended on a bound: {hit}."] if hit else []


def _evaluations(part: xr.Dataset, variant: str) -> float:
    """Plays and expert queries per round."""
    return float(1 + results.total_queries(part, variant).mean() / part.sizes["round"])


def _average(part: xr.Dataset, variant: str) -> str:
    return results.average(part, variant).shown(_unit(part))


def _percent(change: float) -> str:
    text = f"{change:+.0%}"
    return "0%" if text in ("-0%", "+0%") else text


def _difference(found: Estimate, part: xr.Dataset) -> str:
    return f"paired difference {found.shown(_unit(part))}"


def _unit(part: xr.Dataset) -> str:
    return results.unit_text(results.units(part))


def _list(part: xr.Dataset, names: Sequence[str]) -> str:
    return joined([results.label(part, name) for name in names])
