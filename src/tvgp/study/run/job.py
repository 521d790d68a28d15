"""Jobs of runs: everything that a run depends on apart from its seed and its fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from tvgp.contracts import Moment


@dataclass(frozen=True)
class Experiment:
    """Where the rewards of an experiment come from.

    environment: a synthetic family, None if the experiment plays `dataset`; horizon: number of
    rounds, None for all times of the dataset; test_day: the only day (1, 2, ...) of the dataset
    that is played, None for all; first_arms: whether the seed decides the arm of round 1.
    """

    name: str
    environment: str | None
    environment_parameters: Mapping[str, Any]
    dataset: str | None
    horizon: int | None
    test_day: int | None
    first_arms: bool


@dataclass(frozen=True)
class RunJob:
    """The runs of one variant under one alpha.

    queries: moment of the variant's queries; model: "field" or "chosen" for that part of the fit, None for
    the fit itself; parameters: the variant's values; from_fit: parameter to the key of the fit that it takes
    its value from; tuned: the parameter tuned on training seeds; exact_norm: whether each run receives the
    norm of its own function.
    """

    experiment: Experiment
    policy: str
    algorithm: str
    alpha: str
    parameters: Mapping[str, Any]
    from_fit: Mapping[str, str]
    tuned: str | None
    delta: float
    exact_norm: bool
    squared_error: bool
    queries: Moment = "after"
    model: str | None = None

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Self:
        """The job in the params of a rule."""
        return cls(**{**params, "experiment": Experiment(**params["experiment"])})

    @property
    def names(self) -> dict[str, str]:
        """Attributes that identify the runs."""
        return {
            "experiment": self.experiment.name,
            "policy": self.policy,
            "algorithm": self.algorithm,
            "alpha": self.alpha,
        }
