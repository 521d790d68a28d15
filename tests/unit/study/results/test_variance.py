"""Shares of variance in full factorials."""

import numpy as np
import pytest
import xarray as xr

from tvgp.study.results import variance


def table(values):
    return xr.DataArray(np.asarray(values, dtype=float), dims=("a", "b"))


def test_factors_that_add_share_the_variance():
    additive = table(np.add.outer([0.0, 1.0], [0.0, 2.0]))  # variances 1/4 and 1
    assert variance.first_order(additive) == pytest.approx({"a": 0.2, "b": 0.8})
    assert variance.total(additive) == pytest.approx({"a": 0.2, "b": 0.8})


def test_an_interaction_is_in_totals_and_in_no_first_order():
    product = table([[1.0, -1.0], [-1.0, 1.0]])
    assert variance.first_order(product) == pytest.approx({"a": 0.0, "b": 0.0})
    assert variance.total(product) == pytest.approx({"a": 1.0, "b": 1.0})


def test_a_constant_table_has_no_shares():
    assert variance.first_order(table(np.ones((2, 2)))) == {"a": 0.0, "b": 0.0}
    assert variance.total(table(np.ones((2, 2)))) == {"a": 0.0, "b": 0.0}
