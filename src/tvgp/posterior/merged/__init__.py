"""Merged engine: any noise variances, changing every round; repeated arms count once.

Observations of one arm with noise variances v_i act as one observation with precision
p = sum 1/v_i and mean (sum y_i / v_i) / p. Over the u distinct arms, with K_u their Gram matrix
and D = diag(p), there are equal forms, of which the cheapest is used:

    dual, O(u^3 + u^2 G):    B = K_u + D^-1 = L L',  V = L^-1 K(u, arms),
                             mu = V' L^-1 D^-1 s,  sigma^2 = k(x, x) - sum V^2
    primal, O(r^3 + r^2 G):  A = I + F_u' D F_u = L L',  W = L^-1 F',
                             mu = F A^-1 F_u' s,  sigma^2 = sum W^2
    harmonic, O(r^3):        the primal form with cosines and sines for F's columns, for many evenly
                             spaced arms and a stationary kernel (`tvgp.posterior.merged.harmonics`)
    updated, O(r^2 + r G):   A^-1 from that of the round before, where one or two precisions changed;
                             recomputed every 1,024 changes (`tvgp.posterior.merged.rank_one`)

with s = (sum y_i / v_i) per arm. log det(I + Sigma^-1/2 K Sigma^-1/2) = 2 sum log diag L,
plus log det D in the dual form. B is at least D^-1 and A the identity, so that no jitter is needed.
"""

from __future__ import annotations

import numpy as np

from tvgp.posterior.engine import LEAST_PRECISION, Eager
from tvgp.posterior.merged.forms import FORMS, Dual, Form, FreshForm, Workspace
from tvgp.posterior.merged.rank_one import RankOneForm
from tvgp.posterior.prior import Prior

# Number of distinct arms up to which the dual form is always fastest, and the share of the rank above
# which the inverse is updated when few precisions change.
_FEWEST, _FOLLOWED = 16, 0.5

# Most precisions that an update changes, and number of changes after which the inverse is recomputed
# because rounding errors accumulate.
_FEW, _REFRESH = 2, 1024

# Largest change of a precision, relative to that of the prior, in an update: P loses as many digits.
_LARGEST = 1e5


class Merged(Eager):
    """Exact posterior over all arms under arbitrary noise variances."""

    name = "merged"

    def __init__(self, prior: Prior) -> None:
        super().__init__(prior)
        self._workspace = Workspace(prior)
        self._largest = _LARGEST / prior.diagonal.max()
        self.reset()

    def reset(self) -> None:
        """Forget all data."""
        super().reset()
        self._form: Form | None = None
        self._precision = np.zeros(self.prior.n_arms)

    def condition(self, arms: np.ndarray, values: np.ndarray, noise_variances: np.ndarray) -> None:
        """Replace the data by values (n,) of arms (n,) with noise variances (n,)."""
        n_arms = self.prior.n_arms
        weights = 1.0 / np.asarray(noise_variances, dtype=float)
        precision = np.bincount(arms, weights, n_arms)
        weighted_sum = np.bincount(arms, weights * values, n_arms)
        self.condition_sums(precision, weighted_sum)
        self.n = len(arms)

    def condition_sums(self, precision: np.ndarray, weighted_sum: np.ndarray) -> None:
        """The same from sums per arm, p and s, (G,), float: one observation per arm with p > 0,
        but for those below `LEAST_PRECISION`."""
        form, self._form = self._form, None  # if this fails, no form is valid
        precision = np.where(precision < LEAST_PRECISION, 0.0, precision)
        n = int(np.count_nonzero(precision))
        if not n:
            self.reset()
            return
        changed = (precision != self._precision).nonzero()[0]
        if form is None or len(changed):
            form = self._changed(form, n, precision, changed)
            self._precision = precision
        self.mean, self.variance = form.posterior(weighted_sum)
        self._form, self.n, self.log_det = form, form.n, form.log_det

    def covariance(self, arms: np.ndarray) -> np.ndarray:
        """Posterior covariances of arms (m,) with all arms, (m, n_arms)."""
        return self.prior.rows(arms) if self._form is None else self._form.covariance(arms)

    def _changed(self, form: Form | None, n: int, precision: np.ndarray, changed: np.ndarray) -> Form:
        """The form for n arms seen, from the one for the precisions before."""
        if (
            form is None
            or len(changed) > _FEW
            or not self._follows(n)
            or not (abs(by := precision[changed] - self._precision[changed]) < self._largest).all()
        ):
            return self.cheapest(n, float(np.add.reduce(precision)))(self._workspace, precision)
        if not isinstance(form, RankOneForm) or form.changes >= _REFRESH:
            return RankOneForm(self._workspace, precision)
        form.follow(n, changed, by)
        return form

    def _follows(self, n: int) -> bool:
        """Whether updating a design of n arms is cheaper than refactorising it."""
        return n > _FEWEST and n > _FOLLOWED * self._workspace.rank

    def cheapest(self, n: int, total: float) -> type[FreshForm]:
        """The form that is fastest to compute from scratch for n distinct arms, whose precisions sum to
        `total`."""
        if n <= _FEWEST:  # without the prior's factor
            return Dual
        return min(FORMS, key=lambda form: form.cost(self._workspace, n, total))

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
