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

import math
from functools import lru_cache

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

# Fewest data from which a bound is worth its time.
_FEWEST = 32

CONSTANT = kernels.make("constant")
APERIODIC = [CONSTANT] + [
    kernels.make(name, length_scale=length) for name in ("matern12", "se") for length in LENGTHS
]


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

    gram: k(x_i, x_j), (n, n); values, noise variances and rounds (integers), (n,). Frequencies are climbed
    from the peaks of the score, which cost no factorisation. The others are taken by their bounds
    from the first data, the highest first, until no bound reaches the best so far.
    """
    likelihood = TimeLikelihood(gram, values, noise_variances, rounds)
    value, chosen = best_frequency(likelihood)
    tables = _aperiodic(2 ** math.ceil(math.log2(likelihood.span)))[:, likelihood.lags]
    bounds = np.array([likelihood.bound(table) for table in tables])
    best = -1
    for i in np.argsort(-bounds, kind="stable"):
        if bounds[i] < value:
            break
        found = likelihood.of_table(tables[i], value)
        if found > value or (found == value and (best < 0 or i < best)):
            value, chosen, best = found, APERIODIC[i], i
    return chosen


def best_frequency(likelihood: TimeLikelihood) -> tuple[float, Kernel]:
    """The largest likelihood of a periodic kernel, uphill from the best peak of the score, and the kernel;
    -inf if no frequency is offered."""
    grid = frequencies(min(likelihood.span, _SPARSEST * likelihood.n))
    if not len(grid):
        return -np.inf, CONSTANT
    scores = likelihood.scores(np.exp(-2.0 * np.sin(np.pi * grid[:, None] * likelihood.lags) ** 2))
    padded = np.concatenate([[-np.inf], scores, [-np.inf]])
    tops = np.flatnonzero((scores >= padded[:-2]) & (scores >= padded[2:]))
    tops = tops[np.argsort(-scores[tops], kind="stable")][:_PEAKS]
    found: dict[int, float] = {}
    ahead = [int(i) for i in tops]
    while ahead:
        for i in ahead:
            found[i] = likelihood(periodic(grid[i]), max(found.values(), default=-np.inf))
        best = max(found, key=found.__getitem__)
        ahead = [i for i in (best - 1, best + 1) if 0 <= i < len(grid) and i not in found]
    return found[best], periodic(grid[best])


def _at(kernel: Kernel, lags: np.ndarray) -> np.ndarray:
    """k_T at lags, (n,)."""
    table = kernel(np.zeros((1, 1)), lags[:, None].astype(float))[0]
    table[np.abs(table) < _NEGLIGIBLE] = 0.0
    return table


@lru_cache(maxsize=16)
def _aperiodic(size: int) -> np.ndarray:
    """The aperiodic candidates at lags 0, ..., size - 1, one per row."""
    return np.array([_at(kernel, np.arange(size)) for kernel in APERIODIC])


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
        self._most_to_come = np.append(-0.5 * np.cumsum(np.log(noise_variances)[::-1])[::-1], 0.0)
        self._stages = [m for m in (self.n // 4, self.n // 2) if m >= _FEWEST] + [self.n]
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
        return self.of_table(_at(kernel, self._lags), least)

    def of_table(self, table: np.ndarray, least: float = -np.inf) -> float:
        """As for the time kernel with these values at `self.lags`."""
        for m in self._stages if least > -np.inf else (self.n,):
            value = self._bound(m, table)
            if value < least:
                break
        return value

    def bound(self, table: np.ndarray) -> float:
        """The upper bound of l from the fewest data."""
        return self._bound(self._stages[0], table)

    def _bound(self, m: int, table: np.ndarray) -> float:
        return self._of_first(m, table) + float(self._most_to_come[m])

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
        np.take(table, self._index[:m, :m], out=work, mode="clip")  # which alone needs no buffer
        work *= self._gram[:m, :m]
        work.flat[:: m + 1] += self._noise[:m]
        lower, failed = dpotrf(work.T, lower=1, clean=0, overwrite_a=1)
        if failed:
            return -np.inf
        z = dtrsv(lower, self._values[:m], lower=1)
        return float(-0.5 * (z @ z) - np.log(lower.diagonal()).sum())
