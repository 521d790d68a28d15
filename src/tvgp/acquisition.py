"""Choosing an arm from scores, with the tie rule that all policies share.

A plain argmax lets engines and BLAS builds diverge at exact ties, so all policies take the lowest
index within 1e-9 of the maximum, of rewards that are given in usual units (`unit`).
"""

from __future__ import annotations

import math

import numpy as np

TIE = 1e-9


def unit(variance: float) -> float:
    """The unit of scores with this prior variance: 1 for standard deviations of 1/1024 to 1024, else the
    power of 2^20, about a million, that is nearest.

    >>> [unit(std**2) for std in (0.1, 30.0, 1e6)]
    [1.0, 1.0, 1048576.0]
    """
    return math.ldexp(1.0, 20 * round(math.log2(variance) / 40)) if variance > 0.0 else 1.0


def best_arm(scores: np.ndarray, available: np.ndarray | None = None, unit: float = 1.0) -> int:
    """The lowest index among the tied maxima of `scores` (n_arms,) over the available arms.

    unit: of the scores, mostly `Prior.unit`. ValueError if no arm is available or a score is NaN.
    """
    scores, best, least = _contenders(scores, available, unit)
    while best:  # one look at the arms before it, as ties are rare
        before = int(scores[:best].argmax())
        if scores.item(before) < least:
            break
        best = before
    return best


def random_best_arm(
    scores: np.ndarray, rng: np.random.Generator, available: np.ndarray | None = None, unit: float = 1.0
) -> int:
    """A uniform draw among the tied maxima: the rule for rounds without data.

    ValueError as `best_arm`.
    """
    scores, _, least = _contenders(scores, available, unit)
    tied = np.flatnonzero(scores >= least)
    return int(tied[rng.integers(len(tied))])


def _contenders(
    scores: np.ndarray, available: np.ndarray | None, unit: float
) -> tuple[np.ndarray, int, float]:
    """Scores, -inf for arms that are not available, the first maximum, and the least score that ties."""
    if available is not None:
        scores = np.where(available, scores, -np.inf)
    first = int(scores.argmax())
    largest = scores.item(first)  # a NaN if there is one
    if math.isnan(largest):
        raise ValueError("a score is NaN; expected finite posterior mean and width")
    if largest == -math.inf and available is not None and not available.any():
        raise ValueError("no arm is available in this round")
    return scores, first, largest - TIE * unit
