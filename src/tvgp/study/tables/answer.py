"""The answer for sensor operators: which method, at which settings, by how much; what the fit says about
drift; what a query is worth. For experiments on data; synthetic rewards have no rows.

Methods compete if they can be used: they know nothing of the future, read one site per round and ask no
expert. Their regret has a 95 % interval. Every comparison is with the method of least regret, which is
chosen among k on the same rounds, so its interval has level 1 - 0.05/k (Bonferroni): a statement about a
given method or reference is wrong in at most one of forty cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from tvgp import kernels, value_of_information
from tvgp.policies import pandora_gp_ucb
from tvgp.posterior import Prior
from tvgp.study import results
from tvgp.study.results import mathematics, readings, subsets
from tvgp.study.results.statistics import LEVEL, Estimate, mean_interval
from tvgp.study.tables.comparisons import verdict
from tvgp.theory.schedules import recommended_discount, recommended_window

REFERENCES = ("best_fixed_arm", "yesterdays_best", "uniform")
SAME_BUDGET = "sequential_query_ucb"  # the algorithm of the controls with as many evaluations
YEAR_DAYS = 365.2425
SEASON_DAYS, SEASON_SHARE = 2 * 365, 0.3
MANY = 10**9
READ = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 5), (6, 10), (11, MANY))  # readings in a round, counted together
FIRST = 5  # sites
COLUMNS = (
    "experiment",
    "data",
    "question",
    "name",
    "label",
    "setting",
    "value",
    "low",
    "high",
    "units",
    "difference",
    "difference_low",
    "difference_high",
    "verdict",
    "queries_per_round",
    "sample",
)
# Setting and its value of the plain variants whose papers recommend one from T and the information gain.
_RECOMMENDED: dict[str, tuple[str, Callable[[Prior, float, int], float]]] = {
    "r_gp_ucb": ("block length", recommended_window),
    "sw_gp_ucb": ("window", recommended_window),
    "w_gp_ucb": ("$γ$", recommended_discount),
    "w_gp_ucb_single": ("$γ$", recommended_discount),
}


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (experiment, question, name), of experiments on data.

    method: average regret of each method, least first; reference: that of yesterday's best, the best single
    site and a random one; query: regret saved per expert query against the least without an expert. In all of
    these difference = regret - the least. drift: rounds after which a reading counts half (epsilon, gamma)
    or a tenth (alpha), the verdict is the bound at which the fit ended; forgetting: log likelihood of the
    training values, one step ahead, with epsilon less that without drift; variance: only if it ended on a
    bound; season: share of a yearly wave in the variance within sites, only if it is large.

    reading: average regret with so many readings before the choice, and of the index; difference = cost, at
    the price of the index, - the least of a fixed number; with a budget, the regrets' difference from the
    fixed number nearest to the readings made. readings: share of the rounds in which the index makes so many.
    first: sites that the index reads first where nothing has been read, with their indices.
    """
    table = []
    for data in collected:
        part = results.at_alpha(data)
        names = _methods(part)
        if part.attrs["data"] == "synthetic" or not names:
            continue
        best, k = names[0], len(names)
        least = results.final_average(part, best)
        for name in names:
            ours = results.final_average(part, name)
            table.append(_row(part, "method", name, mean_interval(ours), _difference(ours, least, k)))
        for name in REFERENCES:
            if name in part.policy.values:
                ours = results.final_average(part, name)
                table.append(_row(part, "reference", name, mean_interval(ours), _difference(ours, least, k)))
        table += _drift(part)
        for name in _askers(part):
            more, unit = _difference(results.final_average(part, name), least, k), results.units(part)
            mean, low, high = (0.0 - x / _queries(part, name) for x in (more.mean, more.high, more.low))
            saved = Estimate(mean, low, high, more.runs)
            row = _row(part, "query", name, saved, more)
            table.append(row | {"units": f"{unit} per query".strip()})
        table += _readings(part)
    return pd.DataFrame(table, columns=COLUMNS)


