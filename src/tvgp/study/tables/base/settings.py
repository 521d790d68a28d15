"""The number by which a variant remembers, and where it comes from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import xarray as xr

from tvgp import kernels
from tvgp.posterior import Prior
from tvgp.study import results
from tvgp.study.results import mathematics
from tvgp.theory.schedules import recommended_discount, recommended_window

EDGE = "at the edge of what was tried"
# Setting and its value of the plain variants whose papers recommend one from T and the information gain.
_RECOMMENDED: dict[str, tuple[str, Callable[[Prior, float, int], float]]] = {
    "r_gp_ucb": ("block length", recommended_window),
    "sw_gp_ucb": ("window", recommended_window),
    "w_gp_ucb": ("$γ$", recommended_discount),
    "w_gp_ucb_single": ("$γ$", recommended_discount),
}


def setting(part: xr.Dataset, name: str) -> str:
    """Symbol or word, value and origin; the site played most by an order; "" for other variants."""
    fit, tuned = results.fit(part), results.tuned(part).get(name)
    if tuned:
        edge = f", {EDGE}" if tuned.get("at_edge_of_grid") else ""
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
