"""Numbers of claims by kind, paper and verdict: each claim once, however many interpretations it has, and how
many false verdicts to expect among the rows that an interval had to decide. The published cells of the tables
of regimes are counted beside them, each once for every test bed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.claims import judge
from tvgp.study.tables import claims, regimes

CLAIM = ["kind", "paper", "item", "claimed"]  # what the rows of one claim share


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per kind and paper, in the order of the claims table, and one per kind for all papers."""
    return pd.concat([counted(claims.rows(collected)), counted(_cells(collected))], ignore_index=True)


def _cells(collected: list[xr.Dataset]) -> pd.DataFrame:
    """The cells of Tables 1 and 2 of Mauduit25b as claims, where a test bed was run."""
    names = set(map(results.name, collected))
    found = []
    tables = (regimes.Parameters(1), regimes.Parameters(2))
    for parameters in tables if names >= set(regimes.BEDS) else ():
        frame = regimes.rows(collected, parameters)
        for i, row in enumerate(frame[frame.published != regimes.OPEN].to_dict("records")):
            for bed in regimes.BEDS:
                word = row[f"{bed}_verdict"]
                tested = word not in judge.SILENT and np.isfinite(row[f"{bed}_low"])
                said = {"claim_verdict": word, "decided_by": "interval" if tested else ""}
                where = {"item": f"Table {parameters.table}", "claimed": f"{bed} {i}"}
                found.append({"kind": "cell", "paper": "Mauduit25b"} | where | said)
    return pd.DataFrame(found, columns=[*CLAIM, "claim_verdict", "decided_by"])


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
