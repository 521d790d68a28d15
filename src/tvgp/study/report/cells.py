"""Cells of the page's tables."""

from __future__ import annotations

import math

import pandas as pd

from tvgp.study.results import mathematics


def number(value: float | str | None) -> str:
    """A cell: three significant digits, integers with thin spaces from 1000, a dash for a missing value."""
    if value is None or (isinstance(value, float) and value != value):
        return "–"
    if isinstance(value, bool | str):
        return str(value)
    value = float(value)
    if math.isinf(value):
        return "∞" if value > 0 else "\u2212∞"
    if abs(value) >= 999.5:  # which three digits print as 1e+03
        value = round(value)
    if value == int(value) and abs(value) < 1e12:
        return f"{int(value):,}".replace(",", "\u2009").replace("-", "\u2212")
    return f"{value:.3g}".replace("-", "\u2212")


def table(frame: pd.DataFrame) -> dict:
    """A table for the template: header and rows."""
    return {
        "columns": [mathematics.symbol(str(c)) for c in frame.columns],
        "rows": frame.values.tolist(),
    }
