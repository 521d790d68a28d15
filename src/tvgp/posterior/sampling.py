"""Exact draws from a posterior over a finite set of arms: two samplers of the same distribution.

`JointRoot` keeps a root of the posterior covariance, `Pathwise` corrects draws from the prior.
Both start from a root of the prior: its factor (G, r) if the kernel has low rank on the arms, else
one Cholesky factorisation, O(G^3), per run.

Numerics: a prior of low rank, and all updates, need no jitter. A prior of full rank always has 1e-10
of its largest variance added to its diagonal (`_JITTER`); a matrix that is still not positive
definite is an error. The pivot of an observation is at least the noise variance, as it is without
rounding.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.linalg.blas import dger, dtpsv
from scipy.linalg.lapack import dpstrf

from tvgp.posterior.prior import GRAM_LIMIT, Prior

# Added to the diagonal of a K of full rank, relative to its largest entry.
_JITTER = 1e-10

# Noise variance, relative to the prior's largest, below which jitter and truncated factors would show
# in the posterior: by .7 % of the standard deviation at 1e-6, by 30 % at 1e-8 and 300 observations.
_SMALL_NOISE = 1e-3

# Draws from the prior per matrix product; they do not depend on the data.
DRAWS = 64


def prior_root(prior: Prior, noise_variance: float) -> np.ndarray:
    """R (G, r), K = R R' to rounding. ValueError if K cannot be factorised.

    Below a noise variance of 1e-3 of the prior's, R is a pivoted Cholesky factor of K without jitter.
    """
    largest = float(prior.diagonal.max())
    small = noise_variance < _SMALL_NOISE * largest
    factor = None if small else prior.factor(max(prior.n_arms // 2, 1))
    if factor is not None:
        return factor
    K = prior.gram.copy() if prior.n_arms <= GRAM_LIMIT else prior.kernel(prior.arms, prior.arms)
    if small:
        lower, pivots, rank, _ = dpstrf(K, tol=np.finfo(float).eps * largest, lower=1)
        root = np.empty((len(K), rank))
        root[pivots - 1] = np.tril(lower)[:, :rank]
        return root
    K[np.diag_indices(len(K))] += _JITTER * largest
    try:
        return cholesky(K, lower=True, overwrite_a=True)
    except LinAlgError:
        raise ValueError(
            f"the covariance of {prior.n_arms} arms is not positive definite in float64"
        ) from None


class PriorDraws:
    """Draws R w from a prior with covariance R R', R (G, M), in blocks of `DRAWS`."""

    def __init__(self, root: np.ndarray) -> None:
        self._root = root
        self._left: list[np.ndarray] = []

    def next(self, rng: np.random.Generator) -> np.ndarray:
        """One draw, (G,)."""
        if not self._left:
            w = rng.standard_normal((DRAWS, self._root.shape[1]))
            self._left = list(w @ self._root.T)[::-1]
        return self._left.pop()


class JointRoot:
    """Mean mu and root R of the posterior covariance, R R'; O(G r) per observation or draw.

    With g the row of R at the arm played and p = g'g + tau, covariance and mean change by
    -R g g'R' / p and R g (y - mu_arm) / p, and R (I - a g g') is a root of the new covariance for
    a = (1 - sqrt(tau / p)) / g'g (Potter's square root; Bierman 1977, ch. II.7).
    """

    name = "joint"

    def __init__(self, prior: Prior, noise_variance: float) -> None:
        self._tau = noise_variance
        self._root = np.array(prior_root(prior, noise_variance), order="F")
        self.mean = np.zeros(prior.n_arms)
        self.log_det = 0.0

    @property
    def functions(self) -> int:
        """Number r of functions over the arms that a draw combines."""
        return self._root.shape[1]

    @property
    def variance(self) -> np.ndarray:
        """Over all arms, (G,)."""
        return np.einsum("gr,gr->g", self._root, self._root)

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on y = f(arm) + noise; noise_variance: None for the sampler's."""
        noise = noise_variance or self._tau
        g = self._root[arm].copy()
        square = float(g @ g)
        if square == 0.0:
            return
        pivot = square + noise
        column = self._root @ g
        self.mean += column * ((value - self.mean[arm]) / pivot)
        a = (1.0 - np.sqrt(noise / pivot)) / square
        self._root = dger(-a, column, g, a=self._root, overwrite_a=True)
        self.log_det += np.log(pivot / noise)

    def draw(self, rng: np.random.Generator, scale: float) -> np.ndarray:
        """mu + scale R z, (G,)."""
        return self.mean + scale * (self._root @ rng.standard_normal(self._root.shape[1]))


