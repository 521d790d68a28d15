"""Bogunovic16, Fig. 2a: how likely the published values are under each length-scale."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study.papers.bogunovic16 import EPSILONS, LABELS, READING_ERROR, SQUARED_EXPONENTIAL

PUBLISHED_TRIALS = 200


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per length-scale: the ratio of our average regret to the published one for each policy and
    epsilon, and the likelihood of the six published values.

    log_likelihood: sum of log N(published; ours, v), less that of the likeliest length-scale, with v =
    sd^2 (1 / runs + 1 / 200) + s^2, sd of our runs, s the standard deviation of a reading; share: of the sum
    of likelihoods over the length-scales tried; chi_square: sum of squared differences over v.
    """
    data = collected[0]
    table = []
    for part in map(str, data.part.values):
        one = data.sel(part=part)
        row: dict[str, object] = {"length_scale": float(one.length_scale), "runs": data.sizes["seed"]}
        log_likelihood, chi_square = 0.0, 0.0
        for policy, published in SQUARED_EXPONENTIAL.items():
            for epsilon, value in zip(EPSILONS.values(), published, strict=True):
                ours = one.average.sel(policy=policy, epsilon=epsilon).values
                spread = ours.std(ddof=1) ** 2 if len(ours) > 1 else np.nan
                variance = spread * (1 / len(ours) + 1 / PUBLISHED_TRIALS) + READING_ERROR**2
                square = (value - ours.mean()) ** 2 / variance
                chi_square += square
                log_likelihood -= 0.5 * (square + np.log(2 * np.pi * variance))
                row[f"{LABELS[policy]}, {epsilon:g}"] = ours.mean() / value
        table.append(row | {"chi_square": chi_square, "log_likelihood": log_likelihood})
    frame = pd.DataFrame(table).sort_values("length_scale", ignore_index=True)
    frame["log_likelihood"] -= frame["log_likelihood"].max()
    likelihood = np.exp(frame["log_likelihood"])
    return frame.assign(share=likelihood / likelihood.sum())
