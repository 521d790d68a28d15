"""Growth of regret over drift exponents: what the test beds save and how exponents are read off.

The analyses `ageing` and `drift` save cumulative regret and queries at rounds evenly spaced in
log t; `phase_diagram` saves them at whole runs of several horizons. One bootstrap stream for each
cell, so that an interval does not depend on what else is tabulated.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp import streams
from tvgp.study.results.statistics import Estimate, growth_of_totals, mean_interval

# Names of the methods for readers, in the order in which they are listed.
LABELS = {
    "gp_ucb": "GP-UCB",
    "ui_gp_ucb": "UI-GP-UCB",
    "tv_gp_ucb": "TV-GP-UCB",
    "w_gp_ucb": "W-GP-UCB",
    "sw_gp_ucb": "SW-GP-UCB",
    "sparq_gp_ucb": "SparQ-GP-UCB",
    "w_sparq_gp_ucb": "W-SparQ-GP-UCB",
    "fresh_sample_ucb_sparq": "fresh samples, SparQ's budget",
    "fresh_sample_ucb_w_sparq": "fresh samples, W-SparQ's budget",
}

# Methods that see the reward of their own plays and nothing else.
WITHOUT_QUERIES = ("gp_ucb", "ui_gp_ucb", "tv_gp_ucb", "w_gp_ucb", "sw_gp_ucb")

# Half width of the range of exponents around a published one that counts as equal to it.
TOLERANCE = 0.05

DECADE = 10
SHORTEST = 100

# Bootstrap streams keep the name under which they were first drawn, as the runs' streams do.
_STREAMS = {"ageing": "aging"}

# Runs below which a bootstrap over runs is no interval: with two it has three different resamples.
FEWEST = 5


def saved_rounds(horizon: int, per_decade: int = 20) -> np.ndarray:
    """Rounds at which a run is saved: evenly spaced in log t from 10, with T/10 and T.

    ValueError for a horizon below 100, too short for a slope over a decade.
    """
    if horizon < SHORTEST:
        raise ValueError(f"horizon is {horizon}, too short for a slope; {SHORTEST} needed")
    steps = int(np.ceil(per_decade * np.log10(horizon / DECADE)))
    rounds = np.geomspace(DECADE, horizon, steps + 1).round().astype(int)
    return np.union1d(rounds, [horizon // DECADE, horizon])


def late(regret: np.ndarray) -> float:
    """Mean regret a round over the last tenth of a run, regret (T,)."""
    return float(regret[-max(1, len(regret) // 10) :].mean())


def alphas(data: xr.Dataset) -> list[float]:
    """Drift exponents of an analysis."""
    return [float(alpha) for alpha in data.alpha.values]


def methods(*beds: xr.Dataset) -> list[str]:
    """Methods of one or more test beds, in the order of `LABELS`, others last."""
    present = list(dict.fromkeys(str(name) for data in beds for name in data.part.values))
    known = [name for name in LABELS if name in present]
    return known + [name for name in present if name not in LABELS]


def exponent(data: xr.Dataset, method: str, alpha: float) -> Estimate:
    """Slope of log R_t on log t over the last decade of a test bed's runs."""
    part = data.cumulative_regret.sel(part=method, alpha=alpha).transpose("seed", "round")
    rounds = data["round"].values
    recent = rounds >= rounds[-1] // DECADE
    bed = str(data.attrs["analysis"])
    rng = streams.generator("bootstrap", _STREAMS.get(bed, bed), method, f"{alpha:g}")
    return _growth(part.values[:, recent], rounds[recent], rng)


def late_regret(data: xr.Dataset, method: str, alpha: float) -> Estimate:
    """Mean regret a round over the last tenth of a test bed's runs."""
    return mean_interval(data.late_regret.sel(part=method, alpha=alpha).values)


def cell_exponent(data: xr.Dataset, procedure: str, alpha: float, query_exponent: float) -> Estimate:
    """Slope of log R_T on log T over the horizons of a phase diagram, N_T = T^p in each."""
    cell = data.cumulative_regret.sel(part=procedure, alpha=alpha, query_exponent=query_exponent)
    rng = streams.generator(
        "bootstrap", data.attrs["analysis"], procedure, f"{alpha:g}", f"{query_exponent:g}"
    )
    return _growth(cell.transpose("seed", "horizon").values, data.horizon.values, rng)


def _growth(totals: np.ndarray, horizons: np.ndarray, rng: np.random.Generator) -> Estimate:
    """The exponent, with NaN ends where there are too few runs for an interval."""
    ours = growth_of_totals(totals, horizons, rng)
    return ours if ours.runs >= FEWEST else Estimate(ours.mean, np.nan, np.nan, ours.runs)
