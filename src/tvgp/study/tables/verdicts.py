"""Numbers of claims by kind, paper and verdict: each claim once, however many interpretations it has, and how
many false verdicts to expect among the rows that an interval had to decide."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study.claims import judge
from tvgp.study.tables import claims

CLAIM = ["kind", "paper", "item", "claimed"]  # what the rows of one claim share


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per kind and paper, in the order of the claims table, and one per kind for all papers."""
    return counted(claims.rows(collected))


def counted(frame: pd.DataFrame) -> pd.DataFrame:
    """The counts of a table of claims."""
    found = []
    for kind, same in frame.groupby("kind", sort=False):
        papers = [(paper, part) for paper, part in same.groupby("paper", sort=False)]
        if len(papers) > 1:
            papers.append(("all", same))
        for paper, part in papers:
            judged = part.drop_duplicates(CLAIM).claim_verdict.map(judge.category)
            tested, false = judge.expected_false(part.decided_by)
            found.append(
                {"kind": kind, "paper": paper, "claims": len(judged)}
                | {word: int((judged == word).sum()) for word in judge.VERDICTS}
                | {"rows_by_interval": tested, "expected_false": false}
            )
    return pd.DataFrame(found)
