"""Engines of several runs in lockstep: each array operation serves all of them.

A round of one run over some dozens of arms is a few microseconds of arithmetic in tens of microseconds of
calls. B runs with the same prior are one Gaussian process on B copies of the arms, independent of each
other: arm g of run b has the index b G + g, and each round has an observation in every copy. Formulas are
those of the engines for one run, `tvgp.posterior.merged` (primal form) and `tvgp.posterior.weight_space`,
and so are their numbers but for rounding, which may depend on B: BLAS has other code for other shapes.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from tvgp.posterior.engine import Eager
from tvgp.posterior.prior import Prior
from tvgp.posterior.weight_space import REFRESH


class Copies(Prior):
    """The prior of `runs` independent functions over the same arms."""

    def __init__(self, single: Prior, runs: int) -> None:
        """single: the prior of one run. ValueError for one that is not of low rank, or without a run."""
        if runs < 1:
            raise ValueError(f"copies of a prior: {runs} runs, expected 1 or more")
        factor = single.factor(single.n_arms)
        if factor is None:
            raise ValueError(f"copies of a prior: its {single.n_arms} arms have no factor, play single runs")
        self._single, self.runs, self.weights = single, (runs,), factor
        self.arms, self.kernel = single.arms, single.kernel
        self.diagonal = np.tile(single.diagonal, runs)

    @property
    def single(self) -> Prior:
        """The prior of one run."""
        return self._single

    @property
    def n_arms(self) -> int:
        """Number of arms of all runs, B G."""
        return len(self.diagonal)


class CopiesEngine(Eager):
    """Base of the engines: `mean` and `variance` are (B, G), `log_det` is (B, 1), `n` is of each run."""

    prior: Copies
    log_det: np.ndarray  # type: ignore[assignment]

    def __init__(self, prior: Copies, **settings: float) -> None:
        super().__init__(prior, **settings)
        self._F, self._across = prior.weights, np.ascontiguousarray(prior.weights.T)
        n_arms, rank = self._F.shape
        self._shape = (prior.runs[0], n_arms)
        # lower triangles of phi phi' in rows, so that p times it is F' diag(p) F of every run
        self._squares = np.tril(self._F[:, :, None] * self._F[:, None]).reshape(n_arms, rank * rank)
        self.reset()

    def reset(self) -> None:
        """Forget all data."""
        self.n = 0
        self.log_det = np.zeros((self._shape[0], 1))
        self.mean = np.zeros(self._shape)
        self.variance = self.prior.diagonal.reshape(self._shape).copy()

    def _cholesky_of_one_plus(self, p: np.ndarray) -> np.ndarray:
        """L with L L' = I + F' diag(p) F for p (B, G), (B, r, r), zeros above the diagonal."""
        rank = self._F.shape[1]
        flat = p @ self._squares
        flat[:, :: rank + 1] += 1.0
        stack = flat.reshape(-1, rank, rank)
        for matrix in stack:  # in C order, whose transpose LAPACK overwrites
            dpotrf(matrix.T, lower=0, clean=0, overwrite_a=1)  # at least the identity: never fails
        return stack

    def _times_factor(self, stack: np.ndarray) -> np.ndarray:
        """The products of matrices (B, r, r) with F', (B, r, G)."""
        runs, rank, _ = stack.shape
        return (stack.reshape(runs * rank, rank) @ self._across).reshape(runs, rank, -1)


def _log_det(lower: np.ndarray) -> np.ndarray:
    """log det L L' for L (B, r, r), (B, 1)."""
    diagonals = lower.reshape(len(lower), -1)[:, :: lower.shape[1] + 1]
    return 2.0 * np.log(diagonals).sum(axis=1, keepdims=True)


def _invert(lower: np.ndarray) -> np.ndarray:
    """L^-1 for L (B, r, r), in place."""
    for matrix in lower:
        dtrtri(matrix.T, lower=0, overwrite_c=1)
    return lower


def _sums_of_squares(table: np.ndarray) -> np.ndarray:
    """Sums over rows of tables (B, r, G) squared, (B, G)."""
    return np.einsum("brg,brg->bg", table, table)


