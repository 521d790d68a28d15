"""The table `answer` in words, in the order in which sensor operators need it: what to do, what to expect,
what readings are worth, how the sites drift, what was chosen and why.

"Clearly" means that the interval of the paired difference excludes 0; what the intervals allow for is in
`tvgp.study.results.advice`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from tvgp.study.report import answer_on_drift, answer_on_readings
from tvgp.study.report.wording import (
    TEXTS,
    Parts,
    Row,
    amount,
    compared,
    label,
    listed,
    number,
    row_of,
    with_setting,
)
from tvgp.study.results import advice

COVARIANCES = {"se": "a squared-exponential", "matern32": "a Matérn 3/2", "empirical": "an empirical"}
FEW = 10  # blocks of rounds
UP_TO_READINGS = ("What to do", "What to expect", answer_on_readings.CURVES)  # before their figure and table
REFERENCES = {
    advice.RULE: "the best site of the training part, else the next best",
    "preference_order": "the best site in hindsight, else the next best, known only afterwards",
    "best_fixed_arm": "the best single site in hindsight, known only afterwards",
    "yesterdays_best": "the best site of the {round} before (a random one in the first), which takes a"
    " reading of every site",
    "uniform": "a site at random",
    "best_of_hour": "the best site of the same hour of the day in the training part, else the next best",
}
SAME_MEAN = "one and the same site, as none is best in training once its season is subtracted"


def as_written(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with the digits of its file, from which `tvgp run` takes its sentences: where three digits
    are said of 1.0650000001, the report would have 1.07 and the command 1.06."""
    return frame.map(lambda cell: float(f"{cell:.6g}") if isinstance(cell, float) else cell)


def paragraphs(frame: pd.DataFrame, round_label: str) -> list[tuple[str, str]]:
    """(heading, text) of one experiment, from its rows of the table, what to do first; none where it has no
    rows."""
    found = frame.fillna(dict.fromkeys(TEXTS, "")).to_dict("records")
    parts = {q: [row for row in found if row["question"] == q] for q in frame.question.unique()}
    if "advice" not in parts:
        return []
    text = {
        "What to do": _advice(parts, round_label),
        "What to expect": _expected(parts, round_label),
        **answer_on_readings.paragraphs(parts, round_label),
        "Drift": answer_on_drift.paragraph(parts, round_label),
        "What was chosen, and why": _why(parts),
        "Other methods": _methods(parts["method"], round_label),
        "Asking an expert": _experts(parts, round_label),
    }
    return [(heading, said) for heading, said in text.items() if said]


def read(table: Path, experiment: str, round_label: str) -> list[tuple[str, str]]:
    """The paragraphs of one experiment from the table's CSV file."""
    kinds = dict.fromkeys((*TEXTS, "name"), str)  # also where all of them are empty; NA may name a site
    frame = pd.read_csv(table, dtype=kinds, keep_default_na=False, na_values=[""])
    return paragraphs(frame[frame.experiment == experiment], round_label)


def _advice(parts: Parts, round_label: str) -> str:
    """The rule or the method, whether it is clearly better, and how many readings to make."""
    best = parts["advice"][0]
    anomalies = "about" in parts
    if best["name"] == advice.RULE and anomalies:
        text = [
            f"Keep to one site, such as {best['setting']}: less what was subtracted, all have one mean in"
            " the training part, and no method is clearly better than any of them."
        ]
    elif best["name"] == advice.RULE:
        text = [
            f"Read {best['setting'] or 'one site'} every {round_label}, the site with the best mean in the"
            " training part, or the next best where it has no value. No method is clearly better than this"
            " rule."
        ]
    else:
        text = [f"Use {with_setting(best)}: one reading per {round_label}."]
        if rule := row_of(parts, "reference", advice.RULE):
            other = "keeping to one site" if anomalies else "reading the best site of the training part"
            if best["verdict"] == "lower":
                text.append(f"It is clearly better than {other} ({number(rule)}).")
            else:
                own, its = (row_of(parts, "evidence", name) for name in (best["name"], advice.RULE))
                whole = own and its and own["value"] < its["value"]
                text.append(
                    f"It had less regret than {other}{' over the whole record' if whole else ''}, but in the"
                    f" part after training the difference is not clear ({number(best)} and {number(rule)})."
                )
    if (hour := row_of(parts, "reference", "best_of_hour")) and hour["verdict"] == "lower":
        which = f" ({hour['setting']})" if hour["setting"] else ""
        text.append(
            "But the best site depends on the hour of the day: reading the one that was best at that hour in"
            f" the training part{which}, which needs no method, has clearly less regret ({number(hour)})."
        )
    if anomalies:
        text.insert(
            0,
            "What follows answers which site is best relative to its own season, because that was subtracted,"
            " not which site has the best value.",
        )
    if (random := row_of(parts, "reference", "uniform")) and random["verdict"] != "higher":
        text.append("It is not clearly better than a site at random.")
    text.append(answer_on_readings.advice(parts, round_label))
    if "blocks" in best["sample"] and int(best["sample"].split()[0]) < FEW:
        text.append(f"The record is short ({best['sample']}): only large differences can be clear.")
    return " ".join(filter(None, text))


