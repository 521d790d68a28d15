"""The moving bump of Mauduit25a, section 4.1 (Fig. 1).

f_t(x) = exp(-0.05 (x - 5 sin(0.1 t))^2) + 0.5 cos(0.2 x) + 1.5 on [-50, 50].

The constant and the cosine lie outside the RKHS of a squared exponential kernel on the line; the
period is 62.8 rounds.
"""

from __future__ import annotations

import numpy as np

from tvgp.contracts import Environment, require_horizon


def make(n_arms: int = 1001, noise_std: float = 0.1, expert_noise_std: float | None = None) -> MovingBump:
    """n_arms equispaced points of [-50, 50]; noise in reward units."""
    return MovingBump(n_arms, noise_std, expert_noise_std)


class MovingBump(Environment):
    """Deterministic: seeds differ only in noise and the policy's draws."""

    variation_norm = "sup"  # f_t is not in the RKHS: `variation` is a path length in the sup norm

    def __init__(self, n_arms: int, noise_std: float, expert_noise_std: float | None) -> None:
        self.arms = np.linspace(-50.0, 50.0, n_arms)[:, None]
        self.noise_std = noise_std
        self.expert_noise_std = noise_std if expert_noise_std is None else expert_noise_std
        self._fixed = 0.5 * np.cos(0.2 * self.arms[:, 0]) + 1.5

    def mean_rewards(self, t: int) -> np.ndarray:
        """f_t over all arms, (n_arms,)."""
        return np.exp(-0.05 * (self.arms[:, 0] - 5.0 * np.sin(0.1 * t)) ** 2) + self._fixed

    def variation(self, horizon: int) -> float:
        """sum_t sup_x |f_{t+1}(x) - f_t(x)|: the path length in the sup norm.

        Replaces the RKHS path length B_T, as f_t is not in the RKHS. Divide by M_k to compare.
        ValueError for a horizon above 10^6.
        """
        require_horizon("moving_bump: variation", horizon, 10**6)
        rounds = range(1, horizon)
        return float(sum(np.abs(self.mean_rewards(t + 1) - self.mean_rewards(t)).max() for t in rounds))
