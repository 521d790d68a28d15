"""Positions of sites, from a table of sites or from the readings themselves."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

from tvgp.study.data import csv_tables, raw_files
from tvgp.study.datasets.tabular import header
from tvgp.study.datasets.tabular.notation import Notation, groups

_COMPASS = re.compile(r"([0-9.,]+) ?°? ?([NSEW])", re.IGNORECASE)


@dataclass(frozen=True)
class Position:
    """Two coordinates, north and east or y and x, and their texts in the file."""

    values: tuple[float, float]
    texts: list[str]


def coordinate(text: str, column: str, where: str, plan: Notation | None) -> float:
    """A coordinate such as -3.5, 3,5 or 3.5W, NaN for an empty cell. ValueError for any other text.

    plan: how coordinates on a plan are written, where 1,250 may be 1250; None for degrees.
    """
    text = text.strip()
    found = _COMPASS.fullmatch(text)
    plain = found[1] if found else text
    value = plan.number(plain) if plan else math.nan
    if math.isnan(value) and not (plan and (groups(plain, ",") or groups(plain, "."))):
        value = csv_tables.number(plain.replace(",", "."))
    if text in ("", "NA", "NaN", "nan"):
        return math.nan
    if not math.isfinite(value):
        raise ValueError(
            f"{where}: {text!r} in column {column!r} is not a coordinate; expected 48.85 or 2.35W, without"
            " signs between thousands"
        )
    return -value if found and found[2] in "SWsw" else value


def read(path: Path, site: str, columns: tuple[str, str], plan: Notation | None) -> dict[str, Position]:
    """Position of each site in a table of sites (.csv); plan: as of `coordinate`. ValueError, naming the
    line, for a repeated site or an invalid coordinate; sites without a position are left out."""
    raw_files.check(path)
    result: dict[str, Position] = {}
    seen: dict[str, int] = {}
    with csv_tables.tables(path) as tables:
        for label, stream in tables:
            records = csv_tables.records(stream, label, header.delimiter(path))
            top, names = next(records, (1, [""]))
            index = header.columns(names, [site, *columns], f"{label}, line {top}")
            for line, cells in records:
                where, name = f"{label}, line {line}", cells[index[site]].strip()
                if name in seen:
                    raise ValueError(
                        f"{where}: site {name!r} is also in line {seen[name]}; keep one line per site"
                    )
                seen[name] = line
                texts = [cells[index[column]] for column in columns]
                both = [
                    coordinate(text, column, where, plan) for text, column in zip(texts, columns, strict=True)
                ]
                if not any(map(math.isnan, both)):
                    result[name] = Position((both[0], both[1]), texts)
    return result
