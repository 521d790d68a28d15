"""Sample paths of a Gaussian process on [0, 1]^d that drift as TV-GP-UCB assumes (Bogunovic16, eq. 3-4).

    f_1 = g_1,  f_{t+1} = sqrt(1 - eps) f_t + sqrt(eps) g_{t+1},  g_t i.i.d.

in any number of dimensions; `gp_markov` draws them exactly on a grid. Here g_t is a draw from random Fourier
features, pairs of cosine and sine at M frequencies w_j from the spectral density of k (Rahimi & Recht 2007):

    g(x) = sqrt(v / M) sum_j a_j cos(w_j'x) + b_j sin(w_j'x),  a_j, b_j standard normal

The frequencies are drawn for each seed. Over seeds f has mean 0 and the covariance k exactly; given the
frequencies the variance is exact, and the covariance of two points differs from k by at most v / sqrt(2 M) in
root mean square, 2 % of v at M = 1,000.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from tvgp import kernels
from tvgp.contracts import require_horizon
from tvgp.environments.base.moving_box import MovingBox
from tvgp.kernels import Kernel

# Largest number of weights, 2 GiB.
_LARGEST = 2**28

_ASCENTS = 8  # per round
_EVALUATIONS = 40  # most per ascent


def make(
    dimension: int = 2,
    kernel: str = "matern52",
    length_scale: float | None = None,
    variance: float = 1.0,
    epsilon: float = 0.01,
    features: int = 1000,
    n_arms: int = 500,
    horizon: int = 200,
    noise_std: float = 0.1,
    candidates: int = 2048,
    rng: np.random.Generator | None = None,
) -> DriftingPaths:
    """One draw of f_1, ..., f_horizon; length_scale: None for 0.25 sqrt(d); features: M; n_arms: points for
    policies with arms; candidates: see `MovingBox`. ValueError for epsilon outside [0, 1], and for weights of
    more than 2 GiB."""
    require_horizon("drifting_paths", horizon, _LARGEST // (2 * features))
    if not 0.0 <= epsilon <= 1.0:
        raise ValueError(f"drifting_paths: epsilon is {epsilon}, must lie in [0, 1]")
    if rng is None:
        raise ValueError("drifting_paths: needs a random stream for its draws")
    length_scale = 0.25 * dimension**0.5 if length_scale is None else length_scale
    prior = kernels.make(kernel, variance=variance, length_scale=length_scale)
    return DriftingPaths(prior, dimension, epsilon, features, n_arms, horizon, noise_std, candidates, rng)


class DriftingPaths(MovingBox):
    """kernel, epsilon: k and eps of the draw."""

    def __init__(
        self,
        kernel: Kernel,
        d: int,
        epsilon: float,
        features: int,
        n_arms: int,
        horizon: int,
        noise_std: float,
        candidates: int,
        rng: np.random.Generator,
    ) -> None:
        super().__init__(d, n_arms, noise_std, candidates)
        self.kernel, self.epsilon = kernel, epsilon
        self._frequencies = kernel.frequencies(d, features, rng)
        self._weights = np.sqrt(kernel.variance / features) * rng.standard_normal((horizon, 2 * features))
        for t in range(1, horizon):
            self._weights[t] *= np.sqrt(epsilon)
            self._weights[t] += np.sqrt(1.0 - epsilon) * self._weights[t - 1]
        self._spread: np.ndarray | None = None  # features of the candidates

    def mean_reward_at(self, points: np.ndarray, t: int) -> np.ndarray:
        """f_t at points (n, d), (n,). IndexError beyond the horizon drawn."""
        return self._features(points) @ self._weights[t - 1]

    def _features(self, points: np.ndarray) -> np.ndarray:
        angle = np.asarray(points, dtype=float) @ self._frequencies.T
        return np.concatenate([np.cos(angle), np.sin(angle)], axis=1)

    def _among_candidates(self, t: int) -> np.ndarray:
        if self._spread is None:
            self._spread = self._features(self._candidates)
        return self._spread @ self._weights[t - 1]

    def _polished(self, points: np.ndarray, t: int) -> tuple[np.ndarray, np.ndarray]:
        """By L-BFGS-B, from the points of round t - 1 and the best candidates."""
        a, b = np.split(self._weights[t - 1], 2)

        def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
            angle = self._frequencies @ x
            cos, sin = np.cos(angle), np.sin(angle)
            return -float(cos @ a + sin @ b), (sin * a - cos * b) @ self._frequencies

        values = self.mean_reward_at(points, t)
        points = points.copy()
        for i in np.argsort(-values, kind="stable")[:_ASCENTS]:
            bounds, options = self.domain.T, {"maxfun": _EVALUATIONS}
            found = minimize(loss, points[i], jac=True, method="L-BFGS-B", bounds=bounds, options=options)
            if -found.fun > values[i]:
                points[i], values[i] = np.clip(found.x, 0.0, 1.0), -found.fun
        return points, values
