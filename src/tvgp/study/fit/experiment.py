"""All parameters of one experiment: the content of results/fits/<experiment>.json."""

from __future__ import annotations

import numpy as np

from tvgp import kernels
from tvgp.fitting.marginal_likelihood import PARAMETERS, Fit, fit_marginal_likelihood
from tvgp.fitting.norm import norm_bound
from tvgp.fitting.observations import Training
from tvgp.fitting.predictive import fit_predictive, predictive_log_likelihood

# Order of estimation: each stage uses the values of those before it.
FITTED = ("prior_mean", *PARAMETERS, "alpha", "gamma", "norm_bound")


def fit_experiment(
    experiment: str,
    training: Training,
    *,
    rng: np.random.Generator,
    kernel_name: str = "se",
    given: dict[str, float] | None = None,
    bounds: dict[str, tuple[float, float]] | None = None,
    starts: int = 5,
    norm_quantile: float = 0.95,
    norm_cap: float = 20.0,
    value_units: str = "1",
    coordinate_units: str = "1",
    round_units: str = "round",
) -> dict:
    """Fit what is not `given`; a plain mapping, ready for JSON, without wall times.

    1. prior_mean: 0 for synthetic data, else the mean of all training values.
    2. variance, length_scale, noise_variance, epsilon: jointly by marginal likelihood under the
       TV model, because a static one would take drift for roughness or noise.
    3. alpha, gamma: one-step-ahead predictive likelihood on the sequence, kernel and noise of 2.
    4. norm_bound: `norm_quantile` of the RKHS norms of the training slices, at most `norm_cap`.

    `given` and `bounds` are keyed by the names in `FITTED` (bounds: those of 2 and 3). The entry
    `alternatives` holds the marginal likelihoods of the other kernels, unless the kernel is
    given; `predictive` compares the one-step log likelihoods of the memory models.
    """
    given, bounds = _known(given or {}, FITTED), _known(bounds or {}, (*PARAMETERS, *FITTED[5:7]))
    for name, value in given.items():
        if not np.isfinite(value):
            raise ValueError(f"fit: given {name} is {value}, must be a finite number")
    if training.source == "synthetic":
        given = {"prior_mean": 0.0} | given
    mean = float(given.get("prior_mean", np.nanmean(training.slices)))
    fit, alternatives = _fit_kernels(training, mean, kernel_name, given, bounds, starts, rng)

    points, times, values = training.sequence
    sequence = (fit.kernel, points, times, values - mean, fit.noise_variance)
    chosen, predictive, hit = {}, {}, list(fit.bounds_hit)
    for name in ("alpha", "gamma"):
        if name in given:
            chosen[name] = float(given[name])
            predictive[name] = predictive_log_likelihood(*sequence, **{name: chosen[name]})
        else:
            found = fit_predictive(*sequence, name, bounds=bounds.get(name))
            chosen[name], predictive[name] = found.value, found.log_likelihood
            hit += found.bounds_hit
    predictive["static"] = predictive_log_likelihood(*sequence)
    predictive["epsilon"] = predictive_log_likelihood(*sequence, epsilon=fit.epsilon)

    norm = norm_bound(
        fit.kernel,
        training.coordinates,
        training.slices,
        fit.noise_variance,
        prior_mean=mean,
        quantile=norm_quantile,
        cap=norm_cap,
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
        "sequence_rounds": len(values),
        "optimiser": {
            "status": fit.status,
            "gradient_norm": fit.gradient_norm,
            "starts": fit.starts,
            "starts_converged": fit.starts_converged,
            "starts_agreeing": fit.starts_agreeing,
            "bounds": {name: list(b) for name, b in fit.bounds.items()},
        },
        "standard_errors": fit.standard_errors,
        "intervals_95": {name: list(ends) for name, ends in fit.intervals().items()},
        "alternatives": alternatives,
        "predictive": predictive,
        "norm": {
            "estimate": norm.uncapped,
            "quantile": norm.quantile,
            "largest": norm.largest,
            "slices": norm.slices,
            "cap": float(norm_cap),
        },
        "units": {
            "variance": _squared(value_units),
            "length_scale": coordinate_units,
            "noise_variance": _squared(value_units),
            "epsilon": f"1/{round_units}",
            "alpha": "1",
            "gamma": f"factor per {round_units}",
            "norm_bound": "1",
            "prior_mean": value_units,
            "standard_errors": "log of the parameter; epsilon: logit",
        },
    }


def _fit_kernels(
    training: Training, mean: float, kernel_name: str, given: dict, bounds: dict, starts: int, rng
) -> tuple[Fit, dict]:
    """The fit with the chosen kernel and a table of the others.

    The others start from the chosen kernel's optimum and from the default, nothing else: they
    are there to be compared, not used.
    """
    estimate = tuple(name for name in PARAMETERS if name not in given)
    arguments = {
        "estimate": estimate,
        "fixed": {name: float(given[name]) for name in PARAMETERS if name in given},
        "bounds": {name: tuple(b) for name, b in bounds.items() if name in PARAMETERS},
    }
    data = (training.points, training.times, training.values - mean)
    # the chosen kernel's stream comes first: a new kernel must not change it
    chosen, *others = rng.spawn(1 + len(kernels.fittable()))
    fit = fit_marginal_likelihood(*data, kernel_name, rng=chosen, starts=starts, **arguments)
    if not {"variance", "length_scale"} & set(estimate):
        return fit, {}
    table = {}
    for name, stream in zip(kernels.fittable(), others, strict=True):
        other = fit
        if name != kernel_name:
            other = fit_marginal_likelihood(
                *data, name, rng=stream, starts=2, initial=fit.parameters, **arguments
            )
        table[name] = {
            "log_marginal_likelihood": other.log_marginal_likelihood,
            **other.parameters,
            "bounds_hit": list(other.bounds_hit),
        }
    return fit, table


def _known(mapping: dict, names: tuple[str, ...]) -> dict:
    for name in mapping:
        if name not in names:
            raise ValueError(f"fit: unknown parameter {name!r}; known: {', '.join(names)}")
    return {name: value for name, value in mapping.items() if value is not None}


def _squared(units: str) -> str:
    return units if units == "1" else f"({units})^2"
