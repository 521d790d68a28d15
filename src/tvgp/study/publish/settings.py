"""Settings of what is published, for pages to quote: what the configuration of the part says that has played
it, and where that says nothing, the default of the analysis or environment."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from tvgp import environments
from tvgp.study import analyses
from tvgp.study.analyses.base import problems
from tvgp.study.config import jobs, loading
from tvgp.study.publish.parts import PARTS

_ROUNDS = 100  # of a problem of which only the arms are counted


class Settings:
    """configuration: the folder of the study's definitions."""

    def __init__(self, configuration: Path) -> None:
        self._folder = configuration

    def __call__(self, name: str, setting: str, part: str = "") -> Any:
        """`seeds`, `horizon` or a parameter: of the environment of an experiment, or of an analysis, where
        n_arms may also be that of its problem. part: of an analysis whose parts differ in it. ValueError for
        a name that nothing published has, a setting that it has not, and one that differs between parts."""
        if name not in self._played:
            raise ValueError(f"{name}: no part of the publication plays it")
        kind, config = self._played[name]
        if setting == "seeds":
            return config[kind][name]["seeds"]
        if kind == "experiments":
            return _of_experiment(config, name, setting)
        asked = [part] if part else list(config["analyses"][name]["parts"])
        found = [_of_analysis(config, name, setting, each) for each in asked]
        if any(value != found[0] for value in found):
            raise ValueError(f"{name}: {setting} is {found} in the parts {asked}; name one of them")
        return found[0]

    @cached_property
    def _played(self) -> dict[str, tuple[str, Mapping[str, Any]]]:
        """Of each experiment and analysis its kind, and the configuration of the first part that plays it."""
        definitions = loading.read(self._folder)
        found: dict[str, tuple[str, Mapping[str, Any]]] = {}
        for part in PARTS:
            config = loading.overlaid(definitions, [self._folder / "published" / f"{part}.yaml"], {})
            for kind in ("experiments", "analyses"):
                for name in jobs.selected(config, kind):
                    found.setdefault(name, (kind, config))
        return found


def _of_experiment(config: Mapping[str, Any], name: str, setting: str) -> Any:
    played = jobs.experiment(config, name)
    if setting == "horizon":
        return played.horizon
    declared = environments.declaration(played.environment) if played.environment else None
    return _given(name, setting, played.environment_parameters, declared)


def _of_analysis(config: Mapping[str, Any], name: str, setting: str, part: str) -> Any:
    job = jobs.analysis_job(config, name, part)
    declared = analyses.declaration(job.module)
    if setting == "n_arms" and "problem" in job.parameters:
        return _arms(job.parameters["problem"])
    return _given(f"{name}, part {part}", setting, job.parameters, declared)


@cache
def _arms(problem: str) -> int:
    player, _ = problems.open_problem("settings", problem, _ROUNDS, 1)
    return len(player.arms)


def _given(where: str, setting: str, values: Mapping[str, Any], declared: Callable[..., Any] | None) -> Any:
    known = inspect.signature(declared).parameters if declared else {}
    if setting in values:
        return values[setting]
    if setting in known and known[setting].default is not inspect.Parameter.empty:
        return known[setting].default
    raise ValueError(f"{where}: no setting {setting}")
