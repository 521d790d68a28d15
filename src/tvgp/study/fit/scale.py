"""On which scale the values of a field are learnt: their own, or a logarithmic one (`tvgp.log_scale`).

A logarithmic scale is taken where the best model on it predicts values left out better, by their density
(`tvgp.fitting.choose_field`), and where reading before the choice while it pays then costs less in replays of
the training part, on average over a few prices. Neither does alone: many values of 0, as of counts, have no
density, and a density counts all sites where a choice depends on the best ones; costs of a few rounds differ
by chance.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import astuple
from typing import Any

import numpy as np

from tvgp import fitting
from tvgp.fitting import FieldChoice
from tvgp.fitting.field_choice import CANDIDATES, Name
from tvgp.log_scale import LogScale
from tvgp.study.data import field
from tvgp.study.fit import replays

LOG_SCALES = (1.0, 0.3, 0.1)  # c over the distance of the mean value from the origin
PRICES = (0.05, 0.1, 0.2)  # of a reading in replays, over the spread between sites


def choose(train: field.Field, among: Collection[Name] = CANDIDATES) -> tuple[FieldChoice, dict[str, Any]]:
    """The model of least cost and, where it is of logarithms, log_scale, their c and origin, cost, of reading
    in replays, and own_cost, that under the best model of the values themselves."""
    own, *others = (_model(train, scale, among) for scale in (None, *_log_scales(train.value)))
    better = [each for each in others if each.score > own.score]
    if not better:
        return own, {}
    prices = [price * field.spread(train.value) for price in PRICES]
    costs = [replays.reading_cost(train, each.name, each.scale, prices) for each in (own, *better)]
    least = int(np.argmin(costs))  # the first, so that of the values themselves, where some are equal
    chosen = (own, *better)[least]
    if chosen.scale is None:
        return own, {}
    return chosen, {
        "log_scale": list(astuple(chosen.scale)),
        "cost": costs[least],
        "own_cost": costs[0],
    }


def _model(train: field.Field, scale: LogScale | None, among: Collection[Name]) -> FieldChoice:
    return fitting.choose_field(train.value, field.elapsed(train), field.positions(train), scale, among)


def _log_scales(values: np.ndarray) -> list[LogScale]:
    """From the end of the values that is opposite to their longer tail; none of values that are all equal."""
    seen = values[np.isfinite(values)]
    mean = seen.mean()
    origin = float(seen.min() if ((seen - mean) ** 3).sum() > 0.0 else seen.max()) + 0.0  # no minus zero
    return [LogScale(float(each * (mean - origin)), origin) for each in LOG_SCALES if mean != origin]
