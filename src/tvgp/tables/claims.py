"""Every published number and statement that runs can check, beside ours, with a verdict.

The verdict comes from the data by one rule for each kind of claim:

confirmed       the 95 % interval supports the claim (for values: within the stated tolerance, or
                the interval holds the claimed value)
contradicted    the interval excludes it
inconclusive    the interval leaves both open
vacuous         the claim would hold for anything: a bound above the largest regret met
not comparable  stand-in data, another horizon, or a variant that was not run
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp import claims
from tvgp import collected as results
from tvgp.claims import Claim
from tvgp.statistics import Estimate
from tvgp.verdicts import KINDS, NotComparable

COLUMNS = ("paper", "item", "experiment", "data", "claimed", "quantity", "ours", "low", "high",
           "verdict", "remark")  # fmt: skip


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per claim and experiment that was run; one row for a claim none was run for."""
    parts = {
        results.name(data): data if results.is_analysis(data) else results.at_alpha(data)
        for data in collected
    }
    table = []
    for claim in claims.CLAIMS:
        present = [name for name in claim.experiments if name in parts]
        missing = [name for name in claim.experiments if name not in parts]
        if claim.together and present and not missing:
            table.append(judge(claim, {name: parts[name] for name in present}))
        elif claim.together or not present:
            table.append(_row(claim, claim.experiments[0], "", "", None, "not comparable",
                              f"not run: {', '.join(missing)}"))  # fmt: skip
        else:
            table.extend(judge(claim, parts[name]) for name in present)
    return pd.DataFrame(table, columns=COLUMNS)


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
    return _row(claim, name, data, quantity, ours, verdict, remark)


def _substitute(parts: list[xr.Dataset]) -> str:
    """What the data stand in for, "" for the data that the claim is about."""
    words = (str(results.fit(part).get("substitute") or "") for part in parts if part.attrs)
    return next((text for text in words if text), "")


def _row(claim, experiment, data, quantity, ours, verdict, remark) -> dict:
    none = Estimate(np.nan, np.nan, np.nan, 0)
    ours = none if ours is None else ours
    values = (claim.paper, claim.item, experiment, data, claim.claimed, quantity, ours.mean,
              ours.low, ours.high, verdict, remark)  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))
