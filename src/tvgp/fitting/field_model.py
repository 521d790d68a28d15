"""The model of Field-GP-UCB fitted to a panel of readings with gaps, by the likelihood of its filter.

    y_t(x) = level + s_t(x) + w_t(x) + N(0, v),  w_t ~ N(0, (1 - q) K),  s_t ~ N(0, q ((1 - o) K + o diag(K)))

each a first-order autoregression with correlation exp(-lag/l_fast), exp(-lag/l_slow)
(`tvgp.policies.field_gp_ucb`). The covariance C of a round's readings is given, and divided: K = C - v I,
without negative eigenvalues. Sites are dealt into groups of a few, and the log likelihoods of the groups are
added (composite likelihood: Varin, Reid & Firth 2011). The likelihood of all sites at once, one group, gives
each of the S modes of K the same weight, most of them of small scale and short memory; a bandit that reads
one site in a round meets the sum of the modes.

The filter runs all groups and the parameters of all difference quotients side by side. Standard errors are
those of the composite likelihood, H^-1 J H^-1 with H = sum g g' over rounds and groups and J = sum h h' over
rounds, for scores g of a group in a round and their sums h.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import minimize

from tvgp.fitting.marginal_likelihood import WALD_95
from tvgp.fitting.observations import as_numbers

# Sites per group.
GROUP = 4

# Search ranges: l_fast in rounds (the upper end times all rounds), l_slow over l_fast, q, and v over the mean
# variance of the readings.
_FAST, _RATIO, _SHARE, _NOISE = (0.1, 1.0), (2.0, 1000.0), (0.002, 0.998), (1e-4, 0.9)

# Of Field-GP-UCB, which a fit gives beside covariance and noise.
PARAMETERS = ("slow_share", "own_share", "l_fast", "l_slow")

# l_fast of a w that does not change, in rounds.
_FOREVER = 1e9

# Share of the largest eigenvalue of C to which smaller ones of K are raised.
_SMALLEST = 1e-9

# Sites of a group from which a call per triangular matrix costs less than a general solution of all.
_LARGE = 16

# Of difference quotients, in the logarithms and logits that are searched.
_STEP = 1e-5

# Ratio of the ends of an interval of a half-life above which the data do not tell it.
_WIDEST = 10.0

# Half the width of an interval of log l from which on it has no ends.
_FLAT = math.log(1000.0)


@dataclass(frozen=True, kw_only=True)
class FieldPrior:
    """covariance: K, (S, S), for an empirical kernel; slow_share, l_fast, l_slow, own_share: parameters of
    `field_gp_ucb`."""

    covariance: np.ndarray
    noise_variance: float
    slow_share: float
    own_share: float
    l_fast: float
    l_slow: float

    def parameters(self) -> dict[str, float]:
        """Those of `field_gp_ucb`, beside the prior mean."""
        return {name: getattr(self, name) for name in PARAMETERS}

    @property
    def epsilon(self) -> float:
        """1 - exp(-2 / l_fast): of TV-GP-UCB's model, whose correlation falls as that of the fast part."""
        return -math.expm1(-2.0 / self.l_fast)


@dataclass(frozen=True, kw_only=True)
class FieldFit(FieldPrior):
    """log_likelihood: of the groups; standard_errors: of log l_fast, log l_slow, logit slow_share and log
    noise_variance, without those at a bound; rounds: from the first to the last."""

    log_likelihood: float
    standard_errors: dict[str, float]
    bounds_hit: tuple[str, ...]
    rounds: int

    def half_life(self, part: str) -> tuple[float, float, float]:
        """Rounds after which the correlation of the "fast" or "slow" part has halved, and its 95 % Wald
        interval, from 0 to infinity at a bound and where a factor of 1,000 would not end it."""
        value = math.log(2.0) * (self.l_fast if part == "fast" else self.l_slow)
        error = self.standard_errors.get(f"l_{part}", math.inf)
        if WALD_95 * error > _FLAT:
            return value, 0.0, math.inf
        factor = math.exp(WALD_95 * error)
        return value, value / factor, value * factor

    def doubts(self) -> list[str]:
        """What the data do not tell, a sentence each: half-lives whose intervals span a factor above 10. A
        function that does not change has none."""
        if math.isclose(self.l_fast, _FOREVER):
            return []
        found = []
        for part in ("fast", "slow") if self.slow_share else ("fast",):
            value, low, high = self.half_life(part)
            if part == "slow" and high > self.rounds or high > _WIDEST * low:
                known = f"{low:.2g} to {high:.2g}" if high < math.inf else "anything"
                found.append(
                    f"the half-life of the {part} part is {value:.2g} rounds, but {known} fits"
                    f" {self.rounds} rounds of training as well"
                )
        return found


