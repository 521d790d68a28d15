"""Detections: which of them count as finding a change."""

import numpy as np
import pytest
import xarray as xr

from tvgp import environments
from tvgp.study import analyses
from tvgp.study.analyses.detections import change_points, judged
from tvgp.study.claims.claim import Holds
from tvgp.study.claims.measures.modern_methods import first_detection
from tvgp.study.tables.detections import rows
from tvgp.theory.schedules import master_threshold


def test_detections_are_matched_with_the_changes_before_them():
    """Changes in rounds 10, 40 and 70, found within 20: 12 and 15 find the first, 40 the second."""
    found = judged(np.array([5, 12, 15, 40, 90]), np.array([10, 40, 70]), 20)
    assert found == (pytest.approx(2 / 3), 1.0, 2.0)
    assert judged(np.array([], dtype=int), np.array([10]), 20)[0] == 0.0
    share, delay, false_alarms = judged(np.array([3]), np.array([], dtype=int), 20)
    assert np.isnan(share) and np.isnan(delay) and false_alarms == 1.0


def test_change_points_are_the_first_rounds_of_the_new_function():
    rng = np.random.default_rng(0)
    environment = environments.make("abrupt", change="draw", changes=3, horizon=40, rng=rng)
    np.testing.assert_array_equal(change_points(environment, 40), [11, 21, 31])


def test_et_gp_ucb_detects_a_sign_change_and_master_does_not():
    parts = {
        "et_gp_ucb": {"algorithm": "et_gp_ucb"},
        "master_gp_ucb": {"algorithm": "master_gp_ucb", "width": 2.0},
    }
    runs = [analyses.run("detections", [1], horizon=120, **values) for values in parts.values()]
    data = xr.concat(runs, "part").assign_coords(part=list(parts))
    table = rows([data]).set_index(["policy", "change"])
    assert table.found["et_gp_ucb", "sign"] == 1.0 and table.false_alarms["et_gp_ucb", "none"] == 0.0
    assert table.found.isna()["et_gp_ucb", "walk"] and table.found["master_gp_ucb", "sign"] == 0.0
    found = first_detection(data, "master_gp_ucb", at_least=1.24e9, delta=0.1)
    assert found.claimed == Holds(True) and "0 detections" in found.note
    root = found.ours.mean
    assert 3.0 * master_threshold(root, 0.1, 1.0, 1.0) == pytest.approx(np.sqrt(root))
    later = first_detection(data, "et_gp_ucb", at_least=2.0 * root, delta=0.1)
    assert later.claimed == Holds(False) and "0 detections" not in later.note
