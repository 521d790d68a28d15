"""The regret of who knows the last function: simulated against the formula, and refusals."""

import numpy as np
import pytest

from tvgp.study import analyses, tables


@pytest.mark.parametrize(("model", "rate"), [("forgetting", 0.1), ("wiener", 0.1)])
def test_the_floor_is_what_is_simulated(model, rate):
    """Seeded; within five standard errors over 20 runs and the error of E max f (false alarm below 1e-4)."""
    found = analyses.run("order_floor", range(1, 21), model=model, rate=rate, horizon=300)
    error = found.informed.std(ddof=1).item() / np.sqrt(20)
    assert abs(found.informed.mean() - found.floor) < 5 * error + 0.003
    assert (found.informed < found.random / 3).all()


def test_blocks_of_seeds_are_those_of_all_together():
    few = {"rate": 0.3, "horizon": 20, "n_arms": 21}
    whole = analyses.run("order_floor", [1, 2], **few)
    assert analyses.run("order_floor", [2], **few).informed.item() == whole.informed.sel(seed=2).item()


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"model": "momentum"}, "model is 'momentum', expected forgetting, wiener"),
        ({"rate": 1.0}, "rate is 1, expected a positive number, below 1 where f forgets"),
    ],
)
def test_a_model_or_rate_that_cannot_be_is_refused(named, said):
    with pytest.raises(ValueError, match=said):
        analyses.run("order_floor", [1], **named)


def test_the_table_has_both(tmp_path):
    own = {"rate": 0.3, "horizon": 20, "n_arms": 21}
    analyses.write(tmp_path / "a.nc", analyses.run("order_floor", [1, 2], **own), {})
    job = analyses.GatherJob("order_floor", "Floor", 2, False, {"a": {"model": "forgetting", **own}})
    (row,) = tables.rows("order_floor", [analyses.gather({"a": [tmp_path / "a.nc"]}, job)]).itertuples()
    assert (row.model, row.rate, row.runs) == ("forgetting", 0.3, 2)
    assert row.informed_low < row.informed < row.informed_high and 0 < row.floor < row.random
