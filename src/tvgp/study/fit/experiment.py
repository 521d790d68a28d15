"""All parameters of one experiment: the content of results/fits/<experiment>.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tvgp import kernels
from tvgp.fitting.marginal_likelihood import PARAMETERS, Fit, fit_marginal_likelihood
from tvgp.fitting.norm import norm_bound
from tvgp.fitting.observations import Training
from tvgp.fitting.predictive import fit_predictive, mean_log_likelihood

# Order of estimation: each stage uses the values of those before it.
FITTED = ("prior_mean", *PARAMETERS, "alpha", "gamma", "norm_bound")
NORM_QUANTILE, NORM_CAP = 0.95, 20.0
# Prior variance of the sites' lasting levels, in mean squares of the values: any levels are likely.
LEVELS = 100.0
# Attributes of `Fit` recorded in the fit's file.
OPTIMISER = ("status", "gradient_norm", "starts", "starts_converged", "starts_agreeing")


def fit_experiment(
    experiment: str,
    training: Training,
    *,
    rng: np.random.Generator,
    kernel_name: str = "se",
    given: Mapping[str, float],
    starts: int = 5,
    units: Mapping[str, str],
    levels: bool = False,
) -> dict[str, Any]:
    """Fit every parameter that is not `given`; a plain mapping for JSON, without wall times.

    1. prior_mean: 0 for synthetic data, else the mean of all training values.
    2. variance, length_scale, noise_variance, epsilon: jointly by marginal likelihood under the
       TV model, because a static one would take drift for roughness or noise. With `levels` each site has
       a lasting level of its own, integrated out under a wide prior: subtracting the means of the sites
       alone would take the slow part of the field with them and epsilon for too large. For a field without
       `levels` the variance is at most the mean square of the training values about the prior mean: from
       values close in time a likelihood tells variance * epsilon, the change per round, but not the two
       apart (Zhang 2004, "Inconsistent estimation and asymptotically equal interpolations", JASA 99), and
       lasting levels drive the variance up. That leaves epsilon biased, so it has no interval there.
    3. alpha, gamma: one-step-ahead predictive likelihood on the sequences, kernel and noise of 2.
    4. norm_bound: `NORM_QUANTILE` of the RKHS norms of the training slices, at most `NORM_CAP`.

    `given` is keyed by the names in `FITTED`; `units`: see `tvgp.study.fit.units`. The entry `predictive`
    compares the memory models by their one-step log likelihoods, means over sequences. ValueError for an
    unknown name and for a number that is not finite.
    """
    for name, value in given.items():
        if name not in FITTED:
            raise ValueError(f"fit: unknown parameter {name!r}; known: {', '.join(FITTED)}")
        if not np.isfinite(value):
            raise ValueError(f"fit: given {name} is {value}, must be a finite number")
    if training.source == "synthetic":
        given = {"prior_mean": 0.0, **given}
    mean = float(given.get("prior_mean", np.nanmean(training.slices)))
    fit = _fit_kernel(training, mean, kernel_name, given, starts, rng, levels)
    intervals = {name: list(ends) for name, ends in fit.intervals().items()}
    if training.source != "synthetic" and not levels:
        intervals.pop("epsilon", None)

    sequences = [(points, times, values - mean) for points, times, values in training.sequences]
    model = (fit.kernel, sequences, fit.noise_variance)
    chosen: dict[str, float] = {}
    predictive: dict[str, float] = {}
    hit = list(fit.bounds_hit)
    for name in ("alpha", "gamma"):
        if name in given:
            chosen[name] = float(given[name])
            memory: dict[str, Any] = {name: chosen[name]}
            predictive[name] = mean_log_likelihood(*model, **memory)
        else:
            found = fit_predictive(*model, name)
            chosen[name], predictive[name] = found.value, found.log_likelihood
            hit += found.bounds_hit
    predictive["static"] = mean_log_likelihood(*model)
    predictive["epsilon"] = mean_log_likelihood(*model, epsilon=fit.epsilon)

    norm = norm_bound(
        fit.kernel,
        training.coordinates,
        training.slices,
        fit.noise_variance,
        prior_mean=mean,
        quantile=NORM_QUANTILE,
        cap=NORM_CAP,
    )
    if "norm_bound" not in given:
        hit += norm.bounds_hit
    return {
        "experiment": experiment,
        "source": training.source,
        "kernel": kernels.describe(fit.kernel),
        "noise_variance": fit.noise_variance,
        "epsilon": fit.epsilon,
        "alpha": chosen["alpha"],
        "gamma": chosen["gamma"],
        "norm_bound": float(given.get("norm_bound", norm.value)),
        "prior_mean": mean,
        "estimated": [name for name in FITTED if name not in given],
        "bounds_hit": hit,
        "log_marginal_likelihood": fit.log_marginal_likelihood,
        "points": fit.n,
        "points_available": training.available,
        "sequence_rounds": len(sequences[0][0]),
        "optimiser": {
            **{name: getattr(fit, name) for name in OPTIMISER},
            "bounds": {name: list(ends) for name, ends in fit.bounds.items()},
        },
        "standard_errors": fit.standard_errors,
        "intervals_95": intervals,
        "predictive": predictive,
        "norm": {"estimate": norm.uncapped, "cap": NORM_CAP},
        "units": dict(units),
    }


def _fit_kernel(
    training: Training,
    mean: float,
    kernel_name: str,
    given: Mapping[str, float],
    starts: int,
    rng: np.random.Generator,
    levels: bool,
) -> Fit:
    estimate = tuple(name for name in PARAMETERS if name not in given)
    arguments: dict[str, Any] = {
        "estimate": estimate,
        "fixed": {name: float(given[name]) for name in PARAMETERS if name in given},
    }
    data = (training.points, training.times, training.values - mean)
    spread = float(np.nanmean((training.slices - mean) ** 2))
    if levels:
        arguments["level_variance"] = LEVELS * spread
    elif training.source != "synthetic" and "variance" in estimate:
        arguments["bounds"] = {"variance": (1e-4 * spread, spread)}
    return fit_marginal_likelihood(*data, kernel_name, rng=rng.spawn(1)[0], starts=starts, **arguments)
