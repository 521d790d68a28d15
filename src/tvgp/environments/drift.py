"""A realisable drift: f_t = sum_i a_i(t) k(., c_i) with independent stationary Gaussian a_i.

    Cov(a_i(t), a_i(u)) = s^2 exp(-(|t - u| / tau)^alpha),  0 < alpha <= 2,

so that E (f_{t+n} - f_t)^2 = step^2 n^alpha for n << tau, on average over the arms: the growth
that Mauduit25b (7) assumes, with the dependence of increments that it implies. s is the largest
value for which |f_t|_k <= B in all rounds with probability 99 % (a bound on weighted chi-squared
sums, Laurent & Massart 2000, Lemma 1, over all rounds); other draws are rejected. tau then follows
from the step. Paths by circulant embedding (Dietrich & Newsam 1997).

With `later_alpha` the exponent changes after half of the horizon: the later a_i follow the law of the new
exponent given their values in that round, so that f_t is continuous and |f_t|_k keeps its law.
"""

from __future__ import annotations

import numpy as np

from tvgp import kernels
from tvgp.contracts import Environment, require_horizon

# A draw breaks the norm bound with probability 1 % at most.
_EXCEED = 0.01
_REDRAWS = 20

# Negative eigenvalues above this share of the largest are rounding.
_ROUNDING = 1e-12

_LONGEST_EMBEDDING = 1 << 22


