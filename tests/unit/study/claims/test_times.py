"""Claims on measured times, on made-up seconds."""

import numpy as np
import pytest
import xarray as xr

from tvgp.study import claims, tables
from tvgp.study.claims.claim import NotComparable
from tvgp.study.claims.judge import verdict
from tvgp.study.claims.measures import times

STEPS = np.array([100, 1000, 3000, 10_000])


def seconds(igp_last: int = 10_000) -> xr.Dataset:
    """pi-GP-UCB takes 1 ms a round; IGP-UCB half of that at d = 1, and ten times that at d = 3."""
    noise = np.array([0.99, 1.0, 1.01])[:, None]
    rates = {"pi_d1": 1e-3, "igp_d1": 5e-4, "pi_d3": 1e-3, "igp_d3": 1e-2}
    values = np.array([rate * noise * STEPS for rate in rates.values()])
    values[3, :, igp_last < STEPS] = np.nan
    coordinates = {"part": list(rates), "seed": [1, 2, 3], "step": STEPS}
    data = xr.Dataset({"seconds": (("part", "seed", "step"), values)}, coordinates)
    return data.assign_attrs(analysis="janz_times", title="times", data="synthetic")


def test_scalability_is_judged_where_both_were_timed():
    for d, ratio, word in ((1, 2.0, "contradicted"), (3, 0.1, "confirmed")):
        found = times.less_time(seconds(igp_last=3000), d)
        assert found.ours.mean == pytest.approx(ratio)
        assert verdict(found.ours, found.claimed) == word
    assert "to round 3,000; the paper's ratio 0.016" in found.note
    linear = times.linear_time(seconds(), 1, 1.2)
    assert linear.ours.mean == pytest.approx(1.0)
    assert verdict(linear.ours, linear.claimed) == "trend agrees"
    with pytest.raises(NotComparable, match="pi_gp_ucb was not timed at"):
        times.less_time(seconds(), 2)


def test_a_round_timed_for_one_method_alone_is_interpolated():
    """IGP-UCB ends at round 2,000, of which pi-GP-UCB has no time."""
    data = seconds().reindex(step=[100, 1000, 2000, 3000, 10_000])
    data.seconds.loc[{"part": "igp_d1", "step": 2000}] = 1.0
    data.seconds.loc[{"part": "igp_d1", "step": slice(2001, None)}] = np.nan
    found = times.less_time(data, 1)
    assert found.ours.mean == pytest.approx(2.0, rel=0.02) and "to round 2,000" in found.note


def test_claims_on_times_have_a_table_of_their_own():
    frame = tables.rows("claims", [seconds()], timed=True)
    assert len(frame) == len(claims.TIMED) and set(frame.paper) == {"Janz20", "Vakili21"}
    assert set(frame[frame.claimed.str.contains("drastically")].verdict) >= {"contradicted", "confirmed"}
    plain = tables.rows("claims", [seconds()])
    assert not plain.experiment.str.contains("janz_times").any()


def test_a_step_is_slower_than_a_sparse_one():
    names = ["points", "textbook"]
    values = np.array([[[1.0], [1.1], [0.9]], [[30.0], [33.0], [27.0]]])
    data = xr.Dataset({"seconds": (("part", "seed", "setting"), values)}, {"part": names})
    data = data.assign(kernel=("part", ["se", "se"]), method=("part", names))
    found = times.slower_than_sparse(data, "textbook", "se")
    assert found.ours.mean == pytest.approx(30.0)
    assert verdict(found.ours, found.claimed) == "confirmed"
    with pytest.raises(NotComparable, match="joint was not timed with this kernel"):
        times.slower_than_sparse(data, "joint", "se")
