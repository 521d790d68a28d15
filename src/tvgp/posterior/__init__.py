"""GP posteriors over a finite set of arms: one interface, several exact engines.

All implement `Engine`. Sequential engines take observations of constant noise one at a time; batch
engines replace all data at once, with any noise. They lead to identical arms, and agree to 1e-8 of a
posterior standard deviation unless noise is tiny or arms nearly coincide (docs/accuracy.md).
`make` and `make_batch` choose one by the shape of the problem. `Sparse` is the variational
approximation for Thompson sampling, on any domain.
"""

from __future__ import annotations

from collections.abc import Callable

from tvgp.posterior.append import Append
from tvgp.posterior.dense import Dense
from tvgp.posterior.engine import BatchEngine, Engine, SequentialEngine
from tvgp.posterior.grid import Grid
from tvgp.posterior.lazy import Lazy
from tvgp.posterior.merged import Merged
from tvgp.posterior.prior import Prior
from tvgp.posterior.sampling import JointRoot, Pathwise
from tvgp.posterior.sparse import InducingFeatures, InducingPoints, Sparse
from tvgp.posterior.weight_space import WeightSpace

__all__ = [
    "Append",
    "BatchEngine",
    "Dense",
    "Engine",
    "Grid",
    "InducingFeatures",
    "InducingPoints",
    "JointRoot",
    "Lazy",
    "Merged",
    "Pathwise",
    "Prior",
    "SequentialEngine",
    "Sparse",
    "WeightSpace",
    "make",
    "make_batch",
]

# Noise variance, relative to the prior's, below which truncating the factor of the weight-space
# engine could change the eighth digit.
_NOISE_FLOOR = 1e-5

# Fewest and most arms for which a covariance matrix of full rank is kept whole (2048^2 doubles are
# 32 MiB, the last-level cache of most machines).
_GRID_ARMS = (256, 2048)

# Number of arms above which maxima are searched lazily, and the rank up to which weight space is
# still faster.
_LAZY_ARMS = 4096
_LAZY_RANK = 256

# Largest initial capacity, in observations.
_CAPACITY = 16384


def make(
    prior: Prior,
    noise_variance: float,
    *,
    horizon: int,
    epsilon: float = 0.0,
    engine: str = "auto",
    maxima_only: bool = False,
) -> SequentialEngine:
    """Sequential engine for constant noise; `epsilon` > 0 adds the time kernel of TV-GP-UCB.

    auto: weight space if the numerical rank r of the prior is below a quarter of the horizon
    (G r + r^2 per step against G t / 2 on average), append otherwise. For epsilon = 0 also
    grid, for some hundred arms of full rank over a long horizon, and lazy, for thousands of arms if
    `maxima_only`: the caller uses `best_arm`, and not `mean` or `variance`, in most rounds.
    ValueError for an unknown engine, epsilon outside [0, 1], epsilon > 0 with an engine that cannot
    forget, or a noise variance that is not positive.
    """
    if not noise_variance > 0:
        raise ValueError(f"noise variance is {noise_variance}, must be positive")
    prior.check_noise(noise_variance)
    if not 0.0 <= epsilon <= 1.0:
        raise ValueError(f"epsilon is {epsilon}, must lie in [0, 1]")
    if engine == "auto":
        engine = _automatic(prior, noise_variance, horizon, epsilon, maxima_only)
    capacity = min(horizon, _CAPACITY)
    engines: dict[str, Callable[[], SequentialEngine]] = {
        "append": lambda: Append(prior, noise_variance, epsilon, capacity=capacity),
        "weight_space": lambda: WeightSpace(prior, noise_variance, epsilon),
        "grid": lambda: Grid(prior, noise_variance),
        "lazy": lambda: Lazy(prior, noise_variance, capacity=capacity),
        "dense": lambda: Dense(prior, noise_variance, epsilon),
    }
    if engine not in engines:
        raise ValueError(f"unknown engine {engine!r}; known: auto, {', '.join(engines)}")
    if epsilon and engine in ("grid", "lazy"):
        raise ValueError(f"{engine} engine: epsilon is {epsilon}, but it keeps every observation")
    return engines[engine]()


def _automatic(prior: Prior, noise_variance: float, horizon: int, epsilon: float, maxima_only: bool) -> str:
    """Name of the fastest engine for this shape of problem."""
    limit, otherwise = min(horizon // 4, prior.n_arms), "append"
    fewest, most = _GRID_ARMS
    if epsilon == 0.0 and fewest < prior.n_arms <= min(most, horizon // 2):
        limit, otherwise = prior.n_arms // 2, "grid"
    elif epsilon == 0.0 and maxima_only and prior.n_arms > _LAZY_ARMS:
        limit, otherwise = min(limit, _LAZY_RANK), "lazy"
    precise = noise_variance >= _NOISE_FLOOR * prior.diagonal.max()
    low_rank = precise and prior.factor(limit) is not None
    return "weight_space" if low_rank else otherwise


def make_batch(prior: Prior, *, engine: str = "auto") -> BatchEngine:
    """Batch engine for noise variances that change from round to round. ValueError for an unknown
    engine."""
    engines: dict[str, Callable[[Prior], BatchEngine]] = {"auto": Merged, "merged": Merged, "dense": Dense}
    if engine not in engines:
        raise ValueError(f"unknown engine {engine!r}; known: {', '.join(engines)}")
    return engines[engine](prior)
