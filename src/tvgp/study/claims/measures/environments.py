"""Measurements on the cards of environments."""

from __future__ import annotations

import xarray as xr

from tvgp.study import results
from tvgp.study.claims.claim import Holds, Measured
from tvgp.study.results.statistics import Estimate


def never_moves(part: xr.Dataset, still: bool) -> Measured:
    """Rounds in which the best arm differs from that of the round before: none, or some."""
    card = results.card(part)
    moves, fixed = card["optimum_moves"], card["best_fixed_regret"]
    note = f"regret of the best fixed arm: {fixed:.3g}"
    return Measured("changes of the optimal arm", Estimate.exact(moves), Holds((moves == 0) == still), note)
