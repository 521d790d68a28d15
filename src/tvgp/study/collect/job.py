"""Jobs of collecting: everything that a collected file depends on apart from its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from tvgp.contracts import Moment
from tvgp.study.run.job import Experiment


@dataclass(frozen=True)
class CollectJob:
    """The grid of an experiment's runs, and the names shown in figures and tables.

    policies: names of the variants; labels, groups, algorithms, queries: one per variant; ours: names of each
    one's parameters that have a default of this project, not of a paper; seeds: how many.
    """

    experiment: Experiment
    policies: Sequence[str]
    labels: Sequence[str]
    groups: Sequence[str]
    algorithms: Sequence[str]
    queries: Sequence[Moment]
    ours: Sequence[str]
    alphas: Sequence[str]
    seeds: int
    title: str
    units: str
    round_label: str

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Self:
        """The job in the params of a rule."""
        return cls(**{**params, "experiment": Experiment(**params["experiment"])})
