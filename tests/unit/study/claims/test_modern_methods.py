"""The effect of the prior mean on the regret, and the arithmetic of a threshold."""

import numpy as np
import pytest
import xarray as xr

from tvgp.study.claims.claim import Holds, NotComparable, Within
from tvgp.study.claims.measures.modern_methods import first_detection, prior_mean_effect


def runs(*averages):
    """Runs of variant ui, of ten rounds, with these average regrets."""
    regret = np.repeat(np.array(averages)[None, :, None], 10, axis=2)
    coordinates = {"policy": ["ui"], "seed": range(len(averages)), "round": range(1, 11)}
    return xr.Dataset({"regret": (("policy", "seed", "round"), regret)}, coordinates)


def test_the_effect_is_the_mean_ratio_of_paired_runs():
    parts = {"up": runs(2.0, 3.0, 4.0), "down": runs(1.0, 1.0, 4.0)}
    found = prior_mean_effect(parts, "ui", high="up", low="down", least=0.9, most=1.1)
    assert found.ours.mean == pytest.approx(2.0) and found.claimed == Within(0.9, 1.1)
    with pytest.raises(NotComparable, match="variant tv was not run"):
        prior_mean_effect(parts, "tv", high="up", low="down", least=0.9, most=1.1)


def test_the_first_detection_of_master_is_arithmetic():
    """18 (log2 T + 1) L^1.5 / sqrt(T) with L = log(T / delta) is 1 there, whatever the runs found."""
    dims = {"detections": (("part", "seed", "change"), np.ones((1, 2, 2)))}
    data = xr.Dataset(dims, {"part": ["master"], "change": ["none", "sign"]})
    for at_least, holds in ((1.24e9, True), (1e10, False)):
        found = first_detection(data, "master", at_least, 0.05)
        T = found.ours.mean
        assert 18.0 * (np.log2(T) + 1.0) * np.log(T / 0.05) ** 1.5 / T**0.5 == pytest.approx(1.0)
        assert found.ours.runs == 0 and found.claimed == Holds(holds)
        with pytest.raises(NotComparable, match="part = glr"):
            first_detection(data, "glr", at_least, 0.05)
        assert found.note.startswith("arithmetic") and "4 detections in 4 runs of none, sign" in found.note
