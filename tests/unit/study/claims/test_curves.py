"""Measurements on the course of runs, on curves with known answers."""

import numpy as np
import pytest
import xarray as xr

from tvgp.study.claims.claim import NotComparable
from tvgp.study.claims.judge import verdict
from tvgp.study.claims.measures import curves

NOISE = np.array([-0.02, 0.0, 0.01, 0.01])


def part(**regret) -> xr.Dataset:
    """Four runs of each variant: its regret by round (or by run and round), times a little more or less."""
    values = np.array([np.broadcast_to(each, (4, len(np.atleast_1d(each).T))) for each in regret.values()])
    values = values * (1.0 + NOISE[:, None])
    names = list(regret)
    data = xr.Dataset({"regret": (("policy", "seed", "round"), values)}, {"policy": names})
    return data.assign(label=("policy", names)).assign_attrs(experiment="a")


def test_regret_after_a_restart_is_that_of_the_later_blocks():
    """Falling from 2 to 1 in blocks of ten; the first block, whose start is no restart, does not count."""
    falling = np.tile(np.linspace(2.0, 1.0, 10), 4)
    first = falling.copy()
    first[:10] = 100.0
    data = part(r=first, tv=np.full(40, 1.5), gp=1.0 + falling)
    found = curves.after_restart(data, "r", 10)
    assert found.ours.mean == pytest.approx(8 / 9, rel=1e-9)
    assert verdict(found.ours, found.claimed) == "confirmed"
    assert curves.after_restart(data, "r", 10, "tv").ours.mean == pytest.approx(8 / 9, rel=1e-9)
    steadier = curves.after_restart(data, "tv", 10, "gp")
    assert verdict(steadier.ours, steadier.claimed) == "contradicted"
    with pytest.raises(NotComparable, match="no second block of 25 rounds in 40"):
        curves.after_restart(data, "r", 25)


@pytest.mark.parametrize(("power", "expected"), [(0.3, "confirmed"), (0.9, "contradicted")])
def test_slow_is_a_power_of_the_setting(power, expected):
    settings = (0.01, 0.02, 0.04)
    data = part(**{f"v{i}": np.full(6, s**power) for i, s in enumerate(settings)})
    found = curves.elasticity(data, ("v0", "v1", "v2"), settings, 0.5)
    assert found.ours.mean == pytest.approx(power)
    assert verdict(found.ours, found.claimed) == expected


def test_the_spread_of_runs_grows_with_the_setting():
    runs = np.array([[-1.0], [1.0], [-0.9], [0.9]])
    data = part(**{f"v{n}": 10.0 + np.repeat(0.1 * n * runs, 3, axis=1) for n in (10, 20, 40)})
    found = curves.spread_growth(data, ("v10", "v20", "v40"), (10, 20, 40))
    assert found.ours.mean == pytest.approx(1.0, abs=0.1)
    with pytest.raises(NotComparable, match="too few runs"):
        curves.spread_growth(data.isel(seed=[0, 1]), ("v10", "v20"), (10, 20))


def test_gaps_widen_and_leads_are_early():
    """gp: 1, then 3; tv: always 2. R_t / t: 1 and 2 against 2."""
    data = part(gp=np.repeat([1.0, 3.0], 10), tv=np.full(20, 2.0))
    widening = curves.widening_gap(data, "tv", "gp")
    assert widening.ours.mean == pytest.approx(1.0)
    assert verdict(widening.ours, widening.claimed) == "confirmed"
    early = curves.early_lead(data, "gp", "tv", 0.1)
    assert early.ours.mean == pytest.approx(-1.0) and "$t = 2$" in early.quantity
    assert verdict(early.ours, early.claimed) == "confirmed"


def test_a_tuned_length_is_in_the_papers_rounds():
    time = np.arange("2004-03-01", "2004-03-02", np.timedelta64(30, "m"), dtype="<M8[m]")
    data = part(r=np.ones(48)).assign_coords(time=("round", time))
    with pytest.raises(NotComparable, match="r was not tuned"):
        curves.tuned_length(data, "r", 15.0, 10.0, 0.25)
    data = data.assign_attrs(tuned='{"r": {"value": 5}}')
    found = curves.tuned_length(data, "r", 15.0, 10.0, 0.25)
    assert found.ours.mean == 15.0 and verdict(found.ours, found.claimed) == "inconclusive"
