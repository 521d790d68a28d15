"""AW-SparQ-GP-UCB: W-SparQ-GP-UCB (Mauduit25b) for a drift of unknown exponent and size; ours, not published.

W-SparQ's windows and noise law need alpha, and fix the drift per round to the noise variance. Here
E (f_{t+n} - f_t)^2 = c n^alpha, with (alpha, c) from a variogram of the expert's repeated answers
(`tvgp.fitting.variogram`):

    window:  L = floor((phi M_k^2 / c)^(1/alpha)), 1 to 1,000 rounds: until answers are stale by phi M_k^2,
             and at most the longest lag of the differences seen, or 5 rounds
    noise:   own observation of lag n: sigma^2 + c n^alpha;  answers: sigma_e^2 + c (t - t_j)^alpha

Answers join the sets kept (at most 24, of about geometric ages), and each pair of sets adds the squared
differences at the arms in both. The last 400 pairs count. alpha = 1 and c = sigma^2 until there are five
sets; the fit is then repeated at a window start once the number of windows has grown by a factor of 1.1 (a
fit at each start takes 4 to 14 times the time and gives the same regret).

The cap lets windows double at most: a law fitted to lags up to 25 says nothing of lag 1,000. No variogram
describes a jump, so each own observation is put to the trigger of `et_gp_ucb` against the posterior of the
window. An event ends the window; if there was a fit, that law has failed, and it is forgotten with its sets
and pairs (before a fit they are kept, or a fast drift would never be fitted), and n restarts. GLR-GP-UCB's
test of residuals notices smaller changes and a drift that speeds up sooner, but restarts about once in most
runs of a slow rough drift, too, where each restart costs regret and queries.

Limitations: a small change, or one where the policy does not play, shows at the next window start only; a
drift that speeds up is fitted some windows later; a variance of answers assumed too large hides the drift
below it, so that windows get too long; a smooth change that is not a power of the lag, such as that of the
environment moving_bump, is sampled too rarely; and windows that may only double cost queries where little
or nothing changes.

Family: an expert answers questions.
Use it when an expert can be asked and neither the exponent of the drift nor its size is known.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tvgp.fitting import variogram
from tvgp.policies import w_sparq_gp_ucb
from tvgp.policies.base.aged_data import lag_power
from tvgp.policies.base.policy import require
from tvgp.policies.et_gp_ucb import surprising
from tvgp.policies.w_sparq_gp_ucb import WSparQGPUCB
from tvgp.posterior import Prior
from tvgp.theory.schedules import next_window_start

_LONGEST, _ROUNDING = 1000, 1e-9
_SETS, _PAIRS, _FIRST = 24, 400, 5
_SHORT = 5  # rounds that a window may last even if no longer lag has been observed
_GROWTH = 1.1  # of the number of windows between fits


@dataclass(frozen=True)
class Parameters(w_sparq_gp_ucb.Parameters):
    """learn: whether alpha and drift_variance (c, None for the noise variance) are fitted during play,
    whatever their values here; staleness: phi; windows: staleness, or published for eq. (32) of Mauduit25b;
    exponent_prior: weight of (alpha - 1)^2 in the fit; saturating: whether the variogram may level off;
    delta_event: delta_B of the trigger. Without `learn` there is neither cap nor trigger.

    The width is 2 by default.
    """

    OURS: ClassVar[tuple[str, ...]] = ("width",)

    width: float | str = 2.0
    learn: bool = True
    drift_variance: float | None = None
    staleness: float = 0.1
    windows: str = "staleness"
    exponent_prior: float = 2.0
    saturating: bool = True
    delta_event: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        c = self.drift_variance
        require(c is None or 0 < c < math.inf, "drift_variance", c, "positive")
        require(0 < self.staleness < math.inf, "staleness", self.staleness, "positive")
        require(self.windows in ("staleness", "published"), "windows", self.windows, "staleness or published")
        require(0 <= self.exponent_prior < math.inf, "exponent_prior", self.exponent_prior, "0 or more")
        require(0 < self.delta_event < 1, "delta_event", self.delta_event, "between 0 and 1")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> AWSparQGPUCB:
    """AW-SparQ-GP-UCB on a batch engine."""
    return AWSparQGPUCB(prior, noise_variance, parameters)


class AWSparQGPUCB(WSparQGPUCB):
    """W-SparQ with a fitted drift. `drift`: the exponent and scale in use; `events`: rounds of restarts."""

    _parameters: Parameters

    def __init__(self, prior: Prior, noise_variance: float, parameters: Parameters) -> None:
        p = parameters
        alpha, scale = (1.0, None) if p.learn else (p.alpha, p.drift_variance)
        self._first_drift = variogram.Drift(alpha, scale or noise_variance)
        self._prior_variance = float(prior.diagonal.max())
        self.events: list[int] = []
        self._forget(prior.n_arms)
        super().__init__(prior, noise_variance, parameters)

    def _forget(self, n_arms: int) -> None:
        """Discard what has been learnt about the drift."""
        self.drift = self._first_drift
        self._rounds = np.empty(0)  # of the sets kept, oldest first
        self._sets = np.empty((0, n_arms))  # their answers, NaN elsewhere
        # of two sets: round of the later one, lag, sum of squared differences, their number
        self._pairs: deque[tuple[float, float, float, float]] = deque(maxlen=_PAIRS)
        self._windows, self._next_fit = 0, float(_FIRST)
        self._observed = 0  # own observations

    @property
    def window(self) -> int:
        """Length of the present window in rounds."""
        return self._next_start - self._start

    @property
    def pairs(self) -> np.ndarray:
        """Of each pair of sets in use: round of the later one, lag, sum of squared differences, their
        number, (n, 4)."""
        return np.array(self._pairs).reshape(-1, 4)

    def _window_after(self, t: int) -> int:
        if self._parameters.windows == "published":
            return next_window_start(t, self.drift.alpha, self._parameters.alpha_tilde)
        ratio = self._parameters.staleness * self._prior_variance / self.drift.scale
        length = math.exp(min(math.log(ratio) / self.drift.alpha, 10.0))
        longest = self._longest_seen() if self._parameters.learn else _LONGEST
        return t + int(min(longest, max(1.0, length * (1.0 + _ROUNDING))))

    def _longest_seen(self) -> float:
        """The longest lag of which squared differences are known, 5 to 1,000 rounds."""
        return float(np.clip(max((lag for _, lag, _, _ in self._pairs), default=0.0), _SHORT, _LONGEST))

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        p, self._observed = self._parameters, self._observed + 1
        noise = noise_variance or self._noise
        if p.learn and surprising(self._engine, arm, value, noise, self._observed, p.delta_event):
            self._restart(t)
        super()._learn(t, arm, value, noise_variance)

    def _start_window(self, t: int) -> None:
        restarts = self.events[-1:] == [t]
        if t >= self._next_start and self._windows >= self._next_fit and not restarts:
            self._fit()
        super()._start_window(t)

    def _restart(self, t: int) -> None:
        """End the window at t, or once t is over if its queries have been made; if the drift was fitted,
        start as in round 1."""
        self.events.append(t)
        self._next_start = t + (t == self._prepared)
        if self.drift != self._first_drift:
            self._forget(self._n_arms)
            self._observed = 1
            self._own = self._no_data()

    def _learn_from_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        if self._parameters.learn:
            self._compare(t, arms, values)
        super()._learn_from_expert(t, arms, values)

    def _compare(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        """Keep a set of answers, after its squared differences to the sets before it."""
        self._windows += 1
        squares = (self._sets[:, arms] - values) ** 2
        counts = np.isfinite(squares).sum(axis=1)
        sums = np.nansum(squares, axis=1)
        for lag, total, count in zip(t - self._rounds, sums, counts, strict=True):
            if count:
                self._pairs.append((float(t), float(lag), float(total), float(count)))
        row = np.full(self._sets.shape[1], np.nan)
        row[arms] = values
        self._rounds, self._sets = np.append(self._rounds, t), np.vstack([self._sets, row])
        if len(self._rounds) > _SETS:
            age = np.log1p(t - self._rounds)
            closest = 1 + int(np.argmin(age[:-2] - age[2:]))
            self._rounds = np.delete(self._rounds, closest)
            self._sets = np.delete(self._sets, closest, axis=0)

    def _fit(self) -> None:
        """Fit the drift to the pairs of sets; data then age by it."""
        p = self._parameters
        self._next_fit = max(self._windows + 1.0, _GROWTH * self._windows)
        if not self._pairs:
            return
        _, lags, squares, counts = self.pairs.T
        grid = variogram.Grid(
            lags,
            counts,
            noise_variance=self._expert_noise,
            prior_variance=self._prior_variance,
            prior_weight=p.exponent_prior,
            saturating=p.saturating,
        )
        self.drift = grid.fit(squares)
        self._own = self._no_data()

    def _injected(self, lags: np.ndarray) -> np.ndarray:
        if self._parameters.noise == "constant":
            return 0.0 * lags
        return self.drift.scale / self._noise * lag_power(lags, self.drift.alpha)
