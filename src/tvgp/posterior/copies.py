"""Engines of several runs in lockstep: each array operation serves all of them.

A round of one run over some dozens of arms is a few microseconds of arithmetic in tens of microseconds of
calls. B runs with the same prior are one Gaussian process on B copies of the arms, independent of each
other: arm g of run b has the index b G + g, and each round has an observation in every copy. Formulas are
those of the engines for one run, `tvgp.posterior.merged` (primal and updated form) and
`tvgp.posterior.weight_space`, and so are their numbers but for rounding, which may depend on B: BLAS has
other code for other shapes.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from tvgp.posterior.engine import Eager
from tvgp.posterior.prior import Prior
from tvgp.posterior.weight_space import REFRESH

# Changes of precisions per run that are followed, rounds until all is computed afresh, and largest change
# relative to the prior's precision, as in `tvgp.posterior.merged`.
_FEW, _FOLLOWED, _LARGEST = 2, 1024, 1e5


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


class Room:
    """A buffer for B matrices (r, r), reused in every round."""

    def __init__(self, runs: int, rank: int) -> None:
        self.stack = np.empty((runs, rank, rank))
        self.flat = self.stack.reshape(runs, rank * rank)
        self.matrices = [matrix.T for matrix in self.stack]  # in Fortran order, for LAPACK to overwrite
        self._diagonals = self.flat[:, :: rank + 1]

    def log_det(self) -> np.ndarray:
        """log det L L' of triangles L, (B, 1)."""
        return 2.0 * np.log(self._diagonals).sum(axis=1, keepdims=True)


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
        self._room, self._second = (Room(prior.runs[0], rank) for _ in range(2))
        self.reset()

    def reset(self) -> None:
        """Forget all data."""
        self.n = 0
        self.log_det = np.zeros((self._shape[0], 1))
        self.mean = np.zeros(self._shape)
        self.variance = self.prior.diagonal.reshape(self._shape).copy()

    def _cholesky_of_one_plus(self, p: np.ndarray, room: Room) -> np.ndarray:
        """L with L L' = I + F' diag(p) F for p (B, G), (B, r, r) in room, zeros above the diagonal."""
        np.matmul(p, self._squares, out=room.flat)
        room.flat[:, :: self._F.shape[1] + 1] += 1.0
        for matrix in room.matrices:  # at least the identity: never fails
            dpotrf(matrix, 0, 0, 1)  # lower, clean, overwrite_a: keywords take a fifth of the time
        return room.stack

    def _inverse_of_one_plus(self, p: np.ndarray, room: Room) -> tuple[np.ndarray, np.ndarray]:
        """L^-1 (B, r, r) in room, and log det L L', (B, 1)."""
        inverse = self._cholesky_of_one_plus(p, room)
        log_det = room.log_det()
        for matrix in room.matrices:
            dtrtri(matrix, 0, 0, 1)  # lower, unitdiag, overwrite_c
        return inverse, log_det

    def _times_factor(self, stack: np.ndarray) -> np.ndarray:
        """The products of matrices (B, r, r) with F', (B, r, G)."""
        runs, rank, _ = stack.shape
        return (stack.reshape(runs * rank, rank) @ self._across).reshape(runs, rank, -1)


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
        self._followed = 0  # rounds since the last one computed afresh

    def condition(self, arms: np.ndarray, values: np.ndarray, noise_variances: np.ndarray) -> None:
        """Replace the data by values of arms, (n,), or (n, B) with one for each run, with noise variances
        (n,) or of that shape."""
        weights = 1.0 / noise_variances
        n_arms = self.prior.n_arms
        self.condition_sums(per_arm(arms, weights, n_arms), per_arm(arms, (values.T * weights.T).T, n_arms))

    def condition_sums(self, precision: np.ndarray, weighted_sum: np.ndarray) -> None:
        """The same from sums per arm, (B G,); see `tvgp.posterior.Merged`."""
        p, s = precision.reshape(self._shape), weighted_sum.reshape(self._shape)
        before, self._precision = self._precision, p.copy()
        by = None if before is None else p - before
        changes = 0 if by is None else np.count_nonzero(by)
        if by is None or changes > _FEW * len(p) or changes and not self._follows(by):
            self._afresh(p)
        elif changes:
            self._follow(by)
        towards = (s @ self._F)[:, :, None]
        if self._followed:
            self.mean = np.matmul(self._P, towards)[:, :, 0] @ self._across
        else:
            weights = np.matmul(self._inverse, towards)
            self.mean = np.matmul(weights.transpose(0, 2, 1), self._W)[:, 0]

    def _afresh(self, p: np.ndarray) -> None:
        """Primal form for any precisions, (B, G)."""
        self.n, self._followed = int(np.count_nonzero(p[0])), 0
        self._inverse, self.log_det = self._inverse_of_one_plus(p, self._room)
        self._W = self._times_factor(self._inverse)
        self.variance = _sums_of_squares(self._W)

    def _follows(self, by: np.ndarray) -> bool:
        """Whether changes are small enough to follow, and not too many have been."""
        return self._followed < _FOLLOWED and bool(np.abs(by).max() * self.prior.diagonal.max() < _LARGEST)

    def _follow(self, by: np.ndarray) -> None:
        """Updated form after changes of a few precisions by `by`, (B, G), one of each run at a time."""
        if not self._followed:
            self._P = np.matmul(self._inverse.transpose(0, 2, 1), self._inverse)
        self._followed += 1
        runs = np.arange(len(by))
        while by.any():
            arms = (by != 0.0).argmax(axis=1)
            d = by[runs, arms]
            by[runs, arms] = 0.0
            h = np.matmul(self._P, self._F[arms][:, :, None])[:, :, 0]
            u = h @ self._across
            grown = 1.0 + d * u[runs, arms]
            c = (d / grown)[:, None]
            self._P -= (c * h)[:, :, None] * h[:, None]
            u *= u
            u *= c
            self.variance -= u
            self.log_det += np.log(grown)[:, None]
        np.maximum(self.variance, 0.0, out=self.variance)

    def mismatch_sums(self, spread: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `tvgp.posterior.Merged.mismatch_sums`, (B, G) and (B, 1)."""
        if self._followed and self._precision is not None:
            self._afresh(self._precision)
        lower = self._cholesky_of_one_plus(spread.reshape(self._shape), self._second)
        turned = np.matmul(self._inverse, lower).transpose(0, 2, 1)
        table = self._times_factor(np.matmul(turned, self._inverse))
        return _sums_of_squares(table), self._second.log_det()


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
        u = self._at_arms(h)
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

    def _at_arms(self, weights: np.ndarray) -> np.ndarray:
        """F times the weights of each run, (B, r), (B, G)."""
        return weights @ self._F.T

    def _refresh(self) -> None:
        """The same posterior afresh, as rounding errors add up."""
        p, s = (each.reshape(self._shape) / self._noise for each in (self._visits, self._sums))
        root, _ = self._inverse_of_one_plus(p, self._room)
        self._P = np.matmul(root.transpose(0, 2, 1), root)
        self.mean = self._at_arms(np.matmul(self._P, (s @ self._F)[:, :, None])[:, :, 0])
        self.variance = _sums_of_squares(self._times_factor(root))


def per_arm(arms: np.ndarray, weights: np.ndarray, n_arms: int) -> np.ndarray:
    """Sums per arm, (n_arms,), of weights (n,) of arms (n,), or of those of each run, (n, B)."""
    if arms.ndim > 1:
        weights = np.broadcast_to(weights.reshape(len(arms), -1), arms.shape).ravel()
        arms = arms.ravel()
    return np.bincount(arms, weights, n_arms)