def _expected(parts: Parts, round_label: str) -> str:
    """The regret of what is recommended, and of doing without it."""
    best = parts["advice"][0]
    names = REFERENCES | ({advice.RULE: SAME_MEAN} if "about" in parts else {})
    beside = [
        names[row["name"]].format(round=round_label)
        + (f" ({row['setting']})" if row["setting"] else "")
        + f": {amount(row)}, {compared(row)}"
        for row in parts.get("reference", ())
        if row["name"] != best["name"]
    ]
    own = " (in brackets the 95 % interval of each by itself)" if best["low"] == best["low"] else ""
    return (
        f"A regret of {amount(best)} per {round_label} with one reading: the gap to the best site of the same"
        f" {round_label}{own}." + (f" Beside it: {'; '.join(beside)}." if beside else "")
    )


def _why(parts: Parts) -> str:
    """How the advice was chosen, and between what."""
    if "evidence" not in parts:
        return ""
    best, first, rule = parts["advice"][0], parts["evidence"][0], row_of(parts, "evidence", advice.RULE)
    evidence = [f"{label(row)} {number(row)}" for row in parts["evidence"]]
    text = (
        f"The field's model was chosen and fitted on the training part alone{_model(parts)}. Regrets over the"
        " whole record, its training part replayed a quarter at a time with what the other quarters tell:"
        f" {', '.join(evidence)}."
    )
    if row_of(parts, "method", advice.RULE) is None:
        return (
            f"{text} The best site of the training part was not played, so {label(best)}, which has the least"
            " regret after that part, is advised, clear or not."
        )
    if best["name"] not in (first["name"], advice.RULE):
        return (
            f"{text} {label(best)} is clearly better than the choice among these, although it was found on"
            f" the same rounds among {len(parts['method'])} methods, for which its interval allows."
        )
    if best["name"] != first["name"] and not (rule and rule["value"] == first["value"]):
        text += f" The first is clearly worse than {label(best)} after the training part."
    return (
        f"{text} None of {len(parts['method']) - len(evidence)} other methods is clearly better than"
        f" {label(best)}, if one allows for the choice among them."
    )


def _model(parts: Parts) -> str:
    """The mean, covariance and time of the model chosen in training, in words."""
    model = row_of(parts, "scale", "model")
    if model is None:
        return ""
    mean, covariance, time = str(model["setting"]).split()
    means = {"site": "a mean for each site", "common": "one mean"}
    times = {"static": "no movement", "one": "one time scale", "two": "two time scales"}
    return f": {means[mean]}, {COVARIANCES.get(covariance, covariance)} covariance, {times[time]}"


def _methods(methods: Sequence[Row], round_label: str) -> str:
    """The method of least regret, which of the others are clearly worse, and which settings end a grid."""
    best, others = methods[0], methods[1:]
    close = [row for row in others if row["verdict"] != "higher"]
    worse = [row for row in others if row["verdict"] == "higher"]
    measured = f"{with_setting(best)} has the least regret, {amount(best)} per {round_label} on average"
    if not others:
        return f"Only one was run: {measured}."
    measured = measured[0].upper() + measured[1:]
    if not worse:
        return f"No method is clearly better than another. {measured}; no other is clearly worse."
    if not close:
        return f"{measured}, clearly less than every other method."
    return f"{measured}. Not clearly worse: {listed(close)}. Clearly worse: {listed(worse)}."


def _experts(parts: Parts, round_label: str) -> str:
    """Methods that ask about other sites after the choice, beside the advice."""
    best = parts["advice"][0]
    said = [
        f"{label(row)} {amount(row)} with {row['queries_per_round']:.3g} queries per {round_label},"
        f" {compared(row)}"
        for row in parts.get("query", ())
    ]
    if not said:
        return ""
    return (
        "Methods that ask about further sites after the choice, published ones and controls with their"
        f" budget, against {label(best)}: {'; '.join(said)}."
    )
