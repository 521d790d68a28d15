"""The exact posterior of f_t at any point, from data whose meaning fades with their age.

    cov(f_s(x), f_t(x')) = k(x, x') k_T(|s - t|),  y_i = m + f_{s_i}(x_i) + noise of variance n_i g(age_i)
    mu_t(x) = m + k~(x)'A^-1 (y - m),  sigma_t^2(x) = k(x, x) - k~(x)'A^-1 k~(x)
    A = K o K_T + diag(n_i g_i),  k~_i(x) = k(x, x_i) k_T(t - s_i)

k_T and g are the algorithm's `Drift`; the age of an observation of round s is t - 1 - s, that of the newest
one 0. A factorisation costs n^3/3, a point n^2, for the n data kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tvgp import kernels
from tvgp.continuous.sample_paths import Paths
from tvgp.kernels import Kernel
from tvgp.posterior import triangles
from tvgp.posterior.features import FourierFeatures


def lasting(ages: np.ndarray) -> np.ndarray:
    """g = 1: data keep their noise."""
    return np.ones(len(ages))


@dataclass(frozen=True)
class Drift:
    """k_T, a kernel of variance 1 on rounds, and g, the growth of noise variances at ages (n,)."""

    time_kernel: Kernel = field(default_factory=lambda: kernels.make("constant"))
    growth: Callable[[np.ndarray], np.ndarray] = lasting


def forgetting(epsilon: float) -> Drift:
    """k_T = (1 - eps)^(lag/2), eps in [0, 1), as an Ornstein-Uhlenbeck kernel of length-scale
    -2 / log(1 - eps)."""
    if epsilon == 0.0:
        return Drift()
    return Drift(kernels.make("matern12", length_scale=-2.0 / math.log1p(-epsilon)))


@dataclass(frozen=True)
class Model:
    """k, the noise variance of an observation and m."""

    kernel: Kernel
    noise_variance: float
    mean: float = 0.0


@dataclass(frozen=True)
class Data:
    """Rounds (n,), points (n, d), values (n,)."""

    rounds: np.ndarray
    points: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.values)

    def and_also(self, rounds: float | np.ndarray, points: np.ndarray, values: np.ndarray) -> Data:
        """With observations of a round, or of rounds (m,), points (m, d) and values (m,)."""
        rounds = np.append(self.rounds, np.broadcast_to(np.asarray(rounds, dtype=float), len(values)))
        return Data(rounds, np.vstack([self.points, points]), np.append(self.values, values))

    def only(self, kept: np.ndarray) -> Data:
        """Those selected by a mask or by indices."""
        return Data(self.rounds[kept], self.points[kept], self.values[kept])


class Exact:
    """The posterior for round t."""

    def __init__(self, model: Model, drift: Drift, data: Data, t: int, double: bool = False) -> None:
        """double: whether variances are the mean square error of mu under noise that does not grow, as the
        double weights of W-GP-UCB (`tvgp.policies.w_gp_ucb`).

        ValueError if A is not numerically positive definite."""
        self.model, self._drift, self._data, self._t = model, drift, data, t
        rounds, noise = data.rounds[:, None], model.noise_variance
        growth = drift.growth(np.maximum(t - 1 - data.rounds, 0.0))
        # data whose noise variance overflows weigh nothing
        self._noise = noise * np.minimum(growth, 1e100)
        self._decay = drift.time_kernel(rounds, np.array([[float(t)]]))[:, 0]
        self._excess = self._noise - noise if double else None
        self._apart = drift.time_kernel(rounds, rounds)
        A = model.kernel(data.points, data.points) * self._apart
        A.flat[:: len(data) + 1] += self._noise
        self.inverse_root = triangles.inverse(triangles.cholesky(A)) if len(data) else A
        self.weights = self.solve(data.values - model.mean)

    def solve(self, right: np.ndarray) -> np.ndarray:
        """A^-1 b."""
        return self.inverse_root.T @ (self.inverse_root @ right)

    def covariances(self, X: np.ndarray, later: np.ndarray | float = 0.0) -> np.ndarray:
        """k~ at points X (m, d), (n, m), in round t or `later` rounds (m,) after it."""
        times = self._t + np.broadcast_to(later, len(X)).astype(float)[:, None]
        decay = self._drift.time_kernel(self._data.rounds[:, None], times)
        return self.model.kernel(self._data.points, X) * decay

    def moments(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance at points X (m, d), both (m,)."""
        k = self.model.kernel(self._data.points, X) * self._decay[:, None]
        v = self.inverse_root @ k
        variance = self.model.kernel.diagonal(X) - np.einsum("nm,nm->m", v, v)
        if self._excess is not None:
            variance -= self._excess @ (self.inverse_root.T @ v) ** 2
        return self.model.mean + self.weights @ k, np.maximum(variance, 0.0)

    def upper(self, X: np.ndarray, width: float) -> np.ndarray:
        """mu + width sigma at points X (m, d), (m,)."""
        mean, variance = self.moments(X)
        return mean + width * np.sqrt(variance)

    def upper_and_gradient(self, x: np.ndarray, width: float) -> tuple[float, np.ndarray]:
        """mu + width sigma and its gradient (d,) at x (d,), for a stationary k.

        d mu = d k~'A^-1 (y - m), d sigma = -d k~'a / sigma with a = A^-1 k~, for double weights with
        a + A^-1 E a in the place of a, E the growth of the noise."""
        X = x[None]
        k = self.model.kernel(self._data.points, X)[:, 0] * self._decay
        a = self.solve(k)
        variance = self.model.kernel.diagonal(X)[0] - k @ a
        if self._excess is not None:
            variance -= self._excess @ a**2
            a = a + self.solve(self._excess * a)
        pull, std = self.weights, np.sqrt(max(variance, 0.0))
        if std > 0.0:
            pull = pull - width / std * a
        gradient = self.model.kernel.combination_gradient(X, self._data.points, (pull * self._decay)[None])
        return float(self.model.mean + k @ self.weights + width * std), gradient[0]

    def path(self, scale: float, features: int, rng: np.random.Generator) -> Paths:
        """One draw of f_t: its mean plus `scale` times a draw of its deviation (Wilson et al. 2020).

        f_t is drawn by random Fourier features, f_{s_i}(x_i) given f_t from its residual covariance
        K o (K_T - k_T k_T'), and the draw corrected by the data. ValueError for a kernel that is not
        stationary."""
        kernel, X = self.model.kernel, self._data.points
        phi = FourierFeatures(kernel, X.shape[1], features, rng)
        w = scale * rng.standard_normal(features)
        left = kernel(X, X) * (self._apart - np.outer(self._decay, self._decay))
        left.flat[:: len(X) + 1] += self._noise
        root = triangles.cholesky(left) if len(X) else left
        drawn = self._decay * (phi(X) @ w) + scale * (root @ rng.standard_normal(len(X)))
        v = self._decay * self.solve(self._data.values - self.model.mean - drawn)
        return Paths(phi, kernel, X, w[None], v[None])


