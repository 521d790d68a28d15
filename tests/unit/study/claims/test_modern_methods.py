"""The effect of the prior mean on the regret."""

import numpy as np
import pytest
import xarray as xr

from tvgp.study.claims.claim import NotComparable, Within
from tvgp.study.claims.measures.modern_methods import prior_mean_effect


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
