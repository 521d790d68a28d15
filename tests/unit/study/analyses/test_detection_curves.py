"""Curves of detections over thresholds: the published point lies on them, and a clock's share is a share."""

import numpy as np
import pytest
import xarray as xr

from tvgp.study import analyses, figures
from tvgp.study.results.detection import by_clock
from tvgp.study.tables.detection_curves import rows

CURVE = {"algorithm": "et_gp_ucb", "threshold": "delta_event", "horizon": 120, "within": 50}


@pytest.fixture(scope="module")
def data():
    parts = {
        "et_gp_ucb": CURVE | {"thresholds": [1e-6, 0.1]},
        "master_gp_ucb": CURVE
        | {"algorithm": "master_gp_ucb", "threshold": "scale", "thresholds": [1e-6, 1.0], "width": 2.0},
    }
    runs = [analyses.run("detection_curves", [1, 2], **values) for values in parts.values()]
    gathered = xr.concat(runs, "part", join="outer", data_vars="all").assign_coords(part=list(parts))
    return gathered.assign_attrs(analysis="detection_curves", title="curves", data="synthetic")


def test_the_default_threshold_gives_the_point_of_detections(data):
    point = analyses.run("detections", [1, 2], algorithm="et_gp_ucb", horizon=120)
    curve = data.sel(part="et_gp_ucb", threshold=0.1)
    for name in ("found", "false_alarms"):
        np.testing.assert_array_equal(curve[name], point[name].sel(change=curve.change))


def test_low_thresholds_of_master_restart_like_a_clock(data):
    table = rows([data]).set_index(["policy", "threshold", "change"])
    assert len(table) == 8 and not table.found.isna().any()
    assert table.false_alarms["master_gp_ucb", 1e-6, "sign"] > 3
    assert table.found["master_gp_ucb", 1e-6, "sign"] == 1.0
    assert table.by_clock["master_gp_ucb", 1e-6, "sign"] == 1.0
    assert table.false_alarms["master_gp_ucb", 1.0, "sign"] == table.found["master_gp_ucb", 1.0, "sign"] == 0


@pytest.mark.parametrize("restarts", [2, 5, 50])
def test_a_clock_finds_changes_in_proportion_to_its_restarts(restarts):
    """Over all times of a change, restarts at the multiples of 1,000 / restarts."""
    distance, within = 1000 // restarts, 40
    wait = -np.arange(1000) % distance
    assert by_clock(restarts, within, 1000) == pytest.approx((wait < within).mean())


def test_the_figure_has_a_panel_per_change(data):
    assert len(figures.draw("detection_curves", [data]).axes) == 2
    assert "50 rounds after" in figures.caption("detection_curves", [data])
