"""Statements of the papers, facts and hypotheses of our own, beside what was measured, with the
verdicts of `tvgp.study.claims.judge`: on each row, and on the claim to which it belongs.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import xarray as xr

from tvgp.study import claims, results
from tvgp.study.claims.claim import KINDS
from tvgp.study.claims.judge import judge


@dataclass(frozen=True)
class Parameters:
    """timed: the claims on measured times instead of all others."""

    timed: bool = False


def rows(collected: list[xr.Dataset], parameters: Parameters = Parameters()) -> pd.DataFrame:
    """One row per interpretation of a claim and experiment that was run; one per interpretation
    without a run. The rows of a claim have one paper, item and wording; claims of the papers come
    first, then facts, then hypotheses."""
    parts = {results.name(data): results.at_alpha(data) for data in collected}
    ordered = sorted(
        claims.TIMED if parameters.timed else claims.CLAIMS, key=lambda claim: KINDS.index(claim.kind)
    )
    return pd.DataFrame([row for claim in ordered for row in judge(claim, parts)])