def fit_field(
    values: np.ndarray,
    level: float,
    covariance: np.ndarray,
    times: np.ndarray | None = None,
    *,
    scales: int = 2,
    own_share: float = 0.5,
    group: int = GROUP,
) -> FieldFit:
    """Time scales, slow share and noise variance of a panel, by maximum composite likelihood.

    values: (T, S), NaN where missing; level: common mean, such as `shrunk_means(values).common`, so that
    differences between sites are part of s; covariance: C, (S, S), such as that of `shrunk_covariance`;
    times: (T,) the round of each row, increasing, None for 1, 2, ..., T; scales: 2, 1 for w alone, or 0 for
    a w that does not change; own_share: o, given, as one season tells little of it; group: sites per group, S
    or more for the likelihood of all at once. L-BFGS from one start, by forward differences. ValueError for
    shapes that disagree, times that do not increase and a panel with fewer than ten values.
    """
    y, C = as_numbers(values) - level, np.asarray(covariance, dtype=float)
    if y.ndim != 2 or C.shape != 2 * y.shape[1:]:
        raise ValueError(
            f"fit: values have shape {y.shape}, covariance {C.shape}; expected (times, sites), (sites, sites)"
        )
    t = np.arange(1.0, len(y) + 1) if times is None else np.asarray(times, dtype=float)
    if t.shape != (len(y),) or (np.diff(t) <= 0).any():
        raise ValueError(f"fit: times have shape {t.shape}, expected {len(y)} increasing numbers")
    n = int(np.isfinite(y).sum())
    if n < 10:
        raise ValueError(f"fit: {n} values, at least 10 are needed")
    if scales not in (0, 1, 2):
        raise ValueError(f"fit: scales is {scales}, expected 0, 1 or 2")
    likelihood = PanelLikelihood(y, t, C, own_share, group)
    rounds = int(t[-1] - t[0]) + 1
    names, start, bounds = _search(y, C, rounds, scales)

    def negative(z: np.ndarray) -> tuple[float, np.ndarray]:
        value, scores = likelihood.scores(z)
        return -value / n, -scores.sum(axis=(1, 2)) / n  # in a box, the first step is the gradient itself

    found = minimize(negative, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-9})
    z = found.x
    ends = [(name, each - low, high - each) for name, each, (low, high) in zip(names, z, bounds, strict=True)]
    hit = tuple(
        f"{name} at its {'lower' if below < above else 'upper'} bound"
        for name, below, above in ends
        if min(below, above) < 1e-6 < below + above
    )
    free = [i for i, (_, below, above) in enumerate(ends) if min(below, above) >= 1e-6]
    value, scores = likelihood.scores(z)
    K, parameters = likelihood.model(z)
    return FieldFit(
        covariance=K,
        **parameters,
        own_share=own_share,
        log_likelihood=value,
        standard_errors=_standard_errors(scores[free], [names[i] for i in free]),
        bounds_hit=hit,
        rounds=rounds,
    )


