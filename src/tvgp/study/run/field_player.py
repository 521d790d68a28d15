"""Policies on a real field, under a model fitted to its training part."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np

from tvgp import environments, kernels
from tvgp.contracts import Environment
from tvgp.fitting import FieldModel
from tvgp.study.data import field
from tvgp.study.run.player import Player


def opened(test: field.Field, rounds: int | None) -> tuple[Environment, int]:
    """The test part with sites as arms, and its number of rounds."""
    played = np.flatnonzero(np.isfinite(test.value).any(axis=1))[:rounds]
    arms = np.arange(float(test.value.shape[1]))[:, None]
    times = field.elapsed(test)[played]
    return environments.make("field", arms=arms, values=test.value[played], times=times), len(played)


def under(environment: Environment, horizon: int, model: FieldModel, names: tuple[str | int, ...]) -> Player:
    """Runs on a field under a model."""
    kernel = kernels.make("empirical", covariance=model.covariance)
    last = int(environment.times(horizon)[-1])
    known: dict[str, Any] = {**model.parameters(), "epsilon": model.epsilon}
    known |= {"prior_mean": tuple(model.mean.tolist()), "horizon": last}
    scale = None if model.scale is None else astuple(model.scale)
    return Player(environment, kernel, model.noise_variance, horizon, names, known, scale)