def _readings(part: xr.Dataset) -> list[dict]:
    """What readings before the choice are worth, where the index was played."""
    index = next((n for n in results.variants(part) if readings.price(n) or readings.budget(n)), None)
    if index is None or readings.NONE not in part.policy.values:
        return []
    price, made = readings.price(index), readings.per_round(part, index)
    fixed = readings.fixed(part, after=False)
    costs = {name: readings.costs(part, name, price or 0.0) for name in (*fixed.values(), index)}
    least = (
        fixed[min(fixed, key=lambda number: abs(number - made))]
        if price is None
        else min(fixed.values(), key=lambda name: costs[name].mean())
    )
    table = []
    for name in costs:
        regret = mean_interval(results.final_average(part, name))
        row = _row(part, "reading", name, regret, mean_interval(costs[name] - costs[least]))
        if name == least:
            row["verdict"] = "least"
        table.append(row | {"setting": "" if price is None else f"price {price:g}"})
    counts = results.of(part, "expert_queries", index).values.astype(int).ravel()
    for low, high in READ:
        share = float(((counts >= low) & (counts <= high)).mean())
        words = str(low) if low == high else f"{low} or more" if high == MANY else f"{low} to {high}"
        table.append(_stated(part, "readings", words) | {"value": share, "units": "of the rounds"})
    return table + _first(part, price)


def _first(part: xr.Dataset, price: float | None) -> list[dict]:
    """The sites whose index exceeds the largest mean where nothing has been read, best first."""
    fit = results.fit(part).get("field")
    if not fit or price is None or "site" not in part:
        return []
    mean, variance = np.array(fit["prior_mean"]), np.diag(fit["kernel"]["covariance"])
    change = value_of_information.change(variance, fit["noise_variance"])
    share = pandora_gp_ucb.Parameters().price_share
    index = value_of_information.pandora_index(mean, change, share * price)
    order = [i for i in np.argsort(-index, kind="stable")[:FIRST] if index[i] > mean.max()]
    return [
        _stated(part, "first", str(part.site.values[i]))
        | {"value": float(index[i]), "units": results.units(part)}
        for i in order
    ]


def _methods(part: xr.Dataset) -> list[str]:
    """Methods that can be used without an expert, least mean regret first."""
    names = [
        name
        for group in ("published", "tuned")
        for name in results.variants(part, group)
        if not results.is_hindsight(part, name) and not results.total_queries(part, name).any()
    ]
    return sorted(names, key=lambda name: results.final_average(part, name).mean())


def _askers(part: xr.Dataset) -> list[str]:
    """SparQ, W-SparQ and the controls with as many evaluations."""
    return [
        name
        for name in results.variants(part)
        if (name in subsets.METHODS or str(results.of(part, "algorithm", name).item()) == SAME_BUDGET)
        and results.total_queries(part, name).any()
    ]


def _queries(part: xr.Dataset, name: str) -> float:
    """Expert queries per round."""
    return float(results.total_queries(part, name).mean() / part.sizes["round"])


def _difference(a: np.ndarray, b: np.ndarray, k: int) -> Estimate:
    """Mean of a - b, paired, with an interval for a method chosen among k."""
    return mean_interval(a - b, 1 - (1 - LEVEL) / k)


def _row(part: xr.Dataset, question: str, name: str, ours: Estimate, difference: Estimate) -> dict:
    is_least = question == "method" and difference.mean == difference.low == difference.high == 0
    return _stated(part, question, name) | {
        "label": results.label(part, name),
        "setting": _setting(part, name),
        "value": ours.mean,
        "low": ours.low,
        "high": ours.high,
        "units": results.units(part),
        "difference": difference.mean,
        "difference_low": difference.low,
        "difference_high": difference.high,
        "verdict": "least" if is_least else verdict(difference),
        "queries_per_round": _queries(part, name),
        "sample": results.sample_words(part),
    }


