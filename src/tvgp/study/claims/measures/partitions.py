"""Measurements for Janz20 on runs of pi-GP-UCB to several T: regret and numbers of cells."""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp.study.claims.claim import Holds, Measured, NotComparable, Trend, Vacuous
from tvgp.study.claims.measures.entries import at
from tvgp.study.results.statistics import Estimate, log_slopes, mean_interval


def regret_upper(data: xr.Dataset, part: str, exponent: float) -> Measured:
    """Exponent of T of R_T, run by run, against that of T^exponent log T log log T over the same T;
    vacuous where that is linear or more."""
    quantity, ours, note, rounds = _regret(data, part)
    limit = exponent + slope_of_logarithms(rounds)
    claimed = Trend(most=limit) if limit < 1.0 else Vacuous()
    return Measured(quantity, ours, claimed, f"threshold {limit:.2f}: the bound's own slope; {note}")


def regret_lower(data: xr.Dataset, part: str) -> Measured:
    """Exponent of T of R_T, run by run."""
    quantity, ours, note, _ = _regret(data, part)
    return Measured(quantity, ours, None, note)


def slope_of_logarithms(rounds: np.ndarray) -> float:
    """Slope of the logarithm of log T log log T on that of T, from the first T to the last."""
    if rounds[0] < np.e:
        raise NotComparable(rf"$\log T \log \log T$ is not positive at $T = {rounds[0]}$")
    logarithms = np.log(np.log(rounds) * np.log(np.log(rounds)))
    return float((logarithms[-1] - logarithms[0]) / np.log(rounds[-1] / rounds[0]))


def cells_growth(data: xr.Dataset, part: str, upper: float, d: int = 0) -> Measured:
    """Exponent of T of the number of cells that ever existed, run by run, against that of a bound.

    d: the dimension where the first partition has T^upper cells, rounded up on each of d sides, so that runs
    of many T start from the same; 0 where it does not depend on T."""
    selected = at(data, part=part)
    made = selected.made.transpose("seed", "rounds")
    constants = (made / selected["rounds"] ** upper).mean("seed").values
    note = f"cells over $T^{{{upper:.2f}}}$: {', '.join(f'{c:.2g}' for c in constants)}"
    more = _rounding(selected["rounds"].values, upper, d) if d else 0.0
    if more:
        note += f"; rounding up the first partition can add {more:.2g} to the exponent"
    quantity = f"exponent of $T$ of the number of cells, $T = {_span(selected)}$"
    return Measured(quantity, mean_interval(log_slopes(made["rounds"], made)), Trend(most=upper + more), note)


def _rounding(rounds: np.ndarray, exponent: float, d: int) -> float:
    """The most that a slope over these T can exceed `exponent` because s cells per side, T^(exponent/d)
    rounded up, belong to all T between (s - 1)^(d/exponent) and s^(d/exponent)."""
    side = np.maximum(np.ceil(rounds ** (exponent / d) - 1e-9), 2.0)
    x = np.log(rounds) - np.log(rounds).mean()
    return float(np.maximum(x, 0.0) @ (d * np.log(side / (side - 1.0))) / (x @ x))


def cell_count(data: xr.Dataset, part: str) -> Measured:
    """The largest ratio, over all rounds and runs, of the number of cells to N_t."""
    selected = at(data, part=part)
    worst, last = float(selected.excess.max()), int(selected.above.max())
    quantity = "largest number of cells over $N_t$"
    note = f"above $N_t$ until round {last}" if last else "never above $N_t$"
    return Measured(quantity, Estimate.exact(worst), Holds(worst <= 1.0), note)


def _regret(data: xr.Dataset, part: str) -> tuple[str, Estimate, str, np.ndarray]:
    """What is measured, the exponent of T of R_T, a note, and the horizons T."""
    selected = at(data, part=part)
    regret, rounds = selected.regret.transpose("seed", "rounds"), selected["rounds"].values
    share = float((regret / selected.uniform_regret).mean("seed")[-1]) / rounds[-1]
    quantity = f"exponent of $T$ of $R_T$, $T = {_span(selected)}$"
    note = f"at the end {share:.2f} of the regret of uniform play"
    return quantity, mean_interval(log_slopes(rounds, regret)), note, rounds


def _span(selected: xr.Dataset) -> str:
    rounds = selected["rounds"].values
    return f"{rounds[0]:,} to {rounds[-1]:,}"
