"""The table `answer` in words: short paragraphs for sensor operators.

"Clearly" means that the interval of the paired difference excludes 0; the intervals allow for the choice of
the method of least regret on the same rounds (`tvgp.study.tables.answer`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tvgp.study.figures.base.style import unit_text
from tvgp.study.report.findings import amount
from tvgp.study.results.statistics import Estimate
from tvgp.study.results.subsets import METHODS

SHOWN = 4  # names in a list
RARE = 0.005  # share of the rounds
FEW = 10  # blocks of rounds
DECISIVE = 2.0  # nats: just above half the 95 % point of chi-squared with one degree of freedom
REFERENCES = {
    "best_fixed_arm": "the best single site, known only afterwards",
    "yesterdays_best": "the best site of the {round} before, which takes a reading of every site",
    "uniform": "a site at random",
}
TEXTS = ("label", "setting", "verdict", "sample", "units")
Row = Mapping[Any, Any]


def paragraphs(frame: pd.DataFrame, round_label: str) -> list[tuple[str, str]]:
    """(heading, text) of one experiment, from its rows of the table, the conclusion first; none where it has
    no rows."""
    found = frame.fillna(dict.fromkeys(TEXTS, "")).to_dict("records")
    parts = {q: [row for row in found if row["question"] == q] for q in frame.question.unique()}
    if "method" not in parts:
        return []
    best = parts["method"][0]
    text = [("Which method", _method(best, parts["method"][1:], round_label))]
    if "reference" in parts:
        text.insert(0, ("In short", _conclusion(parts["reference"], best)))
        text.append(("Beside no method", _references(parts["reference"], best, round_label)))
    if "drift" in parts:
        text.append(("Drift", _drift({row["name"]: row for row in parts["drift"]}, round_label)))
    if "query" in parts:
        text.append(("What a query is worth", _queries(parts["query"], best, round_label)))
    if "reading" in parts:
        text.append(("Can you read before you choose?", _before(parts, round_label)))
    return text


def read(table: Path, experiment: str, round_label: str) -> list[tuple[str, str]]:
    """The paragraphs of one experiment from the table's CSV file."""
    frame = pd.read_csv(table, dtype=dict.fromkeys(TEXTS, str))  # also where all of them are empty
    return paragraphs(frame[frame.experiment == experiment], round_label)


def _method(best: Row, others: Sequence[Row], round_label: str) -> str:
    close = [row for row in others if row["verdict"] != "higher"]
    worse = [row for row in others if row["verdict"] == "higher"]
    named = f"{best['label']} with {best['setting']}" if best["setting"] else best["label"]
    measured = f"{named} has the least regret, {_amount(best)} per {round_label} on average"
    if not others:
        return f"Only one was run: {measured}."
    if not worse:
        return f"No method is clearly better than another. {measured}; no other is clearly worse."
    if not close:
        return f"{measured}, clearly less than every other method."
    return f"{measured}. Not clearly worse: {_list(close)}. Clearly worse: {_list(worse)}."


def _conclusion(references: Sequence[Row], best: Row) -> str:
    """Whether any method is worth its effort, and whether the record is long enough to tell."""
    verdicts = {row["name"]: row["verdict"] for row in references}
    fixed = verdicts.get("best_fixed_arm")
    if verdicts.get("uniform", "higher") != "higher":
        text = "No method is clearly better than a site at random."
    elif fixed == "lower":
        text = "A good single site, once known, is clearly better than any method."
    elif fixed == "higher":
        text = f"{best['label']} is clearly better than any single site."
    else:
        text = "No method is clearly better than the best single site."
    if "blocks" in best["sample"] and int(best["sample"].split()[0]) < FEW:
        text += f" The record is short ({best['sample']}): only large differences can be clear."
    return text


def _references(references: Sequence[Row], best: Row, round_label: str) -> str:
    """Each reference beside the best method."""
    words = {"lower": "clearly less than", "higher": "clearly more than"}
    listed = [
        REFERENCES[row["name"]].format(round=round_label)
        + (f" ({row['setting']})" if row["setting"] else "")
        + f": {_amount(row)}, {words.get(row['verdict'], 'not clearly different from')} {best['label']}"
        for row in references
    ]
    text = "; ".join(listed)
    return f"{text[:1].upper()}{text[1:]}."


