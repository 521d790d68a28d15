"""Base of all Thompson sampling policies: x_t is the maximum of one draw from the posterior.

The draw is mu(x) + alpha_t (a draw from GP(0, k_t))(x) around a prior mean. alpha_t is a number
(1 in the authors' code) or that of the theory, see `draw_scale`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.acquisition import best_arm
from tvgp.policies.base.policy import BasePolicy, prior_means, require
from tvgp.posterior import JointRoot, MarkovRoot, Pathwise, Prior
from tvgp.theory.widths import improved_width


@dataclass(frozen=True)
class ThompsonParameters:
    """Parameters of all Thompson sampling policies.

    scale: alpha_t, a number or "theory"; norm_bound: B, for the theory's scale only;
    horizon: T, planned number of rounds; prior_mean: in reward units, one number or one per arm.
    """

    scale: float | str = 1.0
    norm_bound: float = 5.0
    horizon: int = 1000
    prior_mean: float | tuple[float, ...] = 0.0

    def __post_init__(self) -> None:
        good = self.scale == "theory" or (not isinstance(self.scale, str) and self.scale >= 0)
        require(good, "scale", self.scale, "a number from 0, or theory")
        require(self.norm_bound >= 0, "norm_bound", self.norm_bound, "0 or more")
        require(self.horizon >= 1, "horizon", self.horizon, "1 or more")


def draw_scale(scale: float | str, t: int, norm_bound: float, log_det: float, noise_variance: float) -> float:
    """alpha_t: `scale`, or for "theory" 2 u_t(1 / t^2), where

        u_t(delta) = B + sqrt(2 (gamma + 1 + log(1 / delta))).

    Vakili et al., published version, with the realised gain gamma = log_det / 2 of the model
    and R^2 = tau. Their a_t and c_t, which tend to 1 and 0 as the approximation error vanishes, are
    set to 1 and 0.
    """
    if scale == "theory":
        return 2.0 * float(improved_width(norm_bound, 1.0 / t**2, log_det, noise_variance))
    return float(scale)


class ThompsonPolicy(BasePolicy):
    """Plays the maximum of a path. Subclasses implement `_path(rng, scale)`, a draw over the arms
    around 0, `_learn(arm, value, noise_variance)`, `_moments()`, mean and variance over the arms,
    and `_log_det`.
    """

    def __init__(self, prior: Prior, noise_variance: float, parameters: ThompsonParameters) -> None:
        super().__init__(prior, parameters)
        self._parameters, self._noise = parameters, noise_variance
        self._prior_mean = prior_means(parameters.prior_mean, prior.n_arms)

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        """Arm at the maximum of one posterior draw."""
        p = self._parameters
        scale = draw_scale(p.scale, t, p.norm_bound, self._log_det, self._noise)
        path = self._path(rng, scale)
        path = path + self._prior_mean if self._prior_mean.ndim else path
        return best_arm(path, available, self._unit)

    def _observe(self, t: int, arm: int, reward: float, noise_variance: float | None) -> None:
        mean = self._prior_mean[arm] if self._prior_mean.ndim else self._prior_mean
        self._learn(arm, float(reward - mean), noise_variance or self._noise)

    def _posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation over all arms of the model that draws come from."""
        mean, variance = self._moments()
        return mean + self._prior_mean, np.sqrt(np.maximum(variance, 0.0))

    @property
    def _log_det(self) -> float:
        """log det(I + K / tau) of the model."""
        raise NotImplementedError

    def _path(self, rng: np.random.Generator, scale: float) -> np.ndarray:
        """A draw over the arms around a prior mean of 0, (G,)."""
        raise NotImplementedError

    def _learn(self, arm: int, value: float, noise_variance: float) -> None:
        """Learn from y - m(x) at an arm."""
        raise NotImplementedError

    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance over the arms around a prior mean of 0."""
        raise NotImplementedError


class SampledPolicy(ThompsonPolicy):
    """Plays draws of a sampler, which subclasses set as `_sampler`, and keeps all observations in it."""

    _sampler: JointRoot | MarkovRoot | Pathwise

    @property
    def engine(self) -> str:
        """Name of the sampler in use."""
        return self._sampler.name

    @property
    def _log_det(self) -> float:
        return self._sampler.log_det

    def _path(self, rng: np.random.Generator, scale: float) -> np.ndarray:
        return self._sampler.draw(rng, scale)

    def _learn(self, arm: int, value: float, noise_variance: float) -> None:
        self._sampler.observe(arm, value, noise_variance)

    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        return self._sampler.mean, self._sampler.variance
