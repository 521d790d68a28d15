"""Cosines and sines in place of the factor's columns, for evenly spaced arms and a stationary kernel.

The Gram matrix of G such arms is a corner of a circulant matrix of N > G rows, as soon as k is
negligible N - G arms apart. With its eigenvalues l_m and theta = 2 pi / N,

    k(x_g, x_h) = (1/N) sum_m l_m cos(m theta (g - h)),

so f = Phi w with cos(m theta g) and sin(m theta g), m = 0 ... M, as the columns of Phi, and independent
weights w of variances c = 2 l_m / N, half of that for m = 0 (whose sine, zero, keeps both halves alike).
Products of these columns are cosines and sines of (i - j) theta g and (i + j) theta g. Hence
Phi'diag(p) Phi consists of Toeplitz and Hankel blocks, whose entries come from one FFT of p; and
diag(Phi C Phi'), for any symmetric C, is one inverse FFT of the sums along diagonals and antidiagonals
of the blocks of C. Nothing is multiplied by all arms.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tvgp.posterior.prior import RANK_TOLERANCE, Prior

# A kernel below this share of its maximum is zero.
_NEGLIGIBLE = 1e-17

# Variance of a weight, relative to the prior's, below which it is never in use. What is left out is the
# same at all arms, where that of a factor has zeros at its pivots, so it has to be less.
_TOLERANCE = RANK_TOLERANCE / 10

# A weight of variance c moves the posterior by c times the sum of all precisions, in standard deviations;
# below this share it is left out.
_INSIGNIFICANT = 1e-9


class Harmonics:
    """Phi, (G, r), r = 2 (M + 1), and the products with it; the buffers belong to one engine."""

    def __init__(self, n_arms: int, period: int, variances: np.ndarray) -> None:
        """period: N; variances: c of m = 0, ..., M."""
        self._n_arms, self._period = n_arms, period
        n = self._n = len(variances)
        self.rank = 2 * n
        self._variances = variances
        # sum of the precisions from which on a weight, or one after it, is significant
        self._significant_from = _INSIGNIFICANT / np.maximum.accumulate(variances[::-1])[::-1]
        self._narrower: dict[int, Harmonics] = {}
        # the sine of m = 0 is zero: any variance will do
        self._precisions = np.concatenate([1.0 / variances, [1.0], 1.0 / variances[1:]])
        self.log_variances = float(np.log(variances).sum() + np.log(variances[1:]).sum())
        # Half the sums over g of p cos(m theta g) and p sin(m theta g) for m = -(n-1), ..., 2 (n-1), and
        # as tables whose entry (i, j) is that of m = j - i or of m = i + j
        self._even, self._odd = np.zeros((2, 3 * n - 2))
        self._tables = [
            as_strided(half_sums[n - 1 :], (n, n), strides)
            for half_sums in (self._even, self._odd)
            for strides in ((-8, 8), (8, 8))
        ]
        self._gram = np.zeros((2 * n, 2 * n))
        # Three blocks side by side, with zeros around each, and tables of the same numbers in which a
        # diagonal (of the first two blocks) or antidiagonal (of the last two) is a column
        buffer = np.zeros((n + 2, 6 * n))
        self._blocks = [buffer[1:-1, start : start + n] for start in (0, 2 * n, 4 * n)]
        pitch = 8 * 6 * n
        self._diagonals = as_strided(buffer.ravel()[6 * n - n + 1 :], (n, 4 * n), (pitch + 8, 8))
        self._antidiagonals = as_strided(buffer[1, 2 * n :], (n, 4 * n), (pitch - 8, 8))
        self._ones = np.ones(n)

    def __reduce__(self) -> tuple[type[Harmonics], tuple[int, int, np.ndarray]]:
        """Copied and stored as what it is made from, as its tables are views, which copies would not be."""
        return Harmonics, (self._n_arms, self._period, self._variances)

    @classmethod
    def of(cls, prior: Prior, limit: int) -> Harmonics | None:
        """The harmonics of a prior, None if its arms are not evenly spaced on a line, its kernel is not
        stationary or reaches from one end to the other, or the rank is above `limit`."""
        found = _spectrum(prior)
        if found is None or 2 * len(found[1]) > limit:
            return None
        return cls(prior.n_arms, *found)

    def significant(self, total: float) -> Harmonics:
        """Those that matter where the precisions of all arms sum to `total`."""
        n = max(int(self._significant_from.searchsorted(total)), 1)
        if n == self._n:
            return self
        if n not in self._narrower:
            self._narrower[n] = Harmonics(self._n_arms, self._period, self._variances[:n])
        return self._narrower[n]

    def precision(self, p: np.ndarray) -> np.ndarray:
        """The lower triangle of diag(1/c) + Phi'diag(p) Phi, (r, r), in Fortran order; overwritten by the
        next call."""
        n = self._n
        transform = np.fft.rfft(p, self._period)[: 2 * n - 1]
        transform *= 0.5
        self._even[n - 1 :] = transform.real
        self._even[: n - 1] = transform.real[n - 1 : 0 : -1]
        np.negative(transform.imag, out=self._odd[n - 1 :])
        self._odd[: n - 1] = transform.imag[n - 1 : 0 : -1]
        # cos a cos b = (cos(b - a) + cos(a + b)) / 2, and so on
        even_difference, even_sum, odd_difference, odd_sum = self._tables
        upper = self._gram
        np.add(even_difference, even_sum, out=upper[:n, :n])
        np.add(odd_difference, odd_sum, out=upper[:n, n:])
        np.subtract(even_difference, even_sum, out=upper[n:, n:])
        upper.flat[:: 2 * n + 1] += self._precisions
        return upper.T

    def project(self, s: np.ndarray) -> np.ndarray:
        """Phi's, (r,), for s (G,)."""
        transform = np.fft.rfft(s, self._period)[: self._n]
        return np.concatenate([transform.real, -transform.imag])

    def rows(self, arms: np.ndarray) -> np.ndarray:
        """Phi of arms (m,), (m, r)."""
        angles = 2.0 * np.pi / self._period * (arms[:, None] * np.arange(self._n) % self._period)
        return np.concatenate([np.cos(angles), np.sin(angles)], axis=1)

    def diagonal(self, lower: np.ndarray) -> np.ndarray:
        """diag(Phi C Phi'), (G,), for C (r, r) given by its lower triangle, with zeros above it."""
        return self.series(self.spectrum_of_diagonal(lower))

    def spectrum_of_diagonal(self, lower: np.ndarray) -> np.ndarray:
        """The same before the inverse transform, (r - 1,)."""
        n, upper = self._n, lower.T
        plus, mixed, minus = self._blocks
        np.add(upper[:n, :n], upper[n:, n:], out=plus)
        mixed[:] = upper[:n, n:]
        np.subtract(upper[:n, :n], upper[n:, n:], out=minus)
        plus[0, 0] = minus[0, 0] = upper[0, 0]
        by_difference, by_sum = self._ones @ self._diagonals, self._ones @ self._antidiagonals
        odd, even = by_sum[: 2 * n - 1], by_sum[2 * n : -1]
        even[::2] -= 0.5 * minus.diagonal()  # each entry off the diagonal counts twice
        even[0] += 0.5 * by_difference[n - 1]
        even[1:n] += by_difference[n : 2 * n - 1]
        lags = by_difference[2 * n : -1]
        odd[1:n] += lags[n:]
        odd[1:n] -= lags[n - 2 :: -1]
        return self.spectrum(even, odd)

    def spectrum(self, cosines: np.ndarray, sines: np.ndarray) -> np.ndarray:
        """That of sum_m a_m cos(m theta g) + b_m sin(m theta g), for coefficients (..., n)."""
        spectrum = np.empty(cosines.shape, dtype=complex)
        spectrum.real = cosines
        spectrum.imag = -sines
        spectrum *= 0.5 * self._period
        spectrum[..., 0] *= 2.0
        return spectrum

    def series(self, spectrum: np.ndarray) -> np.ndarray:
        """The sums of a spectrum, or of each row of several, (..., G)."""
        return np.fft.irfft(spectrum, self._period)[..., : self._n_arms]


