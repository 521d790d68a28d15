"""The verdict of a claim, computed from results by the claim's kind."""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.claims.claim import Claim
from tvgp.study.claims.measures import KINDS, NotComparable
from tvgp.study.results.statistics import Estimate

COLUMNS = (
    "paper",
    "item",
    "experiment",
    "data",
    "claimed",
    "quantity",
    "ours",
    "low",
    "high",
    "verdict",
    "remark",
)


def judge(claim: Claim, part: xr.Dataset | dict[str, xr.Dataset]) -> dict:
    """Measure what the claim is about and compare; of several parts, by name, at once."""
    several = list(part.values()) if isinstance(part, dict) else [part]
    name = ", ".join(map(results.name, several))
    data = ", ".join(dict.fromkeys(str(one.attrs["data"]) for one in several))
    rounds = [one.sizes["round"] for one in several if "round" in one.sizes]
    quantity, ours, remark = "", None, claim.remark
    try:
        quantity, ours, verdict, note = KINDS[claim.kind](part, **claim.arguments)
        remark = "; ".join(text for text in (note, remark) if text)
        if any(map(results.is_standin, several)):
            verdict = "not comparable"
            remark = "stand-in data, not measurements" + (f"; {remark}" if remark else "")
        elif "value" in claim.arguments and (other := _substitute(several)):
            verdict = "not comparable"
            remark = f"{other}" + (f"; {remark}" if remark else "")
        elif claim.horizon is not None and set(rounds) != {claim.horizon}:
            verdict = "not comparable"
            remark = f"{max(rounds, default=0)} rounds here, {claim.horizon} claimed" + (
                f"; {remark}" if remark else ""
            )
        elif data == "real":
            remark = "; ".join(t for t in (remark, "other years and places than the paper's") if t)
    except NotComparable as reason:
        verdict, remark = "not comparable", str(reason)
    if ours is not None and ours.runs == 1:
        remark = "; ".join(text for text in (remark, "one run, no interval") if text)
    return row(claim, name, data, quantity, ours, verdict, remark)


def _substitute(parts: list[xr.Dataset]) -> str:
    """What the data stand in for, "" for the data that the claim is about."""
    words = (str(results.fit(part).get("substitute") or "") for part in parts if part.attrs)
    return next((text for text in words if text), "")


def row(claim, experiment, data, quantity, ours, verdict, remark) -> dict:
    none = Estimate(np.nan, np.nan, np.nan, 0)
    ours = none if ours is None else ours
    values = (
        claim.paper,
        claim.item,
        experiment,
        data,
        claim.claimed,
        quantity,
        ours.mean,
        ours.low,
        ours.high,
        verdict,
        remark,
    )
    return dict(zip(COLUMNS, values, strict=True))
