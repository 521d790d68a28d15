"""The prior over a finite set of arms, from which every engine starts.

One instance is shared by all engines with the same arms and kernel (`Prior.of`), so that the Gram
matrix and its low-rank factor are computed once per process, not once per run. Its arms are a copy,
its arrays are read-only, and a lock guards all that is computed on demand: any number of threads may
use it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from tvgp import acquisition
from tvgp.contracts import summary
from tvgp.kernels import Kernel

# Residual prior variance, relative to the largest, below which a factor counts as exact. The
# posterior then differs by less than 1e-8 unless the noise variance is below 1e-5 of the prior's.
RANK_TOLERANCE = 1e-14

# Most arms for which the Gram matrix is kept whole (4096^2 doubles are 128 MiB), and up to which it is
# computed at the first call for a row.
GRAM_LIMIT, _SMALL = 4096, 512

# Most numbers in the rows of the Gram matrix that are kept.
_KEPT = GRAM_LIMIT**2

# Guards the cache of priors and their attributes computed on demand. One lock for all priors, as a
# lock of its own would keep a prior from being pickled.
_LOCK = threading.RLock()

# Noise variance, relative to the prior's largest, below which float64 loses the posterior: at this
# floor every engine is within a hundredth of a posterior standard deviation after 300 observations of eight
# rough arms; of smooth functions, and of more data, less is left.
_NOISE_FLOOR = 1e-10

# Most columns of a factor if the Gram matrix is not kept.
_COLUMN_LIMIT = 512


class Prior:
    """GP(0, k) restricted to arms: `gram` (G, G), `diagonal` (G,), `factor(limit)` (G, r); `unit`, in which
    scores tie (`tvgp.acquisition.unit`)."""

    _recent: list[Prior] = []

    def __init__(self, arms: np.ndarray, kernel: Kernel) -> None:
        """ValueError unless arms are finite, (n_arms, d) with n_arms > 0."""
        masked = np.ma.is_masked(arms)
        try:
            if np.asarray(arms).dtype.kind in "cmM":  # no numbers, or their unit would decide
                raise TypeError
            arms = np.array(arms, dtype=float, order="C")
        except (TypeError, ValueError):
            raise ValueError(f"arms are {repr(arms)[:60]}, expected numbers of shape (n_arms, d)") from None
        if arms.ndim != 2 or not len(arms):
            raise ValueError(f"arms have shape {arms.shape}, expected (n_arms, d) with n_arms > 0")
        if masked or not np.isfinite(arms).all():
            raise ValueError("arms contain values that are masked or not finite")
        self.arms = _read_only(arms)
        self.kernel = kernel
        self.diagonal = _read_only(np.array(kernel.diagonal(arms)))
        self.unit = acquisition.unit(self.diagonal.max())
        self._gram: np.ndarray | None = None
        # rows computed so far, and the place of each arm's row among them, -1 for none; the system allocates
        # pages of an empty array on first write only
        self._table = np.empty((min(len(arms), max(_KEPT // len(arms), 1)), len(arms)))
        self._n_kept = 0
        self._kept = _read_only(self._table.view()), np.full(len(arms), -1)  # replaced both at once
        self._factor: np.ndarray | None = None  # complete, down to the tolerance
        self._rank = 0
        self._columns = np.empty((0, len(arms)))
        self._residual = self.diagonal.copy()

    @classmethod
    def of(cls, arms: np.ndarray, kernel: Kernel) -> Prior:
        """The shared instance for these arms and this kernel (the last four are cached)."""
        with _LOCK:
            for prior in cls._recent:
                if prior.kernel == kernel and np.array_equal(prior.arms, arms) and not np.ma.is_masked(arms):
                    return prior
            prior = cls(arms, kernel)
            cls._recent = [prior, *cls._recent[:3]]
            return prior

    def __reduce__(self) -> tuple[Callable[..., Prior], tuple[np.ndarray, Kernel]]:
        """Pickled as arms and kernel: what is computed from them is recomputed."""
        return Prior.of, (self.arms, self.kernel)

    def __deepcopy__(self, memo: object) -> Prior:
        return self

    def __repr__(self) -> str:
        return summary(type(self).__name__, arms=self.arms, kernel=self.kernel)

    @property
    def n_arms(self) -> int:
        """Number of arms G."""
        return len(self.arms)

    @property
    def least_noise(self) -> float:
        """The smallest noise variance for which float64 has a posterior."""
        return _NOISE_FLOOR * float(self.diagonal.max())

    def check_noise(self, noise_variance: float) -> None:
        """ValueError for a noise variance too small for a posterior in float64."""
        if noise_variance < self.least_noise:
            raise ValueError(
                f"noise variance is {noise_variance}, must be at least {self.least_noise:.3g},"
                f" {_NOISE_FLOOR:g} of the prior variance; raise it"
            )

    @property
    def gram(self) -> np.ndarray:
        """K, (G, G). ValueError above 4096 arms, where engines work on rows instead."""
        if self.n_arms > GRAM_LIMIT:
            raise ValueError(f"{self.n_arms} arms: the Gram matrix is kept up to {GRAM_LIMIT}")
        if self._gram is None:
            with _LOCK:
                if self._gram is None:
                    gram = _read_only(np.array(self.kernel(self.arms, self.arms)))
                    self._kept = gram, np.arange(self.n_arms)
                    self._table = np.empty((0, self.n_arms))
                    self._gram = gram
        return self._gram

    def rows(self, index: np.ndarray | int, out: np.ndarray | None = None) -> np.ndarray:
        """k(arms[index], arms): (G,) for one index, (m, G) for m of them; C order.

        Rows are kept for the next call as far as 128 MiB hold them. out: (m, G) buffer for the result.
        """
        rows, places = self._kept
        place = places[index]
        if place.ndim == 0:
            return rows[place] if place >= 0 else self.rows(np.array([index]))[0]
        wanted = np.asarray(index)
        if len(wanted) and place.min() < 0:
            self._keep(wanted[place < 0])
            rows, places = self._kept
            place = places[wanted]
        # the default mode, which checks indices, would copy
        block = rows.take(place, axis=0, out=out, mode="clip")
        if len(wanted) and place.min() < 0:
            block[place < 0] = self.kernel(self.arms[wanted[place < 0]], self.arms)
        return block

    def _keep(self, index: np.ndarray) -> None:
        """Compute rows to be kept, as many of these as there is room for: all of K for few arms."""
        with _LOCK:
            places = self._kept[1]
            if self.n_arms <= _SMALL:
                places = np.arange(len(self.gram))
            new = np.unique(index[places[index] < 0])[: max(len(self._table) - self._n_kept, 0)]
            if len(new):
                end = self._n_kept + len(new)
                self._table[self._n_kept : end] = self.kernel(self.arms[new], self.arms)
                places[new] = np.arange(self._n_kept, end)
                self._n_kept = end

    def factor(self, limit: int) -> np.ndarray | None:
        """F, (G, r) with K = F F' to rounding, or None if that takes more than `limit` columns (above
        4096 arms: more than 512).

        Pivoted Cholesky (Harbrecht, Peters & Schneider 2012), resumed where an earlier call
        stopped; O(G r^2), without a (G, G) matrix.
        """
        if self.n_arms > GRAM_LIMIT:
            limit = min(limit, _COLUMN_LIMIT)
        if self._factor is None:
            with _LOCK:
                self._extend(limit)
        factor = self._factor
        return factor if factor is not None and factor.shape[1] <= limit else None

    def _extend(self, limit: int) -> None:
        """Add columns to the factor until it is complete or has `limit` of them."""
        if self._factor is not None:  # another thread was faster
            return
        tolerance = RANK_TOLERANCE * self.diagonal.max()
        while self._residual.max() > tolerance:
            k = self._rank
            if k >= limit:
                return
            if k == len(self._columns):
                more = np.empty((min(max(64, 2 * k), limit), self.n_arms))
                more[:k] = self._columns
                self._columns = more
            pivot = int(self._residual.argmax())
            column = self._columns[k]
            column[:] = self.kernel(self.arms[pivot : pivot + 1], self.arms)[0]
            column -= self._columns[:k, pivot] @ self._columns[:k]
            column /= np.sqrt(self._residual[pivot])
            self._residual -= column * column
            # the residual of a pivot is 0; -inf keeps rounding from choosing it again
            self._residual[pivot] = -np.inf
            self._rank += 1
        self._factor = _read_only(np.ascontiguousarray(self._columns[: self._rank].T))
        self._columns = np.empty((0, self.n_arms))


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def padded(across: np.ndarray) -> np.ndarray:
    """F', (r, G), with zeros for more arms: rows that fill cache lines of 8 numbers take BLAS a third less
    time."""
    rank, n_arms = across.shape
    width = -n_arms % 8 + n_arms
    buffer = np.zeros(rank * width + 7)
    first = -buffer.ctypes.data // 8 % 8
    wider = buffer[first : first + rank * width].reshape(rank, width)
    wider[:, :n_arms] = across
    return wider
