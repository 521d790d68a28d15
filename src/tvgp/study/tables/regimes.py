"""Tables 1 and 2 of Mauduit25b with measured growth exponents beside the published bounds.

Each cell has a verdict for each test bed, by the rule and in the words of `tvgp.study.claims.judge`:
the 95 % interval of the measured exponent against the published one, for upper bounds with the slope
of their logarithms over the same decade added, to within `growth.TOLERANCE`. Exponents over a decade
are not limits, so upper and lower bounds alike are matters of trend: "trend disagrees" means that
growth over this decade exceeds, or falls short of, that of the bound, not that the theorem is wrong.
Lower bounds hold for the worst function, and the test beds draw random ones; `drift` violates the
assumption of independent increments (as every drift does). An upper bound is vacuous where its own
slope with that slack is 1 or more, because regret per round is bounded. A cell that has no published
bound, or no run in the test bed, is not comparable; fewer than five runs are inconclusive. The least
exponent of several methods has the interval of a minimum (`tvgp.study.results.statistics.least_mean`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.claims.claim import Comparison
from tvgp.study.claims.judge import verdict
from tvgp.study.claims.measures.regimes import no_faster, no_slower
from tvgp.study.results import growth, mathematics
from tvgp.study.results.statistics import Estimate
from tvgp.theory import bounds

BEDS = ("ageing", "drift")
RANGES = ("$N_T = O(T^{α/(α+1)})$", "between", r"$N_T ≥ C T^{1-\tilde α/α} \log^d T$")
ALPHA_TILDE = 0.25  # of the study's W-SparQ-GP-UCB
OPEN = "open question"  # a cell without a bound
PUBLISHED = ("alpha", "side", "published", "source", "exponent")
MEASURED = ("exponent", "low", "high", "of", "verdict")


@dataclass(frozen=True)
class Parameters:
    """table: of the paper."""

    table: Literal[1, 2]


@dataclass(frozen=True)
class Cell:
    """Entry of one test bed: the least exponent (None: nothing was run), the label of its method,
    and what the published bound says about it (None: there is no bound)."""

    ours: Estimate | None
    of: str
    claimed: Comparison | None

    def columns(self, bed: str) -> dict[str, object]:
        """The cell as columns of its bed: the names of `MEASURED` after that of the bed."""
        ours = self.ours or Estimate.exact(np.nan)
        values = (ours.mean, ours.low, ours.high, self.of, verdict(self.ours, self.claimed))
        return {f"{bed}_{name}": value for name, value in zip(MEASURED, values, strict=True)}


def rows(collected: list[xr.Dataset], parameters: Parameters) -> pd.DataFrame:
    """One row per published cell and drift exponent that was run.

    collected: the analyses ageing, drift and, for Table 2, phase_diagram, where they were run.
    """
    by_name = {results.name(data): data for data in collected}
    if parameters.table == 1:
        beds, keys, made = [name for name in BEDS if name in by_name], ["regime"], _first(by_name)
    else:
        beds, keys, made = list(BEDS), ["regime", "queries"], _second(by_name)
    measured = [f"{bed}_{name}" for bed in beds for name in MEASURED]
    return pd.DataFrame(made, columns=[*keys, *PUBLISHED, *measured])


def latex(frame: pd.DataFrame) -> str:
    """The same table for a paper (booktabs)."""
    beds = [name for name in BEDS if f"{name}_exponent" in frame]
    head = " & ".join(f"{name} & verdict" for name in beds)
    lines = [
        rf"\begin{{tabular}}{{llll{'ll' * len(beds)}}}",
        r"\toprule",
        rf"\(\alpha\) & Side & Published & Exponent & {head} \\",
    ]
    keys = ["regime"] + (["queries"] if "queries" in frame else [])
    for names, block in frame.groupby(keys, sort=False):
        lines += [
            r"\midrule",
            rf"\multicolumn{{{4 + 2 * len(beds)}}}{{l}}{{{mathematics.latex(', '.join(map(str, names)))}}}"
            rf" \\",
        ]
        for row in block.to_dict("records"):
            cells = [f"{row['alpha']:g}", row["side"], mathematics.latex(row["published"])]
            cells.append("--" if np.isnan(row["exponent"]) else f"{row['exponent']:.3g}")
            for name in beds:
                cells += [_measured(row, name), row[f"{name}_verdict"]]
            lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _regime(alpha: float) -> str:
    if alpha >= 1:
        return "$α ≥ 1$"
    return "$1/3 ≤ α < 1$" if alpha >= 0.333 else "$α < 1/3$"


def _first(by_name: dict[str, xr.Dataset]) -> list[dict[str, object]]:
    """Table 1: no queries. Upper: UI-GP-UCB, which the paper analyses; lower: the method with the
    least exponent."""
    beds = {name: by_name[name] for name in BEDS if name in by_name}
    table = []
    for alpha in _alphas(beds.values()):
        regime = _regime(alpha)
        slow = regime == "$α < 1/3$"
        published = r"$\sqrt{d^2 T^{3α+1} \log^{2(d+1)} T}$" if slow else "$T$ or more"
        row = _published(regime, alpha, "upper", published, "Prop. 2.2", (3 * alpha + 1) / 2)
        for name, data in beds.items():
            bound, _ = no_faster("gp_ucb", alpha, *growth.span(data))
            row |= _of_runs(data, ["ui_gp_ucb"], alpha, bound).columns(name)
        table.append(row)
        published, source, exponent = {
            "$α ≥ 1$": ("$T$", "Prop. 2.6", 1.0),
            "$1/3 ≤ α < 1$": (r"$\sqrt{T^{α+1}}$", "ref. [15]", (alpha + 1) / 2),
            "$α < 1/3$": (r"$\sqrt{T}$", "after Scarlett et al.", 0.5),
        }[regime]
        row = _published(regime, alpha, "lower", published, source, exponent)
        for name, data in beds.items():
            row |= _of_runs(data, growth.WITHOUT_QUERIES, alpha, no_slower(exponent)).columns(name)
        table.append(row)
    return table


def _second(by_name: dict[str, xr.Dataset]) -> list[dict[str, object]]:
    """Table 2: three ranges of N_T at each alpha >= 1/3.

    In `ageing` the cells of the phase diagram whose p lies in the range, lower: the least exponent
    of all procedures; upper: the least of W-SparQ's own. In `drift`, and in `ageing` where there is
    no phase diagram, the least exponent without queries for the first range, W-SparQ on its
    schedule for the last.
    """
    beds = {"ageing": by_name.get("phase_diagram", by_name.get("ageing")), "drift": by_name.get("drift")}
    table = []
    for alpha in _alphas(bed for bed in beds.values() if bed is not None):
        if _regime(alpha) == "$α < 1/3$":
            continue
        regime = "$α > 1$" if alpha > 1 else "$1/3 ≤ α ≤ 1$"
        for queries in RANGES:
            for side in ("lower", "upper"):
                exponent, published = _bound(alpha, queries, side)
                row = _published(regime, alpha, side, published, "Table 2", exponent) | {"queries": queries}
                for name, bed in beds.items():
                    row |= _of_range(bed, alpha, queries, side, exponent).columns(name)
                table.append(row)
    return table


def _bound(alpha: float, queries: str, side: str) -> tuple[float, str]:
    """Exponent and words of a bound of Table 2, NaN where the paper has none."""
    few, _, many = RANGES
    if alpha > 1:
        if queries != few:
            return np.nan, OPEN
        return (1.0, "$T$") if side == "lower" else (np.nan, "sublinearity unachievable")
    if side == "lower":
        return ((alpha + 1) / 2, r"$\sqrt{T^{α+1}}$") if queries == few else (0.5, r"$\sqrt{T}$")
    if queries == many:
        return (3 * ALPHA_TILDE + 1) / 2, r"$\sqrt{d^2 T^{3\tilde α+1} \log^{2(d+1)} T}$"
    return np.nan, OPEN


def _of_range(bed: xr.Dataset | None, alpha: float, queries: str, side: str, exponent: float) -> Cell:
    """The cell of a test bed, or of the phase diagram, for a range of N_T."""
    if bed is None:
        return Cell(None, "", None)
    claimed: Comparison | None = None
    if np.isfinite(exponent):
        upper, _ = no_faster("w_sparq", alpha, *growth.span(bed))
        claimed = no_slower(exponent) if side == "lower" else upper
    if results.name(bed) != "phase_diagram":
        methods = (growth.WITHOUT_QUERIES, (), ("w_sparq_gp_ucb",))[RANGES.index(queries)]
        return _of_runs(bed, methods, alpha, claimed)
    few = float(bounds.query_threshold(alpha))
    many = max(few, float(bounds.w_sparq_query_exponent(alpha, ALPHA_TILDE)))
    above, most = ((-np.inf, few), (few, many), (many, 1.0))[RANGES.index(queries)]
    procedures = [str(p) for p in bed.part.values if side == "lower" or p == "windows"]
    ours, procedure, p = growth.least_cell(bed, procedures, alpha, above, most) or (None, "", np.nan)
    return Cell(ours, f"{procedure}, $p = {p:g}$" if ours else "", claimed)


def _of_runs(data: xr.Dataset, methods: Iterable[str], alpha: float, claimed: Comparison | None) -> Cell:
    ours, label = growth.least(data, methods, alpha) or (None, "")
    return Cell(ours, label, claimed)


def _alphas(beds: Iterable[xr.Dataset]) -> list[float]:
    return sorted({alpha for bed in beds for alpha in growth.alphas(bed)}, reverse=True)


def _published(
    regime: str, alpha: float, side: str, published: str, source: str, exponent: float
) -> dict[str, object]:
    return {"regime": regime} | dict(zip(PUBLISHED, (alpha, side, published, source, exponent), strict=True))


def _measured(row: dict, name: str) -> str:
    if np.isnan(row[f"{name}_exponent"]):
        return "--"
    ends = f"[{row[f'{name}_low']:z.2f}, {row[f'{name}_high']:z.2f}]"
    return f"{row[f'{name}_exponent']:z.2f} {ends if np.isfinite(row[f'{name}_low']) else ''}".strip()