class MarkovRoot:
    """The posterior of f_t under f_{t+1} = sqrt(1-eps) f_t + sqrt(eps) g_{t+1}, through weights.

    f_t = F w_t with F F' = K, w_t ~ N(m, I - V V'). An observation changes m and gives V a column; a round of
    age multiplies both by rho = sqrt(1-eps). With L L' = I - V'V a root of I - V V' is I - V (I + L)^-1 V',
    since X = (I + L)^-1 solves X + X' - X V'V X' = I. From r / 2 columns on (or if eps = 0) it is an r x r
    root R: an observation changes it as in `JointRoot`, and a round takes a Cholesky factor of
    rho^2 R R' + (1 - rho^2) I.
    """

    name = "markov"

    def __init__(self, prior: Prior, noise_variance: float, epsilon: float) -> None:
        self._tau, self._rho = noise_variance, float(np.sqrt(1.0 - epsilon))
        self._F = np.asfortranarray(prior_root(prior, noise_variance))
        rank = self._F.shape[1]
        self._weights = np.zeros(rank)
        self._V = np.empty((rank, 0), order="F")
        self._root = np.eye(rank, order="F") if epsilon == 0 else None
        self.log_det = 0.0

    @property
    def mean(self) -> np.ndarray:
        """Over all arms, (G,)."""
        return self._F @ self._weights

    @property
    def variance(self) -> np.ndarray:
        """Over all arms, (G,)."""
        if self._root is None:
            return np.square(self._F).sum(axis=1) - np.square(self._F @ self._V).sum(axis=1)
        return np.square(self._F @ self._root).sum(axis=1)

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on y = f_t(arm) + noise; noise_variance: None for the sampler's."""
        noise = noise_variance or self._tau
        f, root = self._F[arm], self._root
        g = f @ root if root is not None else f
        column = root @ g if root is not None else f - self._V @ (f @ self._V)
        square = float(f @ column)
        if square == 0.0:
            return
        pivot = square + noise
        self._weights += column * ((value - float(f @ self._weights)) / pivot)
        self.log_det += np.log(pivot / noise)
        if root is not None:
            a = (1.0 - np.sqrt(noise / pivot)) / square
            self._root = dger(-a, column, g, a=root, overwrite_a=True)
            return
        self._V = np.column_stack([self._V, column / np.sqrt(pivot)])
        if 2 * self._V.shape[1] >= len(f):
            covariance = np.eye(len(f)) - self._V @ self._V.T
            self._root = np.asfortranarray(np.linalg.cholesky(covariance))

    def advance(self, rounds: int = 1) -> None:
        """Rounds pass."""
        if self._rho == 1.0:
            return
        rho = self._rho**rounds
        self._weights *= rho
        if self._root is None:
            self._V *= rho
            return
        covariance = rho**2 * (self._root @ self._root.T)
        covariance.flat[:: len(covariance) + 1] += 1.0 - rho**2
        self._root = np.asfortranarray(np.linalg.cholesky(covariance))

    def draw(self, rng: np.random.Generator, scale: float) -> np.ndarray:
        """mu + scale F R z, (G,), R a root of the weights' covariance."""
        z = rng.standard_normal(len(self._weights))
        if self._root is not None:
            step = self._root @ z
        else:
            lower = np.linalg.cholesky(np.eye(self._V.shape[1]) - self._V.T @ self._V)
            lower.flat[:: len(lower) + 1] += 1.0
            step = z - self._V @ solve_triangular(lower, z @ self._V, lower=True)
        return self._F @ (self._weights + scale * step)


