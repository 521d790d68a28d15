"""Words for rows of the table `answer`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tvgp.study.results import unit_text
from tvgp.study.results.statistics import Estimate, digits

SHOWN = 4  # names in a list
TEXTS = ("label", "setting", "verdict", "sample", "units")
Row = Mapping[Any, Any]
Parts = Mapping[Any, Sequence[Row]]


def row_of(parts: Parts, question: str, name: str) -> Row | None:
    """The row of a name; None without one."""
    return next((row for row in parts.get(question, ()) if row["name"] == name), None)


def amount(row: Row) -> str:
    """Value, unit and interval, if it has one, of what cannot be negative."""
    if row["low"] != row["low"]:
        return number(row)
    found = Estimate(row["value"], max(row["low"], 0.0), row["high"], 0)
    return found.shown(unit_text(str(row["units"])))


def number(row: Row) -> str:
    """Value and unit."""
    return f"{digits(row['value'])} {unit_text(str(row['units']))}".strip()


def label(row: Row) -> str:
    """A control is a method with the budget, or under the model, of another."""
    return str(row["label"]).replace(", ", " with ")


def compared(row: Row) -> str:
    """The verdict on a difference."""
    return {"lower": "clearly less", "higher": "clearly more"}.get(row["verdict"], "not clearly different")


def with_setting(row: Row) -> str:
    """Name and setting."""
    if str(row["setting"]).startswith("site "):
        return f"{label(row)} ({row['setting']})"
    return f"{label(row)} with {row['setting']}" if row["setting"] else label(row)


def listed(rows: Sequence[Row]) -> str:
    """Some names and the number of the others."""
    labels = [label(row) for row in rows]
    if len(labels) > SHOWN:
        return f"{', '.join(labels[:SHOWN])} and {len(labels) - SHOWN} more"
    return joined(labels)


def joined(labels: Sequence[str]) -> str:
    """One label, or several with an "and"."""
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} and {labels[-1]}"
