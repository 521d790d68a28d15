"""The time kernel of a space-time Gaussian process, chosen by marginal likelihood.

Observations y_i of arm x_i in round t_i, cov(f_s(x), f_t(x')) = k(x, x') k_T(t - s):

    l = -1/2 z'z - sum log diag L,  L L' = K o k_T + Sigma,  z = L^-1 y

(Rasmussen & Williams 2006, eq. 2.30, without the constant). k and Sigma are given; the candidates
are a constant, Ornstein-Uhlenbeck and squared exponential kernels over a grid of length-scales, and
periodic kernels over a grid of frequencies. That grid must be fine in frequency, not in period: an
error of 1/(8 n) is an eighth of a cycle after n rounds, which the data tell apart. A period above half of
the rounds is not offered, as a kernel that never repeats fits anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
from scipy.linalg.blas import dtrsv
from scipy.linalg.lapack import dpotrf

from tvgp import kernels
from tvgp.kernels import Kernel

LENGTHS = tuple(float(length) for length in np.geomspace(2.0, 1000.0, 16))
LONGEST_PERIOD, SHORTEST_PERIOD = 250.0, 8.0

# Rounds, in multiples of the number of observations, beyond which the frequency grid is not refined.
_SPARSEST = 4

# Correlations below this are 0: denormal numbers are slow.
_NEGLIGIBLE = 1e-30

# Number of peaks of the score whose likelihood is computed.
_PEAKS = 8

CONSTANT = kernels.make("constant")


def frequencies(rounds: int) -> np.ndarray:
    """Frequencies to offer after `rounds` rounds, per round: 1/min(250, rounds/2) to 1/8 by steps of
    1/(8 rounds)."""
    lowest = 1.0 / min(LONGEST_PERIOD, rounds / 2.0)
    return np.arange(lowest, 1.0 / SHORTEST_PERIOD, 1.0 / (8.0 * rounds))


def periodic(frequency: float) -> Kernel:
    """exp(-2 sin^2(pi f lag)), of length-scale 1."""
    return kernels.make("periodic", length_scale=1.0, period=1.0 / float(frequency))


def choose(gram: np.ndarray, values: np.ndarray, noise_variances: np.ndarray, rounds: np.ndarray) -> Kernel:
    """The candidate with the largest marginal likelihood; ties to the first of constant, OU, SE, periodic.

    gram: k(x_i, x_j), (n, n); values, noise variances and rounds (integers), (n,). Each grid is climbed
    from the best of a few starts: every fifth length-scale, and the frequencies at the peaks of the score,
    which cost no factorisation.
    """
    likelihood = TimeLikelihood(gram, values, noise_variances, rounds)
    found = [(likelihood(CONSTANT), CONSTANT)]
    for name in ("matern12", "se"):
        starts = range(0, len(LENGTHS), 5)
        found.append(_climb(likelihood, partial(_of_length, name), len(LENGTHS), starts))
    found.append(best_frequency(likelihood))
    return max(found, key=lambda pair: pair[0])[1]


def _of_length(name: str, i: int) -> Kernel:
    return kernels.make(name, length_scale=LENGTHS[i])


def best_frequency(likelihood: TimeLikelihood) -> tuple[float, Kernel]:
    """The largest likelihood of a periodic kernel, and the kernel; -inf if no frequency is offered."""
    grid = frequencies(min(likelihood.span, _SPARSEST * likelihood.n))
    if not len(grid):
        return -np.inf, CONSTANT
    scores = likelihood.scores(np.exp(-2.0 * np.sin(np.pi * grid[:, None] * likelihood.lags) ** 2))
    padded = np.concatenate([[-np.inf], scores, [-np.inf]])
    tops = np.flatnonzero((scores >= padded[:-2]) & (scores >= padded[2:]))
    tops = tops[np.argsort(-scores[tops], kind="stable")][:_PEAKS]
    return _climb(likelihood, lambda i: periodic(grid[i]), len(grid), tops)


def _climb(
    likelihood: TimeLikelihood, family: Callable[[int], Kernel], size: int, starts: Iterable[int]
) -> tuple[float, Kernel]:
    """The largest likelihood, and its kernel, uphill along the family from the best of the starts.

    Of kernels below the best so far no more is needed than that they are.
    """
    found: dict[int, float] = {}
    ahead = [int(i) for i in starts]
    while ahead:
        for i in ahead:
            found[i] = likelihood(family(i), max(found.values(), default=-np.inf))
        best = max(found, key=found.__getitem__)
        ahead = [i for i in (best - 1, best + 1) if 0 <= i < size and i not in found]
    return found[best], family(best)


class TimeLikelihood:
    """The marginal likelihood of the same data under many time kernels."""

    def __init__(
        self, gram: np.ndarray, values: np.ndarray, noise_variances: np.ndarray, rounds: np.ndarray
    ) -> None:
        """gram: k(x_i, x_j), (n, n); values, noise variances and rounds (integers), (n,)."""
        self.n = len(values)
        self._gram = np.ascontiguousarray(gram)
        self._values = values
        self._noise = noise_variances
        lags = np.abs(rounds[:, None] - rounds)
        self.span = int(lags.max()) + 1
        if self.span <= _SPARSEST * self.n:
            self._lags, self._index = np.arange(self.span), lags
        else:
            self._lags, index = np.unique(lags, return_inverse=True)
            self._index = index.reshape(lags.shape)
        self._work = np.empty(self.n**2)

    def __call__(self, kernel: Kernel, least: float = -np.inf) -> float:
        """l, up to a constant; -inf where K o k_T + Sigma has no Cholesky factor in float64.

        Where l is below `least`, an upper bound of it that is below `least` too may take its place: that
        from the first quarter or half of the data, as no further one adds more than -log(noise variance)/2.
        """
        table = kernel(np.zeros((1, 1)), self._lags[:, None].astype(float))[0]
        table[np.abs(table) < _NEGLIGIBLE] = 0.0
        for m in (self.n // 4, self.n // 2, self.n):
            if m == self.n or least > -np.inf:
                value = self._of_first(m, table) - 0.5 * float(np.log(self._noise[m:]).sum())
                if value < least:
                    break
        return value

    def scores(self, others: np.ndarray) -> np.ndarray:
        """Derivative of l from rounds without correlation in the direction of each time kernel, up to a
        constant.

        others: k_T at `self.lags`, (m, lags). With a_i = y_i / (K_ii + Sigma_ii) it is
        1/2 sum_ij a_i a_j K_ij k_T(t_i - t_j), (m,): one sum over pairs per lag serves all. From
        the best aperiodic kernel instead, the score has no peak at a slow period, which that kernel follows.
        """
        a = self._values / (self._gram.diagonal() + self._noise)
        pairs = np.outer(a, a) * self._gram
        by_lag = np.bincount(self._index.ravel(), pairs.ravel(), minlength=len(self._lags))
        return 0.5 * (others @ by_lag)

    @property
    def lags(self) -> np.ndarray:
        """The lags between observations, increasing."""
        return self._lags

    def _of_first(self, m: int, table: np.ndarray) -> float:
        """l of the first m observations under k_T given at `self.lags`."""
        # in memory order, as transposes in C order; room for n^2 serves all
        work = self._work[: m * m].reshape(m, m)
        np.take(table, self._index[:m, :m], out=work)
        work *= self._gram[:m, :m]
        work.flat[:: m + 1] += self._noise[:m]
        lower, failed = dpotrf(work.T, lower=1, clean=0, overwrite_a=1)
        if failed:
            return -np.inf
        z = dtrsv(lower, self._values[:m], lower=1)
        return float(-0.5 * (z @ z) - np.log(lower.diagonal()).sum())
