"""Each run at the setting that is best for the others."""

import numpy as np
import pytest
import xarray as xr

from tvgp.study.results import tuning


def test_each_run_is_tuned_on_the_others():
    regret = np.array([[0.0, 3.0, 3.0], [1.0, 2.0, 2.0]])  # the first run alone favours the first setting
    assert tuning.chosen(regret).tolist() == [1, 0, 0]


def test_a_setting_that_is_not_played_is_never_chosen():
    assert tuning.chosen(np.array([[np.nan, np.nan], [5.0, 5.0]])).tolist() == [1, 1]


def test_one_run_has_no_others():
    with pytest.raises(ValueError, match="1 run, expected 2 or more"):
        tuning.chosen(np.zeros((3, 1)))


def test_values_follow_the_choice_among_all_combinations():
    rng = np.random.default_rng(0)
    regret = xr.DataArray(
        rng.uniform(size=(2, 3, 4, 5)),
        dims=("asker", "drift", "seed", "width"),
        coords={"asker": ["a", "b"], "seed": range(1, 5)},
    )
    best, queries = tuning.held_out(regret, ["drift", "width"], 10.0 * regret)
    assert best.dims == ("asker", "seed") and best.seed.values.tolist() == [1, 2, 3, 4]
    np.testing.assert_allclose(queries, 10.0 * best)
    for asker in ("a", "b"):
        table = regret.sel(asker=asker)
        for s in range(4):
            others = table.drop_isel(seed=s).mean("seed")
            where = others.argmin(["drift", "width"])
            assert best.sel(asker=asker)[s] == table.isel(seed=s).isel(where)
