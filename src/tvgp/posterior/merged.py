"""Merged engine: any noise variances, changing every round; repeated arms count once.

Observations of one arm with noise variances v_i act as one observation with precision
p = sum 1/v_i and mean (sum y_i / v_i) / p. Over the u distinct arms, with K_u their Gram matrix
and D = diag(p), there are equal forms, of which the cheapest is used:

    dual, O(u^3 + u^2 G):    B = K_u + D^-1 = L L',  V = L^-1 K(u, arms),
                             mu = V' L^-1 D^-1 s,  sigma^2 = k(x, x) - sum V^2
    primal, O(r^3 + r^2 G):  A = I + F_u' D F_u = L L',  W = L^-1 F',
                             mu = F A^-1 F_u' s,  sigma^2 = sum W^2
    harmonic, O(r^3):        the primal form with cosines and sines for F's columns, for many evenly
                             spaced arms and a stationary kernel (`tvgp.posterior.harmonics`)
    updated, O(r^2 + r G):   A^-1 from that of the round before, where one or two precisions changed;
                             afresh every 1,024 changes (`tvgp.posterior.updated`)

with s = (sum y_i / v_i) per arm. log det(I + Sigma^-1/2 K Sigma^-1/2) = 2 sum log diag L,
plus log det D in the dual form. B is at least D^-1 and A the identity, so that no jitter is needed.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tvgp.posterior.engine import Eager
from tvgp.posterior.forms import Dual, Form, Primal, Room
from tvgp.posterior.harmonics import Harmonic, Harmonics
from tvgp.posterior.prior import Prior, padded
from tvgp.posterior.updated import Updated

# Number of factorisations in the cache and their largest size (u G), for designs that recur, as fresh
# samples of some dozens of arms do. Larger ones share one buffer.
_KEPT, _KEPT_SIZE = 64, 4096

# Number of factorisations since one recurred after which none is kept, as fresh memory for each costs a
# tenth of the round, and after which they are kept again.
_UNUSED, _RETRY = 128, 2048

# Largest rank of the prior for the primal form, and the time of the harmonic form as a number of
# operations of the others: at any rank, and per cube of the rank.
_RANK_LIMIT = 256
_HARMONIC_CALLS, _HARMONIC_CUBES = 1.4e6, 1.5

# Number of distinct arms up to which the dual form is always fastest, and the one relative to the rank
# above which few changes of their precisions are followed.
_FEWEST, _FOLLOWED = 16, 0.5

# Most precisions that an update changes, and number of changes after which all is computed afresh
# because their rounding adds up.
_FEW, _REFRESH = 2, 1024

# Rounds without counting changes after one with more: most policies change all precisions in every round.
_UNWATCHED = 15

# Largest change of a precision, relative to that of the prior, that is followed: P loses as many digits.
_LARGEST = 1e5


class Merged(Eager):
    """Exact posterior over all arms under arbitrary noise variances."""

    name = "merged"

    def __init__(self, prior: Prior) -> None:
        super().__init__(prior)
        self._room = Room(prior.n_arms)
        self._kept: dict[bytes, Form] = {}
        self._unused = 0  # factorisations since one of those kept recurred
        self._largest = _LARGEST / prior.diagonal.max()
        self.reset()

    def reset(self) -> None:
        """Forget all data."""
        super().reset()
        self._form: Form | None = None
        self._precision = b""
        self._unwatched = 0  # rounds until changes are counted again

    def condition(self, arms: np.ndarray, values: np.ndarray, noise_variances: np.ndarray) -> None:
        """Replace the data by values (n,) of arms (n,) with noise variances (n,)."""
        n_arms = self.prior.n_arms
        weights = 1.0 / np.asarray(noise_variances, dtype=float)
        precision = np.bincount(arms, weights, n_arms)
        weighted_sum = np.bincount(arms, weights * values, n_arms)
        self.condition_sums(precision, weighted_sum)
        self.n = len(arms)

    def condition_sums(self, precision: np.ndarray, weighted_sum: np.ndarray) -> None:
        """The same from sums per arm, p and s, (G,), float: one observation per arm with p > 0."""
        form, self._form = self._form, None  # if this fails, no form is valid
        as_bytes = precision.tobytes()
        if form is None or as_bytes != self._precision:
            n = int(np.count_nonzero(precision))
            if not n:
                self.reset()
                return
            small = n * len(precision) <= _KEPT_SIZE and self._unused < _UNUSED
            # a form whose changes are followed is followed further
            kept = self._kept.get(as_bytes) if small and not isinstance(form, Updated) else None
            changes: list[tuple[int, float]] = []
            if kept is not None:
                self._unused = 0
            elif form is not None and self._follows(n):
                changes = self._changes(precision)
            if changes and isinstance(form, Updated) and form.changes < _REFRESH:
                self.mean, self.variance = form.follow(n, changes, weighted_sum)
            else:
                if kept is None:
                    kept = self._followed(precision) if changes else self._afresh(precision, as_bytes, small)
                form = kept
                self.mean, self.variance = form.posterior(weighted_sum)
            self._precision = as_bytes
        else:  # only the mean changes
            self.mean, self.variance = form.posterior(weighted_sum)
        self._form, self.n, self.log_det = form, form.n, form.log_det

    def _follows(self, n: int) -> bool:
        """Whether few changes of a design of n arms are cheaper followed than computed afresh."""
        return n > _FEWEST and self._across is not None and n > _FOLLOWED * len(self._across)

    def _changes(self, precision: np.ndarray) -> list[tuple[int, float]]:
        """The arms whose precision is another than before, and by how much; none if they are many, or were
        of late, or one of them changes too much."""
        if self._unwatched:
            self._unwatched -= 1
            return []
        before = np.frombuffer(self._precision)
        arms = (precision != before).nonzero()[0]
        if len(arms) > _FEW:
            self._unwatched = _UNWATCHED
            return []
        changes = []
        for arm in arms.tolist():
            by = precision.item(arm) - before.item(arm)
            if not abs(by) < self._largest:
                return []
            changes.append((arm, by))
        return changes

    def _followed(self, precision: np.ndarray) -> Updated:
        """A form whose few changes are followed from now on."""
        seen = precision.nonzero()[0]
        factor, across = self.prior.factor(self.prior.n_arms), self._across
        assert factor is not None and across is not None
        return Updated(factor, self._padded, Primal(across, seen, precision[seen], self._room, False))

    def _afresh(self, precision: np.ndarray, as_bytes: bytes, keep: bool) -> Form:
        """The form for any precisions."""
        self._unused = (self._unused + 1) % _RETRY
        form = self._factorise(precision.nonzero()[0], precision, keep)
        if keep:
            if len(self._kept) == _KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[as_bytes] = form
        return form

    def _factorise(self, seen: np.ndarray, precision: np.ndarray, own: bool) -> Form:
        """The cheapest form; own: it is not overwritten by the next."""
        kind = self.cheapest(len(seen))
        if kind is Harmonic:
            assert self._harmonics is not None
            return Harmonic(self._harmonics, len(seen), precision)
        if kind is Primal:
            assert self._across is not None
            return Primal(self._across, seen, precision[seen], self._room, own)
        return Dual(self.prior, seen, precision[seen], self._room, own)

    def cheapest(self, n: int) -> type[Form]:
        """The form for n distinct arms that is computed afresh in the least time."""
        n_arms, across = self.prior.n_arms, self._across if n > _FEWEST else None
        if across is None:
            return Dual
        r = len(across)
        cost = n * n * (n + n_arms) if n <= r else r * r * (r + n + n_arms)
        if cost > _HARMONIC_CALLS and self._harmonics is not None:
            if cost > _HARMONIC_CALLS + _HARMONIC_CUBES * self._harmonics.rank**3:
                return Harmonic
        return Dual if n <= r else Primal

    @cached_property
    def _across(self) -> np.ndarray | None:
        """F', (r, G), as W is laid out; None above the rank limit."""
        factor = self.prior.factor(min(_RANK_LIMIT, self.prior.n_arms))
        return None if factor is None else np.ascontiguousarray(factor.T)

    @cached_property
    def _padded(self) -> np.ndarray:
        """`_across` as an updated form uses it."""
        assert self._across is not None
        return padded(self._across)

    @cached_property
    def _harmonics(self) -> Harmonics | None:
        """Cosines and sines, None for other than evenly spaced arms and a stationary kernel."""
        return Harmonics.of(self.prior, min(_RANK_LIMIT, self.prior.n_arms))

    def mismatch_sums(self, spread: np.ndarray) -> tuple[np.ndarray, float]:
        """Error of the posterior mean if observations i with assumed noise variances w_i have true
        ones v_i. spread: sum v_i / w_i^2 per arm, (G,), 0 without data.

        The first is E (mu(x) - f(x))^2 = k(x, x) - 2 a'k + a'K a + sum a_i^2 v_i, (G,), with
        mu(x) = a'y; it equals `variance` if v = w. The second is log det(I + Q^1/2 K Q^1/2),
        Q = diag(v_i / w_i^2).
        """
        if self._form is None:
            return self.variance.copy(), 0.0
        return self._form.mismatch(spread)
