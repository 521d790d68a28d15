"""What methods would have cost in the training part of a record, as if each quarter of it were new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tvgp import fitting
from tvgp.contracts import Environment
from tvgp.fitting import FieldModel
from tvgp.fitting.field_choice import Name
from tvgp.log_scale import LogScale
from tvgp.study.data import field
from tvgp.study.results import advice
from tvgp.study.run import field_player


def regret(train: field.Field, name: Name, scale: LogScale | None = None) -> dict[str, float]:
    """Regret per round of each variant of `advice.REPLAYED` over the quarters of a record.

    name, scale: of the model. In a quarter its mean and covariance, and the site means that the rule goes by,
    are those of the other quarters (`tvgp.fitting.left_out`).
    """
    found: dict[str, list[float]] = {variant: [] for variant in advice.REPLAYED}
    for environment, horizon, model, rest in _quarters(train, name, scale):
        by_site = replace(model, mean=fitting.shrunk_means(rest).mean)
        for variant, (algorithm, values) in advice.REPLAYED.items():
            under = by_site if variant == advice.RULE else model
            play = field_player.under(environment, horizon, under, ("replay", variant))
            found[variant] += play(algorithm, **values).regret.tolist()
    return {variant: float(np.mean(each)) for variant, each in found.items()}


def reading_cost(train: field.Field, name: Name, scale: LogScale | None, prices: Sequence[float]) -> float:
    """Regret plus price times readings, per round, of Pandora's index over the quarters of a record, averaged
    over prices; the model as in `regret`."""
    costs: list[float] = []
    for environment, horizon, model, _ in _quarters(train, name, scale):
        play = field_player.under(environment, horizon, model, ("replay", "reading"))
        for price in prices:
            run = play("pandora_gp_ucb", "before", model="field", price=price)
            costs += (run.regret + price * run.expert_queries).tolist()
    return float(np.mean(costs))


def _quarters(
    train: field.Field, name: Name, scale: LogScale | None
) -> Iterator[tuple[Environment, int, FieldModel, np.ndarray]]:
    """Each quarter, its number of rounds, the model from the others, and their values."""
    for rows, sites, models in fitting.left_out(
        train.value, field.elapsed(train), field.positions(train), scale, [name]
    ):
        environment, horizon = field_player.opened(train.during(rows).at(sites), None)
        yield environment, horizon, models[name], np.delete(train.value[:, sites], rows, axis=0)
