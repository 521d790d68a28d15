"""The fit of an experiment: model parameters from training data, before any run counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tvgp import streams
from tvgp.study.data import field
from tvgp.study.fit.job import FitJob
from tvgp.study.fit.units import units_of
from tvgp.study.results import blocks
from tvgp.study.run.world import World, field_arms

if TYPE_CHECKING:  # slow to import
    from tvgp.fitting import FieldFit, FieldPrior


DAYS = 7  # of training, from which on the best site of each hour can be told


def fit(job: FitJob, data: field.Field | None = None) -> dict[str, Any]:
    """Content of results/fits/<experiment>.json, from the training part of the data or from an
    independent training run of the environment. Numbers in the job's model are given, not fitted.
    It says whether the data stand in for others (substitute) and what was subtracted from them (anomaly).
    """
    if job.kernel == "empirical":
        if data is None:
            raise ValueError(f"experiment {job.experiment.name}: an empirical kernel needs a dataset")
        found = _empirical(job, data, **job.model)
    elif job.training is None:
        found = _given(job, data, **job.model)
    else:
        found = _estimated(job, data, **job.training)
    for model in job.models:
        if data is None:
            raise ValueError(f"experiment {job.experiment.name}: the model {model} needs a dataset")
        found[model] = _chosen(data) if model == "chosen" else _panel(data)
    attributes = {} if data is None else data.attrs
    return found | {key: attributes[key] for key in ("substitute", "anomaly") if attributes.get(key)}


def _estimated(job: FitJob, data: field.Field | None, *, queries: int, starts: int) -> dict[str, Any]:
    """A fit by likelihood of every number that the model marks as "fit", and, for a prior mean marked as
    "sites", of one prior mean per site."""
    from tvgp import fitting  # slow to import, and most synthetic models are given
    from tvgp.study.fit.experiment import fit_experiment

    name = job.experiment.name
    rng = streams.generator("training", name, "fit")
    offsets = None
    if data is None:
        longer = replace(job.experiment, horizon=max(job.experiment.horizon or 0, queries))
        environment = World.open(longer, training=True).environment("fit", 0)
        observed = fitting.from_environment(environment, rng, rounds=queries)
    else:
        values = data.value
        if job.model["prior_mean"] == "sites":
            offsets = np.nan_to_num(fitting.site_offsets(values))  # 0: no training value
            values = values - offsets
        observed = fitting.from_field(
            values,
            field_arms(data),
            rng,
            source=data.attrs["source"],
            max_points=queries,
            times=field.elapsed(data),
        )
    found = fit_experiment(
        name,
        observed,
        rng=rng,
        kernel_name=job.kernel,
        given={key: float(value) for key, value in job.model.items() if value not in ("fit", "sites")},
        starts=starts,
        units=units_of(job.units, _coordinate_units(data), job.round_label),
        levels=offsets is not None,
    )
    return found if offsets is None else found | {"prior_mean": (found["prior_mean"] + offsets).tolist()}


def _given(
    job: FitJob,
    data: field.Field | None,
    *,
    variance: float,
    length_scale: float,
    noise_variance: float,
    norm_bound: float | str,
    prior_mean: float,
) -> dict[str, Any]:
    """A fit without estimates: every number comes from the configuration or, for an exact norm bound,
    from the environment of each run."""
    units = units_of(job.units, _coordinate_units(data), job.round_label)
    named = ("variance", "noise_variance", "norm_bound", "length_scale", "prior_mean")
    return {
        "experiment": job.experiment.name,
        "source": "synthetic" if data is None else data.attrs["source"],
        "kernel": {"name": job.kernel, "variance": float(variance), "length_scale": float(length_scale)},
        "noise_variance": float(noise_variance),
        "epsilon": None,
        "alpha": None,
        "gamma": None,
        "norm_bound": None if norm_bound == "exact" else float(norm_bound),
        "prior_mean": float(prior_mean),
        "estimated": [],
        "bounds_hit": [],
        "units": {name: units[name] for name in named},
    }


def _empirical(
    job: FitJob,
    data: field.Field,
    *,
    centre: str,
    noise_fraction: float,
    epsilon: float | str,
    independent_days: bool,
) -> dict[str, Any]:
    """Empirical covariance and epsilon; independent days are separate stretches of time."""
    from tvgp import fitting

    days = data.time.astype("datetime64[D]")
    given = {} if epsilon == "fit" else {"epsilon": float(epsilon)}
    return fitting.fit_empirical(
        job.experiment.name,
        data.value,
        days.tolist() if independent_days else [0] * len(days),
        field.elapsed(data),
        source=data.attrs["source"],
        centre=centre,
        noise_fraction=noise_fraction,
        value_units=job.units,
        round_units=job.round_label,
        **given,
    )


def _panel(data: field.Field) -> dict[str, Any]:
    """What variants of the model field have in place of the numbers above."""
    from tvgp import fitting

    means = fitting.shrunk_means(data.value)
    covariance = fitting.shrunk_covariance(data.value - means.mean).covariance
    found = fitting.fit_field(data.value, means.common, covariance, field.elapsed(data))
    return {**_numbers(means.mean, found), **_told(found)}


def _told(fit: FieldFit) -> dict[str, Any]:
    """How well the data tell the time scales of a fit."""
    return {
        "half_lives": {part: _finite(fit.half_life(part)) for part in ("fast", "slow")},
        "bounds_hit": list(fit.bounds_hit),
        "doubts": fit.doubts(),
    }


def _numbers(mean: np.ndarray, model: FieldPrior) -> dict[str, Any]:
    """What policies read of a fit, of a model of the field with the prior mean of each site."""
    from tvgp import kernels

    return {
        "kernel": kernels.describe(kernels.make("empirical", covariance=model.covariance)),
        "noise_variance": model.noise_variance,
        "prior_mean": mean.tolist(),
        "norm_bound": None,
        "epsilon": model.epsilon,
        **model.parameters(),
    }


def _correlations(data: field.Field) -> dict[str, float | None]:
    """Correlation of the values of a site one, two and three rounds apart, and the first lag, up to a third
    of the rounds, at which it is below 1/2, None where there is none."""
    from tvgp import fitting

    times = field.elapsed(data)
    lags, longest = 3, max(3, int(times[-1] - times[0]) // 3)
    found = fitting.lag_correlations(data.value, times, lags)
    while lags < longest and not (found < 0.5).any():
        lags = min(4 * lags, longest)
        found = fitting.lag_correlations(data.value, times, lags)
    half = next((lag for lag, value in enumerate(found, 1) if value < 0.5), None)
    return dict(zip("123", _finite(found[:3].tolist()), strict=True)) | {"half": half}


def _chosen(data: field.Field) -> dict[str, Any]:
    """What variants of the model chosen have in their place."""
    from tvgp import fitting
    from tvgp.study.fit import replays, scale

    choice, told = scale.choose(data)
    return {
        **_numbers(choice.model.mean, choice.model),
        **_told(choice.fit),
        "site_means": fitting.shrunk_means(data.value).mean.tolist(),
        **_hours(data),
        "correlations": _correlations(data),
        "rounds": int(field.elapsed(data)[-1]),
        "name": " ".join(choice.name),
        "scores": {" ".join(name): score for name, score in choice.scores.items()},
        **told,
        "replays": replays.regret(data, choice.name, choice.scale),
        "replayed_rounds": int(np.isfinite(data.value).any(axis=1).sum()),
    }


def _hours(data: field.Field) -> dict[str, list[list[int]]]:
    """The sites by their mean at each hour of the day, largest first, (24, sites); nothing where steps are
    days or days are few."""
    from tvgp import fitting

    hours = blocks.hours_of_day(data.time)
    if len(np.unique(hours)) < 2 or len(np.unique(data.time.astype("datetime64[D]"))) < DAYS:
        return {}
    at = [data.value[hours == hour] for hour in range(24)]
    offsets = [fitting.site_offsets(each if np.isfinite(each).any() else data.value) for each in at]
    return {"hour_orders": [np.argsort(-each, kind="stable").tolist() for each in offsets]}


def _finite(numbers: Sequence[float]) -> list[float | None]:
    """Numbers for JSON, which has no infinity: None in its place."""
    return [number if math.isfinite(number) else None for number in numbers]


def _coordinate_units(data: field.Field | None) -> str:
    return "1" if data is None else data.attrs["coordinates"]
