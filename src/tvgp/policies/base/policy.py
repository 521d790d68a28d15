"""Base of all policies: by default there is no confidence band and no expert query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tvgp.contracts import summary
from tvgp.posterior import Prior

NO_ARMS = np.empty(0, dtype=np.intp)


def require(holds: bool, name: str, value: object, expected: str) -> None:
    """ValueError with the parameter, its value and the expected one, unless `holds`."""
    if not holds:
        raise ValueError(f"policy parameter {name} is {value!r}, expected {expected}")


def prior_means(prior_mean: float | Sequence[float], n_arms: int) -> np.ndarray:
    """The prior mean as an array of shape () or (n_arms,). ValueError for another shape."""
    means = np.asarray(prior_mean, dtype=float)
    expected = f"one number or one for each of {n_arms} arms"
    require(means.shape in ((), (n_arms,)), "prior_mean", f"of shape {means.shape}", expected)
    return means


class BasePolicy:
    """Base of all policies: subclasses implement `choose`, `observe` and `posterior`."""

    def __init__(self, prior: Prior, parameters: object) -> None:
        """parameters: the dataclass of the algorithm's own parameters."""
        self._n_arms = prior.n_arms
        self._shown = {**vars(parameters), "arms": prior.arms}

    def __repr__(self) -> str:
        return summary(type(self).__name__, **self._shown | {"engine": self.engine})

    @property
    def engine(self) -> str:
        """Name of the posterior engine in use, recorded in the results."""
        return "none"

    def expert_queries(
        self, t: int, rng: np.random.Generator, available: np.ndarray | None = None
    ) -> np.ndarray:
        """No arms."""
        return NO_ARMS

    def observe_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        """Learn nothing: this policy asks no expert."""

    def confidence_band(self, t: int) -> tuple[np.ndarray, np.ndarray, float]:
        """ValueError: the policy has none."""
        raise ValueError(f"{type(self).__name__} has no confidence band")
