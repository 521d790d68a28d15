"""The examples in docstrings of the library give what they show."""

import doctest
from importlib import import_module

import pytest

SHOWN = {  # number of examples, so that none gets lost
    "kernels": 3,
    "policies": 8,
    "environments": 3,
    "simulate": 6,
    "live": 6,
    "continuous.box": 4,
    "continuous.optimiser": 6,
    "dpp.exact": 2,
    "fitting.marginal_likelihood": 6,
    "posterior": 10,
}


@pytest.mark.parametrize("module", SHOWN)
def test_examples_give_what_they_show(module):
    result = doctest.testmod(import_module(f"tvgp.{module}"))
    assert (result.failed, result.attempted) == (0, SHOWN[module])
