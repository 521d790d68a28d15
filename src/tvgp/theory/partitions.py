"""Exponents of Janz20: pi-GP-UCB with a kernel of smoothness nu, such as a Matern kernel, in d dimensions."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

Round = TypeVar("Round", float, np.ndarray)


def splitting_exponent(d: int, smoothness: float) -> float:
    """b = (d + 1) / (d + 2 nu) of section 3, 0 for nu infinite: side l, up to l^(-1/b) points."""
    return (d + 1) / (d + 2 * smoothness)


def partition_exponent(d: int, smoothness: float) -> float:
    """q = d (d + 1) / (d (d + 2) + 2 nu), the exponent of T in Theorem 4 and Lemma 2; 0 for nu infinite."""
    return d * (d + 1) / (d * (d + 2) + 2 * smoothness)


def regret_exponent(d: int, smoothness: float) -> float:
    """(1 + q) / 2, the exponent of T in Theorem 3."""
    return (1 + partition_exponent(d, smoothness)) / 2


def lower_exponent(d: int, smoothness: float) -> float:
    """(d + nu) / (d + 2 nu), of the lower bound on the regret of all algorithms (Scarlett et al. 2017,
    cited in section 1)."""
    return (d + smoothness) / (d + 2 * smoothness)


def cell_limit(t: Round, d: int, smoothness: float) -> Round:
    """N_t = 4 (t+1)^(b d), which counts the cells in round t (Lemma 6)."""
    return 4.0 * (t + 1.0) ** (splitting_exponent(d, smoothness) * d)
