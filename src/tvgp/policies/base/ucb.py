"""What all upper-confidence-bound policies share; each algorithm adds its data rule and width."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tvgp.acquisition import best_arm, random_best_arm
from tvgp.contracts import require_observation
from tvgp.posterior import Lazy

NO_ARMS = np.empty(0, dtype=np.intp)


@dataclass(frozen=True)
class UpperConfidenceParameters:
    """Parameters that all upper-confidence-bound policies have.

    norm_bound: B, bound on the RKHS norm of f_t; delta: error probability; horizon: T, number of
    rounds planned (recommended windows and the choice of engine use it); prior_mean: prior mean
    in reward units, one number or one for each arm; engine: auto or the name of a posterior
    engine.
    """

    norm_bound: float = 5.0
    delta: float = 0.05
    horizon: int = 1000
    prior_mean: float | tuple[float, ...] = 0.0
    engine: str = "auto"

    def __post_init__(self) -> None:
        require(self.norm_bound >= 0, "norm_bound", self.norm_bound, "0 or more")
        require(0 < self.delta < 1, "delta", self.delta, "between 0 and 1")
        require(self.horizon >= 1, "horizon", self.horizon, "1 or more")


def require(holds: bool, name: str, value: object, expected: str) -> None:
    """ValueError naming the parameter, its value and what was expected, unless `holds`."""
    if not holds:
        raise ValueError(f"policy parameter {name} is {value!r}, expected {expected}")


class UpperConfidencePolicy:
    """x_t = argmax mu_{t-1}(x) + width_t sigma_{t-1}(x), around a prior mean m(x).

    The engine models y - m(x), so mu is m(x) + the engine's mean; a constant m moves all scores
    alike and is left out of them.
    Subclasses set `_engine` (mean, variance, n), implement `_learn` and `_width`, and may override
    `_std`, `expert_queries` and `_learn_from_expert`. In rounds without data all maxima of the
    prior tie and one of them is drawn from the policy's own stream.
    """

    def __init__(self, engine, prior_mean: float | Sequence[float]) -> None:
        self._engine = engine
        self._n_arms = len(engine.mean)
        self._prior_mean = np.asarray(prior_mean, dtype=float)
        if self._prior_mean.ndim:
            shape, arms = self._prior_mean.shape, self._n_arms
            expected = f"one number or one for each of {arms} arms"
            require(shape == (arms,), "prior_mean", f"of shape {shape}", expected)

    @property
    def engine(self) -> str:
        """Name of the posterior engine in use, recorded in the results."""
        return self._engine.name

    def replace_engine(self, engine) -> None:
        """Play on `engine`, another posterior over the same arms, from round 1 on.

        The ageing test bed hands in one that draws the values it is given anew in every round
        (`tvgp.ageing`). ValueError once there are data.
        """
        if self._engine.n:
            raise ValueError(f"policy: its engine holds {self._engine.n} observations; replace it before")
        self._engine = engine

    def choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None = None) -> int:
        """Arm with the largest upper confidence bound; ties to the lowest index."""
        if isinstance(self._engine, Lazy) and self._engine.n:
            prior_mean = self._prior_mean if self._prior_mean.ndim else None
            return self._engine.best_arm(self._width(t), prior_mean, available)
        scores = self._engine.mean + self._width(t) * self._std()
        if self._prior_mean.ndim:
            scores = scores + self._prior_mean
        if self._engine.n == 0:
            return random_best_arm(scores, rng, available)
        return best_arm(scores, available)

    def observe(self, t: int, arm: int, reward: float) -> None:
        """Take in y_t = f_t(x_t) + noise. ValueError for an unknown arm or a reward not finite."""
        require_observation(t, arm, reward, self._n_arms)
        self._learn(t, arm, float(reward - self._mean_at(arm)))

    def expert_queries(
        self, t: int, rng: np.random.Generator, available: np.ndarray | None = None
    ) -> np.ndarray:
        """No arms: only the SparQ family asks."""
        return NO_ARMS

    def observe_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        """Take in the expert's answers about f_t. ValueError as `observe`."""
        there = not len(arms) or 0 <= arms.min() <= arms.max() < self._n_arms
        if not there or not math.isfinite(values @ values):
            for arm, value in zip(arms, values, strict=True):
                require_observation(t, arm, value, self._n_arms)
        self._learn_from_expert(t, arms, values - self._mean_at(arms))

    def posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation over all arms, as used to choose for round t."""
        return self._engine.mean + self._prior_mean, np.sqrt(self._engine.variance)

    def confidence_band(self, t: int) -> tuple[np.ndarray, np.ndarray, float]:
        """mu, width_t sigma over all arms and width_t, as used to choose for round t."""
        width = float(self._width(t))
        return self._engine.mean + self._prior_mean, width * self._std(), width

    def _mean_at(self, arms: int | np.ndarray) -> np.ndarray:
        """Prior mean of one arm or some, () or (m,)."""
        return self._prior_mean[arms] if self._prior_mean.ndim else self._prior_mean

    def _std(self) -> np.ndarray:
        return np.sqrt(self._engine.variance)

    def _width(self, t: int) -> float:
        raise NotImplementedError

    def _learn(self, t: int, arm: int, value: float) -> None:
        raise NotImplementedError

    def _learn_from_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        raise NotImplementedError
