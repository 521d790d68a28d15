"""Growth of regret over drift exponents: the rounds that test beds save, and growth exponents.

The analyses `ageing` and `drift` save cumulative regret and queries at rounds evenly spaced in
log t; `phase_diagram` saves them at whole runs of several horizons.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import xarray as xr

from tvgp.study.results import presentation
from tvgp.study.results.statistics import Estimate, growth_values, least_mean

# Methods that observe only the rewards of their own plays, and those with queries, in the order in which
# they are listed.
WITHOUT_QUERIES = ("gp_ucb", "ui_gp_ucb", "tv_gp_ucb", "w_gp_ucb", "sw_gp_ucb")
WITH_QUERIES = (
    *("sparq_gp_ucb", "sparq_greedy_subset", "w_sparq_gp_ucb", "ui_sparq_latest", "ui_sparq_gp_ucb"),
    *("sparq_domain_greedy", "w_sparq_domain_greedy", "pandora", "knowledge_gradient"),
    *("asks_1", "asks_3", "asks_8"),
)

# Exponents that differ by no more than this count as equal.
TOLERANCE = 0.05

DECADE = 10
LOCAL = 10**0.25  # a local slope is over rounds within this factor of a round
SHORTEST = 100

# Fewest runs for an interval of an exponent: below, Student's quantiles exceed 3.
FEWEST = 5


def saved_rounds(horizon: int) -> np.ndarray:
    """Rounds at which a run is saved: 20 per decade, evenly spaced in log t from 10, including T/10 and T.

    ValueError for a horizon below 100, too short for a slope over a decade.
    """
    if horizon < SHORTEST:
        raise ValueError(
            f"horizon is {horizon}, too short for a slope over a decade; expected {SHORTEST} or more"
        )
    steps = int(np.ceil(20 * np.log10(horizon / DECADE)))
    rounds = np.geomspace(DECADE, horizon, steps + 1).round().astype(int)
    return np.union1d(rounds, [horizon // DECADE, horizon])


def late(regret: np.ndarray) -> float:
    """Mean regret per round over the last tenth of a run, regret (T,)."""
    return float(regret[-max(1, len(regret) // 10) :].mean())


def alphas(data: xr.Dataset) -> list[float]:
    """Drift exponents of an analysis."""
    return [float(alpha) for alpha in data.alpha.values]


def methods(*beds: xr.Dataset) -> list[str]:
    """Methods of one or more test beds, in the usual order, others last."""
    present = list(dict.fromkeys(str(name) for data in beds for name in data.part.values))
    usual = (*WITHOUT_QUERIES, *WITH_QUERIES)
    return [name for name in usual if name in present] + [name for name in present if name not in usual]


def run_at(data: xr.Dataset, methods: Iterable[str], alpha: float) -> list[str]:
    """Those of some methods that were run at this alpha: a part may have fewer than others."""
    if alpha not in data.alpha.values:
        return []
    played = data.cumulative_regret.sel(alpha=alpha).notnull()
    return [name for name in methods if name in data.part.values and played.sel(part=name).any()]


def exponent(data: xr.Dataset, method: str, alpha: float) -> Estimate:
    """Slope of log R_t on log t over the last decade of a test bed's runs."""
    return over_decade(data, method, alpha, span(data))


