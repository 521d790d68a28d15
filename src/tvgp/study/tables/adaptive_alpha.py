"""AW-SparQ against what it should reach: regret and queries beside known exponents, beside fresh samples with
as many queries, the fitted exponent, a switch, a static function, functions without an exponent, ablations.

Regret is per round after the first fifth of a run. Ratios are of means over paired runs; intervals have level
95 %. `holds` compares the value itself, not the end of its interval, with the target.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.results import adaptive
from tvgp.study.results.statistics import Estimate, mean_interval, paired_difference, share_interval

COLUMNS = ("check", "cell", "quantity", "value", "low", "high", "target", "holds")
REGRET, QUERIES = 1.1, 1.2  # most of the values of known exponents
ENOUGH, COVERED = 500, 0.8  # queries of runs whose interval counts; share that should cover the truth
CATASTROPHE = 1.2
CELLS = 0.9

Row = tuple[str, str, str, Estimate, str, bool | None]


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per check and cell, and a row per check that counts its cells."""
    table: list[Row] = []
    for data in collected:
        cells = adaptive.cells(data)
        if results.name(data) == "adaptive_ablations":
            table += _ablations(cells)
            continue
        drifts = {name: cell for name, cell in cells.items() if np.isfinite(cell.true_alpha)}
        for known, words in (("known", "its own windows"), ("published", "published windows")):
            table += _beside_known(drifts, known, words)
        table += _fresh(drifts)
        table += _exponents(drifts)
        table += _others(cells)
    return pd.DataFrame(
        [
            {
                "check": check,
                "cell": cell,
                "quantity": quantity,
                **ours.columns("value", ""),
                "target": target,
                "holds": {None: "", True: "yes", False: "no"}[holds],
            }
            for check, cell, quantity, ours, target, holds in table
        ],
        columns=COLUMNS,
    )


def _beside_known(cells: Mapping[str, xr.Dataset], known: str, words: str) -> Iterator[Row]:
    check, passed, judged = f"exponent known, {words}", 0, 0
    for name, cell in cells.items():
        regrets = _pair(cell, "regret", "adaptive", known)
        queries = _pair(cell, "queries", "adaptive", known)
        if regrets is None or queries is None:
            continue
        less, fewer = adaptive.ratio(*regrets), adaptive.ratio(*queries)
        yield _at_most(check, name, "regret over that with the exponent known", less, REGRET)
        yield _at_most(check, name, "queries over those with the exponent known", fewer, QUERIES)
        passed, judged = passed + (less.mean <= REGRET and fewer.mean <= QUERIES), judged + 1
    if judged:
        yield _share(check, passed, judged, "share of cells with both", CELLS)


def _fresh(cells: Mapping[str, xr.Dataset]) -> Iterator[Row]:
    for name, cell in cells.items():
        regret, queries = (adaptive.values(cell, key, "adaptive") for key in ("regret", "queries"))
        if regret is None or queries is None:
            continue
        for family, words in (("fresh", "fresh samples of the domain"), ("assumed", "an assumed exponent")):
            other = adaptive.at_queries(cell, family, float(queries.mean()))
            quantity = f"regret minus that of {words} with as many queries"
            if other is not None:
                ours = paired_difference(regret, other)
                yield "as many queries", name, quantity, ours, "< 0", ours.mean < 0


def _exponents(cells: Mapping[str, xr.Dataset]) -> Iterator[Row]:
    covered = total = 0
    for name, cell in cells.items():
        queries = adaptive.values(cell, "queries", "adaptive")
        if queries is None:
            continue
        yield "fitted exponent", name, "exponent", mean_interval(cell.alpha.values), "", None
        within = (cell.low.values <= cell.true_alpha.item()) & (cell.true_alpha.item() <= cell.high.values)
        counted = (queries >= ENOUGH) & np.isfinite(cell.low.values)
        covered, total = covered + int(within[counted].sum()), total + int(counted.sum())
    if total:
        quantity = f"share of 90 % intervals with the truth, runs with {ENOUGH} queries or more"
        yield _share("fitted exponent", covered, total, quantity, COVERED)


def _others(cells: Mapping[str, xr.Dataset]) -> Iterator[Row]:
    if "switch" in cells:
        delays = switch_delays(cells["switch"])
        never = int(np.isinf(delays).sum())
        quantity = f"old windows until the length is halved ({never} runs: never); median and quartiles"
        low, middle, high = np.quantile(delays, [0.25, 0.5, 0.75], method="nearest").tolist()
        ours = Estimate(middle, low, high, len(delays))
        yield "switch of the exponent", "switch", quantity, ours, "$≤ 2$", middle <= 2
    if "static" in cells:
        cell = cells["static"]
        last = mean_interval(cell.window.values[:, -1])
        yield "static function", "static", "length of the last window", last, "$≥ 100$", last.mean >= 100
        pair = _pair(cell, "regret", "adaptive", "gp_ucb")
        if pair is not None:
            ours = adaptive.ratio(*pair)
            yield _at_most("static function", "static", "regret over that of GP-UCB", ours, REGRET)
    for name in ("switch", "sign_flip", "new_draw", "rkhs_sine", "moving_bump"):
        if name in cells and (pair := _pair(cells[name], "regret", "adaptive", "assumed_1")) is not None:
            ours = adaptive.ratio(*pair)
            quantity = "regret over that of an assumed exponent of 1"
            yield _at_most("no power law", name, quantity, ours, CATASTROPHE)


def _at_most(check: str, cell: str, quantity: str, ours: Estimate, most: float) -> Row:
    return check, cell, quantity, ours, f"$≤ {most}$", ours.mean <= most


def _share(check: str, held: int, judged: int, quantity: str, least: float) -> Row:
    """The share of cells or runs in which something holds."""
    ours = share_interval(held, judged)
    return check, f"{held} of {judged}", quantity, ours, f"$≥ {least}$", ours.mean >= least


def switch_delays(cell: xr.Dataset) -> np.ndarray:
    """By run, (seed,): rounds from half-time until the window is at most half its median length in the
    quarter before, over that length; infinite if that never happens."""
    window = cell.window.values
    half = window.shape[1] // 2
    before = np.median(window[:, half // 2 : half], axis=1)
    short = window[:, half:] <= before[:, None] / 2
    return np.where(short.any(axis=1), (short.argmax(axis=1) + 1) / before, np.inf)


def _ablations(cells: Mapping[str, xr.Dataset]) -> Iterator[Row]:
    variants = dict.fromkeys(str(v) for cell in cells.values() for v in cell.variant.values)
    for variant in variants:
        if variant == "adaptive":
            continue
        for quantity in ("regret", "queries"):
            pairs = [_pair(cell, quantity, variant, "adaptive") for cell in cells.values()]
            ratios = [adaptive.ratio(*pair).mean for pair in pairs if pair is not None]
            if ratios:
                logs = mean_interval(np.log(np.maximum(ratios, 1e-3)))
                mean, low, high = np.exp([logs.mean, logs.low, logs.high]).tolist()
                ours = Estimate(mean, low, high, logs.runs)
                words = f"{quantity} over that of AW-SparQ, geometric mean over cells"
                yield "ablation", variant.replace("_", " "), words, ours, "", None


def _pair(cell: xr.Dataset, quantity: str, first: str, second: str) -> tuple[np.ndarray, np.ndarray] | None:
    a, b = adaptive.values(cell, quantity, first), adaptive.values(cell, quantity, second)
    return None if a is None or b is None else (a, b)
