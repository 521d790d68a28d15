"""What each method keeps, and the noise it assumes, where observations age (`tvgp.ageing.simulate`).

gp_ucb: all data, taken as fresh; ui_gp_ucb: all data with their true variances; sw_gp_ucb: the
last W, taken as fresh; w_gp_ucb: all, variances growing by 1/gamma a round; sparq_gp_ucb (version
2025b) and w_sparq_gp_ucb: the expert's answers of this window and the own data after them, true
variances. TV-GP-UCB is none of them: its covariance of two observations depends on their ages, so
that the data of an arm cannot be taken together; `tvgp.ageing.tv_gp_ucb` has it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tvgp.ageing.simulate import Kept, Rule
from tvgp.policies.base.aged_sums import LONG, AgedSums, DiscountedSums
from tvgp.policies.base.designs import FarthestPoints
from tvgp.policies.base.expert import Subset
from tvgp.policies.base.history import AgedTable, History
from tvgp.policies.base.policy import NO_ARMS
from tvgp.posterior import Prior
from tvgp.theory.schedules import (
    query_size,
    recommended_discount,
    recommended_window,
    window_starts,
)


class Ageing:
    """True variances sigma^2 (1 + lag^alpha). ValueError unless alpha >= 0 and sigma^2 > 0."""

    def __init__(self, noise_variance: float, alpha: float, horizon: int) -> None:
        if not alpha >= 0:
            raise ValueError(f"ageing: alpha is {alpha}; expected 0 or more")
        if not noise_variance > 0:
            raise ValueError(f"ageing: noise variance is {noise_variance}; expected more than 0")
        self.noise_variance = noise_variance
        self.horizon = horizon
        law = lambda lags: noise_variance * (1.0 + lags**alpha)  # noqa: E731
        # lag 0 is fresh also where alpha = 0
        self.variance = lambda lags: np.where(lags > 0, law(lags), noise_variance)
        self._weights = self.table(lambda variances, lags: 1.0 / variances, np.inf, horizon)

    def table(
        self,
        function: Callable[[np.ndarray, np.ndarray], np.ndarray],
        memory: float,
        horizon: int,
    ) -> AgedTable:
        """A function of (variances, lags), read by age; see `AgedTable`."""
        return AgedTable(lambda lags: function(self.variance(lags), lags), memory, horizon)

    def weights(self, n: int) -> np.ndarray:
        """1 / variance at lags n-1, ..., 0, (n,)."""
        return self._weights.last(n)

    def weight(self, lag: int) -> float:
        """1 / variance at one lag."""
        return float(self._weights.last(lag + 1)[0])


class Summed:
    """Sums by arm of what a rule's `kept` lists."""

    def __init__(self, ageing: Ageing, prior: Prior) -> None:
        self._ageing = ageing
        self._n_arms = prior.n_arms

    def sums(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """p and q of `tvgp.ageing.simulate`, (n_arms,)."""
        return self.kept(t).sums(self._n_arms)


class AllData(Summed):
    """Every own observation, or the last `window` of them.

    discount: gamma of assumed variances sigma^2 gamma^-lag, 1 for data taken as fresh, None for the
    true variances. ValueError for a discount outside (0, 1].
    """

    # variances beyond this multiple of the newest change nothing in float64
    _NEGLIGIBLE = 1e12

    def __init__(
        self, ageing: Ageing, prior: Prior, discount: float | None = 1.0, window: float = np.inf
    ) -> None:
        if discount is not None and not 0 < discount <= 1:
            raise ValueError(f"ageing: discount is {discount}; expected a number in (0, 1]")
        super().__init__(ageing, prior)
        self._history = History()
        self._weights = None
        if discount is not None:
            fresh = 1.0 / ageing.noise_variance
            if discount < 1:
                window = min(window, 1 + np.floor(-np.log(self._NEGLIGIBLE) / np.log(discount)))
            self._weights = ageing.table(lambda v, lags: fresh * discount**lags, window, 1024)
            self._spread = ageing.table(lambda v, lags: v * (fresh * discount**lags) ** 2, window, 1024)
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
        arms = self._history.arms[-n:]
        if self._weights is None:
            return Kept(arms, self._ageing.weights(n))
        return Kept(arms, self._weights.last(n), self._spread.last(n))


class LongData(AllData):
    """The same, every own observation, with its sums kept up to date (`tvgp.policies.base.aged_sums`)."""

    def __init__(self, ageing: Ageing, prior: Prior, discount: float | None = 1.0) -> None:
        super().__init__(ageing, prior, discount)
        self._fresh = fresh = 1.0 / ageing.noise_variance
        self._assumed = None
        if discount is None:
            self._actual = AgedSums(lambda lags: 1.0 / ageing.variance(lags), prior.n_arms)
        else:
            self._assumed = DiscountedSums(discount, prior.n_arms)
            self._actual = AgedSums(
                lambda lags: ageing.variance(lags) * (fresh * discount**lags) ** 2, prior.n_arms
            )

    def played(self, t: int, arm: int) -> None:
        """Keep the arm."""
        super().played(t, arm)
        self._actual.append(arm, 1.0)
        if self._assumed is not None:
            self._assumed.append(arm, self._fresh)

    def sums(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """p and q of `tvgp.ageing.simulate`, (n_arms,)."""
        (q,) = self._actual.sums()
        if self._assumed is None:
            return q, q
        # steep weights of old blocks are 0 to rounding, on either side
        return self._assumed.values[0], np.maximum(q, 0.0)


class Windows(Summed):
    """At each start the expert's answers replace all data; own observations follow.

    starts: rounds, ascending, at which the expert is asked about ceil(query_scale log t) of the
    arms played so far, or about `sizes` of them. Before the first start own observations are kept.
    """

    def __init__(
        self,
        ageing: Ageing,
        prior: Prior,
        starts: np.ndarray,
        query_scale: float = 6.0,
        subset: str = "dpp",
        sizes: np.ndarray | None = None,
    ) -> None:
        super().__init__(ageing, prior)
        self._subset = Subset(prior, subset)
        starts = np.asarray(starts).tolist()
        if sizes is None:
            sizes = [query_size(t, query_scale) for t in starts]
        self._sizes = dict(zip(starts, map(int, sizes), strict=True))
        self._expert, self._since = NO_ARMS, 0
        self._own = History()
        self._sums: AgedSums | None = None
        if np.diff(starts, prepend=0, append=ageing.horizon).max() > LONG:
            self._sums = AgedSums(lambda lags: 1.0 / ageing.variance(lags), prior.n_arms)

    def played(self, t: int, arm: int) -> None:
        """Keep the arm, except at a start (Mauduit25b, Algorithm 2, adds no y there)."""
        self._subset.add(arm)
        if t in self._sizes:
            self._own, self._since = History(), t
            if self._sums is not None:
                self._sums.restart()
        else:
            self._own.append(arm, 0.0)
            if self._sums is not None:
                self._sums.append(arm, 1.0)

    def queries(self, t: int, rng: np.random.Generator) -> np.ndarray:
        """Arms asked about in round t."""
        if t != self._since:
            return NO_ARMS
        self._expert = self._subset.draw(self._sizes[t], rng, None)
        return self._expert

    def kept(self, t: int) -> Kept:
        """The expert's answers, of age t - t_j, then own observations."""
        own, expert = self._own, self._expert
        if not len(expert):
            return Kept(own.arms, self._ageing.weights(own.n))
        old = np.full(len(expert), self._ageing.weight(t - self._since))
        arms = np.concatenate([expert, own.arms])
        return Kept(arms, np.concatenate([old, self._ageing.weights(own.n)]) if own.n else old)

    def sums(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """p and q of `tvgp.ageing.simulate`, (n_arms,)."""
        if not self._own.n:
            p = np.zeros(self._n_arms)
        elif self._sums is None:
            p = np.bincount(self._own.arms, self._ageing.weights(self._own.n), self._n_arms)
        else:
            (p,) = self._sums.sums()
        if len(self._expert):
            p[self._expert] += self._ageing.weight(t - self._since)
        return p, p


class Everything(Summed):
    """All own observations and all answers, with their true variances: nothing is dropped.

    starts, sizes: as `Windows`. The most that any posterior can make of the same queries.
    """

    def __init__(self, ageing: Ageing, prior: Prior, starts: np.ndarray, sizes: np.ndarray) -> None:
        super().__init__(ageing, prior)
        self._subset = Subset(prior, "dpp")
        self._sizes = dict(zip(np.asarray(starts).tolist(), map(int, sizes), strict=True))
        self._seen = History()  # the value of an entry is its round

    def played(self, t: int, arm: int) -> None:
        """Keep the arm."""
        self._subset.add(arm)
        self._seen.append(arm, t)

    def queries(self, t: int, rng: np.random.Generator) -> np.ndarray:
        """Arms asked about in round t."""
        if t not in self._sizes:
            return NO_ARMS
        asked = self._subset.draw(self._sizes[t], rng, None)
        for arm in asked.tolist():
            self._seen.append(arm, t)
        return asked

    def kept(self, t: int) -> Kept:
        """Everything, oldest first."""
        table = self._ageing.weights(t)
        return Kept(self._seen.arms, table[self._seen.values.astype(np.intp) - 1])


class FreshSamples(Summed):
    """A control: the expert's answers at starts, spread over the domain, and nothing else.

    starts, query_scale: as `Windows`, whose budget it has; the answers age alike.
    """

    def __init__(self, ageing: Ageing, prior: Prior, starts: np.ndarray, query_scale: float = 6.0) -> None:
        super().__init__(ageing, prior)
        self._designs = FarthestPoints(prior.arms)
        self._starts = set(np.asarray(starts).tolist())
        self._scale = query_scale
        self._expert, self._since = NO_ARMS, 0
        self._played: set[int] = set()

    def played(self, t: int, arm: int) -> None:
        """The arm counts for the size of the budget only."""
        self._played.add(arm)

    def queries(self, t: int, rng: np.random.Generator) -> np.ndarray:
        """A farthest-point design, as large as the queries of `Windows`."""
        if t not in self._starts:
            return NO_ARMS
        size = min(len(self._played), query_size(t, self._scale))
        self._expert = self._designs.draw(size, rng)
        self._since = t
        return self._expert

    def kept(self, t: int) -> Kept:
        """The last answers, of age t - t_j."""
        old = self._ageing.weight(t - self._since)
        return Kept(self._expert, np.full(len(self._expert), old))


NAMES = (
    "gp_ucb",
    "ui_gp_ucb",
    "w_gp_ucb",
    "sw_gp_ucb",
    "sparq_gp_ucb",
    "w_sparq_gp_ucb",
    "fresh_sample_ucb_sparq",
    "fresh_sample_ucb_w_sparq",
)


def make(
    name: str, ageing: Ageing, prior: Prior, alpha: float, horizon: int, alpha_tilde: float = 0.25
) -> Rule:
    """The rule of a method under its recommended settings; ValueError for an unknown name.

    Window and discount are those for an unknown B_T: here nothing varies. W-SparQ's windows
    follow the true alpha.
    """
    every = np.arange(1, horizon + 1)
    noise = ageing.noise_variance
    all_data = LongData if horizon > LONG else AllData
    makers: dict[str, Callable[[], Rule]] = {
        "gp_ucb": lambda: all_data(ageing, prior),
        "ui_gp_ucb": lambda: all_data(ageing, prior, discount=None),
        "w_gp_ucb": lambda: all_data(ageing, prior, discount=recommended_discount(prior, noise, horizon)),
        "sw_gp_ucb": lambda: AllData(ageing, prior, window=recommended_window(prior, noise, horizon)),
        "sparq_gp_ucb": lambda: Windows(ageing, prior, every),
        "w_sparq_gp_ucb": lambda: Windows(ageing, prior, window_starts(horizon, alpha, alpha_tilde)),
        "fresh_sample_ucb_sparq": lambda: FreshSamples(ageing, prior, every),
        "fresh_sample_ucb_w_sparq": lambda: FreshSamples(
            ageing, prior, window_starts(horizon, alpha, alpha_tilde)
        ),
    }
    if name not in makers:
        raise ValueError(f"ageing: no rule for {name!r}; known: {', '.join(makers)}")
    return makers[name]()