def least_relevant(posterior: Exact, points: np.ndarray, later: np.ndarray, drop: int) -> np.ndarray:
    """Indices of `drop` observations without which the posterior changes least, removed one by one, (drop,).

    Forgetting observation i moves mu(x) by p_i'k~(x) a_i / P_ii and raises sigma^2(x) by
    (p_i'k~(x))^2 / P_ii, P = A^-1, a = P (y - m) (`tvgp.theory.relevance`); the sum of the square of the
    former and the latter is averaged over points (q, d), each in the round `later` (q,) rounds from now:

        W_i^2 = (a_i^2 / P_ii + 1) / P_ii mean_q (p_i'k~_q)^2
    """
    P = posterior.inverse_root.T @ posterior.inverse_root
    a, reach = posterior.weights.copy(), P @ posterior.covariances(points, later)
    alive, gone = np.ones(len(a), dtype=bool), []
    for _ in range(drop):
        pivots = np.where(alive, P.diagonal(), np.inf)
        lost = (a * a / pivots + 1.0) / pivots * np.einsum("nq,nq->n", reach, reach)
        i = int(np.where(alive, lost, np.inf).argmin())
        column = P[:, i] / P[i, i]
        a, reach = a - column * a[i], reach - np.outer(column, reach[i])
        P = P - np.outer(column, P[i])
        alive[i] = False
        gone.append(i)
    return np.array(gone)
