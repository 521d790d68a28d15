"""Published verdicts by today's rules, without running anything again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from tvgp.study.claims import CLAIMS, judge
from tvgp.study.claims.claim import Claim
from tvgp.study.execution import files
from tvgp.study.results import mathematics
from tvgp.study.tables import verdicts


def renew(folder: Path) -> list[Path]:
    """Judge the claims in the tables of all parts anew (`judge.again`); the tables that changed."""
    paths = sorted(folder.glob("*/tables/claims.csv"))
    return [written for path in paths for written in _renewed(path)]


def _renewed(path: Path) -> list[Path]:
    frame, counts = _read(path), path.with_name("verdicts.csv")
    known: dict[Any, Claim] = {
        tuple(map(mathematics.plain, (one.paper, one.item, one.claimed))): one for one in CLAIMS
    }
    groups: dict[Any, list[dict]] = {}
    for row in frame.to_dict("records"):
        groups.setdefault((row["paper"], row["item"], row["claimed"]), []).append(row)
    rows = [judge.again(known[key], each) if key in known else each for key, each in groups.items()]
    new = pd.DataFrame([row for each in rows for row in each], columns=frame.columns)
    if new.equals(frame):
        return []
    cells = _read(counts).query("kind == 'cell'")  # counted from the tables of regimes
    counted = pd.concat([verdicts.counted(new).map(_shown), cells]).fillna("0")
    for table, where in ((new, path), (counted, counts)):
        files.write_text(where, table.to_csv(index=False, lineterminator="\n"))
    return [path, counts]


def _shown(cell: object) -> str:
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)


def _read(path: Path) -> pd.DataFrame:
    """A table with every cell as it is printed."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)
