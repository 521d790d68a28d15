"""What moves regret on a real field: its model, the method, the width or the number of queries; one cause
varied at a time, on one field per part.

Models are those of `tvgp.fitting.field_models`, fitted to the training part: mean x covariance x time.
Every method receives the model's mean, covariance and noise, and what it can use of the rest:

    gp_ucb            a function that does not change
    tv_gp_ucb         one scale, epsilon = 1 - exp(-2/l_fast)
    field_gp_ucb      the time of the model: static, one scale or two
    ui_tvbo           one scale, as TV-GP-UCB
    others            their own way to forget or to restart, with recommended parameters
    ..._alpha         the same with alpha by `tvgp.fitting.fit_predictive`
    dal_gp_ucb        GLR-GP-UCB with its test of covering arms
    r_perp            its standard deviations of elimination in place of a width, ours where none is given
    gp_ts, tv_gp_ts   the scale of their draws in place of a width, 1 where it is published, the theorem's
                      where B is fitted

These are the methods of the league and of the papers that a model of a field can run. It cannot run W-DBO,
whose relevance has a closed form for a squared exponential or a Matérn kernel of positions alone, nor
pi-GP-UCB, whose cells are boxes of positions; S-GP-TS is GP-TS where inducing points are the sites; OPKB has
designs in place of a width; methods without a model do not depend on it.

Width is a number, "published", the information width with the bound B = 5, or "bound", the same with B by
`tvgp.fitting.norm_bound`. Queries of a fixed number per round are asked one by one at the largest
mu + 1.5 sigma on the posterior of the model itself; SparQ's, of the numbers that several scales c in
Q_t = ceil(c log t) give. Both come after the choice, as in the papers, and before it, at several widths. The
record is one path, whose rounds are the sample (`tvgp.study.results.blocks`).

What could choose the model in training is there beside the regret: the predictive likelihood of
`tvgp.fitting.choose_field`, and the regret of Field-GP-UCB in replays of each quarter of the training part
under the models of the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
import xarray as xr

from tvgp import fitting, kernels, streams
from tvgp.contracts import Moment
from tvgp.fitting import FieldModel
from tvgp.fitting.field_choice import CANDIDATES, COVARIANCES, Name
from tvgp.study.data import field
from tvgp.study.run import field_player

METHODS = (
    "gp_ucb",
    "igp_ucb",
    "gp_ts",
    "tv_gp_ucb",
    "field_gp_ucb",
    "st_gp_ucb",
    "sw_gp_ucb",
    "w_gp_ucb",
    "ui_gp_ucb",
    "ui_gp_ucb_alpha",
    "r_gp_ucb",
    "ui_tvbo",
    "et_gp_ucb",
    "glr_gp_ucb",
    "dal_gp_ucb",
    "bob_gp_ucb",
    "master_gp_ucb",
    "r_perp",
    "tv_gp_ts",
    "sparq_gp_ucb",
    "w_sparq_gp_ucb",
    "w_sparq_gp_ucb_alpha",
    "aw_sparq_gp_ucb",
)
PUBLISHED, BOUND = "published", "bound"
WIDTHS = (0, 0.5, 1, 2, PUBLISHED, BOUND)
NUMBERS = (0, 1, 2, 3, 5, 8, 12)
MOMENTS: tuple[Moment, ...] = ("after", "before")
ASKERS = ("sparq_gp_ucb", "w_sparq_gp_ucb")
SCALES = (0.3, 1, 2, 6)
REPLAYED = 0.5  # width of Field-GP-UCB in replays of the training part
_CHOSEN = "_alpha"  # ends the name of a method whose alpha is
_DAL: tuple[str, dict[str, Any]] = ("glr_gp_ucb", {"test": "arms"})
_DRAWING = ("gp_ts", "tv_gp_ts")
_ASKED = {"static": "gp", "one": "tv", "two": "field"}  # model of Pandora-GP-UCB
_MODEL = ("mean", "covariance", "time")


def uses(**_: Any) -> tuple[str, ...]:
    """The modules of the environment and of the policies."""
    own = dict.fromkeys(("pandora_gp_ucb", *(_played(name)[0] for name in METHODS)))
    return ("tvgp.environments.field", *(f"tvgp.policies.{name}" for name in own))


def run(
    seeds: Sequence[int],
    data: tuple[field.Field, field.Field],
    dataset: str,
    rounds: int | None = None,
    covariances: Sequence[str] = COVARIANCES,
    methods: Sequence[str] = METHODS,
    widths: Sequence[str | float] = WIDTHS,
    asked_widths: Sequence[float] = (0, 0.5, 1, 2),
    numbers: Sequence[int] = NUMBERS,
    scales: Sequence[float] = SCALES,
    moments: Sequence[Moment] = MOMENTS,
    coordinates: str | None = None,
) -> xr.Dataset:
    """Of methods without queries but their own: policy_regret (policy, mean, covariance, time, width, seed,
    round) and policy_queries, per round; of a number of queries a round: asked_regret (moment, mean,
    covariance, time, asked_width, number, seed, round), and of SparQ's own, scaled: subset_regret (moment,
    asker, mean, covariance, time, asked_width, scale, seed, round) and subset_queries. Also uniform (round),
    the regret of random play, replayed, the width of replays, and of each model (mean, covariance, time): the
    alpha and norm_bound chosen under it, NaN where no method or width uses them, and from the training part
    alone its score and the regret of its replays. Covariances that need positions are missing where there are
    none.

    data: training and test part; rounds: of the test part, all if None; moments: of those queries;
    coordinates: of the sites, where the dataset itself is played without positions. ValueError without the
    levels that tables compare others with.
    """
    for name, given, level in (
        ("methods", methods, "tv_gp_ucb"),
        ("widths", widths, PUBLISHED),
        ("asked_widths", asked_widths, REPLAYED),
        ("numbers", numbers, 0),
    ):
        if level not in given:
            raise ValueError(f"causes: {name} is {list(given)}, expected {level!r} too, to compare with")
    train, test = (part.placed(coordinates) for part in data)
    candidates = [name for name in CANDIDATES if name[1] in covariances]
    panel = train.value, field.elapsed(train), field.positions(train)
    models = fitting.field_models(*panel, among=candidates)
    environment, horizon = field_player.opened(test, rounds)
    grid = [list(dict.fromkeys(str(each) for each in names)) for names in zip(*models, strict=True)]
    shape = tuple(len(levels) for levels in grid)
    own = np.empty((2, len(methods), len(models), len(widths), len(seeds), horizon))
    at_width = (len(models), len(asked_widths))
    asked = np.empty((len(moments), *at_width, len(numbers), len(seeds), horizon))
    subset = np.empty((2, len(moments), len(ASKERS), *at_width, len(scales), len(seeds), horizon))
    chosen = np.full((2, len(models)), np.nan)
    choosing = BOUND in widths or any(method.endswith(_CHOSEN) for method in methods)
    scores = fitting.choose_field(*panel, among=candidates).scores
    replays = _replayed(train, models, dataset)
    for i, ((_, _, time), model) in enumerate(models.items()):  # in the order of the grid
        if choosing:
            chosen[:, i] = _chosen(train, model)
        alpha, bound = chosen[:, i].tolist()
        for s, seed in enumerate(seeds):
            play = field_player.under(environment, horizon, model, ("causes", dataset, seed))
            for (m, method), (w, width) in product(enumerate(methods), enumerate(widths)):
                algorithm, values = _played(method)
                values |= _width(algorithm, width, bound)
                if method.endswith(_CHOSEN):
                    values["alpha"] = alpha
                found = play(algorithm, **values)
                own[:, m, i, w, s] = found.regret, found.expert_queries
            for (k, moment), (w, width) in product(enumerate(moments), enumerate(map(float, asked_widths))):
                rule = {"rule": "upper_bound", "model": _ASKED[time], "width": width}
                for n, number in enumerate(numbers):
                    asked[k, i, w, n, s] = play("pandora_gp_ucb", moment, **rule, number=number).regret
                for (a, asker), (c, scale) in product(enumerate(ASKERS), enumerate(scales)):
                    found = play(asker, moment, width=width, query_scale=float(scale))
                    subset[:, k, a, i, w, c, s] = found.regret, found.expert_queries
    own = own.reshape(2, len(methods), *shape, len(widths), len(seeds), horizon)
    of_model = (*shape, len(asked_widths))
    asked = asked.reshape(len(moments), *of_model, len(numbers), len(seeds), horizon)
    subset = subset.reshape(2, len(moments), len(ASKERS), *of_model, len(scales), len(seeds), horizon)
    readings = np.array([environment.mean_rewards(t) for t in environment.times(horizon).tolist()])
    random = np.nanmax(readings, axis=1) - np.nanmean(readings, axis=1)
    dims = ("policy", *_MODEL, "width", "seed", "round")
    by_number = ("moment", *_MODEL, "asked_width", "number", "seed", "round")
    by_scale = ("moment", "asker", *_MODEL, "asked_width", "scale", "seed", "round")
    return xr.Dataset(
        {
            "policy_regret": (dims, own[0]),
            "policy_queries": (dims[:-1], own[1].mean(axis=-1)),
            "asked_regret": (by_number, asked),
            "subset_regret": (by_scale, subset[0]),
            "subset_queries": (by_scale[:-1], subset[1].mean(axis=-1)),
            "alpha": (_MODEL, chosen[0].reshape(shape)),
            "norm_bound": (_MODEL, chosen[1].reshape(shape)),
            "score": (_MODEL, np.reshape([scores[name] for name in models], shape)),
            "replay": (_MODEL, np.reshape(replays, shape)),
            "uniform": ("round", random),
            "replayed": REPLAYED,
        },
        coords=dict(zip(_MODEL, grid, strict=True))
        | {"policy": list(methods), "width": [str(width) for width in widths], "number": list(numbers)}
        | {"asked_width": [float(width) for width in asked_widths]}
        | {"moment": list(moments), "asker": list(ASKERS), "scale": [float(scale) for scale in scales]}
        | {"round": np.arange(1, horizon + 1)},
    )


def _played(method: str) -> tuple[str, dict[str, Any]]:
    """Algorithm and parameters of a method."""
    algorithm, values = _DAL if method == "dal_gp_ucb" else (method.removesuffix(_CHOSEN), {})
    return algorithm, dict(values)


def _width(algorithm: str, width: str | float, bound: float) -> dict[str, Any]:
    """The parameters of a width; bound: B of the name `BOUND`."""
    if algorithm == "r_perp":
        return {} if width in (PUBLISHED, BOUND) else {"confidence": float(width)}
    if algorithm in _DRAWING:
        named = {PUBLISHED: {}, BOUND: {"scale": "theory", "norm_bound": bound}}
        return named[width] if isinstance(width, str) else {"scale": float(width)}
    if width not in (PUBLISHED, BOUND):
        return {"width": float(width)}
    formula: dict[str, Any] = {"width": "information"} if algorithm == "field_gp_ucb" else {}
    return formula | ({"norm_bound": bound} if width == BOUND else {})


def _replayed(train: field.Field, names: Iterable[Name], dataset: str) -> list[float]:
    """Regret per round of Field-GP-UCB in each quarter of a record, under each model fitted to the rest."""
    regret: dict[Name, list[float]] = {name: [] for name in names}
    panel = train.value, field.elapsed(train), field.positions(train)
    for rows, sites, models in fitting.left_out(*panel, among=regret):
        environment, horizon = field_player.opened(train.during(rows).at(sites), None)
        for name, found in regret.items():
            play = field_player.under(environment, horizon, models[name], ("causes", dataset, "training"))
            found += play("field_gp_ucb", width=REPLAYED).regret.tolist()
    return [float(np.mean(found)) for found in regret.values()]


def _chosen(train: field.Field, model: FieldModel) -> tuple[float, float]:
    """alpha by predictive likelihood and B by the norms of rounds, under a model, from its training part."""
    arms = np.arange(float(train.value.shape[1]))[:, None]
    kernel = kernels.make("empirical", covariance=model.covariance)
    observed = fitting.from_field(
        train.value - model.mean,
        arms,
        streams.generator("causes", "training"),
        source=train.attrs["source"],
        times=field.elapsed(train),
    )
    alpha = fitting.fit_predictive(kernel, observed.sequences, model.noise_variance, "alpha").value
    return alpha, fitting.norm_bound(kernel, arms, observed.slices, model.noise_variance).value
