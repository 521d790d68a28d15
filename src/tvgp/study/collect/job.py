"""Inputs of a collected file other than its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from tvgp.study.run.job import Experiment


@dataclass(frozen=True)
class CollectJob:
    """The grid of an experiment's runs, and its names.

    policies: names of the variants; labels, groups, algorithms: of each of them; seeds: how many.
    """

    experiment: Experiment
    policies: Sequence[str]
    labels: Sequence[str]
    groups: Sequence[str]
    algorithms: Sequence[str]
    alphas: Sequence[str]
    seeds: int
    title: str
    units: str
    round_label: str

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Self:
        """The job in the params of a rule."""
        return cls(**{**params, "experiment": Experiment(**params["experiment"])})
