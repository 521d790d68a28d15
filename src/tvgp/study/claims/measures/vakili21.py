"""Measurements for Vakili21: sparse beside exact Thompson sampling."""

from __future__ import annotations

import numpy as np

from tvgp.study.claims.measures.verdict import at, finite_or
from tvgp.study.results.statistics import paired_difference


def same_regret(part, series, d, tolerance):
    """R_T of sparse Thompson sampling with m by the rule against exact Thompson sampling's, paired,
    relative to the latter's mean: confirmed where the whole interval is within the tolerance."""
    runs = part.regret.transpose("part", "size", "seed")
    sparse = at(runs, part=f"{series}_{d}d", size="rule").values
    exact = at(runs, part=f"exact_{d}d", size="exact").values
    ours = paired_difference(sparse / exact.mean(), exact / exact.mean())
    m = int(part.inducing.sel(part=f"{series}_{d}d", size="rule"))
    quantity = f"R_T of {series}, m = {m}, minus exact, over the mean of exact"
    if -tolerance <= finite_or(ours.low, -np.inf) and finite_or(ours.high, np.inf) <= tolerance:
        verdict = "confirmed"
    elif ours.low > tolerance or ours.high < -tolerance:
        verdict = "contradicted"
    else:
        verdict = "inconclusive"
    return quantity, ours, verdict, f"same = within {tolerance:.0%}"


KINDS = (same_regret,)
