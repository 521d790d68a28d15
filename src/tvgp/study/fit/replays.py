"""What methods would have cost in the training part of a record, as if each quarter of it were new."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tvgp import fitting
from tvgp.fitting.field_choice import Name
from tvgp.study.data import field
from tvgp.study.results import advice
from tvgp.study.run import field_player


def regret(train: field.Field, name: Name) -> dict[str, float]:
    """Regret per round of each variant of `advice.REPLAYED` over the quarters of a record.

    name: of the model. In a quarter its mean and covariance, and the site means that the rule goes by, are
    those of the other quarters (`tvgp.fitting.left_out`).
    """
    found: dict[str, list[float]] = {variant: [] for variant in advice.REPLAYED}
    for rows, sites, models in fitting.left_out(
        train.value, field.elapsed(train), field.positions(train), name
    ):
        rest = np.delete(train.value[:, sites], rows, axis=0)
        by_site = replace(models[name], mean=fitting.shrunk_means(rest).mean)
        environment, horizon = field_player.opened(train.during(rows).at(sites), None)
        for variant, (algorithm, values) in advice.REPLAYED.items():
            model = by_site if variant == advice.RULE else models[name]
            play = field_player.under(environment, horizon, model, ("replay", variant))
            found[variant] += play(algorithm, **values).regret.tolist()
    return {variant: float(np.mean(each)) for variant, each in found.items()}
