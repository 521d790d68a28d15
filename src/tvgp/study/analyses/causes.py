"""What moves regret on a real field: its model, the method, the width or the number of queries; one cause
varied at a time, on one field per part.

Models are those of `tvgp.fitting.field_models`, fitted to the training part: mean x covariance x time.
Every method receives the model's mean, covariance and noise, and what it can use of the rest:

    gp_ucb            a function that does not change
    tv_gp_ucb         one scale, epsilon = 1 - exp(-2/l_fast)
    field_gp_ucb      the time of the model: static, one scale or two
    sw_, w_, ui_gp_ucb, sparq_gp_ucb, w_sparq_gp_ucb   their own way to forget, with recommended parameters

Width is a number, or "published", the information width with the bound B = 5 where the method has it. Queries
of a fixed number a round are asked one by one at the largest mu + 1.5 sigma on the posterior of the model
itself; SparQ's, of the numbers that several scales c in Q_t = ceil(c log t) give, under the models of
`SUBSET`. The record is one path, whose rounds are the sample (`tvgp.study.results.blocks`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import xarray as xr

from tvgp import environments, fitting, kernels, policies, streams
from tvgp.contracts import Environment, Moment
from tvgp.fitting import FieldModel
from tvgp.fitting.field_choice import Name
from tvgp.simulate import Run, simulate
from tvgp.study.data import field

METHODS = (
    "gp_ucb",
    "tv_gp_ucb",
    "field_gp_ucb",
    "sw_gp_ucb",
    "w_gp_ucb",
    "ui_gp_ucb",
    "sparq_gp_ucb",
    "w_sparq_gp_ucb",
)
WIDTHS = (0, 0.5, 1, 2, "published")
NUMBERS = (0, 1, 2, 3, 5, 8, 12)
ASKERS = ("sparq_gp_ucb", "w_sparq_gp_ucb")
SCALES = (0.3, 1, 2, 4, 6)
SUBSET = ("empirical", "two")
_ASKED = {"static": "gp", "one": "tv", "two": "field"}  # model of Pandora-GP-UCB
_MODEL = ("mean", "covariance", "time")


def uses(**_: Any) -> tuple[str, ...]:
    """The modules of the environment and of the policies."""
    own = ("pandora_gp_ucb", *METHODS)
    return ("tvgp.environments.field", *(f"tvgp.policies.{name}" for name in own))


def run(
    seeds: Sequence[int],
    data: tuple[field.Field, field.Field],
    dataset: str,
    rounds: int | None = None,
    methods: Sequence[str] = METHODS,
    widths: Sequence[str | float] = WIDTHS,
    asked_width: float = 0.5,
    numbers: Sequence[int] = NUMBERS,
    scales: Sequence[float] = SCALES,
    moment: str = "after",
) -> xr.Dataset:
    """Of methods without queries but their own: policy_regret (policy, mean, covariance, time, width, seed,
    round) and policy_queries, per round; of a number of queries a round, played at the width `asked_width`:
    asked_regret (mean, covariance, time, number, seed, round), and of SparQ's own, scaled:
    subset_regret (asker, mean, scale, seed, round) and subset_queries. Also uniform (round), the regret of
    random play, and asked_width and moment. Covariances that need positions are missing where there are none.

    data: training and test part; rounds: of the test part, all if None; moment: of those queries.
    """
    train, test = data
    known = train.attrs["coordinates"] != "index"
    positions = field.coordinates(train.lat, train.lon, train.attrs["coordinates"]) if known else None
    models = fitting.field_models(train.value, field.elapsed(train), positions)
    environment, horizon = _environment(test, rounds)
    play = _Player(environment, horizon, dataset)
    grid = [list(dict.fromkeys(str(each) for each in names)) for names in zip(*models, strict=True)]
    shape = tuple(len(levels) for levels in grid)
    own = np.empty((2, len(methods), len(models), len(widths), len(seeds), horizon))
    asked = np.empty((len(models), len(numbers), len(seeds), horizon))
    subset = np.empty((2, len(ASKERS), shape[0], len(scales), len(seeds), horizon))
    for i, (name, model) in enumerate(models.items()):  # in the order of the grid
        for (s, seed), (m, method), (w, width) in product(
            enumerate(seeds), enumerate(methods), enumerate(widths)
        ):
            found = play(method, name, model, seed, width)
            own[:, m, i, w, s] = found.regret, found.expert_queries
        for (s, seed), (n, number) in product(enumerate(seeds), enumerate(numbers)):
            asked[i, n, s] = play.asking(name, model, seed, asked_width, number, moment).regret
        for (s, seed), (a, asker), (c, scale) in product(
            enumerate(seeds), enumerate(ASKERS), enumerate(scales if name[1:] == SUBSET else ())
        ):
            found = play(asker, name, model, seed, asked_width, query_scale=float(scale))
            subset[:, a, grid[0].index(name[0]), c, s] = found.regret, found.expert_queries
    own = own.reshape(2, len(methods), *shape, len(widths), len(seeds), horizon)
    asked = asked.reshape(*shape, len(numbers), len(seeds), horizon)
    readings = np.array([environment.mean_rewards(t) for t in environment.times(horizon).tolist()])
    random = np.nanmax(readings, axis=1) - np.nanmean(readings, axis=1)
    dims = ("policy", *_MODEL, "width", "seed", "round")
    return xr.Dataset(
        {
            "policy_regret": (dims, own[0]),
            "policy_queries": (dims[:-1], own[1].mean(axis=-1)),
            "asked_regret": ((*_MODEL, "number", "seed", "round"), asked),
            "subset_regret": (("asker", "mean", "scale", "seed", "round"), subset[0]),
            "subset_queries": (("asker", "mean", "scale", "seed"), subset[1].mean(axis=-1)),
            "uniform": ("round", random),
            "asked_width": asked_width,
            "moment": moment,
        },
        coords=dict(zip(_MODEL, grid, strict=True))
        | {"policy": list(methods), "width": [str(width) for width in widths], "number": list(numbers)}
        | {"asker": list(ASKERS), "scale": [float(scale) for scale in scales]}
        | {"round": np.arange(1, horizon + 1)},
    )


class _Player:
    """Runs on a field under a model."""

    def __init__(self, environment: Environment, horizon: int, dataset: str) -> None:
        self._environment, self._horizon, self._dataset = environment, horizon, dataset

    def __call__(
        self, method: str, name: Name, model: FieldModel, seed: int, width: str | float, **values: Any
    ) -> Run:
        """A run of a method."""
        values |= _time(model) | ({} if width == "published" else {"width": float(width)})
        if width == "published" and method == "field_gp_ucb":
            values["width"] = "information"
        return self._run(method, name, model, seed, values, "after")

    def asking(self, name: Name, model: FieldModel, seed: int, width: float, number: int, moment: str) -> Run:
        """A run with a number of queries a round."""
        rule = {"rule": "upper_bound", "number": number, "model": _ASKED[name[2]], "width": width}
        values = _time(model) | rule
        chosen: Moment = "before" if moment == "before" else "after"
        return self._run("pandora_gp_ucb", name, model, seed, values, chosen)

    def _run(
        self, method: str, name: Name, model: FieldModel, seed: int, values: dict[str, Any], moment: Moment
    ) -> Run:
        arms, names = self._environment.arms, ("causes", self._dataset, seed)
        last = int(self._environment.times(self._horizon)[-1])
        values = values | {"prior_mean": tuple(model.mean.tolist()), "horizon": last}
        known = policies.parameters(method)
        policy = policies.make(
            method,
            arms=arms,
            kernel=kernels.make("empirical", covariance=model.covariance),
            noise_variance=model.noise_variance,
            **{key: value for key, value in values.items() if key in known},
        )
        rng = streams.generator(*names, *name, method)
        fields = streams.noise_fields(len(arms), *names)
        return simulate(policy, self._environment, self._horizon, rng=rng, queries=moment, **fields)


def _time(model: FieldModel) -> dict[str, Any]:
    """Parameters of time, for methods that have them."""
    return {**model.parameters(), "epsilon": model.epsilon}


def _environment(test: field.Field, rounds: int | None) -> tuple[Environment, int]:
    """The test part with sites as arms, and its number of rounds."""
    played = np.flatnonzero(np.isfinite(test.value).any(axis=1))[:rounds]
    arms = np.arange(float(test.value.shape[1]))[:, None]
    times = field.elapsed(test)[played]
    return environments.make("field", arms=arms, values=test.value[played], times=times), len(played)
