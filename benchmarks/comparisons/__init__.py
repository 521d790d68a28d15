"""One file per comparison; each offers `make() -> Comparison`."""

from __future__ import annotations

from benchmarks.harness import Comparison
from tvgp import plugins

# In the order of the table.
NAMES = (
    "constant_noise",
    "time_kernel",
    "changing_noise",
    "discounts_and_windows",
    "kdpp_first",
    "kdpp_again",
    "kdpp_chain",
    "figure",
)


def make(name: str) -> Comparison:
    """A comparison by file name."""
    return plugins.load(__name__, name).make()