class Pathwise:
    """alpha f(x) + k(x, X) (K_XX + tau I)^-1 (y - alpha (f(X) + noise)) for f from the prior.

    Matheron's rule (Wilson et al. 2020). The packed Cholesky factor of K_XX + tau I grows by a row per
    observation, O(t^2); a draw takes O(t^2 + G u) for u distinct arms.
    """

    name = "pathwise"

    def __init__(self, prior: Prior, noise_variance: float) -> None:
        self._prior, self._tau = prior, noise_variance
        self._prior_draws = PriorDraws(prior_root(prior, noise_variance))
        self._packed = np.zeros(64)
        self._arms: list[int] = []
        self._values: list[float] = []
        self._noises: list[float] = []
        self._seen: dict[int, int] = {}
        self._places: list[int] = []
        self._rows = np.zeros((8, prior.n_arms))
        self.log_det = 0.0

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on y = f(arm) + noise; noise_variance: None for the sampler's."""
        noise = noise_variance or self._tau
        t = len(self._arms)
        if arm not in self._seen:
            self._seen[arm] = len(self._seen)
            if len(self._seen) > len(self._rows):
                self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._rows[self._seen[arm]] = self._prior.rows(arm)
        pivot = self._prior.diagonal[arm] + noise
        used, needed = t * (t + 1) // 2, (t + 1) * (t + 2) // 2
        if needed > len(self._packed):
            self._packed = np.concatenate([self._packed, np.zeros(max(needed, used))])
        if t:
            column = self._rows[self._seen[arm]][self._arms]
            row = dtpsv(t, self._packed, column, trans=1)
            pivot -= row @ row
            self._packed[used : used + t] = row
        # keep rounding from taking the variance of an observation below its noise
        pivot = max(pivot, noise)
        self._packed[used + t] = np.sqrt(pivot)
        self.log_det += np.log(pivot / noise)
        self._noises.append(noise)
        self._arms.append(arm)
        self._values.append(value)
        self._places.append(self._seen[arm])

    def _path(self, prior: np.ndarray, z: np.ndarray, scale: float) -> np.ndarray:
        """The path of one prior draw (G,), with standard normal z (t,) for the noise."""
        t = len(self._arms)
        if t == 0:
            return scale * prior
        noise = np.sqrt(self._noises) * z
        rest = np.asarray(self._values) - scale * (prior[self._arms] + noise)
        weights = np.bincount(self._places, self._solve(rest), len(self._seen))
        return scale * prior + weights @ self._rows[: len(self._seen)]

    def draw(self, rng: np.random.Generator, scale: float) -> np.ndarray:
        """mu + scale times a draw of the posterior covariance, (G,)."""
        prior = self._prior_draws.next(rng)
        return self._path(prior, rng.standard_normal(len(self._arms)), scale)

    @property
    def mean(self) -> np.ndarray:
        """Over all arms, (G,)."""
        return self._path(np.zeros(self._prior.n_arms), np.zeros(len(self._arms)), 0.0)

    @property
    def functions(self) -> int:
        """Number of functions over the arms that correct a prior draw: distinct arms played."""
        return len(self._seen)

    @property
    def variance(self) -> np.ndarray:
        """Over all arms, (G,); O(t^2 G), for checks."""
        variance = self._prior.diagonal.copy()
        rows = self._rows[self._places]
        for arm in range(len(variance) if len(rows) else 0):
            half = dtpsv(len(rows), self._packed, rows[:, arm].copy(), trans=1)
            variance[arm] -= half @ half
        return variance

    def _solve(self, b: np.ndarray) -> np.ndarray:
        """(K_XX + tau I)^-1 b, (t,)."""
        half = dtpsv(len(b), self._packed, b, trans=1, overwrite_x=True)
        return dtpsv(len(b), self._packed, half, overwrite_x=True)
