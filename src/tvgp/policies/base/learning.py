"""A policy that learns kernel, noise and drift while it plays (`tvgp.fitting.learning`).

It plays with the given values until the first fit, and after a fit as if the new ones had been there from the
start: the policy is made again and told all its observations.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import ModuleType

import numpy as np

from tvgp.fitting.learning import Learner, Learnt, learnt_drift
from tvgp.policies.base.history import History
from tvgp.policies.base.policy import BasePolicy, prior_means
from tvgp.policies.base.thompson import ThompsonParameters
from tvgp.policies.base.ucb import UpperConfidenceParameters
from tvgp.posterior import Prior

# Latest observations to which parameters are fitted.
_LATEST = 400


def learner(policy: str, module: ModuleType, prior: Prior, parameters: object) -> Learner:
    """That of a policy's parameters. ValueError where there is nothing to learn."""
    drift, time_family = learnt_drift(policy, module, parameters)
    corners = np.array([prior.arms.min(axis=0), prior.arms.max(axis=0)])
    return Learner(prior.kernel, corners, drift, time_family=time_family, n_arms=prior.n_arms)


class Learning(BasePolicy):
    """Plays the policy that `remake(learnt)` makes; None: with the given values."""

    def __init__(
        self,
        prior: Prior,
        parameters: UpperConfidenceParameters | ThompsonParameters,
        remake: Callable[[Learnt | None], BasePolicy],
        learner: Learner,
    ) -> None:
        super().__init__(prior, parameters)
        self._remake, self._learner, self._arms = remake, learner, prior.arms
        self._inner = remake(None)
        means = prior_means(parameters.prior_mean, prior.n_arms)
        self._means = np.broadcast_to(means, prior.n_arms).copy()
        self._history = History()
        self._learnt: Learnt | None = None

    def __repr__(self) -> str:
        return f"Learning({self._inner!r})"

    @property
    def engine(self) -> str:
        """Name of the posterior engine in use."""
        return self._inner.engine

    @property
    def inner(self) -> BasePolicy:
        """The policy with the parameters of the last fit."""
        return self._inner

    @property
    def learnt(self) -> Learnt | None:
        """The parameters in use; None before the first fit."""
        return self._learnt

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        return self._inner._choose(t, rng, available)

    def _observe(self, t: int, arm: int, reward: float, noise_variance: float | None) -> None:
        self._history.append(t, arm, reward, noise_variance or np.nan)
        self._inner._observe(t, arm, reward, noise_variance)

    def _posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        return self._inner._posterior(t)

    def _confidence_band(self, t: int) -> tuple[np.ndarray, np.ndarray, float]:
        return self._inner._confidence_band(t)

    def _age(self, now: int) -> None:
        self._inner._age(now)
        self._inner._over = now

    def _close(self, t: int) -> None:
        self._inner._close(t)
        self._inner._over = t
        data, latest = self._history, slice(max(self._history.n - _LATEST, 0), None)
        arms = data.arms[latest]
        values = data.values[latest] - self._means[arms]
        learnt = self._learner.update(self._arms[arms], data.rounds[latest].astype(float), values, data.n)
        if learnt is not None:
            try:
                self._inner, self._learnt = self._replayed(self._remake(learnt)), learnt
                self._unit = self._inner._unit  # of ties in `recommend`
            except ValueError as error:
                warnings.warn(f"round {t}: parameters stay as they are: {error}", stacklevel=2)

    def _replayed(self, policy: BasePolicy) -> BasePolicy:
        """A fresh policy, told all observations."""
        data = self._history
        ends = np.flatnonzero(np.diff(data.rounds, append=-1)) + 1
        for first, end in zip(np.append(0, ends[:-1]), ends, strict=True):
            t = data.rounds.item(first)
            policy._advance(t - 1)
            for i in range(first, end):
                noise = data.noise.item(i)
                policy._observe(t, data.arms.item(i), data.values.item(i), None if np.isnan(noise) else noise)
            policy._close(t)
            policy._over = t
        return policy
