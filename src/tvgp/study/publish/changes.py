"""Claims whose verdict differs from that of an earlier publication."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

CLAIM = ["kind", "paper", "item", "claimed", "reading", "experiment"]  # what names a row of `claims`


def changed(before: pd.DataFrame, now: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """The rows of `now` whose verdict is another than in `before` or that are new, whose `verdict_before` is
    then "new", in their order: its columns, and those of `before` with the ending `_before`."""
    both = _named(now).merge(_named(before), how="left", on=CLAIM, suffixes=("", "_before"))
    both["verdict_before"] = both.verdict_before.fillna("new")
    return both[both.verdict != both.verdict_before].to_dict("records")


def _named(claims: pd.DataFrame) -> pd.DataFrame:
    return claims.fillna({"reading": "", "experiment": ""})
