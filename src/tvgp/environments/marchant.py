"""A peak on a circular orbit (Marchant, Ramos & Sanner 2014, as in the code of Nyikosa's ABO).

    f_t(x) = exp(-((x_1 - 2 - 1.5 sin 2 pi s) / 0.7)^2) exp(-((x_2 - 2 - 1.5 cos 2 pi s) / 0.7)^2)

on [0, 5]^2, s = t / period. Our source, that code, has time s without a step: the period in rounds is ours.
"""

from __future__ import annotations

import numpy as np

from tvgp.contracts import Environment


def make(period: float = 100.0, n_side: int = 21, noise_std: float = 0.1) -> Marchant:
    """n_side^2 arms, a grid of [0, 5]^2; period in rounds. ValueError for a period of 0 or less."""
    if not period > 0:
        raise ValueError(f"marchant: period is {period}, must be positive")
    return Marchant(period, n_side, noise_std)


class Marchant(Environment):
    """Deterministic: seeds differ only in noise and the policy's draws."""

    variation_norm = "sup"

    def __init__(self, period: float, n_side: int, noise_std: float) -> None:
        side = np.linspace(0.0, 5.0, n_side)
        self.arms = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
        self.noise_std = self.expert_noise_std = noise_std
        self._period = period

    def mean_rewards(self, t: int) -> np.ndarray:
        """f_t over all arms, (n_arms,)."""
        angle = 2.0 * np.pi * t / self._period
        peak = 2.0 + 1.5 * np.array([np.sin(angle), np.cos(angle)])
        return np.exp(-(((self.arms - peak) / 0.7) ** 2).sum(axis=1))
