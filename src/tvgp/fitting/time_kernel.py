"""The time kernel of a space-time Gaussian process, chosen by marginal likelihood.

Observations y_i of arm x_i in round t_i, cov(f_s(x), f_t(x')) = k(x, x') k_T(t - s):

    l = -1/2 z'z - sum log diag L,  L L' = K o k_T + Sigma,  z = L^-1 y

(Rasmussen & Williams 2006, eq. 2.30, without the constant). k and Sigma are given; the candidates
are a constant, Ornstein-Uhlenbeck and squared exponential kernels over a grid of length-scales, and
periodic kernels over a grid of frequencies. That grid must be fine in frequency, not in period: an
error of 1/(8 n) is an eighth of a cycle after n rounds, which the data tell apart. A period above half of
the rounds is not a candidate, because a kernel that never repeats fits anything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.linalg.blas import dtrsv
from scipy.linalg.lapack import dpotrf

from tvgp import kernels
from tvgp.kernels import Kernel, Matern12

LENGTHS = tuple(float(length) for length in np.geomspace(2.0, 1000.0, 16))
LONGEST_PERIOD, SHORTEST_PERIOD = 250.0, 8.0

# Rounds, in multiples of the number of observations, beyond which the frequency grid is not refined.
_SPARSEST = 4

# Correlations below this are 0: denormal numbers are slow.
_NEGLIGIBLE = 1e-30

# Number of peaks of the score whose likelihood is computed.
_PEAKS = 8

# Fewest data for which a bound pays.
_FEWEST = 32

# q_j of exp(-2 sin^2(u/2)) = sum_j q_j cos(j u), from a Fourier transform; below 1e-16 from j = 14 on.
_SHARES = np.fft.rfft(np.exp(-2.0 * np.sin(np.pi * np.arange(64) / 64) ** 2)).real[:14] / 32
_SHARES[0] /= 2.0

CONSTANT = kernels.make("constant")
APERIODIC = [CONSTANT] + [
    kernels.make(name, length_scale=length) for name in ("matern12", "se") for length in LENGTHS
]


def frequencies(rounds: int) -> np.ndarray:
    """Frequencies to offer after `rounds` rounds, per round: from 1/min(250, rounds/2) by steps of
    1/(8 rounds) as far as they are below 1/8."""
    lowest = 1.0 / min(LONGEST_PERIOD, rounds / 2.0)
    return np.arange(lowest, 1.0 / SHORTEST_PERIOD, 1.0 / (8.0 * rounds))


def periodic(frequency: float) -> Kernel:
    """exp(-2 sin^2(pi f lag)), of length-scale 1."""
    return kernels.make("periodic", length_scale=1.0, period=1.0 / float(frequency))


@dataclass(frozen=True)
class Choice:
    """A time kernel, and L of all data under it, (n, n), with zeros above the diagonal."""

    kernel: Kernel
    lower: np.ndarray


def choose(
    gram: np.ndarray,
    values: np.ndarray,
    noise_variances: np.ndarray,
    rounds: np.ndarray,
    known: dict[Kernel, tuple[int, float]] | None = None,
) -> Choice:
    """The candidate with the largest marginal likelihood; ties to the first of constant, OU, SE, periodic.

    gram: k(x_i, x_j), (n, n); values, noise variances and rounds (integers, increasing), (n,). Frequencies
    are refined by hill climbing from the peaks of the score, which need no factorisation. The others are
    evaluated in the order of their bounds from the first data, until no bound reaches the best so far.
    known: for aperiodic candidates, m and l of the first m data, from choices for fewer data; updated.
    """
    likelihood = TimeLikelihood(gram, values, noise_variances, rounds)
    value, chosen = best_frequency(likelihood)
    tables = _aperiodic(likelihood)
    markov = [isinstance(kernel, Matern12) for kernel in APERIODIC]
    tails = np.tile(likelihood.tails, (len(tables), 1))
    tails[markov] = likelihood.markov_tails(tables[markov])
    firsts = [(known or {}).get(kernel, (0, 0.0)) for kernel in APERIODIC]
    firsts = [first if first[0] < likelihood.n else (0, 0.0) for first in firsts]
    bounds = np.array([of_first + tail[m] for (m, of_first), tail in zip(firsts, tails, strict=True)])
    best = -1
    while bounds[i := int(bounds.argmax())] >= value and bounds[i] > -np.inf:
        m = likelihood.stage_after(firsts[i][0])
        firsts[i] = m, likelihood.of_first(m, tables[i])
        bounds[i] = firsts[i][1] + tails[i][m]
        if m < likelihood.n:
            continue
        if bounds[i] > value or bounds[i] == value and (best < 0 or i < best):
            value, chosen, best = bounds[i], APERIODIC[i], i
            likelihood.keep()
        bounds[i] = -np.inf
    if known is not None:
        known.update(zip(APERIODIC, firsts, strict=True))
    return Choice(chosen, likelihood.kept)


def best_frequency(likelihood: TimeLikelihood) -> tuple[float, Kernel]:
    """The largest likelihood of a periodic kernel, uphill from the best peak of the score, and the kernel;
    -inf if no frequency is offered. Its factor is kept."""
    grid = frequencies(min(likelihood.span, _SPARSEST * likelihood.n))
    if not len(grid):
        return -np.inf, CONSTANT
    scores = likelihood.scores(grid)
    padded = np.concatenate([[-np.inf], scores, [-np.inf]])
    tops = np.flatnonzero((scores >= padded[:-2]) & (scores >= padded[2:]))
    ahead = [int(i) for i in tops[np.argsort(-scores[tops], kind="stable")][:_PEAKS]]
    best, value, found = ahead[0], -np.inf, set()
    bounded = True
    while ahead:
        for i in ahead:
            table = np.exp(np.cos(2.0 * np.pi * grid[i] * likelihood.lags) - 1.0)  # that of periodic(grid[i])
            this = likelihood.of_table(table, value if bounded else -np.inf)
            if this > value:
                best, value = i, this
                likelihood.keep()
        found.update(ahead)
        ahead = [i for i in (best - 1, best + 1) if 0 <= i < len(grid) and i not in found]
        bounded = False  # the likelihood of a neighbour is close: a bound would cost more than it spares
    return value, periodic(grid[best])


def _at(kernel: Kernel, lags: np.ndarray) -> np.ndarray:
    """k_T at lags, (n,)."""
    table = kernel(np.zeros((1, 1)), lags[:, None].astype(float))[0]
    table[np.abs(table) < _NEGLIGIBLE] = 0.0
    return table


def _aperiodic(likelihood: TimeLikelihood) -> np.ndarray:
    """The aperiodic candidates at `likelihood.lags`, one per row."""
    if len(likelihood.lags) < likelihood.span:  # few rounds of many
        return _tables(likelihood.lags)
    return _all_lags(2 ** math.ceil(math.log2(likelihood.span)))[:, likelihood.lags]


@lru_cache(maxsize=16)
def _all_lags(size: int) -> np.ndarray:
    return _tables(np.arange(size))


def _tables(lags: np.ndarray) -> np.ndarray:
    return np.array([_at(kernel, lags) for kernel in APERIODIC])


def _tails(variances: np.ndarray) -> np.ndarray:
    """-1/2 sum of log variance over those from m on, for m = 0, ..., n, along the last axis."""
    tails = np.zeros((*variances.shape[:-1], variances.shape[-1] + 1))
    tails[..., -2::-1] = -0.5 * np.log(variances)[..., ::-1].cumsum(axis=-1)
    return tails


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
        self.tails = _tails(noise_variances)
        self._stages = [m for m in (self.n // 4, self.n // 2) if m >= _FEWEST] + [self.n]
        lags = np.subtract.outer(rounds, rounds)
        np.abs(lags, out=lags)
        self.span = int(lags.max()) + 1
        if self.span <= _SPARSEST * self.n:
            self.lags, self._index = np.arange(self.span), lags  # between observations, increasing
        else:
            self.lags, index = np.unique(lags, return_inverse=True)
            self._index = index.reshape(lags.shape)
        self._work, self._kept = np.empty((2, self.n**2))

    def of_table(self, table: np.ndarray, least: float = -np.inf) -> float:
        """l for the time kernel with these values at `lags`, up to a constant; -inf where K o k_T + Sigma has
        no Cholesky factor in float64.

        Where l is below `least`, an upper bound of it that is below `least` too may take its place: that
        from the first quarter or half of the data, as no further one adds more than -log(noise variance)/2.
        """
        for m in self._stages if least > -np.inf else (self.n,):
            value = self.of_first(m, table) + float(self.tails[m])
            if value < least:
                break
        return value

    def keep(self) -> None:
        """Keep the factor of the likelihood that was computed last, of all data."""
        self._work, self._kept = self._kept, self._work

    @property
    def kept(self) -> np.ndarray:
        """The factor kept last, (n, n), with zeros above the diagonal."""
        return self._kept.reshape(self.n, self.n).T

    def stage_after(self, m: int) -> int:
        """The next number of first data from which to bound l."""
        return next(stage for stage in self._stages if stage > m)

    def markov_tails(self, tables: np.ndarray) -> np.ndarray:
        """Upper bounds of l minus that of the first m data, (k, n + 1), for k Markov processes with these
        values at `lags`: they know no more than all of f in the round before."""
        known = np.zeros((len(tables), self.n))
        known[:, 1:] = tables[:, self._index.diagonal(1)]
        return _tails(self._noise + self._gram.diagonal() * (1.0 - known**2))

    def scores(self, grid: np.ndarray) -> np.ndarray:
        """Derivative of l from rounds without correlation in the direction of the periodic kernels of evenly
        spaced frequencies, (m,), up to a constant.

        With a_i = y_i / (K_ii + Sigma_ii) it is 1/2 sum_ij a_i a_j K_ij k_T(t_i - t_j): one sum over pairs
        per lag serves all, and exp(-2 sin^2(u/2)) = sum_j q_j cos(j u). The cosines are products of those
        of few frequencies and few differences. From the best aperiodic kernel instead, the score has no
        peak at a slow period, which that kernel follows.
        """
        a = self._values / (self._gram.diagonal() + self._noise)
        pairs = np.multiply(self._gram, a, out=self._work.reshape(self._gram.shape))
        pairs *= a[:, None]
        by_lag = np.bincount(self._index.ravel(), self._work, minlength=len(self.lags))
        stride = math.isqrt(len(grid)) + 1
        turns = 2.0 * np.pi * self.lags
        coarse = np.exp(1j * np.multiply.outer(grid[::stride], turns))
        fine = np.exp(-1j * np.multiply.outer(grid[:stride] - grid[0], turns))
        left, right = by_lag * np.ones_like(coarse), np.ones_like(fine)
        total = np.full((len(coarse), len(fine)), _SHARES[0] * by_lag.sum())
        for share in _SHARES[1:]:
            left *= coarse
            right *= fine
            total += share * (left.view(float) @ right.view(float).T)  # the real part of left x conj(right)
        return 0.5 * total.ravel()[: len(grid)]

    def of_first(self, m: int, table: np.ndarray) -> float:
        """l of the first m observations under k_T given at `lags`."""
        # in memory order, as transposes in C order; one buffer of n^2 serves all
        work = self._work[: m * m].reshape(m, m)
        np.take(table, self._index[:m, :m], out=work, mode="clip")  # the only one that needs no buffer
        work *= self._gram[:m, :m]
        work.flat[:: m + 1] += self._noise[:m]
        lower, failed = dpotrf(work.T, lower=1, clean=m == self.n, overwrite_a=1)
        if failed:
            return -np.inf
        z = dtrsv(lower, self._values[:m], lower=1)
        return float(-0.5 * (z @ z) - np.log(lower.diagonal()).sum())
