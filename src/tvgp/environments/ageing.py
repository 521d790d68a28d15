"""The fixed function of the ageing test bed: f = sum_i a_i k(., c_i) with |f|_k = B exactly.

a_i are standard normal, then scaled. The function does not change; the noise of past observations
grows with age, which `tvgp.ageing.simulate` simulates (Mauduit25b, eq. 8).
"""

from __future__ import annotations

import numpy as np

from tvgp import kernels
from tvgp.environments.base.static import Static


def make(
    n_arms: int = 501,
    n_centres: int = 20,
    kernel: str = "se",
    variance: float = 0.5,
    length_scale: float = 3.0,
    norm_bound: float = 5.0,
    noise_std: float = 0.1,
    rng: np.random.Generator | None = None,
) -> Ageing:
    """n_arms and n_centres equispaced points of [-50, 50]. ValueError without a stream."""
    if rng is None:
        raise ValueError("ageing: needs a random stream for its draws")
    arms = np.linspace(-50.0, 50.0, n_arms)[:, None]
    centres = np.linspace(-50.0, 50.0, n_centres)[:, None]
    prior = kernels.make(kernel, variance=variance, length_scale=length_scale)
    gram = prior(centres, centres)
    a = rng.standard_normal(n_centres)
    a *= norm_bound / np.sqrt(a @ gram @ a)
    return Ageing(arms, prior(arms, centres) @ a, float(np.sqrt(a @ gram @ a)), noise_std)


class Ageing(Static):
    """One function; seeds differ in the function, the noise and the policy's draws."""

    def __init__(self, arms: np.ndarray, values: np.ndarray, norm: float, noise_std: float) -> None:
        self.arms = arms
        self.noise_std = self.expert_noise_std = noise_std
        self._values = values
        self._norm = norm

    def norm(self, t: int) -> float:
        """|f|_k."""
        return self._norm