def _drift(drift: Mapping[Any, Row], round_label: str) -> str:
    text = []
    if epsilon := drift.get("epsilon"):
        ends = {
            "lower bound": "The fit finds no drift ($ε$ at its lower bound): a reading keeps its worth,"
            " and forgetting cannot help.",
            "upper bound": "The fit finds no memory ($ε$ at its upper bound): a reading says nothing"
            f" about the next {round_label}.",
        }
        inside = (
            f"Half of what a reading tells about its site is gone after {_amount(epsilon)}, by"
            f" {epsilon['setting']}{' from ' + epsilon['sample'] if epsilon['sample'] else ''}."
        )
        text.append(ends.get(epsilon["verdict"], inside))
    if forgetting := drift.get("forgetting"):
        gain = forgetting["value"]
        said = "better than" if gain > DECISIVE else "worse than" if gain < -DECISIVE else "no better than"
        text.append(f"On the training data, this drift predicts the next value {said} no drift does.")
    if season := drift.get("season"):
        text.append(
            f"Read this with care: a yearly wave makes up {season['value']:.0%} of the variance within sites,"
            " and the fit takes it for drift; the key anomaly: harmonic removes it."
        )
    elif "variance" in drift:
        text.append(
            f"Read this with care: the data tell how much values change per {round_label}, not how far they"
            " can stray, for which the fit takes the spread of the training values."
            if drift["variance"]["verdict"] == "upper bound"
            else "Read this with care: the kernel's variance ended on a bound of the fit."
        )
    return " ".join(text)


def _queries(queries: Sequence[Row], best: Row, round_label: str) -> str:
    """Regret saved per query, in its unit: of SparQ, of W-SparQ, of the best control with as many."""
    clear = [row for row in queries if row["verdict"] == "lower"]
    controls = sorted(
        (row for row in queries if row["name"] not in METHODS), key=lambda row: row["difference"]
    )
    shown = [row for row in queries if row["name"] in METHODS] + controls[:1]
    verdicts = {"lower": "clear", "higher": "clearly none"}
    listed = "; ".join(
        f"{_named(row)} {_amount(row)} ({row['queries_per_round']:.3g} queries per {round_label},"
        f" {verdicts.get(row['verdict'], 'not clear')})"
        for row in shown
    )
    start = f"clearly save regret with {_list(clear)}" if clear else "save no clear regret"
    return (
        f"Further readings of the same {round_label} (queries) {start}. Saved per query, against"
        f" {best['label']}, which uses no expert: {listed}."
    )


def _before(parts: Mapping[Any, Sequence[Row]], round_label: str) -> str:
    """How often it pays to read before the choice, against fixed numbers; where to begin."""
    *fixed, index = parts["reading"]
    best = next(row for row in fixed if row["verdict"] == "least")
    points = [f"{row['value']:.3g} with {row['queries_per_round']:.3g}" for row in fixed]
    curve = ", ".join(dict.fromkeys(points))  # of few sites, the larger numbers read all
    unit = unit_text(str(index["units"]))
    words = {"lower": "clearly less than", "higher": "clearly more than"}
    compared = words.get(index["verdict"], "not clearly different from")
    number = f"{best['queries_per_round']:.3g}"
    text = [
        "If so, read one site after another, and choose then. Regret by readings per"
        f" {round_label}{f' ({unit})' if unit else ''}: {curve}."
    ]
    if index["setting"]:
        price = float(index["setting"].removeprefix("price "))
        costs = [row["value"] + price * row["queries_per_round"] for row in (index, best)]
        text.append(
            f"At a price of {price:g} per reading, the index stops after {index['queries_per_round']:.3g} on"
            f" average: {costs[0]:.3g} per {round_label}, regret and readings together, {compared} the"
            f" {costs[1]:.3g} of the best fixed number, {number}, which is known only afterwards."
        )
    else:
        text.append(
            f"The index makes {index['queries_per_round']:.3g} readings on average, by its budget, and has"
            f" regret {_amount(index)}, {compared} {number} every {round_label}."
        )
    days = [f"{row['name']} on {row['value']:.0%}" for row in parts["readings"] if row["value"] >= RARE]
    text.append(f"Readings that it made, by share of the {round_label}s: {', '.join(days)}.")
    if first := [str(row["name"]) for row in parts.get("first", ())]:
        text.append(f"Before anything has been read, begin with {', then '.join(first)}.")
    text.append(
        "If you can read only after the choice, for the next one, see what a query is worth."
        if "query" in parts
        else ""
    )
    return " ".join(filter(None, text))


def _named(row: Row) -> str:
    """A control is a method with the budget of another."""
    return str(row["label"]).replace(", ", " with ")


def _list(rows: Sequence[Row]) -> str:
    labels = [_named(row) for row in rows]
    if len(labels) > SHOWN:
        return f"{', '.join(labels[:SHOWN])} and {len(labels) - SHOWN} more"
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} and {labels[-1]}"


def _amount(row: Row) -> str:
    unit, _, _ = str(row["units"]).partition("per query")
    return amount(Estimate(row["value"], row["low"], row["high"], 0), unit_text(unit.strip()))
