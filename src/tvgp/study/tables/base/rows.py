"""The columns of the table `answer`, and a row of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import xarray as xr

from tvgp import kernels
from tvgp.posterior import Prior
from tvgp.study import results
from tvgp.study.results import advice, mathematics, readings
from tvgp.study.results.statistics import Estimate, mean_interval
from tvgp.theory.schedules import recommended_discount, recommended_window

# Setting and its value of the plain variants whose papers recommend one from T and the information gain.
_RECOMMENDED: dict[str, tuple[str, Callable[[Prior, float, int], float]]] = {
    "r_gp_ucb": ("block length", recommended_window),
    "sw_gp_ucb": ("window", recommended_window),
    "w_gp_ucb": ("$γ$", recommended_discount),
    "w_gp_ucb_single": ("$γ$", recommended_discount),
}
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


def stated(part: xr.Dataset, question: str, name: str) -> dict:
    """The first columns of a row."""
    return {
        "experiment": part.attrs["experiment"],
        "data": part.attrs["data"],
        "question": question,
        "name": name,
    }


def compared(part: xr.Dataset, question: str, name: str, difference: Estimate) -> dict:
    """The average regret of a variant with its interval, and its difference from another."""
    ours = results.average(part, name)
    same = difference.mean == 0 and not difference.low < 0  # NaN: one run
    return stated(part, question, name) | {
        "label": results.label(part, name),
        "setting": setting(part, name),
        **ours.columns("value", ""),
        "units": results.units(part),
        **difference.columns("difference"),
        "verdict": "least" if same else difference.verdict,
        "queries_per_round": readings.per_round(part, name),
        "sample": results.sample_words(part, ours.runs),
    }


def of_hour(part: xr.Dataset, question: str, regret: np.ndarray, difference: Estimate) -> dict:
    """The same of the best site of the hour, of this regret by sample (`advice.of_hour`)."""
    ours = mean_interval(results.joined(part, regret))
    return stated(part, question, advice.HOUR) | {
        "label": "best site of the hour in training",
        **ours.columns("value", ""),
        "units": results.units(part),
        **difference.columns("difference"),
        "verdict": difference.verdict,
        "queries_per_round": 0.0,
        "sample": results.sample_words(part, ours.runs),
    }


def setting(part: xr.Dataset, name: str) -> str:
    """The number by which a variant remembers, with its symbol or word and its origin; the site played most
    by an order; "" for other variants."""
    fit, tuned = results.fit(part), results.tuned(part).get(name)
    if tuned:
        edge = ", at the edge of what was tried" if tuned.get("at_edge_of_grid") else ""
        return f"{mathematics.symbol(tuned['parameter'])} {tuned['value']:.3g}{edge}"
    if (
        str(results.of(part, "algorithm", name).item()) in ("prior_order", "preference_order")
        and "site" in part
    ):
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
        last = int(results.elapsed(part)[-1])
        return f"{word} {recommended(prior, fit['noise_variance'], last):.3g} (recommended)"
    return ""
