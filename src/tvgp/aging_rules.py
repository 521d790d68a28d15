"""What each method keeps, and the noise it assumes, where observations age (`tvgp.aging`).

gp_ucb: all data, taken as fresh; ui_gp_ucb: all data with their true variances; sw_gp_ucb: the
last W, taken as fresh; w_gp_ucb: all, variances growing by 1/gamma a round; sparq_gp_ucb (version
2025b) and w_sparq_gp_ucb: the expert's answers of this window and the own data after them, true
variances. TV-GP-UCB is none of them: its covariance of two observations depends on their ages, so
that the data of an arm cannot be taken together.
"""

from __future__ import annotations

import numpy as np

from tvgp.aging import Kept
from tvgp.expert import Subset
from tvgp.history import AgedTable, History
from tvgp.posterior import Prior
from tvgp.schedules import query_size
from tvgp.ucb import NO_ARMS


class Ageing:
    """True variances sigma^2 (1 + lag^alpha). ValueError unless alpha >= 0 and sigma^2 > 0."""

    def __init__(self, noise_variance: float, alpha: float, horizon: int) -> None:
        if not alpha >= 0:
            raise ValueError(f"aging: alpha is {alpha}; expected 0 or more")
        if not noise_variance > 0:
            raise ValueError(f"aging: noise variance is {noise_variance}; expected more than 0")
        self.noise_variance = noise_variance
        law = lambda lags: noise_variance * (1.0 + lags**alpha)  # noqa: E731
        # lag 0 is fresh also where alpha = 0
        self._table = AgedTable(
            lambda lags: np.where(lags > 0, law(lags), noise_variance), np.inf, horizon
        )

    def last(self, n: int) -> np.ndarray:
        """Variances at lags n-1, ..., 0, (n,)."""
        return self._table.last(n)

    def at(self, lag: int) -> float:
        """Variance at one lag."""
        return float(self._table.last(lag + 1)[0])


class AllData:
    """Every own observation, or the last `window` of them.

    discount: gamma of assumed variances sigma^2 gamma^-lag, 1 for data taken as fresh, None for the
    true variances. ValueError for a discount outside (0, 1].
    """

    # variances beyond this multiple of the newest change nothing in float64
    _NEGLIGIBLE = 1e12

    def __init__(
        self, ageing: Ageing, discount: float | None = 1.0, window: float = np.inf
    ) -> None:
        if discount is not None and not 0 < discount <= 1:
            raise ValueError(f"aging: discount is {discount}; expected a number in (0, 1]")
        self._ageing = ageing
        self._history = History()
        self._assumed = None
        if discount is not None:
            if discount < 1:
                window = min(window, 1 + np.floor(-np.log(self._NEGLIGIBLE) / np.log(discount)))
            variance = ageing.noise_variance
            self._assumed = AgedTable(lambda lags: variance * discount**-lags, window, 1024)
        self._window = window

    def played(self, t: int, arm: int) -> None:
        """Keep the arm."""
        self._history.append(arm, 0.0)

    def queries(self, t: int, rng: np.random.Generator) -> np.ndarray:
        """Nobody is asked."""
        return NO_ARMS

    def kept(self, t: int) -> Kept:
        """Own observations, oldest first."""
        n = int(min(self._history.n, self._window))
        actual = self._ageing.last(n)
        arms = self._history.arms[-n:]
        return (
            Kept(arms, actual)
            if self._assumed is None
            else Kept(arms, self._assumed.last(n), actual)
        )


class Windows:
    """At each start the expert's answers replace all data; own observations follow.

    starts: rounds, ascending, at which the expert is asked about ceil(query_scale log t) of the
    arms played so far. Before the first start own observations are kept.
    """

    def __init__(
        self,
        ageing: Ageing,
        prior: Prior,
        starts: np.ndarray,
        query_scale: float = 6.0,
        subset: str = "dpp",
    ) -> None:
        self._ageing = ageing
        self._subset = Subset(prior, subset)
        self._starts = set(np.asarray(starts).tolist())
        self._scale = query_scale
        self._expert, self._since = NO_ARMS, 0
        self._own = History()

    def played(self, t: int, arm: int) -> None:
        """Keep the arm, except at a start (Mauduit25b, Algorithm 2, adds no y there)."""
        self._subset.add(arm)
        if t in self._starts:
            self._own, self._since = History(), t
        else:
            self._own.append(arm, 0.0)

    def queries(self, t: int, rng: np.random.Generator) -> np.ndarray:
        """Arms asked about in round t."""
        if t != self._since:
            return NO_ARMS
        self._expert = self._subset.draw(query_size(t, self._scale), rng, None)
        return self._expert

    def kept(self, t: int) -> Kept:
        """The expert's answers, of age t - t_j, then own observations."""
        own, expert = self._own, self._expert
        if not len(expert):
            return Kept(own.arms, self._ageing.last(own.n))
        old = np.full(len(expert), self._ageing.at(t - self._since))
        arms = np.concatenate([expert, own.arms])
        return Kept(arms, np.concatenate([old, self._ageing.last(own.n)]) if own.n else old)