def make(
    alpha: float = 1.0,
    step: float = 0.05,
    n_arms: int = 501,
    n_centres: int = 20,
    kernel: str = "se",
    variance: float = 0.5,
    length_scale: float = 3.0,
    norm_bound: float = 5.0,
    horizon: int = 500,
    noise_std: float = 0.1,
    expert_noise_std: float | None = None,
    later_alpha: float | None = None,
    rng: np.random.Generator | None = None,
) -> Drift:
    """n_arms and n_centres equispaced points of [-50, 50]; step: in reward units, see above; later_alpha:
    exponent in the second half of the horizon, None for the same.

    ValueError for alpha outside (0, 2], a step of 0 or less or too large for the norm bound, a
    horizon above 2^21, and without a stream.
    """
    require_horizon("drift", horizon, _LONGEST_EMBEDDING // 2)
    for exponent in (alpha, alpha if later_alpha is None else later_alpha):
        if not 0.0 < exponent <= 2.0:
            raise ValueError(f"drift: alpha is {exponent}, must lie in (0, 2]: no drift has another exponent")
    if rng is None:
        raise ValueError("drift: needs a random stream for its draws")
    arms = np.linspace(-50.0, 50.0, n_arms)[:, None]
    centres = np.linspace(-50.0, 50.0, n_centres)[:, None]
    prior = kernels.make(kernel, variance=variance, length_scale=length_scale)
    features, gram = prior(arms, centres), prior(centres, centres)
    scale = norm_bound / np.sqrt(largest_square(np.linalg.eigvalsh(gram), horizon))
    mean_variance = scale**2 * (features**2).sum(axis=1).mean()
    tau = correlation_time(alpha, step, mean_variance)
    for _ in range(_REDRAWS):
        a = stationary_paths(alpha, tau, horizon, n_centres, rng)
        if later_alpha is not None:
            later_tau = correlation_time(later_alpha, step, mean_variance)
            _continue(a, max(horizon // 2, 1), later_alpha, later_tau, rng)
        a *= scale
        if np.einsum("ti,ij,tj->t", a, gram, a, optimize=True).max() <= norm_bound**2:
            return Drift(arms, features, gram, a, tau, noise_std, expert_noise_std)
    raise ValueError(f"drift: {_REDRAWS} draws exceed the norm bound {norm_bound}")


def largest_square(eigenvalues: np.ndarray, horizon: int) -> float:
    """A level that |f_t|_k^2 = sum_j lambda_j z_j^2 exceeds in no round, with probability 99 %.

    sum lambda + 2 sqrt(x sum lambda^2) + 2 x max lambda, x = log(100 T).
    """
    lam = np.maximum(eigenvalues, 0.0)
    x = np.log(horizon / _EXCEED)
    return float(lam.sum() + 2.0 * np.sqrt(x * (lam**2).sum()) + 2.0 * x * lam.max())


def correlation_time(alpha: float, step: float, variance: float) -> float:
    """tau with 2 variance (1 - exp(-(1/tau)^alpha)) = step^2; variance: mean of Var f_t(x).

    ValueError unless 0 < step < sqrt(2 variance), the difference of independent functions.
    """
    limit = np.sqrt(2.0 * variance)
    if not 0.0 < step < limit:
        raise ValueError(
            f"drift: step is {step}, must lie between 0 and {limit:.3g}, what the norm bound allows"
        )
    return float((-np.log1p(-(step**2) / (2.0 * variance))) ** (-1.0 / alpha))


def stationary_paths(
    alpha: float, tau: float, horizon: int, n_paths: int, rng: np.random.Generator
) -> np.ndarray:
    """(horizon, n_paths) independent Gaussian paths with covariance exp(-(lag/tau)^alpha).

    Exact to rounding. The embedding is doubled until no eigenvalue is negative; ValueError if 2^22
    points are not enough.
    """
    size = 1 << max(int(2 * horizon - 1).bit_length(), 2)
    while True:
        lags = np.minimum(np.arange(size), size - np.arange(size))
        eigenvalues = np.fft.fft(np.exp(-((lags / tau) ** alpha))).real
        if eigenvalues.min() >= -_ROUNDING * eigenvalues.max():
            break
        size *= 2
        if size > _LONGEST_EMBEDDING:
            raise ValueError(
                f"drift: no circulant embedding of {_LONGEST_EMBEDDING} points has this covariance"
                f" (alpha {alpha}, correlation time {tau:.3g}); take a larger step"
            )
    root = np.sqrt(np.maximum(eigenvalues, 0.0) / size)
    paths = np.empty((horizon, n_paths))
    for i in range(0, n_paths, 2):  # real and imaginary parts are independent
        z = rng.standard_normal(size) + 1j * rng.standard_normal(size)
        path = np.fft.fft(root * z)[:horizon]
        paths[:, i] = path.real
        if i + 1 < n_paths:
            paths[:, i + 1] = path.imag
    return paths


def _continue(paths: np.ndarray, rounds: int, alpha: float, tau: float, rng: np.random.Generator) -> None:
    """Replace paths (horizon, n) after the first `rounds` by paths of another law, given the last value
    kept: a free path plus its correlation times what it misses that value by (Matheron's rule)."""
    free = stationary_paths(alpha, tau, len(paths) - rounds + 1, paths.shape[1], rng)
    correlation = np.exp(-((np.arange(len(free)) / tau) ** alpha))[:, None]
    paths[rounds - 1 :] = free + correlation * (paths[rounds - 1] - free[0])


class Drift(Environment):
    """One realisation over the horizon drawn, stored as coefficients, not as a (rounds, arms) table."""

    def __init__(
        self,
        arms: np.ndarray,
        features: np.ndarray,
        gram: np.ndarray,
        coefficients: np.ndarray,
        correlation_time: float,
        noise_std: float,
        expert_noise_std: float | None,
    ) -> None:
        self.arms = arms
        self.noise_std = noise_std
        self.expert_noise_std = noise_std if expert_noise_std is None else expert_noise_std
        self.coefficients = coefficients
        self.correlation_time = correlation_time
        self._features = features
        self._gram = gram

    def mean_rewards(self, t: int) -> np.ndarray:
        """f_t over all arms, (n_arms,). IndexError beyond the horizon drawn."""
        return self._features @ self.coefficients[t - 1]

    def norm(self, t: int) -> float:
        """|f_t|_k = sqrt(a(t)' K_C a(t))."""
        a = self.coefficients[t - 1]
        return float(np.sqrt(a @ self._gram @ a))

    def variation(self, horizon: int) -> float:
        """B_T = sum_t |f_{t+1} - f_t|_k."""
        steps = np.diff(self.coefficients[:horizon], axis=0)
        squares = np.einsum("ti,ij,tj->t", steps, self._gram, steps, optimize=True)
        return float(np.sqrt(np.maximum(squares, 0.0)).sum())
