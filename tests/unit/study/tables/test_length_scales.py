"""The likelihood of Bogunovic16's printed values over length-scales, and the runs behind it."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import norm

from tvgp.study import analyses, tables
from tvgp.study.papers import bogunovic16


def made(offsets, spread=0.03, runs=8):
    """Parts whose means are the published values plus an offset."""
    published = np.array(list(bogunovic16.SQUARED_EXPONENTIAL.values()))
    draws = spread * np.resize([-1.0, 1.0], runs)[:, None, None]
    values = np.stack([published + offset + draws for offset in offsets])
    dims = ("part", "seed", "policy", "epsilon")
    return xr.Dataset(
        {"average": (dims, values), "length_scale": ("part", np.arange(len(offsets)) + 0.5)},
        {
            "part": [f"l_{i}" for i in range(len(offsets))],
            "policy": list(bogunovic16.SQUARED_EXPONENTIAL),
            "epsilon": list(bogunovic16.EPSILONS.values()),
        },
        {"analysis": "length_scales", "data": "synthetic"},
    )


def test_the_likeliest_length_scale_is_the_one_that_fits():
    frame = tables.rows("length_scales", [made([0.05, 0.0, 0.02])])
    assert frame.length_scale.tolist() == [0.5, 1.5, 2.5] and frame.runs.tolist() == [8] * 3
    assert frame.log_likelihood.idxmax() == 1 and frame.share.sum() == pytest.approx(1)
    assert frame["TV-GP-UCB, 0.01"].tolist() == pytest.approx([0.22 / 0.17, 1.0, 0.19 / 0.17])
    sd = np.sqrt(0.03**2 * 8 / 7 * (1 / 8 + 1 / 200) + bogunovic16.READING_ERROR**2)
    each = norm.logpdf([0.05, 0.0, 0.02], 0, sd)
    assert frame.log_likelihood.tolist() == pytest.approx(6 * (each - each.max()))
    assert frame.chi_square.tolist() == pytest.approx(6 * np.array([0.05, 0.0, 0.02]) ** 2 / sd**2)


def test_longer_length_scales_are_easier():
    small = {"n_side": 12, "horizon": 60, "epsilons": (0.01,)}
    short, long = (
        analyses.run("length_scales", [1, 2, 3], length_scale=each, **small) for each in (0.2, 0.6)
    )
    assert short.average.shape == (3, 2, 1)
    assert (long.average.mean("seed") < short.average.mean("seed")).all()
