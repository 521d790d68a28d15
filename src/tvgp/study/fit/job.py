"""Jobs of fitting and tuning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from tvgp.study.run.job import Experiment, RunJob


@dataclass(frozen=True)
class FitJob:
    """The fit of an experiment.

    model: the model's numbers, each given, "fit" or, the norm bound, "exact" or, the prior mean, "sites";
    for an empirical kernel the settings of its estimate. training: queries and starts, None if every
    number is given. models: those of variants, field or chosen, fitted too.
    """

    experiment: Experiment
    kernel: str
    model: Mapping[str, Any]
    training: Mapping[str, int] | None
    units: str
    round_label: str
    models: Sequence[str] = ()

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Self:
        """The job in the params of a rule."""
        return cls(**{**params, "experiment": Experiment(**params["experiment"])})


@dataclass(frozen=True)
class TuneJob:
    """The choice of a variant's tuned parameter among the values of `grid`.

    seeds: number of training runs per value; price: of a query, added to regret. days: centre and
    noise_fraction of an empirical kernel, which is cross-validated over the days of its training data instead
    of training runs; None for any other kernel.
    """

    run: RunJob
    grid: Sequence[Any]
    seeds: int
    days: Mapping[str, Any] | None
    price: float = 0.0

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Self:
        """The job in the params of a rule."""
        return cls(**{**params, "run": RunJob.from_params(params["run"])})
