"""Guesses of the signs in numbers: before fractions, and between thousands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tvgp.study.datasets.tabular.notation import groups


def signs(cells: Sequence[str], given: Mapping[str, Any]) -> tuple[str, str | None]:
    """The decimal sign and that between thousands, None where nothing shows that there is one: both in one
    number, two groups of three digits, or a sign that is no decimal one."""
    if "thousands" in given or "decimal" in given:
        return given.get("decimal", "."), given.get("thousands")
    numbers = {cell for cell in {*cells} if re.fullmatch(r"[-+]?[0-9][0-9., '\u00a0\u202f]*", cell)}
    for sign in (",", ".", "'", "\u00a0", "\u202f", " "):
        signed = [each for each in numbers if sign in each]
        for decimal in ".,":
            s, d = re.escape(sign), re.escape(decimal)
            group = rf"[-+]?[1-9]\d{{0,2}}(?:{s}\d{{3}})"
            shown = rf"{group}+{d}\d+|{group}{{2,}}" + (rf"|{group}+" if sign not in ".," else "")
            known = rf"[-+]?\d+(?:{d}\d*)?|{group}+(?:{d}\d*)?"
            if sign != decimal and any(map(re.compile(shown).fullmatch, signed)):
                if all(re.fullmatch(known, each) for each in numbers):
                    return decimal, sign
    return "," if any(re.fullmatch(r"[-+]?[\d.]*\d,\d+", cell) for cell in numbers) else ".", None


def refuse_doubtful(
    cells: Mapping[str, Sequence[str]], given: Mapping[str, Any], delimiter: str, path: Path
) -> None:
    """ValueError for a column whose signs may stand between thousands as well as before fractions: all its
    numbers are below 1000 or in groups of three digits. Between commas, a point in all is one before
    fractions."""
    if "decimal" in given or "thousands" in given:
        return
    for column, texts in cells.items():
        whole = {text for text in texts if re.fullmatch(r"[-+]?\d{1,3}", text)}
        for sign, other in (",.", ".,"):
            grouped = {text for text in texts if groups(text, sign)}
            if grouped and set(texts) == grouped | whole and (whole or sign == "," or delimiter != ","):
                raise ValueError(
                    f"{path}: {min(grouped)!r} in column {column!r} may be in thousands or a fraction; give"
                    f" --thousands '{sign}' --decimal {other}, or --decimal '{sign}'"
                )
