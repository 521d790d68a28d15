"""Optuna's default sampler, the tree-structured Parzen estimator, by ask and tell."""

from __future__ import annotations

import numpy as np
import optuna


def make(domain: np.ndarray, horizon: int, rng: np.random.Generator) -> TPE:
    """A study of its own."""
    return TPE(domain, rng)


class TPE:
    """Default settings."""

    def __init__(self, domain: np.ndarray, rng: np.random.Generator) -> None:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        sampler = optuna.samplers.TPESampler(seed=int(rng.integers(2**31)))
        self._study = optuna.create_study(direction="maximize", sampler=sampler)
        self._domain = domain

    def propose(self, t: int, rng: np.random.Generator, batch: int) -> np.ndarray:
        """The next trial, (1, d)."""
        self._trial = self._study.ask()
        sides = enumerate(self._domain.T.tolist())
        return np.array([[self._trial.suggest_float(f"x{i}", low, high) for i, (low, high) in sides]])

    def observe_points(self, t: int, points: np.ndarray, rewards: np.ndarray) -> None:
        """The value of the trial."""
        for value in rewards.tolist():
            self._study.tell(self._trial, value)
