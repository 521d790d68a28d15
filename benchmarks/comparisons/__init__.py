"""Comparisons by name, in the order of the page."""

from __future__ import annotations

from functools import cache

from benchmarks.comparisons import figure, fits, kdpp, runs
from benchmarks.harness import Comparison, Turn, take_turn

HORIZON, QUICK_HORIZON = 500, 120  # rounds

_MAKERS = {
    "constant_noise": runs.constant_noise,
    "time_kernel": runs.time_kernel,
    "changing_noise": runs.changing_noise,
    "discounts_and_windows": runs.discounts_and_windows,
    "kdpp_first": kdpp.first,
    "kdpp_again": kdpp.again,
    "kdpp_chain": kdpp.chain,
    "likelihood_100": fits.at_100,
    "likelihood_400": fits.at_400,
    "likelihood_1000": fits.at_1000,
    "fit_100": fits.small,
    "fit_200": fits.medium,
    "fit_400": fits.large,
    "figure": figure.seven_methods,
}
NAMES = tuple(_MAKERS)


@cache
def make(name: str, horizon: int = HORIZON) -> Comparison:
    """A comparison, the same object for the same arguments; those of k-DPPs have no horizon."""
    return _MAKERS[name](horizon)


def turn(name: str, contender: str, horizon: int, calls: int) -> Turn:
    """A turn of one contender in this process."""
    chosen = next(each for each in make(name, horizon).contenders if each.name == contender)
    return take_turn(chosen, calls)
