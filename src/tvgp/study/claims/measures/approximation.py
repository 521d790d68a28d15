"""Measurements for Vakili21 on the quality of the sparse approximation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import xarray as xr

from tvgp.study.claims.claim import Holds, Measured, NotComparable, Trend, Within
from tvgp.study.claims.measures.entries import at
from tvgp.study.claims.measures.study import EXPONENT, half_exponents
from tvgp.study.results.statistics import Estimate, log_slopes, mean_interval, share_interval
from tvgp.theory.divergence import ETA

# 2 KL below this is rounding of two evidences.
_ROUNDING = 1e-6


def coverage(data: xr.Dataset, part: str, inputs: str, delta: float) -> Measured:
    """Share of arms, averaged over runs, whose reward lies within the width of Lemma 1, at the last T; no
    more certain than a share of as many runs that all agree."""
    selected = at(data, part=part, inputs=inputs).isel(round=-1)
    note = f"the largest error is {float(selected.reached.max()):.0%} of the width"
    ours, runs = mean_interval(selected.covered.values), selected.sizes["seed"]
    ours = replace(ours, low=np.fmin(ours.low, share_interval(runs, runs).low))
    return Measured("share of arms within the width", ours, Within(least=1.0 - delta), note)


def bounded_divergence(data: xr.Dataset, part: str, variables: str) -> Measured:
    """The largest ratio of 2 KL to its bound over all inputs, m, T and runs."""
    kappa, bound = (_all(data, part, variables, name) for name in ("divergence", "bound"))
    known = (kappa > _ROUNDING) & (bound > 0)
    if not known.any():
        raise NotComparable("no divergence above rounding")
    ratio = kappa[known] / bound[known]
    ours = Estimate.exact(float(ratio.max()))
    note = f"median ratio {np.median(ratio):.1g}"
    return Measured("largest 2 KL over its bound", ours, Holds(ours.mean <= 1.0), note)


def bounded_errors(data: xr.Dataset, part: str, variables: str) -> Measured:
    """The largest ratio of the errors of mean and variance to their bounds where 2 KL <= 1/5."""
    names = ("divergence", "mean_error", "spread_error")
    kappa, mean, spread = (_all(data, part, variables, name) for name in names)
    known = (kappa > _ROUNDING) & (kappa <= ETA)
    if not known.any():
        raise NotComparable("no approximation has 2 KL $≤$ 1/5")
    worst = [mean[known] / np.sqrt(kappa[known]), spread[known] / np.sqrt(3.0 * kappa[known])]
    ours = Estimate.exact(float(np.max(worst)))
    note = f"2 KL $≤$ 1/5 in {known.mean():.0%} of all cases"
    return Measured("largest error over its bound", ours, Holds(ours.mean <= 1.0), note)


def vanishing_error(data: xr.Dataset, part: str, variables: str, inputs: str) -> Measured:
    """Exponent of T of 2 KL with m by the rule, run by run."""
    selected = at(data, part=part, variables=variables, inputs=inputs)
    kappa = selected.divergence.transpose("seed", "round").values
    rounds = selected["round"].values
    slopes = log_slopes(rounds, np.maximum(kappa, _ROUNDING))
    columns = (selected.rule.values, kappa.mean(axis=0), selected.bound.mean("seed").values)
    cases = (f"{k:.2g} ($m = {m:.0f}$, bound {b:.2g})" for m, k, b in zip(*columns, strict=True))
    note = f"mean 2 KL at $T = {', '.join(map(str, rounds))}$: {', '.join(cases)}; Proposition 2 needs 1/5"
    claimed = _vanishes(kappa)
    return Measured("exponent of $T$ of 2 KL", mean_interval(slopes), claimed, note)


def vanishing_constants(data: xr.Dataset, part: str, variables: str, inputs: str) -> Measured:
    """Exponent of T of c_t, the largest |mu~ - mu| / sigma over the arms, with m by the rule, run by run."""
    selected = at(data, part=part, variables=variables, inputs=inputs)
    c = selected.mean_error.transpose("seed", "round").values
    a = np.sqrt(1.0 + selected.spread_error.transpose("seed", "round").values)
    slopes = log_slopes(selected["round"].values, np.maximum(c, _ROUNDING))
    shown = ", ".join(
        f"{each_c:.2g} and {each_a:.3g} at $T = {t}$"
        for each_c, each_a, t in zip(c.max(axis=0), a.max(axis=0), selected["round"].values, strict=True)
    )
    return Measured(
        "exponent of $T$ of $c_t$", mean_interval(slopes), _vanishes(c), f"largest $c_t$, $a_t$: {shown}"
    )


def regret_rate(part: xr.Dataset, variant: str, exponent: float) -> Measured:
    """Growth exponent of R_t over the second half of the run against that of a bound."""
    return Measured(EXPONENT, mean_interval(half_exponents(part, variant)), Trend(most=exponent))


def _vanishes(values: np.ndarray) -> Trend:
    """The claim that values (seed, round) tend to 0; what is rounding throughout need not fall."""
    return Trend(most=_ROUNDING if (values <= _ROUNDING).all() else 0.0)


def _all(data: xr.Dataset, part: str, variables: str, name: str) -> np.ndarray:
    """A quantity with m by the rule and with all other m, (cases,)."""
    selected = at(data, part=part, variables=variables)
    values = [selected[f"{name}{suffix}"].values.ravel() for suffix in ("", "_by_size")]
    return np.concatenate([each[np.isfinite(each)] for each in values])
