"""The RKHS function with sinusoidal coefficients of Mauduit25b, section 4.1 (Fig. 2).

f_t = sum_i a_i(t) k(., c_i),  a(t) = factor u(t) / |u(t)|,  u_i(t) = sin(0.3 t + i),

with k = 0.5 exp(-r^2 / (2 l^2)), l = 3, on [-50, 50] and n centres c_i. The paper prints the factor
5 / lambda_max(K_C), which gives |f_t|_k <= 5 only where lambda_max >= 1; the factor
5 / sqrt(lambda_max) always does. `norm_factor` selects one. f_t moves in a two-dimensional space
with a period of 20.9 rounds.
"""

from __future__ import annotations

import numpy as np

from tvgp import kernels
from tvgp.contracts import Environment, require_horizon

# Number of rounds whose mean rewards are computed together.
_BLOCK = 64


def make(
    n_arms: int = 501,
    n_centres: int = 20,
    norm_factor: str = "printed",
    centres: str = "equispaced",
    noise_std: float = 0.1,
    expert_noise_std: float | None = None,
    norm_bound: float = 5.0,
    length_scale: float = 3.0,
    rng: np.random.Generator | None = None,
) -> RKHSSine:
    """norm_factor: printed (B / lambda_max) or rooted (B / sqrt(lambda_max)); centres: equispaced,
    or random (uniform, from `rng`); norm_bound: B; length_scale: l. ValueError for other choices."""
    if norm_factor not in ("printed", "rooted"):
        raise ValueError(f"rkhs_sine: norm_factor is {norm_factor!r}, expected printed or rooted")
    if centres == "equispaced":
        positions = np.linspace(-50.0, 50.0, n_centres)
    elif centres == "random" and rng is not None:
        positions = np.sort(rng.uniform(-50.0, 50.0, n_centres))
    else:
        raise ValueError(f"rkhs_sine: centres is {centres!r}, expected equispaced, or random with a stream")
    kernel = kernels.SquaredExponential(variance=0.5, length_scale=length_scale)
    return RKHSSine(n_arms, positions, kernel, norm_factor, norm_bound, noise_std, expert_noise_std)


class RKHSSine(Environment):
    """Deterministic given its centres."""

    def __init__(
        self,
        n_arms: int,
        positions: np.ndarray,
        kernel: kernels.SquaredExponential,
        norm_factor: str,
        norm_bound: float,
        noise_std: float,
        expert_noise_std: float | None,
    ) -> None:
        self.arms = np.linspace(-50.0, 50.0, n_arms)[:, None]
        self.kernel = kernel
        self.noise_std = noise_std
        self.expert_noise_std = noise_std if expert_noise_std is None else expert_noise_std
        self.norm_factor = norm_factor
        centres = positions[:, None]
        self._gram = self.kernel(centres, centres)
        largest = float(np.linalg.eigvalsh(self._gram)[-1])
        self._factor = norm_bound / (largest if norm_factor == "printed" else np.sqrt(largest))
        self._features = self.kernel(self.arms, centres)
        self._index = np.arange(1, len(positions) + 1)
        self._block = -1
        self._rewards = np.empty((0, n_arms))

    def coefficients(self, t: int | np.ndarray) -> np.ndarray:
        """a(t), (n_centres,), or (..., n_centres) for rounds t of any shape."""
        u = np.sin(0.3 * np.asarray(t)[..., None] + self._index)
        return self._factor * u / np.sqrt(np.einsum("...i,...i->...", u, u))[..., None]

    def mean_rewards(self, t: int) -> np.ndarray:
        """f_t over all arms, (n_arms,). Computed for a block of rounds at once."""
        block, row = divmod(t - 1, _BLOCK)
        if block != self._block:
            rounds = np.arange(1, _BLOCK + 1) + block * _BLOCK
            self._rewards = self.coefficients(rounds) @ self._features.T
            self._rewards.flags.writeable = False
            self._block = block
        return self._rewards[row]

    def norm(self, t: int) -> float:
        """|f_t|_k = sqrt(a(t)' K_C a(t))."""
        a = self.coefficients(t)
        return float(np.sqrt(a @ self._gram @ a))

    def variation(self, horizon: int) -> float:
        """B_T = sum_t |f_{t+1} - f_t|_k, each step sqrt((a(t+1)-a(t))' K_C (a(t+1)-a(t))).

        ValueError for a horizon above 10^6.
        """
        require_horizon("rkhs_sine: variation", horizon, 10**6)
        steps = np.diff(self.coefficients(np.arange(1, horizon + 1)), axis=0)
        return float(np.sqrt(np.einsum("ti,ti->t", steps @ self._gram, steps)).sum())