@lru_cache(maxsize=4)
def _spectrum(prior: Prior) -> tuple[int, np.ndarray] | None:
    """N and c of a prior, None without a circulant matrix or where it has more columns than N / 2."""
    n_arms = prior.n_arms
    if n_arms == 1 or not _evenly_spaced(prior.arms) or not _stationary(prior):
        return None
    first, middle, last = prior.rows(np.array([0, n_arms // 2, n_arms - 1]))
    largest = first.item(0)
    shifted = np.concatenate([first[n_arms // 2 : 0 : -1], first[: n_arms - n_arms // 2]])
    if max(np.abs(last - first[::-1]).max(), np.abs(middle - shifted).max()) > RANK_TOLERANCE * largest:
        return None
    reach = int(np.flatnonzero(np.abs(first) > _NEGLIGIBLE * largest)[-1]) + 1
    period = _fast(n_arms + reach)
    row = np.zeros(period)
    row[:reach] = first[:reach]
    row[period - reach + 1 :] = first[reach - 1 : 0 : -1]
    variances = (2.0 / period) * np.fft.rfft(row).real
    variances[0] /= 2.0
    n = int(np.flatnonzero(variances > _TOLERANCE * largest)[-1]) + 1
    if reach == n_arms or 2 * n > period // 2 or variances[:n].min() <= 0.0:
        return None
    return period, variances[:n]


def _evenly_spaced(arms: np.ndarray) -> bool:
    """Whether arms (G, d) lie on a line in steps that are equal but for rounding of the coordinates."""
    steps = np.diff(arms, axis=0)
    return arms.shape[1] == 1 and bool(np.ptp(steps) <= 4.0 * np.spacing(np.abs(arms).max()))


def _stationary(prior: Prior) -> bool:
    """Whether the kernel is a function of the difference of its arguments: it has a spectral density."""
    try:
        prior.kernel.frequencies(1, 1, np.random.default_rng(0))
    except ValueError:
        return False
    return True


def _fast(n: int) -> int:
    """The smallest even number from n on of the form 2^a 3^b 5^c, for which FFTs are fast."""
    n += n % 2
    while True:
        rest = n
        for factor in (2, 3, 5):
            while rest % factor == 0:
                rest //= factor
        if rest == 1:
            return n
        n += 2
