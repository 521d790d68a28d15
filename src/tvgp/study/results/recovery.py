"""Rounds until regret is low again after the reward function has jumped."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.results import league

SPAN = 5  # rounds over which regret is averaged, as one round may be low by chance
TARGETS = (0.5, 0.25, 0.1)  # of the regret of uniform play


def rounds_until(regret: np.ndarray, target: float) -> float:
    """Rounds from the first until the mean of `SPAN` rounds is at most `target`, inf if it never is.

    regret (n,): of the rounds from the change to the next one, or to the end.
    """
    if len(regret) < SPAN:
        return np.inf
    means = np.convolve(regret, np.full(SPAN, 1.0 / SPAN), "valid")
    reached = np.flatnonzero(means <= target)
    return float(reached[0]) if len(reached) else np.inf


def changes(part: xr.Dataset) -> list[int]:
    """The rounds (from 1) at which f jumps, of an environment that stays as it is in between; else none."""
    return results.card(part)["change_points"] if league.family(part) == "jumps" else []


def waits(part: xr.Dataset, variant: str, targets: Sequence[float] = TARGETS) -> np.ndarray:
    """`rounds_until` of a variant for each change, target and seed, targets in units of the regret of uniform
    play: (changes, targets, seeds)."""
    starts = [at - 1 for at in changes(part)]
    ends = [*starts[1:], part.sizes["round"]]
    regret = results.of(part, "regret", variant).transpose("seed", "round").values
    scale = league.uniform_regret(part)
    found = [
        [[rounds_until(run[start:end], share * scale) for run in regret] for share in targets]
        for start, end in zip(starts, ends, strict=True)
    ]
    return np.array(found).reshape(len(starts), len(targets), len(regret))
