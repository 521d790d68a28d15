"""The figures of a record before and after the methods: shares of the best site, correlation by lag."""

import example_results
import numpy as np
import pytest
import xarray as xr

from tvgp.study.figures import plays_by_site, sites

FIGURES = ("sites", "plays_by_site")


def test_best_share_counts_only_sites_with_a_value():
    value = np.array([[1.0, 2, np.nan], [3, np.nan, 1], [np.nan] * 3, [0, 0, -1]])
    np.testing.assert_allclose(sites.best_share(value), [2 / 3, 1 / 3, 0])


@pytest.fixture
def record(tmp_path) -> xr.Dataset:
    """60 rounds of ozone with readings, a tenth of them missing."""
    data = xr.load_dataset(example_results.write(tmp_path, "ozone", "real", horizon=60, seeds=2))
    rng = np.random.default_rng(3)
    value = rng.normal(size=(60, data.sizes["arm"])) + np.arange(data.sizes["arm"])
    value[rng.random(value.shape) < 0.1] = np.nan
    data["reading"] = ("round", "arm"), value
    data["site"] = "arm", [f"site {i}" for i in range(data.sizes["arm"])]
    data["arms"] = 100 * data["arms"]  # as if projected
    return data


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("positions", ["degrees", "none"])
def test_figures_of_sites_with_and_without_positions(record, name, positions):
    if positions == "none":
        record["lat"] *= np.nan
    figure = {"sites": sites, "plays_by_site": plays_by_site}[name].draw(record)
    labels = {axes.get_xlabel() for axes in figure.axes}
    assert ("longitude (°E)" in labels) == (name == "sites" and positions == "degrees")


def test_rows_of_plays_sum_to_one(record):
    labels, shares, order = plays_by_site._shares(record)
    assert len(labels) == len(shares)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (np.diff(shares[0, order]) <= 0).all()
