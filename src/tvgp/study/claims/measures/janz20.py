"""Measurements for Janz20: shares of uniform play, growth of information gain."""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.claims.janz20 import WIDE
from tvgp.study.claims.measures.study import need
from tvgp.study.claims.measures.verdict import at
from tvgp.study.results.statistics import Estimate, mean_interval


def fraction_of_uniform(part, variant, value):
    """Regret as a share of that of the runs of uniform play on the same functions."""
    for name in (variant, "uniform"):
        need(part, name)
    share = results.fraction_of_uniform(part, variant)
    ours = mean_interval(share)
    inside = ours.low <= value <= ours.high
    verdict = "confirmed" if inside else "contradicted"
    if not np.isfinite(ours.low):
        verdict = "inconclusive"
    why = reason(part, variant, value) if variant in WIDE else ""
    note = f"single runs from {share.min():.2f} to {share.max():.2f}"
    note += f"; {why or f'{(share >= value).sum()} reach it'}"
    return "R_T over that of uniform play", ours, verdict, note


def cell_gain_growth(data):
    """Exponent of T of the largest cell's gain minus that of the whole domain, as far as both were
    computed: over the runs of pi-GP-UCB to several T, and the last decade."""
    found, words = [], []
    for name in data.part.values:
        one = data.sel(part=name)
        cell, domain = _gain_exponent(one, "largest_cell"), _gain_exponent(one, "greedy")
        found.append(cell - domain)
        words.append(f"{name}: {cell:.2f} against {domain:.2f}")
    worst = max(found)
    ours = Estimate(float(worst), np.nan, np.nan, data.sizes["seed"])
    verdict = "confirmed" if worst < 0 else "contradicted"
    return "exponent of the largest cell minus the domain's", ours, verdict, "; ".join(words)


def gain_exponent(data, part, upper, lower):
    """Exponent of T of the whole domain's gain, last decade, against published upper and lower
    exponents; only the upper one judges, as a finite grid ends below any power."""
    one = at(data, part=part)
    found = _gain_exponent(one, "greedy")
    ours = Estimate(float(found), np.nan, np.nan, data.sizes["seed"])
    last = int(one.step.values[np.isfinite(one.greedy.mean("seed").values)][-1])
    verdict = "confirmed" if found <= upper else "inconclusive"
    note = f"published lower exponent {lower:.2f}; rounds {last // 10:,} to {last:,}"
    return "exponent of T, greedy sequence", ours, verdict, note


def _gain_exponent(one, kind):
    """Slope of log gain on log T, of steps within a run over their last decade."""
    (axis,) = set(one[kind].dims) - {"seed"}
    steps, values = one[axis].values, one[kind].mean("seed").values
    there = np.isfinite(values)
    use = there if axis == "rounds" else there & (steps >= steps[there][-1] / 10)
    return np.polyfit(np.log(steps[use]), np.log(values[use]), 1)[0]


KINDS = (fraction_of_uniform, cell_gain_growth, gain_exponent)


def reason(part: xr.Dataset, variant: str, published: float) -> str:
    """What the runs say about a published share outside the interval of ours, else "".

    Each run has a function of its own. If the paper's shared one, its share is that of a function
    and may be any that single runs have; and its gamma may lack the 1/2.
    """
    share = results.fraction_of_uniform(part, variant)
    if inside(mean_interval(share), published) != "no":
        return ""
    wide = wide_share(part, variant)
    reached = int((share >= published).sum())
    among = "could" if share.min() <= published <= share.max() else "would not"
    words = [f"one function for all runs {among} give it ({reached} of {len(share)} reach it)"]
    if np.isfinite(wide.low):
        verdict = "would" if inside(wide, published) == "yes" else "would not"
        words.append(f"gamma without its 1/2 {verdict}")
    return "; ".join(words)


def wide_share(part: xr.Dataset, variant: str) -> Estimate:
    name = WIDE[variant]
    if name not in part.policy.values:
        return Estimate(np.nan, np.nan, np.nan, 0)
    return mean_interval(results.fraction_of_uniform(part, name))


def inside(ours: Estimate, published: float) -> str:
    if np.isnan(ours.low):
        return ""
    return "yes" if ours.low <= published <= ours.high else "no"
