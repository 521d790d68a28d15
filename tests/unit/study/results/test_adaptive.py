"""The checks of AW-SparQ, read from made-up results."""

import numpy as np
import pytest
import xarray as xr

from tvgp.study import figures, tables
from tvgp.study.results import adaptive
from tvgp.study.tables.adaptive_alpha import switch_delays

VARIANTS = ["adaptive", "known", "fresh_0.5", "fresh_1", "gp_ucb"]


def results(regret, queries):
    """One cell, a drift of exponent 1, with two runs; regret and queries by variant."""
    shape = (1, 2, len(VARIANTS), 1)
    each = ("part", "seed", "variant", "cell")

    def filled(values):
        return each, np.broadcast_to(np.asarray(values, dtype=float), (2, len(VARIANTS))).reshape(shape)

    per_run = ("part", "seed", "cell")
    return xr.Dataset(
        {
            "regret": filled(regret),
            "queries": filled(queries),
            "alpha": (per_run, np.full((1, 2, 1), 1.1)),
            "low": (per_run, np.array([0.8, 1.05]).reshape(1, 2, 1)),
            "high": (per_run, np.full((1, 2, 1), 1.4)),
            "window": (("part", "seed", "cell", "round"), np.ones((1, 2, 1, 8))),
            "true_alpha": (("part", "cell"), [[1.0]]),
            "step": (("part", "cell"), [[0.1]]),
        },
        {"part": ["drifts"], "seed": [1, 2], "variant": VARIANTS, "cell": ["1, step 0.1"]},
        {"analysis": "adaptive_alpha", "data": "synthetic"},
    )


def test_fresh_samples_are_interpolated_at_equal_queries():
    data = results([0.2, 0.2, 0.4, 0.2, 0.6], [100, 100, 10, 1000, 0])
    cell = adaptive.cells(data)["1, step 0.1"]
    np.testing.assert_allclose(adaptive.at_queries(cell, "fresh", 100.0), [0.3, 0.3])
    assert adaptive.at_queries(cell, "fresh", 5.0) is None
    assert adaptive.at_queries(cell, "assumed", 100.0) is None


def test_a_ratio_is_that_of_means():
    found = adaptive.ratio(np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    assert found.mean == pytest.approx(2.0) and found.low < 2.0 < found.high
    assert np.isnan(adaptive.ratio(np.ones(2), np.zeros(2)).mean)


def test_verdicts_of_the_checks():
    frame = tables.rows("adaptive_alpha", [results([0.21, 0.2, 0.4, 0.2, 0.6], [700, 500, 10, 1000, 0])])
    known = frame[frame.check == "exponent known, its own windows"]
    assert known.holds.tolist() == ["yes", "no", "no"]
    np.testing.assert_allclose(known.value, [1.05, 1.4, 0.0])
    fresh = frame[frame.check == "as many queries"]
    assert len(fresh) == 1 and fresh.holds.item() == "yes"
    cover = frame[(frame.check == "fitted exponent") & (frame.target != "")]
    assert cover.value.item() == 0.5 and cover.cell.item() == "1 of 2"


def test_a_switch_is_seen_when_the_window_is_halved():
    """Windows of 4 until half-time, round 8; the first run halves in round 11, the second never."""
    window = np.full((2, 16), 4.0)
    window[0, 10:] = 2.0
    delays = switch_delays(xr.Dataset({"window": (("seed", "round"), window)}))
    np.testing.assert_allclose(delays, [3 / 4, np.inf])


def test_the_figure_has_a_row_per_cell():
    data = results([0.21, 0.2, 0.4, 0.2, 0.6], [700, 500, 10, 1000, 0])
    regret, asked = figures.draw("adaptive_pareto", [data]).axes
    assert [text.get_text() for text in regret.get_yticklabels()] == ["$α = 1$, step 0.1"]
    assert regret.get_xscale() == asked.get_xscale() == "log"
    assert "over 2 runs" in figures.caption("adaptive_pareto", [data])
