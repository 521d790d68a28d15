"""The one rule that decides a verdict, for every claim and for the tables of regimes.

confirmed       the 95 % interval supports the claim (a printed value: within the tolerance or in
                the interval; a computed value: the condition holds)
contradicted    the interval excludes it
inconclusive    the interval excludes neither, or there is no interval
vacuous         the claim would hold for anything: a bound above the largest possible regret
not comparable  stand-in data, data of another origin, another horizon, or nothing measured
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.claims.claim import (
    Claim,
    Comparison,
    Holds,
    Measured,
    NotComparable,
    Printed,
    Vacuous,
    Within,
)
from tvgp.study.results.statistics import Estimate

VERDICTS = ("confirmed", "contradicted", "inconclusive", "vacuous", "not comparable")


def verdict(ours: Estimate | None, claimed: Comparison | None) -> str:
    """The verdict on a claim, by the rule above; None: there is no estimate, or no claim."""
    if ours is None or claimed is None:
        return "not comparable"
    match claimed:
        case Vacuous():
            return "vacuous"
        case Holds(holds, refutable):
            return _decided(holds, not holds and refutable)
        case Printed(value, tolerance):
            inside = ours.low <= value <= ours.high
            if tolerance is None:
                return _decided(inside, not inside and math.isfinite(ours.low))
            near = abs(ours.mean - value) <= tolerance * abs(value)
            return _decided(near or inside, not (near or inside))
        case Within(least, most, refutable):
            outside = ours.low > most or ours.high < least
            return _decided(least < ours.low and ours.high < most, outside and refutable)


def _decided(supported: bool, excluded: bool) -> str:
    return "confirmed" if supported else "contradicted" if excluded else "inconclusive"


def judge(claim: Claim, parts: Mapping[str, xr.Dataset]) -> list[dict[str, object]]:
    """Rows of the claims table: one per experiment of the claim that is among `parts`; a single row
    where the experiments are judged together or none was run."""
    run = {name: parts[name] for name in claim.experiments if name in parts}
    missing = [name for name in claim.experiments if name not in parts]
    if not run or (claim.together and missing):
        why = f"not run: {', '.join(missing)}"
        return [_row(claim, claim.experiments[0], "", None, "not comparable", why)]
    if claim.together:
        return [_judged(claim, run, run)]
    return [_judged(claim, part, {name: part}) for name, part in run.items()]


def _judged(
    claim: Claim, measured_on: xr.Dataset | Mapping[str, xr.Dataset], parts: Mapping[str, xr.Dataset]
) -> dict[str, object]:
    name = ", ".join(parts)
    data = ", ".join(dict.fromkeys(str(part.attrs["data"]) for part in parts.values()))
    try:
        measured = claim.measure(measured_on, **claim.arguments)
    except NotComparable as reason:
        return _row(claim, name, data, None, "not comparable", str(reason))
    unlike = _unlike(claim, parts.values())
    elsewhere = "other years and places than the paper's" if data == "real" and not unlike else ""
    single = "one run, no interval" if measured.ours.runs == 1 else ""
    remarks = (unlike, measured.note, claim.remark, elsewhere, single)
    judged = "not comparable" if unlike else verdict(measured.ours, measured.claimed)
    return _row(claim, name, data, measured, judged, "; ".join(text for text in remarks if text))


def _unlike(claim: Claim, parts: Iterable[xr.Dataset]) -> str:
    """Why the claim does not apply to these results, "" where it does."""
    parts = list(parts)
    if any(map(results.is_standin, parts)):
        return "stand-in data, not measurements"
    substitutes = [str(results.fit(part).get("substitute") or "") for part in parts]
    if "value" in claim.arguments and any(substitutes):
        return next(filter(None, substitutes))
    rounds = [part.sizes["round"] for part in parts if "round" in part.sizes]
    if claim.horizon is not None and set(rounds) != {claim.horizon}:
        return f"{max(rounds, default=0)} rounds here, {claim.horizon} claimed"
    return ""


def _row(
    claim: Claim, experiment: str, data: str, measured: Measured | None, judged: str, remark: str
) -> dict[str, object]:
    quantity, ours = (measured.quantity, measured.ours) if measured else ("", Estimate.exact(np.nan))
    return {
        "paper": claim.paper,
        "item": claim.item,
        "experiment": experiment,
        "data": data,
        "claimed": claim.claimed,
        "quantity": quantity,
        "ours": ours.mean,
        "low": ours.low,
        "high": ours.high,
        "verdict": judged,
        "remark": remark,
    }