def local_slopes(data: xr.Dataset, method: str, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Rounds t (m,), and what each run says of the slope of log R_t on log t over the rounds within a
    factor of `LOCAL` of t, (runs, m)."""
    part = data.cumulative_regret.sel(part=method, alpha=alpha).transpose("seed", "round").values
    rounds = data["round"].values.astype(float)
    inner = (rounds >= 0.999 * LOCAL * rounds[0]) & (rounds <= 1.001 * rounds[-1] / LOCAL)
    slopes = []
    for t in rounds[inner]:
        near = (rounds >= 0.99 * t / LOCAL) & (rounds <= 1.01 * t * LOCAL)
        slopes.append(growth_values(part[:, near], rounds[near]))
    return rounds[inner], np.transpose(slopes)


def decades(data: xr.Dataset) -> list[tuple[int, int]]:
    """First and last round of the decades up to the last round, as far as their ends were saved."""
    saved, spans = set(data["round"].values.tolist()), []
    last = max(saved)
    while last in saved and last // DECADE in saved:
        spans.append((last // DECADE, last))
        last //= DECADE
    return spans[::-1]


def over_decade(data: xr.Dataset, method: str, alpha: float, ends: tuple[float, float]) -> Estimate:
    """Slope of log R_t on log t between two saved rounds, with NaN ends where there are too few runs."""
    return _least([_between(data, method, alpha, ends)])[0]


def _between(data: xr.Dataset, method: str, alpha: float, ends: tuple[float, float]) -> np.ndarray:
    """What each run says of that slope, (runs,)."""
    part = data.cumulative_regret.sel(part=method, alpha=alpha).transpose("seed", "round")
    rounds = data["round"].values
    within = (rounds >= ends[0]) & (rounds <= ends[1])
    return growth_values(part.values[:, within], rounds[within])


def least(data: xr.Dataset, methods: Iterable[str], alpha: float) -> tuple[Estimate, str] | None:
    """The least exponent of some methods in a test bed and that method's label, None where none was
    run at this alpha."""
    run = run_at(data, methods, alpha)
    if not run:
        return None
    ours, index = _least([_between(data, method, alpha, span(data)) for method in run])
    return ours, presentation.label(run[index])


def span(data: xr.Dataset) -> tuple[float, float]:
    """First and last T of the exponents: the last decade of a test bed, the horizons of a phase diagram."""
    if "horizon" in data.dims:
        return float(data.horizon.values[0]), float(data.horizon.values[-1])
    last = float(data["round"].values[-1])
    return last // DECADE, last


def random_play(part: xr.Dataset, alpha: float) -> float:
    """Regret per round of uniformly random arms at an alpha, mean over the runs of a method."""
    play = part.random_play
    return float((play.sel(alpha=alpha) if "alpha" in play.dims else play).mean())


def at_width(name: str, width: float | None) -> str:
    """The part of a method or procedure at a constant confidence width, at its own for None."""
    return name if width is None else f"{name}_at_{width:g}".replace(".", "_")


def cell_exponent(data: xr.Dataset, procedure: str, alpha: float, query_exponent: float) -> Estimate:
    """Slope of log R_T on log T over the horizons of a phase diagram, N_T = T^p in each."""
    return _least([_over_horizons(data, procedure, alpha, query_exponent)])[0]


def _over_horizons(data: xr.Dataset, procedure: str, alpha: float, query_exponent: float) -> np.ndarray:
    """What each run says of the slope of log R_T on log T, (runs,)."""
    cell = data.cumulative_regret.sel(part=procedure, alpha=alpha, query_exponent=query_exponent)
    return growth_values(cell.transpose("seed", "horizon").values, data.horizon.values)


def least_cell(
    data: xr.Dataset, procedures: Iterable[str], alpha: float, above: float = -np.inf, most: float = 1.0
) -> tuple[Estimate, str, float] | None:
    """The least exponent of the cells of a phase diagram with above < p <= most, its procedure and
    its p; None where no such cell was run."""
    cells = [
        (name, float(p))
        for name in run_at(data, map(str, procedures), alpha)
        for p in data.query_exponent.values
        if above < p <= most + 1e-9 and _is_cell(data, name, alpha, p)
    ]
    if not cells:
        return None
    ours, index = _least([_over_horizons(data, name, alpha, p) for name, p in cells])
    return ours, *cells[index]


def _is_cell(data: xr.Dataset, procedure: str, alpha: float, query_exponent: float) -> bool:
    """Whether a procedure was run with so many queries at this alpha."""
    cell = data.cumulative_regret.sel(part=procedure, alpha=alpha, query_exponent=query_exponent)
    return bool(cell.notnull().all())


def _least(values: list[np.ndarray]) -> tuple[Estimate, int]:
    """The least exponent and its index, with NaN ends where there are too few runs for an interval."""
    ours, index = least_mean(values)
    return ours if ours.runs >= FEWEST else Estimate(ours.mean, np.nan, np.nan, ours.runs), index
