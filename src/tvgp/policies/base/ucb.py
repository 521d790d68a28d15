"""Base of all upper-confidence-bound policies; each algorithm adds its data rule and width."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tvgp import posterior
from tvgp.acquisition import random_best_arm
from tvgp.policies.base.policy import BasePolicy, prior_means, require
from tvgp.posterior import Engine, Prior, SequentialEngine
from tvgp.theory.widths import information_width, logarithmic_width


@dataclass(frozen=True)
class UpperConfidenceParameters:
    """Parameters of all upper-confidence-bound policies.

    FORMULAS has the names of the algorithm's own widths, OURS the parameters whose default is this project's
    choice, from no paper.

    width: the factor of sigma, as a number (in standard deviations), the name of the
    algorithm's own formula, which is the default unless the algorithm says otherwise, or
    logarithmic, sqrt(c1 log(c2 t)); norm_bound: B, bound on the RKHS norm of f_t; delta: error
    probability; horizon: T, planned number of rounds (recommended windows and the choice of engine
    depend on it); prior_mean: in reward units, one number or one per arm; engine: auto or the name
    of a posterior engine.
    """

    FORMULAS: ClassVar[tuple[str, ...]] = ("information",)
    OURS: ClassVar[tuple[str, ...]] = ()

    width: float | str = "information"
    c1: float = 0.8
    c2: float = 4.0
    norm_bound: float = 5.0
    delta: float = 0.05
    horizon: int = 1000
    prior_mean: float | tuple[float, ...] = 0.0
    engine: str = "auto"

    def __post_init__(self) -> None:
        known = ("logarithmic", *self.FORMULAS)
        number = not isinstance(self.width, str) and 0 <= self.width < math.inf
        expected = f"{', '.join(known)} or a number of 0 or more"
        require(number or self.width in known, "width", self.width, expected)
        for name in ("c1", "c2"):
            require(getattr(self, name) > 0, name, getattr(self, name), "positive")
        require(self.norm_bound >= 0, "norm_bound", self.norm_bound, "0 or more")
        require(0 < self.delta < 1, "delta", self.delta, "between 0 and 1")
        require(self.horizon >= 1, "horizon", self.horizon, "1 or more")

    def width_at(self, t: int) -> float | None:
        """The width for round t, None where the algorithm's formula gives it."""
        if not isinstance(self.width, str):
            return float(self.width)
        return logarithmic_width(self.c1, self.c2, t) if self.width == "logarithmic" else None


class UpperConfidencePolicy(BasePolicy):
    """x_t = argmax mu_{t-1}(x) + width_t sigma_{t-1}(x), around a prior mean m(x).

    The engine models y - m(x), so mu is m(x) + the engine's mean; a constant m shifts all
    scores alike and is left out of them. Subclasses implement `_learn`, `_age` if their data age, and
    override `_formula` and `_std` if theirs are not the information width and the engine's sigma. In
    rounds without data all maxima of the prior tie, and the policy draws one of them from its own
    stream.
    """

    _engine: Engine
    _parameters: UpperConfidenceParameters

    def __init__(self, engine: Engine, parameters: UpperConfidenceParameters) -> None:
        super().__init__(engine.prior, parameters)
        self._engine = engine
        self._parameters = parameters
        self._prior_mean = prior_means(parameters.prior_mean, self._n_arms)
        self._varying_mean = self._prior_mean if self._prior_mean.ndim else None

    @property
    def engine(self) -> str:
        """Name of the posterior engine in use, recorded in the results."""
        return self._engine.name

    def replace_engine(self, engine: Engine) -> None:
        """Play on `engine`, another posterior over the same arms, from round 1 on.

        The ageing test bed passes one that redraws its data in every round (`tvgp.ageing`).
        ValueError once there are data.
        """
        if self._engine.n:
            raise ValueError(f"policy: its engine holds {self._engine.n} observations; replace it before")
        self._engine = engine

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        """Arm with the largest upper confidence bound; ties to the lowest index."""
        width = self._width(t)
        if self._engine.n == 0:
            return random_best_arm(self._scores(width), rng, available, self._unit)
        return self._best_arm(width, available)

    def _observe(self, t: int, arm: int, reward: float, noise_variance: float | None) -> None:
        means = self._prior_mean
        mean = means.item(arm) if means.ndim else means.item()
        self._learn(t, arm, reward - mean, noise_variance)

    def _posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation over all arms, from the data used to choose for round t."""
        return self._engine.mean + self._prior_mean, np.sqrt(self._engine.variance)

    def _confidence_band(self, t: int) -> tuple[np.ndarray, np.ndarray, float]:
        """mu, width_t sigma over all arms and width_t, as used to choose for round t."""
        width = self._width(t)
        return self._engine.mean + self._prior_mean, width * self._std(), width

    def _mean_at(self, arms: int | np.ndarray) -> np.ndarray:
        """Prior mean of one arm () or several (m,)."""
        return self._prior_mean if self._varying_mean is None else self._varying_mean[arms]

    def _scores(self, width: float) -> np.ndarray:
        """mu + width sigma over all arms, (n_arms,), without a constant prior mean."""
        scores = self._engine.mean + width * self._std()
        return scores if self._varying_mean is None else scores + self._varying_mean

    def _best_arm(self, width: float, available: np.ndarray | None) -> int:
        return self._engine.best_arm(width, self._varying_mean, available)

    def _std(self) -> np.ndarray:
        return np.sqrt(self._engine.variance)

    def _width(self, t: int) -> float:
        width = self._parameters.width_at(t)
        return self._formula() if width is None else width

    def _formula(self) -> float:
        """The width by the algorithm's own formula, from the data in use."""
        p = self._parameters
        return information_width(p.norm_bound, p.delta, self._engine.log_det)

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        raise NotImplementedError

    def _refresh(self, t: int) -> None:
        """Let the posterior include all data of round t before it closes. Nothing to do where `_learn`
        does."""


def static_engine(
    prior: Prior, noise_variance: float, parameters: UpperConfidenceParameters
) -> SequentialEngine:
    """The engine of a policy that keeps all observations; above a few thousand arms, one that
    computes maxima only."""
    return posterior.make(
        prior,
        noise_variance,
        horizon=parameters.horizon,
        engine=parameters.engine,
        maxima_only=True,
    )
