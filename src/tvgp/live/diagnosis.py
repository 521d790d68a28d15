"""How the rewards of a live system change, from its log: not at all, by a jump, by a drift, or with a period;
and what a reading before the next choice would gain.

Models of the same Gaussian process are compared by the likelihood of the latest rewards,

    static  y_i = f(x_i) + noise
    jump    the same, and a new, independent f from one round on
    drift   f of TV-GP-UCB's model: correlation (1 - epsilon)^(|t - s| / 2) between rounds t and s
    period  correlation exp(cos(2 pi (t - s) / p) - 1)

less the logarithm of the number n of rewards, times 1/2 for the round of the jump and for epsilon (Schwarz
1978) and 3/2 for p, as a frequency is known to n^(-3/2) (Djuric 1996). The kernel, prior mean and noise are
those of the system: a wrong kernel or noise misleads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.linalg import cholesky, solve_triangular

from tvgp import value_of_information
from tvgp.fitting import time_kernel
from tvgp.fitting.marginal_likelihood import log_marginal_likelihood
from tvgp.kernels import Kernel, Periodic

MOST = 400  # rewards, the latest
LEAST = 10
EPSILONS = np.geomspace(1e-5, 0.9, 31)  # from a reward to the next one
SPLITS = 24  # rounds at which a jump is tried
_BACK = 60  # rewards of an arm before one, with which it is compared
_POWERS = 55  # of two, up to the longest lag, 2^53
HALF_CHI2 = 1.92  # half the 95 % point of chi-squared with one degree of freedom
COSTS = {"jump": 0.5, "drift": 0.5, "period": 1.5}  # of a kind, in logarithms of the number of rewards
READ = 500  # arms of which the worth of a reading is computed, those of the largest upper bounds


@dataclass(frozen=True)
class Diagnosis:
    """kind: "static", "jump", "drift" or "period"; gains: log likelihood of the last three less that of
    static, without period where rounds are too few; epsilon and its 95 % interval by the likelihood
    ratio; jump: the round from which on f is new; period: p in rounds, NaN without; half_life: rounds after
    which a reward tells half about its arm; rewards: how many were used."""

    kind: str
    gains: dict[str, float]
    epsilon: float
    interval: tuple[float, float]
    jump: int
    period: float
    rewards: int

    def correlation(self, lags: np.ndarray) -> np.ndarray:
        """Between rounds so far apart, under the kind; of jump, after it."""
        if self.kind == "drift":
            return np.asarray((1.0 - self.epsilon) ** (np.abs(lags) / 2))
        if self.kind == "period":
            return np.asarray(np.exp(np.cos(2.0 * np.pi * lags / self.period) - 1.0))
        return np.ones_like(lags)

    @property
    def half_life(self) -> tuple[float, float, float]:
        """2 ln 2 / -ln(1 - epsilon) rounds, for epsilon and for the ends of its interval, upper first."""
        ends = (self.epsilon, self.interval[1], self.interval[0])
        value, low, high = (float(2 * np.log(2) / -np.log1p(-e)) for e in ends)
        return value, low, high


@dataclass(frozen=True)
class Lag:
    """Half the mean squared difference of rewards of one arm that lie `first` to `last` rounds apart, less
    the variance of the noise, with its standard error: 0 where nothing changes, at most the variance of f."""

    first: int
    last: int
    value: float
    error: float
    pairs: int


def diagnose(
    kernel: Kernel, points: np.ndarray, t: np.ndarray, rewards: np.ndarray, noise_variance: float
) -> Diagnosis:
    """Compare the models on rewards (n,) at points (n, d) in rounds t (n,), in order, less their prior mean.

    O(MOST^3). ValueError for fewer than `LEAST` rewards.
    """
    if len(rewards) < LEAST:
        raise ValueError(f"{len(rewards)} rewards, expected {LEAST} or more")
    points, t, rewards = points[-MOST:], np.asarray(t[-MOST:], dtype=float), rewards[-MOST:]

    def likelihood(part: slice, epsilon: float = 0.0) -> float:
        each = points[part], t[part] - t[0], rewards[part]
        return float(log_marginal_likelihood(kernel, *each, noise_variance, epsilon, gradient=False))

    static = likelihood(slice(None))
    steps = np.diff(np.unique(t))
    step = float(np.median(steps)) if len(steps) else 1.0
    epsilons = -np.expm1(np.log1p(-EPSILONS) / step)  # per round
    grid = np.log(epsilons)
    profile = PchipInterpolator(grid, [likelihood(slice(None), epsilon) for epsilon in epsilons])
    fine = np.linspace(grid[0], grid[-1], 4001)
    heights = profile(fine)
    inside = np.exp(fine[heights >= heights.max() - HALF_CHI2])
    where, jump = _best_split(t, likelihood)
    gains = {"jump": jump - static, "drift": float(heights.max()) - static}
    gain, period = _period(kernel(points, points), (t - t[0]) / step, rewards, noise_variance)
    if np.isfinite(period):
        gains["period"], period = gain, period * step
    net = {kind: gain - COSTS[kind] * np.log(len(rewards)) for kind, gain in gains.items()}
    kind = max(net, key=lambda name: net[name])
    ends = float(inside[0]), float(inside[-1])
    epsilon = float(np.exp(fine[heights.argmax()]))
    kind = kind if net[kind] >= 0.0 else "static"
    return Diagnosis(kind, gains, epsilon, ends, where, period, len(rewards))


def _period(
    gram: np.ndarray, times: np.ndarray, rewards: np.ndarray, noise_variance: float
) -> tuple[float, float]:
    """The log likelihood of the best period less that of no change, and the period, NaN where there is none
    to try. gram: k(x_i, x_j), (n, n); times: (n,), in the median distance between rewards."""
    noise = np.full(len(rewards), noise_variance)
    likelihood = time_kernel.TimeLikelihood(gram, rewards, noise, np.rint(times).astype(int))
    best, chosen = time_kernel.best_frequency(likelihood)
    if not isinstance(chosen, Periodic):
        return -np.inf, np.nan
    static = likelihood.of_table(np.ones(len(likelihood.lags)))
    return best - static, float(np.min(chosen.period))


def worth(
    found: Diagnosis,
    kernel: Kernel,
    arms: np.ndarray,
    prior_mean: np.ndarray,
    record: tuple[np.ndarray, np.ndarray, np.ndarray],
    noise_variance: float,
    now: int,
) -> tuple[int, float]:
    """The arm of which a reading before the choice of round `now` gains most, and how much, under the kind
    that was found: the knowledge gradient, as if no other reading followed.

    arms: (n_arms, d); prior_mean: (n_arms,); record: rounds, arms and rewards, (n,) each, of which the latest
    `MOST` count, of a jump those after it. O(MOST^3 + MOST n_arms)."""
    t, played, rewards = (column[-MOST:] for column in record)
    since = t >= (found.jump if found.kind == "jump" else t[0])
    t, played, values = t[since].astype(float), played[since], (rewards - prior_mean[played])[since]
    shared = kernel(arms[played], arms[played]) * found.correlation(t[:, None] - t)
    lower = cholesky(shared + noise_variance * np.eye(len(t)), lower=True)
    cross = kernel(arms[played], arms) * found.correlation(now - t)[:, None]
    half = solve_triangular(lower, cross, lower=True)
    mean = prior_mean + half.T @ solve_triangular(lower, values, lower=True)
    variance = kernel.diagonal(arms) - (half**2).sum(axis=0)
    read = np.argsort(-(mean + 2 * np.sqrt(np.maximum(variance, 0.0))), kind="stable")[:READ]
    covariance = kernel(arms[read], arms[read]) - half[:, read].T @ half[:, read]
    unit = float(np.sqrt(kernel.variance))
    gains = value_of_information.knowledge_gradient(
        mean[read], covariance, np.maximum(covariance.diagonal(), 0.0), noise_variance, unit=unit
    )
    best = int(gains.argmax())
    return int(read[best]), float(gains[best])


def _best_split(t: np.ndarray, likelihood: Callable[[slice], float]) -> tuple[int, float]:
    """The first round of the new f, and the log likelihood with it."""
    starts = np.flatnonzero(np.diff(t)) + 1
    starts = starts[(starts >= LEAST // 2) & (starts <= len(t) - LEAST // 2)]
    if not len(starts):
        return int(t[-1]), -np.inf
    tried = starts[np.unique(np.linspace(0, len(starts) - 1, SPLITS).round().astype(int))]

    def of(start: int) -> float:
        return likelihood(slice(None, start)) + likelihood(slice(start, None))

    coarse = int(max(tried, key=of))
    near = starts[np.abs(starts - coarse) <= max(1, len(starts) // SPLITS)]
    best = int(max(near[np.unique(np.linspace(0, len(near) - 1, SPLITS).round().astype(int))], key=of))
    return int(t[best]), of(best)


def variogram(arms: np.ndarray, t: np.ndarray, rewards: np.ndarray, noise_variance: float) -> list[Lag]:
    """By lags 0, 1, 2 to 3, 4 to 7, ... that have pairs. The standard error takes rewards, not pairs, as
    independent: of the squared differences, over the root of the number of later rewards."""
    pairs, total, squares = np.zeros((3, _POWERS))
    later = np.zeros((_POWERS, len(t)), dtype=bool)
    ends = np.unique(arms, return_counts=True)[1].cumsum()
    for own in np.split(np.argsort(arms, kind="stable"), ends[:-1]):
        for back in range(1, min(_BACK, len(own) - 1) + 1):
            i, j = own[back:], own[:-back]
            half = (rewards[i] - rewards[j]) ** 2 / 2
            power = np.frexp(t[i] - t[j])[1]  # lags 0, 1, 2 to 3, ...
            later[power, i] = True
            for sums, value in ((pairs, None), (total, half), (squares, half**2)):
                sums += np.bincount(power, value, _POWERS)
    found = []
    for power in np.flatnonzero(pairs):
        n, mean = pairs[power], total[power] / pairs[power]
        spread = np.sqrt(max(squares[power] - n * mean**2, 0.0) / (n - 1)) if n > 1 else np.nan
        error, last = float(spread / np.sqrt(later[power].sum())), 2 ** int(power) - 1
        found.append(Lag((last + 1) // 2, last, float(mean) - noise_variance, error, int(n)))
    return found