def _stated(part: xr.Dataset, question: str, name: str) -> dict:
    return {
        "experiment": part.attrs["experiment"],
        "data": part.attrs["data"],
        "question": question,
        "name": name,
    }


def _setting(part: xr.Dataset, name: str) -> str:
    """The one number by which a method remembers, and its origin; the site of the best single one."""
    fit, tuned = results.fit(part), results.tuned(part).get(name)
    if tuned:
        return f"{mathematics.symbol(tuned['parameter'])} {tuned['value']:.3g}"
    if name == "best_fixed_arm" and "site" in part:
        played = results.of(part, "arm", name).values.ravel()
        return f"site {part.site.values[np.bincount(played).argmax()]}"
    if name == "tv_gp_ucb" and fit.get("epsilon") is not None:
        return f"$ε$ {fit['epsilon']:.3g} (fitted)"
    if name == "ui_gp_ucb":
        alpha = str(part.alpha.item())
        return f"$α$ {fit['alpha']:.3g} (fitted)" if alpha == "fit" else f"$α$ {alpha}"
    if name in _RECOMMENDED:
        word, recommended = _RECOMMENDED[name]
        prior = Prior.of(part.arms.values, kernels.make(**fit["kernel"]))
        return f"{word} {recommended(prior, fit['noise_variance'], _last(part)):.3g} (recommended)"
    return ""


def _last(part: xr.Dataset) -> int:
    """t of the last round, 1 for the first, in steps of the record: those without any reading count."""
    if "time" not in part:
        return int(part.sizes["round"])
    unit = {"month": "M", "year": "Y"}.get(results.round_label(part), "s")
    steps = np.diff(part.time.values.astype(f"datetime64[{unit}]")).astype(int)
    return 1 + int(steps.sum() // steps.min()) if len(steps) else 1


def _drift(part: xr.Dataset) -> list[dict]:
    """What the memory parameters of the fit mean in rounds."""
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
            "sample": _trained(fit),
        }
        table.append(_stated(part, "drift", name) | row)
    bound = _bound(fit, "variance")
    if bound:
        row = {"value": fit["kernel"]["variance"], "units": fit.get("units", {}).get("variance", "")}
        table.append(_stated(part, "drift", "variance") | row | {"verdict": bound})
    if "reading" in part and (share := _season(part)) > SEASON_SHARE:
        row = {"value": share, "units": "of the variance within sites"}
        table.append(_stated(part, "drift", "season") | row)
    ahead = fit.get("predictive", {})
    if {"epsilon", "static"} <= set(ahead):
        gain = {"value": ahead["epsilon"] - ahead["static"], "units": "nats"}
        sample = f"{fit.get('sequence_rounds', '')} training values"
        table.append(_stated(part, "drift", "forgetting") | gain | {"sample": sample})
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


def _trained(fit: Mapping[str, Any]) -> str:
    """How many training values the fit has used."""
    if not fit.get("points"):
        return ""
    available = fit.get("points_available", 0)
    share = f" of {available}" if available > fit["points"] else ""
    return f"{fit['points']}{share} training values"


def _season(part: xr.Dataset) -> float:
    """The share of a yearly wave in records of two years and more, else 0."""
    time = part.time.values.astype("datetime64[D]")
    long = np.ptp(time.astype(int)) >= SEASON_DAYS
    return yearly_share(time, part.reading.transpose("round", "arm").values) if long else 0.0


def _bound(fit: Mapping[str, Any], name: str) -> str:
    """lower bound or upper bound, where a parameter ended on it."""
    hits = [str(hit) for hit in fit.get("bounds_hit", [])]
    ends = [end for end in ("lower", "upper") if any(hit.startswith(f"{name} at its {end}") for hit in hits)]
    return f"{ends[0]} bound" if ends else ""
