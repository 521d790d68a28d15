"""Rows of the table `answer` on drift: memory in rounds, beside the correlations of the training values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.results import mathematics
from tvgp.study.tables.base.rows import stated

YEAR_DAYS = 365.2425
SEASON_DAYS, SEASON_SHARE = 2 * 365, 0.3


def rows(part: xr.Dataset) -> list[dict]:
    """drift: rounds after which a reading counts half (epsilon, gamma) or a tenth (alpha), the verdict is the
    bound at which the fit ended; forgetting: log likelihood of the training values, one step ahead, with
    epsilon less that without drift; variance: only if it ended on a bound; season: share of a yearly wave in
    the variance within sites, only if it is large. correlation: of the training values by lag. scale:
    half-lives of the model chosen in training, and c of its logarithms."""
    fit = results.fit(part)
    halves = {
        "epsilon": lambda e: 2 * np.log(2) / -np.log1p(-e),  # of the correlation (1 - epsilon)^(lag/2)
        "gamma": lambda g: np.log(2) / -np.log(g),  # of the weight gamma^lag
        "alpha": lambda a: 9 ** (1 / a),  # a tenth of the weight 1 / (1 + lag^alpha)
    }
    table = []
    for name, rounds in halves.items():
        if fit.get(name) is None:
            continue
        # with an empirical kernel the interval takes covariance and noise as known, which they are not
        empirical = fit.get("kernel", {}).get("name") == "empirical"
        ends = ({} if empirical else fit.get("intervals_95", {})).get(name, [np.nan, np.nan])
        low, high = sorted(float(rounds(end)) for end in ends)
        origin = "fitted" if name in fit.get("estimated", ()) else "given"
        row = {
            "setting": f"{mathematics.symbol(name)} {fit[name]:.3g} ({origin})",
            "value": float(rounds(fit[name])),
            "low": low,
            "high": high,
            "units": f"{results.round_label(part)}s",
            "verdict": _bound(fit, name),
            "sample": results.training_values(fit),
        }
        table.append(stated(part, "drift", name) | row)
    bound = _bound(fit, "variance")
    if bound:
        row = {"value": fit["kernel"]["variance"], "units": fit.get("units", {}).get("variance", "")}
        table.append(stated(part, "drift", "variance") | row | {"verdict": bound})
    if "reading" in part and (share := _season(part)) > SEASON_SHARE:
        row = {"value": share, "units": "of the variance within sites"}
        table.append(stated(part, "drift", "season") | row)
    table += _correlations(part, fit) + _scales(part, fit)
    ahead = fit.get("predictive", {})
    if {"epsilon", "static"} <= set(ahead):
        gain = {"value": ahead["epsilon"] - ahead["static"], "units": "nats"}
        sample = f"{fit.get('sequence_rounds', '')} training values"
        table.append(stated(part, "drift", "forgetting") | gain | {"sample": sample})
    return table


def _correlations(part: xr.Dataset, fit: Mapping[str, Any]) -> list[dict]:
    """Correlation of the training values, less each site's mean, with those so many rounds later."""
    found = fit.get("chosen", {}).get("correlations", {})
    return [
        stated(part, "correlation", lag) | {"value": value, "units": f"{results.round_label(part)}s"}
        for lag, value in found.items()
    ]


def _scales(part: xr.Dataset, fit: Mapping[str, Any]) -> list[dict]:
    """The model chosen in training, its mean, covariance and time, half-lives of what moves in it, and, if it
    is of logarithms, c and origin of their scale and what reading costs in replays, with it and without."""
    chosen = fit.get("chosen")
    if not chosen:
        return []
    _, _, time = chosen["name"].split()
    slow = chosen["slow_share"]
    table = [stated(part, "scale", "model") | {"setting": chosen["name"]}]
    if scale := chosen.get("log_scale"):
        c, origin = scale[0], results.sign(part["reading"].attrs) * scale[1] + 0.0  # no minus zero
        costs = f"{chosen['cost']:.3g} in place of {chosen['own_cost']:.3g}"
        row = {"value": abs(c), "units": results.units(part), "setting": costs, "sample": f"{origin:.4g}"}
        table.append(stated(part, "scale", "log") | row)
    for name, share in (("fast", 1.0 - slow), ("slow", slow)) if time != "static" else ():
        if share:
            row = {
                "value": float(np.log(2.0) * chosen[f"l_{name}"]),
                "units": f"{results.round_label(part)}s",
            }
            beyond = "beyond training" if row["value"] > chosen["rounds"] else ""
            table.append(stated(part, "scale", name) | row | {"setting": f"{share:.0%}", "verdict": beyond})
    return table


def yearly_share(time: np.ndarray, value: np.ndarray) -> float:
    """Share of the variance within sites that one yearly wave, the same at every site, explains.

    time (n,) datetime64; value (n, sites), NaN where missing: about a site's mean, a least-squares fit of the
    two harmonics. 0 for values that do not vary.
    """
    angle = 2 * np.pi * time.astype("datetime64[D]").astype(float) / YEAR_DAYS
    rows, columns = np.nonzero(np.isfinite(value))
    seen = value[rows, columns]
    means = np.bincount(columns, seen, value.shape[1]) / np.maximum(
        np.bincount(columns, minlength=value.shape[1]), 1
    )
    rest = seen - means[columns]
    waves = np.column_stack([wave(h * angle) for h in (1, 2) for wave in (np.cos, np.sin)])[rows]
    left = rest - waves @ np.linalg.lstsq(waves, rest, rcond=None)[0]
    return float(1 - left.var() / rest.var()) if rest.var() > 0 else 0.0


def _season(part: xr.Dataset) -> float:
    """The share of a yearly wave in records of two years and more, else 0."""
    time = part.time.values.astype("datetime64[D]")
    long = np.ptp(time.astype(int)) >= SEASON_DAYS
    return yearly_share(time, part.reading.transpose("round", "arm").values) if long else 0.0


def _bound(fit: Mapping[str, Any], name: str) -> str:
    """lower bound or upper bound, where a parameter ended on it."""
    hits = [hit.split() for hit in fit.get("bounds_hit", ())]  # such as "alpha at its upper bound 3"
    return next((" ".join(hit[3:5]) for hit in hits if hit[0] == name), "")
