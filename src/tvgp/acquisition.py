"""Choosing an arm from scores, with the one tie rule of the study.

A plain argmax lets engines and BLAS builds diverge at exact ties, so the lowest index within
1e-9 of the maximum is taken everywhere.
"""

from __future__ import annotations

import numpy as np

TIE = 1e-9


def tied_arms(scores: np.ndarray, available: np.ndarray | None = None) -> np.ndarray:
    """Indices, ascending, of the available arms whose score is within 1e-9 of the maximum.

    ValueError when no arm is available or a score is NaN.
    """
    return _tied(scores, available).nonzero()[0]


def best_arm(scores: np.ndarray, available: np.ndarray | None = None) -> int:
    """The lowest index among the tied maxima of `scores` (n_arms,)."""
    return int(_tied(scores, available).argmax())


def random_best_arm(scores: np.ndarray, rng: np.random.Generator, available: np.ndarray | None = None) -> int:
    """A uniform draw among the tied maxima: the rule for rounds without any data."""
    tied = tied_arms(scores, available)
    return int(tied[rng.integers(len(tied))])


def _tied(scores: np.ndarray, available: np.ndarray | None) -> np.ndarray:
    """Which arms are within 1e-9 of the maximum, (n_arms,)."""
    if available is not None:
        if not available.any():
            raise ValueError("no arm is available in this round")
        scores = np.where(available, scores, -np.inf)
    largest = scores[scores.argmax()]  # the first NaN where there is one; takes a fifth of max()
    if largest != largest:
        raise ValueError("a score is NaN; expected finite posterior mean and width")
    return scores >= largest - TIE
