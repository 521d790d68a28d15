"""GP posteriors over a finite set of arms: one interface, several exact engines.

All implement `Engine`. Sequential engines take observations of constant noise one at a time; batch
engines replace all data at once, with any noise. They lead to identical arms, and agree to 1e-8 of a
posterior standard deviation unless noise is tiny or arms nearly coincide (docs/accuracy.md).
`make` and `make_batch` choose one by the shape of the problem. `Sparse` is the variational
approximation for Thompson sampling, on any domain.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tvgp.kernels import Constant, Kernel, Matern12
from tvgp.posterior.append import Append
from tvgp.posterior.dense import Dense
from tvgp.posterior.engine import BatchEngine, Engine, SequentialEngine
from tvgp.posterior.grid import Grid
from tvgp.posterior.lazy import Lazy
from tvgp.posterior.merged import Merged
from tvgp.posterior.prior import Prior
from tvgp.posterior.sampling import JointRoot, MarkovRoot, Pathwise
from tvgp.posterior.space_time import SpaceTime, memory
from tvgp.posterior.sparse import InducingPoints, Sparse
from tvgp.posterior.state_space import StateSpace, approximate, has_states, stationary
from tvgp.posterior.weight_space import WeightSpace

__all__ = [
    "Append",
    "BatchEngine",
    "Dense",
    "Engine",
    "Grid",
    "InducingPoints",
    "JointRoot",
    "MarkovRoot",
    "Lazy",
    "Merged",
    "Pathwise",
    "Prior",
    "SequentialEngine",
    "SpaceTime",
    "Sparse",
    "StateSpace",
    "WeightSpace",
    "make",
    "make_batch",
    "make_space_time",
]

# Noise variance, relative to the prior's, below which truncating the factor of the weight-space
# engine could change the eighth digit.
_NOISE_FLOOR = 1e-5

# Fewest and most arms for which a covariance matrix of full rank is kept whole (2048^2 doubles are
# 32 MiB, the last-level cache of most machines).
_GRID_ARMS = (256, 2048)

# Numbers of arms and of rounds above which maxima are searched lazily (from 4,200 arms to 12,000, that takes
# twice the time over 2,000 rounds), and the rank up to which weight space is still faster.
_LAZY_ARMS, _LAZY_HORIZON = 4096, 4096
_LAZY_RANK = 256

# Rounds up to which no time kernel is replaced by an approximation: within them, space_time is bounded.
_EXACT_HORIZON = 3000

# Most states of a filter; their covariance is then 128 MiB.
_MOST_STATES = 4096

# Largest initial capacity, in observations.
_CAPACITY = 16384


def make(
    prior: Prior,
    noise_variance: float,
    *,
    horizon: int,
    epsilon: float = 0.0,
    injection: float = 0.0,
    engine: str = "auto",
    maxima_only: bool = False,
) -> SequentialEngine:
    """Sequential engine for constant noise; `epsilon` > 0 adds the time kernel of TV-GP-UCB,
    `injection` > 0 that of UI-TVBO.

    auto: weight space if the numerical rank r of the prior is below a quarter of the horizon
    (G r + r^2 per step against G t / 2 on average), append otherwise. For a static f also
    grid, for some hundred arms of full rank over a long horizon, and lazy, for thousands of arms and rounds
    if `maxima_only`: the caller uses `best_arm`, and not `mean` or `variance`, in most rounds.
    ValueError for an unknown engine, epsilon outside [0, 1], a negative injection, either of them with an
    engine that lacks it, both of them, or a noise variance that is not positive.

    >>> from tvgp import kernels
    >>> prior = Prior.of(np.arange(11.0)[:, None], kernels.make("se", variance=0.5, length_scale=3.0))
    >>> engine = make(prior, noise_variance=0.01, horizon=50)
    >>> engine.observe(arm=4, value=1.0)
    >>> engine.mean[3:6].round(2), engine.variance[3:6].round(3)
    (array([0.93, 0.98, 0.93]), array([0.061, 0.01 , 0.061]))
    """
    if not noise_variance > 0:
        raise ValueError(f"noise variance is {noise_variance}, must be positive")
    prior.check_noise(noise_variance)
    if not 0.0 <= epsilon <= 1.0:
        raise ValueError(f"epsilon is {epsilon}, must lie in [0, 1]")
    if not 0.0 <= injection < math.inf or (epsilon and injection):
        raise ValueError(f"injection is {injection}, must be 0 or more, and 0 where epsilon is not")
    if engine == "auto":
        engine = _automatic(prior, noise_variance, horizon, not (epsilon or injection), maxima_only)
    capacity = min(horizon, _CAPACITY)
    engines: dict[str, Callable[[], SequentialEngine]] = {
        "append": lambda: Append(prior, noise_variance, epsilon, injection=injection, capacity=capacity),
        "weight_space": lambda: WeightSpace(prior, noise_variance, epsilon, injection=injection),
        "grid": lambda: Grid(prior, noise_variance),
        "lazy": lambda: Lazy(prior, noise_variance, capacity=capacity),
        "dense": lambda: Dense(prior, noise_variance, epsilon),
    }
    if engine not in engines:
        raise ValueError(f"unknown engine {engine!r}; known: auto, {', '.join(engines)}")
    if epsilon and engine in ("grid", "lazy"):
        raise ValueError(f"{engine} engine: epsilon is {epsilon}, but it keeps every observation")
    if injection and engine not in ("append", "weight_space"):
        raise ValueError(f"{engine} engine: injection is {injection}, expected 0")
    return engines[engine]()


def _automatic(prior: Prior, noise_variance: float, horizon: int, static: bool, maxima_only: bool) -> str:
    """Name of the fastest engine for this shape of problem."""
    limit, otherwise = min(horizon // 4, prior.n_arms), "append"
    fewest, most = _GRID_ARMS
    if static and fewest < prior.n_arms <= min(most, horizon // 2):
        limit, otherwise = prior.n_arms // 2, "grid"
    elif static and maxima_only and prior.n_arms > _LAZY_ARMS and horizon > _LAZY_HORIZON:
        limit, otherwise = min(limit, _LAZY_RANK), "lazy"
    precise = noise_variance >= _NOISE_FLOOR * prior.diagonal.max()
    low_rank = precise and prior.factor(limit) is not None
    return "weight_space" if low_rank else otherwise


def make_space_time(
    prior: Prior,
    noise_variance: float,
    time_kernel: Kernel,
    *,
    horizon: int,
    engine: str = "auto",
    harmonics: int = 8,
) -> SequentialEngine:
    """Sequential engine for cov(f_s(x), f_t(x')) = k(x, x') k_T(s, t), k_T a kernel on rounds.

    auto: for a constant, and for exp(-lag/l), which is the time kernel of TV-GP-UCB with
    eps = 1 - exp(-2/l), that of `make`; otherwise the state space of m r numbers where it exists and is
    faster over the horizon (memory traffic (m r)^2 per round against n^2 r operations for the n observations
    that space_time keeps; for a squared exponential, above 3,000 rounds only), space_time otherwise; r is the
    number of arms where K has full rank. harmonics: of a periodic kernel in a state space. ValueError for an
    unknown engine, and one that does not have this time kernel.
    """
    prior.check_noise(noise_variance)
    if engine == "auto":
        if isinstance(time_kernel, Constant | Matern12) and time_kernel.variance == 1.0:
            length = (
                math.inf if isinstance(time_kernel, Constant) else float(np.max(time_kernel.length_scale))
            )
            return make(prior, noise_variance, horizon=horizon, epsilon=-math.expm1(-2.0 / length))
        engine = _cheaper(prior, time_kernel, horizon, harmonics)
    if engine == "space_time":
        return SpaceTime(prior, noise_variance, time_kernel)
    if engine == "state_space":
        return StateSpace(prior, noise_variance, [(prior, time_kernel)], harmonics=harmonics)
    raise ValueError(f"unknown engine {engine!r}; known: auto, space_time, state_space")


def _cheaper(prior: Prior, time_kernel: Kernel, horizon: int, harmonics: int) -> str:
    """state_space or space_time."""
    if not has_states(time_kernel) or (horizon <= _EXACT_HORIZON and approximate(time_kernel)):
        return "space_time"
    states = len(stationary(time_kernel, harmonics))
    # n^2 is a third of the horizon's on average while n grows
    rounds = min(horizon, math.sqrt(3.0) * memory(time_kernel))
    faster = math.ceil(rounds / (6.0 * math.sqrt(states))) - 1
    limit = min(faster, _MOST_STATES // states)
    low_rank = prior.factor(min(limit, prior.n_arms // 2)) is not None
    return "state_space" if low_rank or prior.n_arms <= limit else "space_time"


def make_batch(prior: Prior, *, engine: str = "auto") -> BatchEngine:
    """Batch engine for noise variances that change from round to round. ValueError for an unknown
    engine.

    >>> from tvgp import kernels
    >>> prior = Prior.of(np.arange(11.0)[:, None], kernels.make("se", variance=0.5, length_scale=3.0))
    >>> engine = make_batch(prior)
    >>> engine.condition(np.array([4, 4]), np.array([1.0, 0.8]), noise_variances=np.array([0.01, 0.04]))
    >>> round(engine.mean.item(4), 3), round(engine.variance.item(4), 4)
    (0.945, 0.0079)
    """
    engines: dict[str, Callable[[Prior], BatchEngine]] = {"auto": Merged, "merged": Merged, "dense": Dense}
    if engine not in engines:
        raise ValueError(f"unknown engine {engine!r}; known: {', '.join(engines)}")
    return engines[engine](prior)
