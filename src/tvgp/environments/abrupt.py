"""Draws of a Gaussian process that change abruptly and stay as they are in between.

The change is one of sign, as in Hong, Li & Tewari 2023 (f <- -f), or to an independent draw. Their set-up:
100 points of the unit sphere in R^10 as arms, a squared exponential of length-scale 0.2, f scaled to
max |f| = 0.8, changes after 1,500 and 5,000 of 10,000 rounds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tvgp import kernels
from tvgp.contracts import Environment
from tvgp.environments.base.drawn import line, prior_draws, sphere


def make(
    change: str = "sign",
    changes: int | Sequence[int] = 1,
    horizon: int = 500,
    n_arms: int = 201,
    dimension: int | None = None,
    kernel: str = "se",
    variance: float = 0.5,
    length_scale: float = 3.0,
    largest: float | None = None,
    noise_std: float = 0.1,
    rng: np.random.Generator | None = None,
) -> Abrupt:
    """changes: their number within the horizon, for stretches of equal length, or the first round of each
    stretch but the first; change: sign or draw; dimension: None for n_arms equispaced points of [-50, 50],
    d for points of the unit sphere in R^d from the stream; largest: max |f| of each draw after scaling,
    None to leave it. ValueError for other changes, for more of them than fit, and without a stream."""
    if change not in ("sign", "draw"):
        raise ValueError(f"abrupt: change is {change!r}, expected sign or draw")
    if rng is None:
        raise ValueError("abrupt: needs a random stream for its draws")
    if isinstance(changes, int | np.integer):
        if not 0 <= changes < horizon:
            raise ValueError(
                f"abrupt: {changes} changes, expected 0 to {horizon - 1} within {horizon} rounds"
            )
        starts = 1 - (-np.arange(1, changes + 1) * horizon // (changes + 1))
    else:
        starts = np.array(changes)
        if not (np.diff(starts, prepend=1) > 0).all():
            raise ValueError(f"abrupt: changes are {list(changes)}, expected increasing rounds from 2 on")
    arms = line(n_arms) if dimension is None else sphere(n_arms, dimension, rng)
    prior = kernels.make(kernel, variance=variance, length_scale=length_scale)
    draws = prior_draws(prior, arms, len(starts) + 1, rng)
    if largest is not None:
        draws *= largest / np.abs(draws).max(axis=1, keepdims=True)
    if change == "sign":
        draws = draws[0] * (-1.0) ** np.arange(len(draws))[:, None]
    return Abrupt(arms, draws, starts, noise_std)


class Abrupt(Environment):
    """One realisation: the function of each stretch, (changes + 1, n_arms); the last one stays."""

    def __init__(self, arms: np.ndarray, draws: np.ndarray, starts: np.ndarray, noise_std: float) -> None:
        self.arms = arms
        self.noise_std = self.expert_noise_std = noise_std
        self._draws = draws
        self._starts = starts

    def mean_rewards(self, t: int) -> np.ndarray:
        """f_t over all arms, (n_arms,)."""
        return self._draws[self._starts.searchsorted(t, side="right")]