class MergedCopies(CopiesEngine):
    """`tvgp.posterior.Merged` for several runs."""

    name = "merged"

    def reset(self) -> None:
        """Forget all data."""
        super().reset()
        self._precision: np.ndarray | None = None

    def condition(self, arms: np.ndarray, values: np.ndarray, noise_variances: np.ndarray) -> None:
        """Replace the data by values of arms, (n,), or (n, B) with one for each run, with noise variances
        (n,) or of that shape."""
        weights = 1.0 / noise_variances
        n_arms = self.prior.n_arms
        self.condition_sums(per_arm(arms, weights, n_arms), per_arm(arms, (values.T * weights.T).T, n_arms))

    def condition_sums(self, precision: np.ndarray, weighted_sum: np.ndarray) -> None:
        """The same from sums per arm, (B G,); see `tvgp.posterior.Merged`."""
        p, s = precision.reshape(self._shape), weighted_sum.reshape(self._shape)
        if self._precision is None or not np.array_equal(p, self._precision):
            self._precision = p.copy()
            self.n = int(np.count_nonzero(p[0]))
            lower = self._cholesky_of_one_plus(p)
            self.log_det = _log_det(lower)
            self._inverse = _invert(lower)
            self._W = self._times_factor(self._inverse)
            self.variance = _sums_of_squares(self._W)
        weights = np.matmul(self._inverse, (s @ self._F)[:, :, None])
        self.mean = np.matmul(weights.transpose(0, 2, 1), self._W)[:, 0]

    def mismatch_sums(self, spread: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `tvgp.posterior.Merged.mismatch_sums`, (B, G) and (B, 1)."""
        lower = self._cholesky_of_one_plus(spread.reshape(self._shape))
        turned = np.matmul(self._inverse, lower).transpose(0, 2, 1)
        table = self._times_factor(np.matmul(turned, self._inverse))
        return _sums_of_squares(table), _log_det(lower)


class WeightSpaceCopies(CopiesEngine):
    """`tvgp.posterior.WeightSpace` for several runs."""

    name = "weight_space"

    def __init__(self, prior: Copies, noise_variance: float, epsilon: float = 0.0) -> None:
        self._noise, self._rho = noise_variance, math.sqrt(1.0 - epsilon)
        super().__init__(prior, noise_variance=noise_variance, epsilon=epsilon)

    def reset(self) -> None:
        """Forget all data."""
        super().reset()
        self._P = np.tile(np.eye(self._F.shape[1]), (self._shape[0], 1, 1))
        self._visits, self._sums = np.zeros((2, self.prior.n_arms))

    def observe(self, arms: np.ndarray, values: np.ndarray, noise_variance: None = None) -> None:
        """Condition on one observation in each run: values (B,) of arms (B,)."""
        own = self._F[arms % self._shape[1]]
        h = np.matmul(self._P, own[:, :, None])[:, :, 0]
        u = h @ self._F.T
        s = self.variance.take(arms) + self._noise
        self._P -= (h / s[:, None])[:, :, None] * h[:, None]
        self.mean += ((values - self.mean.take(arms)) / s)[:, None] * u
        u *= u
        u /= s[:, None]
        self.variance -= u
        np.maximum(self.variance, 0.0, out=self.variance)
        self.log_det += np.log(s / self._noise)[:, None]
        self.n += 1
        if self._rho == 1.0:
            self._visits[arms] += 1.0
            self._sums[arms] += values
            if self.n % REFRESH == 0:
                self._refresh()

    def advance(self, rounds: int = 1) -> None:
        """Rounds pass: Kalman predict steps, in one."""
        rho = self._rho**rounds
        if rho == 1.0:
            return
        rho2, rank = rho**2, self._F.shape[1]
        self._P *= rho2
        self._P.reshape(-1, rank * rank)[:, :: rank + 1] += 1.0 - rho2
        self.mean *= rho
        self.variance *= rho2
        self.variance += (1.0 - rho2) * self.prior.diagonal.reshape(self._shape)

    def _refresh(self) -> None:
        """The same posterior afresh, as rounding errors add up."""
        p, s = (each.reshape(self._shape) / self._noise for each in (self._visits, self._sums))
        root = _invert(self._cholesky_of_one_plus(p))
        self._P = np.matmul(root.transpose(0, 2, 1), root)
        self.mean = np.matmul(self._P, (s @ self._F)[:, :, None])[:, :, 0] @ self._F.T
        self.variance = _sums_of_squares(self._times_factor(root))


def per_arm(arms: np.ndarray, weights: np.ndarray, n_arms: int) -> np.ndarray:
    """Sums per arm, (n_arms,), of weights (n,) of arms (n,), or of those of each run, (n, B)."""
    if arms.ndim > 1:
        weights = np.broadcast_to(weights.reshape(len(arms), -1), arms.shape).ravel()
        arms = arms.ravel()
    return np.bincount(arms, weights, n_arms)
