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

import pandas as pd
import xarray as xr

from tvgp.plugins import NoParameters as Parameters
from tvgp.study import claims, results
from tvgp.study.claims.judge import COLUMNS, judge, row


def rows(collected: list[xr.Dataset], parameters: Parameters) -> pd.DataFrame:
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
            table.append(
                row(
                    claim,
                    claim.experiments[0],
                    "",
                    "",
                    None,
                    "not comparable",
                    f"not run: {', '.join(missing)}",
                )
            )
        else:
            table.extend(judge(claim, parts[name]) for name in present)
    return pd.DataFrame(table, columns=COLUMNS)
