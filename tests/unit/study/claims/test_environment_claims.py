"""Facts read from cards."""

import json

import pytest
import xarray as xr

from tvgp.study.claims.claim import Holds
from tvgp.study.claims.measures.environments import never_moves


@pytest.mark.parametrize(
    ("moves", "still", "holds"), [(0.0, True, True), (3.0, True, False), (3.0, False, True)]
)
def test_whether_the_optimum_moves_is_read_from_the_card(moves, still, holds):
    card = json.dumps({"optimum_moves": moves, "best_fixed_regret": 0.5})
    found = never_moves(xr.Dataset(attrs={"card": card}), still)
    assert found.claimed == Holds(holds) and found.ours.mean == moves
