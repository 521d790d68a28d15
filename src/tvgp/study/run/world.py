"""The world that the policies of an experiment meet: its environments, rounds and random streams.

Streams are keyed by (experiment, alpha, seed): every policy of an experiment meets the same
environment and the same noise. Training streams start with "training".
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Self

import numpy as np

from tvgp import environments, streams
from tvgp.contracts import Environment
from tvgp.study.data.field import Field, coordinates, elapsed
from tvgp.study.run.job import Experiment

_KEPT = 64  # environments: a drawn table of 200 rounds on 2,500 arms has 4 MB


@dataclass(frozen=True)
class World:
    """field: the played dataset at the times that are rounds, None for a synthetic family;
    rounds: how many rounds are played."""

    experiment: Experiment
    field: Field | None
    rounds: int
    training: bool
    _environments: dict[tuple[str, int], Environment] = dataclasses.field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def open(cls, experiment: Experiment, data: Field | None = None, training: bool = False) -> Self:
        """The world of an experiment, on the field `data` where it plays a dataset.

        Only times at which some site reports are rounds and, with `test_day`, only those of that day.
        ValueError for a day beyond the data.
        """
        if data is None:
            if experiment.horizon is None:
                raise ValueError(f"experiment {experiment.name}: expected a horizon or a dataset")
            return cls(experiment, None, experiment.horizon, training)
        played = data.during(_is_round(experiment, data))
        rounds = len(played.time) if experiment.horizon is None else min(experiment.horizon, len(played.time))
        return cls(experiment, played, rounds, training)

    def stream_names(self, alpha: str, seed: int) -> tuple[str | int, ...]:
        """First names of all streams of a run."""
        names = (self.experiment.name, alpha, seed)
        return ("training", *names) if self.training else names

    def environment(self, alpha: str, seed: int) -> Environment:
        """The environment of a run; the latest are kept, as all variants of a job meet them.

        Families with an `rng` parameter draw from the run's environment stream; families with a drift
        exponent or a horizon receive the run's, unless the configuration sets them.
        """
        known = self._environments
        if (alpha, seed) not in known:
            if len(known) == _KEPT:
                del known[next(iter(known))]
            known[alpha, seed] = self._new_environment(alpha, seed)
        return known[alpha, seed]

    def _new_environment(self, alpha: str, seed: int) -> Environment:
        if self.field is not None:
            arms, times = field_arms(self.field), elapsed(self.field)
            return environments.make("field", arms=arms, values=self.field.value, times=times)
        name, values = str(self.experiment.environment), dict(self.experiment.environment_parameters)
        known = environments.parameters(name)
        if "alpha" in known and alpha != "fit":  # a fit uses the family's default
            values.setdefault("alpha", float(alpha))
        if "horizon" in known:
            values.setdefault("horizon", self.rounds)
        if "rng" in known:
            values["rng"] = streams.generator(*self.stream_names(alpha, seed), "environment")
        return environments.make(name, **values)

    def first_arm(self, alpha: str, seed: int, environment: Environment) -> int | None:
        """The arm of round 1, the same for every policy, if the experiment prescribes one.

        With `first_arms` seed s starts at the s-th of a random order of the arms that are
        available in round 1: seeds are first arms (Bogunovic16, section 5.2).
        """
        if not self.experiment.first_arms:
            return None
        available = np.flatnonzero(np.isfinite(environment.mean_rewards(1)))
        rng = streams.generator(self.experiment.name, alpha, "first arms")
        return int(rng.permutation(available)[(seed - 1) % len(available)])

    def describe_arms(self, alpha: str) -> dict[str, np.ndarray]:
        """arms (n_arms, d) and, on data, lat, lon, site (n_arms,), time (rounds,), reading (rounds, n_arms)
        and its long_name ()."""
        if self.field is None:
            return {"arms": self.environment(alpha, 1).arms}
        positions = {"lat": self.field.lat, "lon": self.field.lon, "site": self.field.site}
        dates = np.datetime_as_string(self.field.time[: self.rounds])  # to the day, or the minute
        readings = self.field.value[: self.rounds]
        long_name = np.array(self.field.attrs.get("long_name", ""))
        known = {"time": dates, "reading": readings, "long_name": long_name}
        return {"arms": field_arms(self.field), **positions, **known}


def field_arms(data: Field) -> np.ndarray:
    """Kernel inputs of the sites, (sites, d), in the coordinates that the field specifies."""
    return coordinates(data.lat, data.lon, data.attrs["coordinates"])


def _is_round(experiment: Experiment, data: Field) -> np.ndarray:
    """Mask of the times that are rounds."""
    reporting = np.isfinite(data.value).any(axis=1)
    if experiment.test_day is None:
        return reporting
    days = data.time.astype("datetime64[D]")
    known = np.unique(days[reporting])
    if not 1 <= experiment.test_day <= len(known):
        raise ValueError(f"experiment {experiment.name}: test_day {experiment.test_day} of {len(known)} days")
    return reporting & (days == known[experiment.test_day - 1])
