"""The claims: the matrix of verdicts, and every claim with its rows, figure, data and definition."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module

import pandas as pd

from tvgp.study import claims
from tvgp.study.claims import judge
from tvgp.study.report.links import Links
from tvgp.study.report.pictures import Picture
from tvgp.study.tables import verdicts as verdicts_table


def section(frame: pd.DataFrame, drawn: list[Picture], link: Links, config: Mapping) -> dict:
    """The matrix of verdicts, every claim with its rows and links, and how many false verdicts to expect."""
    tested, false = judge.expected_false(frame.decided_by)
    shown = _anchors(drawn, config)
    defined = _definitions()
    listed: list[dict] = []
    parts: dict[tuple, list[dict]] = {}
    for row in frame.to_dict("records"):
        parts.setdefault(tuple(row[column] for column in verdicts_table.CLAIM), []).append(row)
    for (kind, paper, item, claimed), part in parts.items():
        module, measure = defined[paper, item, claimed]
        rows = [
            row
            | {
                "figure": next((shown[n] for n in row["experiment"].split(", ") if n in shown), ""),
                "netcdf": [(n, link.results(n)) for n in row["experiment"].split(", ") if link.results(n)],
            }
            for row in part
        ]
        listed.append(
            {
                "kind": kind,
                "paper": paper,
                "item": item,
                "claimed": claimed,
                "first": not any((c["kind"], c["paper"]) == (kind, paper) for c in listed),
                "verdict": rows[0]["claim_verdict"],
                "category": judge.category(rows[0]["claim_verdict"]),
                "rows": rows,
                "definition": link.source(module),
                "defined_in": f"{module.rpartition('.')[2]}.py, measured by {measure}",
            }
        )
    return {
        "matrix": verdicts_table.counted(frame).to_dict("records"),
        "verdicts": judge.VERDICTS,
        "listed": listed,
        "csv": link.table("claims.csv"),
        "counts_csv": link.table("verdicts.csv"),
        "tested": tested,
        "false": false,
    }


def _anchors(drawn: list[Picture], config: Mapping) -> dict[str, str]:
    """The figure that shows an experiment or analysis: its own first, or the first over several."""
    shown: dict[str, str] = {}
    for picture in drawn:
        for name in over(picture.name, "figures", config) if picture.experiment == "across" else ():
            shown.setdefault(name, picture.anchor)
    own: dict[str, str] = {}
    for picture in drawn:
        own.setdefault(picture.experiment, picture.anchor)
    return shown | own


def over(name: str, kind: str, config: Mapping) -> list[str]:
    """The experiments and analyses that a figure or table over several reads."""
    over = config.get(kind, {}).get(name, {}).get("over", [])
    return [] if over == "all" else list(over)


def _definitions() -> dict[tuple[str, str, str], tuple[str, str]]:
    """The module of each claim and the function that measures it."""
    found = {}
    for info in pkgutil.iter_modules(claims.__path__, f"{claims.__name__}."):
        for claim in getattr(import_module(info.name), "CLAIMS", ()):
            where = f"measures/{claim.measure.__module__.rpartition('.')[2]}.py"
            measure = f"{claim.measure.__name__} in {where}"
            found[claim.paper, claim.item, claim.claimed] = info.name, measure
    return found
