"""Paired differences of average regret: against the best published method and the controls.

Runs with the same seed have the same environment and noise, so differences are taken run by run. On a
fixed record, whose runs differ in ties and subsets only, they are taken block by block of its rounds
(`tvgp.study.results.blocks`), and `bootstrap_low` and `bootstrap_high` are the same interval by a block
bootstrap over rounds, somewhat narrower; the verdict is by low and high.
Each interval has level 95 %, without adjustment for the number of comparisons: one row in forty is expected
to say "lower" wrongly where differences are near normal, and one "higher". The best published method is the
one with the least mean in the same runs, which favours it slightly.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.results.blocks import bootstrap_interval
from tvgp.study.results.statistics import mean_interval

CONTROLS = (
    "prior_order",
    "uniform",
    "best_fixed_arm",
    "preference_order",
    "yesterdays_best",
    "sparq_domain_greedy",
    "w_sparq_domain_greedy",
    "sparq_random_subset",
    "sparq_greedy_subset",
    "sparq_aged_answers",
)


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (experiment, variant, reference): difference = variant - reference, negative
    where the variant has less regret; sample = what the interval is taken over;
    share_lower = share of runs or blocks in which the variant has less."""
    table = []
    for data in collected:
        part = results.at_alpha(data)
        names = results.variants(part)
        best = results.best_published(part)
        for name in names:
            roles = {best: "best published"} if best else {}
            own = str(part.algorithm.sel(policy=name).item())
            if str(part.group.sel(policy=name).item()) == "tuned" and own in names:
                roles.setdefault(own, "same algorithm, recommended setting")
            for control in CONTROLS:
                if control in names:
                    roles.setdefault(control, "control")
            for reference, role in roles.items():
                if reference != name:
                    table.append(_row(part, name, reference, role))
    columns = (
        "experiment",
        "data",
        "policy",
        "reference",
        "role",
        "difference",
        "low",
        "high",
        "bootstrap_low",
        "bootstrap_high",
        "sample",
        "share_lower",
        "units",
        "verdict",
    )
    return pd.DataFrame(table, columns=columns)


def _row(part: xr.Dataset, name: str, reference: str, role: str) -> dict:
    sample = results.differences(part, name, reference)
    difference = mean_interval(sample)
    drawn = np.nan, np.nan
    if "block" in part.attrs:
        daily = results.of(part, "regret", name).variable - results.of(part, "regret", reference).variable
        names = str(part.attrs["experiment"]), name, reference
        length = part.sizes["round"] // len(sample)
        drawn = bootstrap_interval(daily.mean("seed").values, length, *names)
    return {
        "experiment": part.attrs["experiment"],
        "data": part.attrs["data"],
        "policy": name,
        "reference": reference,
        "role": role,
        **difference.columns("difference", ""),
        "bootstrap_low": drawn[0],
        "bootstrap_high": drawn[1],
        "sample": results.sample_words(part, len(sample)),
        "share_lower": (sample < 0).mean(),
        "units": results.units(part),
        "verdict": difference.verdict,
    }
