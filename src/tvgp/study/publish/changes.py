"""Claims whose verdict differs from that of an earlier publication."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

CLAIM = ["kind", "paper", "item", "claimed", "reading", "experiment"]  # what names a row of `claims`


def changed(before: pd.DataFrame, now: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """The rows of both tables of claims whose verdict changed, in the order of `now`: its columns, and those
    of `before` with the ending `_before`."""
    both = _named(now).merge(_named(before), on=CLAIM, suffixes=("", "_before"))
    return both[both.verdict != both.verdict_before].to_dict("records")


def _named(claims: pd.DataFrame) -> pd.DataFrame:
    return claims.fillna({"reading": "", "experiment": ""})