class PanelLikelihood:
    """The composite log likelihood of anomalies y (T, S) at times t (T,)."""

    def __init__(self, y: np.ndarray, t: np.ndarray, C: np.ndarray, own_share: float, group: int) -> None:
        S = len(C)
        groups = -(-S // group)
        self._index = np.full((groups, -(-S // groups)), -1)
        for first in range(groups):
            members = np.arange(first, S, groups)
            self._index[first, : len(members)] = members
        self._present = np.isfinite(y)[:, self._index] & (self._index >= 0)  # (T, groups, g)
        self._indicator = self._present.astype(float)
        self._y = np.where(self._present, y[:, self._index], 0.0)
        self._lags = np.diff(t, prepend=t[0])
        self._own = own_share
        self._spectrum, self._U = np.linalg.eigh(C)

    def model(self, z: np.ndarray) -> tuple[np.ndarray, dict[str, float]]:
        """K and the parameters at a point of the search: log l_fast, log v, then log l_slow / l_fast and
        logit q for two scales."""
        noise = math.exp(z[1])
        left = np.maximum(self._spectrum - noise, _SMALLEST * self._spectrum[-1])
        K = (self._U * left) @ self._U.T
        fast = math.exp(z[0])
        slow, share = (fast * math.exp(z[2]), 1.0 / (1.0 + math.exp(-z[3]))) if len(z) > 2 else (fast, 0.0)
        return K, {"noise_variance": noise, "slow_share": share, "l_fast": fast, "l_slow": slow}

    def scores(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        """The log likelihood, and the derivatives of its terms, (parameters, T, groups)."""
        points = [z, *(z + _STEP * step for step in np.eye(len(z)))]
        terms = self.terms(points)
        return float(terms[0].sum()), (terms[1:] - terms[0]) / _STEP

    def terms(self, points: list[np.ndarray]) -> np.ndarray:
        """log N(y_t; y_1, ..., y_(t-1)) of each group, (points, T, groups)."""
        return self.of([self.model(z) for z in points])

    def of(self, models: Sequence[tuple[np.ndarray, Mapping[str, float]]]) -> np.ndarray:
        """The same of models, each K and its parameters, (models, T, groups)."""
        T, groups, k = self._present.shape
        scales = ["l_slow", "l_fast"] if any(p["slow_share"] for _, p in models) else ["l_fast"]
        n = len(scales) * k
        prior = np.zeros((len(models), groups, n, n + 1))  # of one without a slow part, w alone
        prior[..., :-1] = [self._prior(K, p)[:, -n:, -n:] for K, p in models]
        rates = np.array([[np.repeat([p[scale] for scale in scales], k)] for _, p in models])
        decays = {lag: _decay(np.exp(-lag / rates)) for lag in set(self._lags.tolist())}
        noise = np.array([p["noise_variance"] for _, p in models])[:, None, None]
        seen, whole = self._present.any(axis=(1, 2)).tolist(), self._present.all(axis=(1, 2)).tolist()
        X = np.zeros_like(prior)  # covariance less the prior's, and the mean's negative
        roots, errors = np.ones((T, len(models), groups, k)), np.zeros((T, len(models), groups, k))
        for t, (lag, y, o) in enumerate(zip(self._lags.tolist(), self._y, self._indicator, strict=True)):
            if lag:
                X *= decays[lag]
            if not seen[t]:
                continue
            P = X + prior
            B = P[..., :k, :] + P[..., k:, :] if n > k else P
            B[..., -1] += y
            if not whole[t]:
                B *= o[:, :, None]
            A = B[..., :k] + B[..., k:n] if n > k else B[..., :k].copy()
            if not whole[t]:
                A *= o[:, None, :]
            A.reshape(*A.shape[:2], -1)[..., :: k + 1] += noise if whole[t] else np.where(o, noise, 1.0)
            L = np.linalg.cholesky(A)
            S = _forward(L, B)
            X -= S[..., :-1].swapaxes(2, 3) @ S
            roots[t], errors[t] = L.diagonal(axis1=2, axis2=3), S[..., -1]
        terms = -0.5 * (errors * errors).sum(axis=3) - np.log(roots).sum(axis=3)
        terms -= 0.5 * math.log(2.0 * math.pi) * self._present.sum(axis=2)[:, None]
        return terms.swapaxes(0, 1)

    def _prior(self, K: np.ndarray, parameters: Mapping[str, float]) -> np.ndarray:
        """Stationary covariance of (s, w) of each group, (groups, 2 g, 2 g)."""
        q, o = parameters["slow_share"], self._own
        k = self._index.shape[1]
        own = K[self._index[:, :, None], self._index[:, None, :]]
        prior = np.zeros((len(own), 2 * k, 2 * k))
        prior[:, k:, k:] = (1.0 - q) * own
        prior[:, :k, :k] = q * (1.0 - o) * own
        diagonal = np.arange(k)
        prior[:, diagonal, diagonal] += q * o * own[:, diagonal, diagonal]
        return prior


def _decay(a: np.ndarray) -> np.ndarray:
    """Factors of a covariance and, beside it, a mean of states that decay by a (..., n), (..., n, n + 1)."""
    return a[..., None] * np.concatenate([a, np.ones_like(a[..., :1])], axis=-1)[..., None, :]


def _forward(L: np.ndarray, B: np.ndarray) -> np.ndarray:
    """L^-1 B of each pair of matrices, L lower triangular."""
    if L.shape[-1] < _LARGE:
        return np.linalg.solve(L, B)
    pairs = zip(L.reshape(-1, *L.shape[-2:]), B.reshape(-1, *B.shape[-2:]), strict=True)
    return np.stack([lapack.dtrtrs(each.T, b, lower=0, trans=1)[0] for each, b in pairs]).reshape(B.shape)


def _search(
    y: np.ndarray, C: np.ndarray, rounds: int, scales: int
) -> tuple[list[str], np.ndarray, list[tuple[float, float]]]:
    """Names, start and bounds of the search; l_fast starts from the correlation of successive rows."""
    variance = float(np.diagonal(C).mean())
    lagged = y[1:] * y[:-1]
    both = np.isfinite(lagged)
    size = np.where(both, 0.5 * (y[1:] ** 2 + y[:-1] ** 2), 0.0).sum() if both.any() else 0.0
    correlation = float(np.clip(lagged[both].sum() / size, 0.1, 0.95)) if size else 0.5
    fast = (math.log(_FAST[0]), math.log(max(_FAST[1] * rounds, 1.0)))
    noise = (math.log(_NOISE[0] * variance), math.log(_NOISE[1] * variance))
    names = ["l_fast", "noise_variance"]
    start = [min(-math.log(-math.log(correlation)), fast[1]), math.log(0.1 * variance)]
    bounds = [fast, noise]
    if scales == 0:
        start[0], bounds[0] = math.log(_FOREVER), (math.log(_FOREVER),) * 2
    if scales == 2:
        names += ["l_slow", "slow_share"]
        start += [math.log(50.0), math.log(0.3 / 0.7)]
        bounds.append((math.log(_RATIO[0]), math.log(_RATIO[1])))
        bounds.append((math.log(_SHARE[0] / (1.0 - _SHARE[0])), math.log(_SHARE[1] / (1.0 - _SHARE[1]))))
    return names, np.array(start), bounds


def _standard_errors(scores: np.ndarray, names: list[str]) -> dict[str, float]:
    """From scores (parameters, T, groups); that of log l_slow from those of log l_fast and of their ratio."""
    H = np.einsum("atg,btg->ab", scores, scores)
    by_round = scores.sum(axis=2)
    try:
        inverse = np.linalg.inv(H)
    except np.linalg.LinAlgError:
        return {}
    V = inverse @ (by_round @ by_round.T) @ inverse
    step = np.eye(len(names))
    if "l_slow" in names and "l_fast" in names:
        step[names.index("l_slow"), names.index("l_fast")] = 1.0
    return dict(zip(names, np.sqrt(np.maximum((step @ V @ step.T).diagonal(), 0.0)).tolist(), strict=True))
