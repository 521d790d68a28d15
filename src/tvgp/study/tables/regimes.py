"""Tables 1 and 2 of Mauduit25b with measured growth exponents beside the published bounds.

A verdict for each cell and test bed, by one rule. e is the published exponent, for upper bounds
with the slope of their logarithms over the same decade added; [low, high] the 95 % bootstrap
interval of the measured one; a bound holds to within 0.05 (`regimes.TOLERANCE`):

vacuous      an upper bound whose order is T or more, or which with constant 1 exceeds the largest
             possible regret at the last round
agree        upper: high <= e + 0.05; lower: low >= e - 0.05
contradict   upper: low > e + 0.05
open         neither, fewer than five runs, or nothing published for the cell
not run      the test bed has no such run

Lower bounds are never contradicted: they are for the worst function, and the test beds draw theirs
at random. Exponents at these horizons are no limits: "contradict" says that growth over this decade
exceeds that of the bound, not that the theorem is wrong, and `drift` breaks its assumption of
independent increments (as every drift does).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.results import growth
from tvgp.study.results.statistics import Estimate
from tvgp.theory import bounds

ALPHA_TILDE = 0.25
NORM_BOUND, VARIANCE = 5.0, 0.5  # B and M_k^2 of the largest possible regret
VERDICTS = ("agree", "contradict", "vacuous", "open", "not run")
BEDS = ("ageing", "drift")
RANGES = ("N_T = O(T^(a/(a+1)))", "between", "N_T >= C T^(1-a~/a) log^d T")


@dataclass(frozen=True)
class Parameters:
    """table: 1 or 2. ValueError for another."""

    table: int

    def __post_init__(self) -> None:
        if self.table not in (1, 2):
            raise ValueError(f"table regimes: table is {self.table}; expected 1 or 2")


def rows(collected: list[xr.Dataset], parameters: Parameters) -> pd.DataFrame:
    """One row per published cell and drift exponent that was run.

    collected: the analyses ageing, drift and, for Table 2, phase_diagram, as far as they were run.
    """
    by_name = {results.name(data): data for data in collected}
    limit = float(bounds.largest_regret(1.0, NORM_BOUND, VARIANCE))
    if parameters.table == 1:
        return pd.DataFrame(_first(by_name, limit))
    return pd.DataFrame(_second(by_name, limit, ALPHA_TILDE))


def latex(frame: pd.DataFrame) -> str:
    """The same table for a paper (booktabs)."""
    beds = [name for name in BEDS if f"{name}_exponent" in frame]
    head = " & ".join(f"{name} & verdict" for name in beds)
    lines = [
        rf"\begin{{tabular}}{{llll{'ll' * len(beds)}}}",
        r"\toprule",
        rf"$\alpha$ & Side & Published & Exponent & {head} \\",
    ]
    keys = ["regime"] + (["queries"] if "queries" in frame else [])
    for names, block in frame.groupby(keys, sort=False):
        lines += [r"\midrule", rf"\multicolumn{{{4 + 2 * len(beds)}}}{{l}}{{{_tex(names)}}} \\"]
        for row in block.to_dict("records"):
            cells = [f"{row['alpha']:g}", row["side"], rf"\texttt{{{_plain(row['published'])}}}"]
            cells.append("--" if np.isnan(row["exponent"]) else f"{row['exponent']:.3g}")
            for name in beds:
                cells += [_measured(row, name), row[f"{name}_verdict"]]
            lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def verdict_upper(ours: Estimate, exponent: float, vacuous: bool) -> str:
    """By the rule above; exponent: of the bound over the same decade, logarithms included."""
    if vacuous:
        return "vacuous"
    if not np.isfinite(ours.low):
        return "open"
    if ours.high <= exponent + growth.TOLERANCE:
        return "agree"
    return "contradict" if ours.low > exponent + growth.TOLERANCE else "open"


def verdict_lower(ours: Estimate, exponent: float) -> str:
    """By the rule above; NaN ends or an exponent that is not known leave it open."""
    return "agree" if ours.low >= exponent - growth.TOLERANCE else "open"


def _regime(alpha: float) -> str:
    if alpha >= 1:
        return "alpha >= 1"
    return "1/3 <= alpha < 1" if alpha >= 0.333 else "alpha < 1/3"


def _first(by_name: dict[str, xr.Dataset], limit: float) -> list[dict]:
    """Table 1: no queries. Upper: UI-GP-UCB, which the paper analyses; lower: the method with the
    least exponent."""
    beds = {name: by_name[name] for name in BEDS if name in by_name}
    table = []
    for alpha in _alphas(beds.values(), reverse=True):
        exponent = (3 * alpha + 1) / 2
        slow = _regime(alpha) == "alpha < 1/3"
        published = "sqrt(d^2 T^(3a+1) log^(2(d+1)) T)" if slow else "T or more"
        row = _head(alpha, "upper", published, "Prop. 2.2", exponent)
        for name, data in beds.items():
            found = _one(data, "ui_gp_ucb", alpha)
            bound = lambda t, a=alpha: bounds.regret_bound_gp_ucb(t, a)  # noqa: E731
            row |= _cell(
                name,
                *found,
                lambda ours, d=data, b=bound, e=exponent: verdict_upper(ours, *_over_decade(b, d, e, limit)),
            )
        table.append(row)
        exponent = min(1.0, (alpha + 1) / 2)
        published = "T" if alpha >= 1 else "sqrt(T^(a+1))" if not slow else "sqrt(T)"
        exponent = 0.5 if slow else exponent
        source = "Prop. 2.6" if alpha >= 1 else "after Scarlett et al." if slow else "ref. [15]"
        row = _head(alpha, "lower", published, source, exponent)
        for name, data in beds.items():
            found = _least(data, growth.WITHOUT_QUERIES, alpha)
            row |= _cell(name, *found, lambda ours, e=exponent: verdict_lower(ours, e))
        table.append(row)
    return table


def _second(by_name: dict[str, xr.Dataset], limit: float, alpha_tilde: float) -> list[dict]:
    """Table 2: three ranges of N_T at each alpha >= 1/3.

    In `ageing` the cells of the phase diagram whose p lies in the range, lower: the least exponent
    of all procedures; upper: the least of W-SparQ's own. In `drift`, and in `ageing` where there is
    no phase diagram, the least exponent without queries for the first range, W-SparQ on its
    schedule for the last.
    """
    table = []
    phase = by_name.get("phase_diagram")
    beds = {
        "ageing": by_name.get("ageing") if phase is None else phase,
        "drift": by_name.get("drift"),
    }
    present = [bed for bed in beds.values() if bed is not None]
    for alpha in _alphas(present, reverse=True):
        if _regime(alpha) == "alpha < 1/3":
            continue
        few = float(bounds.query_threshold(alpha))
        many = max(few, float(bounds.w_sparq_query_exponent(alpha, alpha_tilde)))
        for words, (low, high) in zip(RANGES, ((-1.0, few), (few, many), (many, 1.0)), strict=True):
            for side in ("lower", "upper"):
                exponent, published = _published(alpha, words, side, alpha_tilde)
                row = _head(alpha, side, published, "Table 2", exponent)
                row = row | {"regime": "alpha > 1" if alpha > 1 else "1/3 <= alpha <= 1"}
                row = {"regime": row.pop("regime"), "queries": words} | row
                for name, bed in beds.items():
                    if bed is not None and bed is phase:
                        found = _of_phase(bed, alpha, low, high, side)
                    else:
                        found = _of_runs(bed, alpha, words)
                    judge = _judge_second(bed, side, exponent, alpha_tilde, limit)
                    row |= _cell(name, *found, judge)
                table.append(row)
    return table


def _published(alpha: float, words: str, side: str, alpha_tilde: float) -> tuple[float, str]:
    """Exponent and words of a bound of Table 2, NaN where the paper has none."""
    few, _, many = RANGES
    if alpha > 1:
        if words != few:
            return np.nan, "open question"
        return (1.0, "T") if side == "lower" else (np.nan, "sublinearity unachievable")
    if side == "lower":
        return ((alpha + 1) / 2, "sqrt(T^(a+1))") if words == few else (0.5, "sqrt(T)")
    if words == many:
        return (3 * alpha_tilde + 1) / 2, "sqrt(d^2 T^(3a~+1) log^(2(d+1)) T)"
    return np.nan, "open question"


def _of_phase(
    phase: xr.Dataset, alpha: float, low: float, high: float, side: str
) -> tuple[Estimate | None, str]:
    """The least exponent among cells with low < p <= high, and which cell it is."""
    if alpha not in phase.alpha.values:
        return None, ""
    procedures = [p for p in map(str, phase.part.values) if side == "lower" or p == "windows"]
    found = [
        (growth.cell_exponent(phase, name, alpha, float(p)), f"{name}, p = {p:g}")
        for name in procedures
        for p in phase.query_exponent.values
        if low < p <= high + 1e-9
    ]
    return min(found, key=lambda pair: pair[0].mean, default=(None, ""))


def _of_runs(bed: xr.Dataset | None, alpha: float, words: str) -> tuple[Estimate | None, str]:
    if bed is None or words == RANGES[1]:
        return None, ""
    if words == RANGES[2]:
        return _one(bed, "w_sparq_gp_ucb", alpha)
    return _least(bed, growth.WITHOUT_QUERIES, alpha)


def _judge_second(
    data: xr.Dataset | None, side: str, exponent: float, alpha_tilde: float, limit: float
) -> Callable[[Estimate], str]:
    if side == "lower" or not np.isfinite(exponent):
        return lambda ours: verdict_lower(ours, exponent)
    # the order of Theorem 3.10 is that of Prop. 2.2 at alpha_tilde
    bound = lambda t: bounds.regret_bound_gp_ucb(t, alpha_tilde)  # noqa: E731
    return lambda ours: verdict_upper(ours, *_over_decade(bound, data, exponent, limit))


def _over_decade(
    bound: Callable[[np.ndarray], np.ndarray], data: xr.Dataset, exponent: float, limit: float
) -> tuple[float, bool]:
    """Slope of log bound over the decade that was measured, and whether the bound is vacuous."""
    if "horizon" in data.dims:
        first, last = float(data.horizon.values[0]), float(data.horizon.values[-1])
    else:
        last = float(data["round"].values[-1])
        first = last / growth.DECADE
    values = bound(np.array([first, last]))
    slope = float(np.log(values[1] / values[0]) / np.log(last / first))
    return slope, exponent >= 1 or bool(values[1] > limit * last)


def _alphas(data, reverse: bool) -> list[float]:
    return sorted({alpha for one in data for alpha in growth.alphas(one)}, reverse=reverse)


def _one(data: xr.Dataset, method: str, alpha: float) -> tuple[Estimate | None, str]:
    if method not in data.part.values or alpha not in data.alpha.values:
        return None, ""
    return growth.exponent(data, method, alpha), growth.LABELS.get(method, method)


def _least(data: xr.Dataset, methods, alpha: float) -> tuple[Estimate | None, str]:
    """The least exponent over the methods that were run."""
    found = [_one(data, method, alpha) for method in methods]
    found = [(ours, label) for ours, label in found if ours is not None]
    return min(found, key=lambda pair: pair[0].mean, default=(None, ""))


def _head(alpha: float, side: str, published: str, source: str, exponent: float) -> dict:
    return {
        "regime": _regime(alpha),
        "alpha": alpha,
        "side": side,
        "published": published,
        "source": source,
        "exponent": exponent,
    }


def _cell(name: str, ours: Estimate | None, words: str, judge) -> dict:
    none = ours is None
    return {
        f"{name}_exponent": np.nan if none else ours.mean,
        f"{name}_low": np.nan if none else ours.low,
        f"{name}_high": np.nan if none else ours.high,
        f"{name}_of": words,
        f"{name}_verdict": "not run" if none else judge(ours),
    }


def _measured(row: dict, name: str) -> str:
    if np.isnan(row[f"{name}_exponent"]):
        return "--"
    ends = f"[{row[f'{name}_low']:.2f}, {row[f'{name}_high']:.2f}]"
    return f"{row[f'{name}_exponent']:.2f} {ends if np.isfinite(row[f'{name}_low']) else ''}".strip()


def _tex(names: str | tuple) -> str:
    text = ", ".join(names) if isinstance(names, tuple) else names
    return rf"\texttt{{{_plain(text)}}}"


def _plain(text: str) -> str:
    for sign, escaped in (("_", r"\_"), ("^", r"\^{}"), ("~", r"\~{}")):
        text = text.replace(sign, escaped)
    return text
