"""One file per comparison; each defines `make() -> Comparison`."""

from __future__ import annotations

import inspect

from benchmarks.harness import Comparison
from tvgp import plugins

QUICK_HORIZON = 120  # rounds, in place of 500

load = plugins.Registry(__name__, "comparison").load

# in the order of the table
NAMES = (
    "constant_noise",
    "time_kernel",
    "changing_noise",
    "discounts_and_windows",
    "kdpp_first",
    "kdpp_again",
    "kdpp_chain",
    "figure",
    "methods",
)


def make(name: str, quick: bool = False) -> Comparison:
    """A comparison by file name; quick runs are shorter where a comparison has a horizon."""
    module = load(name)
    shorter = quick and "horizon" in inspect.signature(module.make).parameters
    return module.make(horizon=QUICK_HORIZON) if shorter else module.make()
