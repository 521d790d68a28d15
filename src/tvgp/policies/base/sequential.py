"""Base of the policies that ask about arms one at a time, once a round at most, under a model's policy."""

from __future__ import annotations

import copy

import numpy as np

from tvgp import acquisition
from tvgp.policies.base.policy import NO_ARMS, BasePolicy
from tvgp.policies.base.ucb import UpperConfidencePolicy
from tvgp.posterior import Engine, Prior


class SequentialPolicy(BasePolicy):
    """Subclasses implement the rule: `_allowance` and `_scores`. The model stays at round `_round`, which may
    have several data, until time passes."""

    def __init__(
        self, prior: Prior, noise_variance: float, parameters: object, model: UpperConfidencePolicy
    ) -> None:
        super().__init__(prior, parameters)
        self.queries_left = 0
        self.model = model
        self._noise = noise_variance
        self._round = 0  # that the model's posterior refers to
        self._opened = 0  # the last round of which queries were made
        self._free = np.ones(prior.n_arms, dtype=bool)  # arms not asked about in that round
        self._batch = 1

    @property
    def engine(self) -> str:
        """Name of the model's posterior engine."""
        return self.model.engine

    def replace_engine(self, engine: Engine) -> None:
        """As that of the model."""
        self.model.replace_engine(engine)

    def _allowance(self, t: int) -> int:
        """Most queries in round t; asked for once a round, in order."""
        raise NotImplementedError

    def _scores(
        self, model: UpperConfidencePolicy, t: int, free: np.ndarray, available: np.ndarray | None
    ) -> tuple[np.ndarray, float]:
        """Scores, (n_arms,), of which the largest among the free arms is asked about next, and what it must
        exceed."""
        raise NotImplementedError

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        self._bring(t)
        return self.model._choose(t, rng, available)

    def _observe(self, t: int, arm: int, reward: float, noise_variance: float | None) -> None:
        self._bring(t)
        self._learn(self.model, t, arm, reward, noise_variance)

    def _queries(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> np.ndarray:
        """The next arms to ask about, as many as are asked about at once; none once the rule stops."""
        self._bring(t)
        if t > self._opened:
            self._opened = t
            self._free[:] = True
            self.queries_left = min(self._allowance(t), self._n_arms)
        size = min(self._batch, self.queries_left)
        if not size:
            return NO_ARMS
        free = self._free.copy() if available is None else self._free & available
        model = self.model if size == 1 else copy.deepcopy(self.model)
        chosen: list[int] = []
        while len(chosen) < size and free.any():
            if chosen:
                mean = float(model._posterior(t)[0][chosen[-1]])
                self._learn(model, t, chosen[-1], mean, None)
            scores, least = self._scores(model, t, free, available)
            arm = acquisition.best_arm(scores, free, self._unit)
            if not scores[arm] > least:
                break
            if not model._engine.n:  # all maxima of the prior tie
                arm = acquisition.random_best_arm(scores, rng, free, self._unit)
            chosen.append(arm)
            free[arm] = False
        if not chosen:
            self.queries_left = 0
        return np.array(chosen, dtype=np.intp)

    def _observe_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        self._bring(t)
        for arm, value in zip(arms.tolist(), values.tolist(), strict=True):
            self._learn(self.model, t, arm, value, None)
        if t == self._opened:
            self._free[arms] = False
            self.queries_left = max(0, self.queries_left - len(arms))

    def _learn(
        self, model: UpperConfidencePolicy, t: int, arm: int, value: float, noise_variance: float | None
    ) -> None:
        """One observation or answer of round t, after which the model's posterior is that of f_t still."""
        model._observe(t, arm, value, noise_variance)
        model._refresh(t)

    def _posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        return self._at(t)._posterior(t)

    def _confidence_band(self, t: int) -> tuple[np.ndarray, np.ndarray, float]:
        return self._at(t)._confidence_band(t)

    def _at(self, t: int) -> UpperConfidencePolicy:
        """The model at round t: a copy for a round to come, as queries of this one may go on."""
        if t <= self._round:
            return self.model
        later = copy.deepcopy(self)
        later._bring(t)
        return later.model

    def _bring(self, t: int) -> None:
        """Let the model's posterior be that of f_t."""
        if t > self._round:
            if self._round:
                self.model._close(self._round)
                self.model._over = self._round
            self.model._advance(t - 1)
            self._round = t
