"""AW-SparQ, which learns exponent and size of the drift, beside W-SparQ at known and assumed exponents.

Cells are drifts of an exponent and a step, and further environments by name. All methods have width 2:
under the information width the exponent hardly matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import xarray as xr

from tvgp import environments, kernels, policies, streams
from tvgp.contracts import Environment
from tvgp.fitting import variogram
from tvgp.policies.aw_sparq_gp_ucb import AWSparQGPUCB
from tvgp.simulate import Round
from tvgp.study.run.simulate_named import simulate_named

WIDTH = 2.0
NOISE_VARIANCE = 0.01
ASSUMED = (0.25, 0.5, 1.0, 1.5, 2.0)
SERIES = 20  # independent arms of a parametric bootstrap

# Algorithm and parameters; "alpha" and "drift_variance" of None are those of the cell.
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "adaptive": ("aw_sparq_gp_ucb", {}),
    "known": ("aw_sparq_gp_ucb", {"learn": False, "alpha": None, "drift_variance": None}),
    "published": ("w_sparq_gp_ucb", {"alpha": None}),
    **{f"assumed_{a:g}": ("w_sparq_gp_ucb", {"alpha": a}) for a in ASSUMED},
    **{
        f"fresh_{a:g}": ("w_sparq_gp_ucb", {"alpha": a, "subset": "greedy", "place": "domain"})
        for a in ASSUMED
    },
    "gp_ucb": ("gp_ucb", {}),
    "published_windows": ("aw_sparq_gp_ucb", {"windows": "published"}),
    "flat_prior": ("aw_sparq_gp_ucb", {"exponent_prior": 0.0}),
    "no_saturation": ("aw_sparq_gp_ucb", {"saturating": False}),
    "staleness_0.03": ("aw_sparq_gp_ucb", {"staleness": 0.03}),
    "staleness_0.3": ("aw_sparq_gp_ucb", {"staleness": 0.3}),
    "answers_half": ("aw_sparq_gp_ucb", {"expert_noise_variance": NOISE_VARIANCE / 2}),
    "answers_double": ("aw_sparq_gp_ucb", {"expert_noise_variance": NOISE_VARIANCE * 2}),
    "answers_fourfold": ("aw_sparq_gp_ucb", {"expert_noise_variance": NOISE_VARIANCE * 4}),
}
# Environment, its parameters, and variance and length-scale of the kernel.
OTHERS: dict[str, tuple[str, dict[str, Any], float, float]] = {
    "switch": ("drift", {"alpha": 0.5, "later_alpha": 1.5, "step": 0.1}, 0.5, 3.0),
    "static": ("abrupt", {"changes": 0}, 0.5, 3.0),
    "sign_flip": ("abrupt", {"changes": 1}, 0.5, 3.0),
    "new_draw": ("abrupt", {"changes": 1, "change": "draw"}, 0.5, 3.0),
    "rkhs_sine": ("rkhs_sine", {}, 0.5, 3.0),
    "moving_bump": ("moving_bump", {}, 2.0, 5.0),
}


def uses(methods: Sequence[str], others: Sequence[str] = (), **_: Any) -> tuple[str, ...]:
    """The environments and algorithms, loaded by name."""
    families = {"drift", *(OTHERS[name][0] for name in others if name in OTHERS)}
    algorithms = {METHODS[name][0] for name in methods if name in METHODS}
    return (
        *(f"tvgp.environments.{name}" for name in sorted(families)),
        *(f"tvgp.policies.{name}" for name in sorted(algorithms)),
    )


def run(
    seeds: Sequence[int],
    methods: Sequence[str],
    alphas: Sequence[float] = (),
    steps: Sequence[float] = (),
    others: Sequence[str] = (),
    horizon: int = 500,
    n_arms: int = 201,
    bootstrap: int = 0,
) -> xr.Dataset:
    """regret, queries (seed, variant, cell): regret per round after the first fifth, and expert queries;
    alpha, scale (seed, cell): what "adaptive" fitted last; low, high (seed, cell): 90 % interval of alpha by
    a parametric bootstrap of that many samples; window (seed, cell, round): its length of window. NaN for
    methods that know the exponent where there is none.

    ValueError for an unknown method or environment.
    """
    cells = [(f"{a:g}, step {s:g}", float(a), float(s)) for s in steps for a in alphas]
    names = [name for name, *_ in cells] + list(others)
    for kind, given, known in (("method", methods, METHODS), ("environment", others, OTHERS)):
        for name in given:
            if name not in known:
                raise ValueError(f"adaptive_alpha: no {kind} {name!r}; known: {', '.join(known)}")
    found = np.full((2, len(seeds), len(methods), len(names)), np.nan)
    fitted = np.full((4, len(seeds), len(names)), np.nan)
    window = np.full((len(seeds), len(names), horizon), np.nan)
    truths = np.array([[a, s] for _, a, s in cells] + [[np.nan, np.nan]] * len(others)).reshape(-1, 2)
    for i, seed in enumerate(seeds):
        for k, name in enumerate(names):
            stream = ("adaptive_alpha", name, seed)
            alpha, step = truths[k]
            settings = ("drift", {"alpha": alpha, "step": step}, 0.5, 3.0)
            family, values, variance, length_scale = OTHERS.get(name, settings)
            environment = _environment(family, values, horizon, n_arms, stream)
            kernel = kernels.make("se", variance=variance, length_scale=length_scale)
            for j, method in enumerate(methods):
                algorithm, parameters = METHODS[method]
                if None in parameters.values() and name in OTHERS:
                    continue  # no exponent to know
                known = {"alpha": alpha, "drift_variance": step**2}
                own: dict[str, Any] = {
                    key: known[key] if value is None else value for key, value in parameters.items()
                }
                policy = policies.make(
                    algorithm,
                    arms=environment.arms,
                    kernel=kernel,
                    noise_variance=NOISE_VARIANCE,
                    horizon=horizon,
                    width=WIDTH,
                    **own,
                )
                lengths = window[i, k] if method == "adaptive" else None
                record = _recorder(policy, lengths)
                result = simulate_named(policy, environment, horizon, stream, method, on_round=record)
                found[:, i, j, k] = result.regret[horizon // 5 :].mean(), result.expert_queries.sum()
                if method == "adaptive" and isinstance(policy, AWSparQGPUCB):
                    rng = streams.generator(*stream, "bootstrap")
                    ends = _interval(policy, variance, bootstrap, rng)
                    fitted[:, i, k] = policy.drift.alpha, policy.drift.scale, *ends
    each, per_run = ("seed", "variant", "cell"), ("seed", "cell")
    return xr.Dataset(
        {
            "regret": (each, found[0]),
            "queries": (each, found[1]),
            **{key: (per_run, fitted[i]) for i, key in enumerate(("alpha", "scale", "low", "high"))},
            "window": (("seed", "cell", "round"), window),
            "true_alpha": ("cell", truths[:, 0]),
            "step": ("cell", truths[:, 1]),
        },
        coords={"variant": list(methods), "cell": names, "round": np.arange(1, horizon + 1)},
    )


def _environment(
    family: str, values: dict[str, Any], horizon: int, n_arms: int, stream: tuple[str | int, ...]
) -> Environment:
    known = environments.parameters(family)
    given: dict[str, Any] = {"horizon": horizon} if "horizon" in known else {}
    if "rng" in known and family != "rkhs_sine":
        given["rng"] = streams.generator(*stream, "environment")
    return environments.make(family, n_arms=n_arms, **given, **values)


def _recorder(policy: Any, lengths: np.ndarray | None) -> Any:
    """A callback that writes the length of the window in each round, if an array is given."""
    if lengths is None:
        return None

    def record(ended: Round) -> None:
        lengths[ended.t - 1] = policy.window

    return record


def _interval(
    policy: AWSparQGPUCB, prior_variance: float, samples: int, rng: np.random.Generator
) -> tuple[float, float]:
    """The 5 % and 95 % quantiles of the exponent fitted to variograms drawn from the fitted law, at the
    same rounds: Gaussian series with covariance v exp(-c n^alpha / (2 v)), 20 independent ones as arms."""
    pairs = policy.pairs
    if not samples or not len(pairs) or not np.isfinite(policy.drift.saturation):
        return np.nan, np.nan
    law = asdict(policy.drift)
    late, lags, _, counts = pairs.T
    rounds, places = np.unique(np.concatenate([late, late - lags]), return_inverse=True)
    first, second = places[: len(late)], places[len(late) :]
    n = np.abs(rounds[:, None] - rounds)
    v = law["saturation"]
    covariance = v * np.exp(-law["scale"] * n ** law["alpha"] / (2.0 * v))
    covariance.flat[:: len(n) + 1] += NOISE_VARIANCE
    root = np.linalg.cholesky(covariance)
    used = np.minimum(counts, SERIES).astype(int)
    grid = variogram.Grid(lags, used, noise_variance=NOISE_VARIANCE, prior_variance=prior_variance)
    found = []
    for _ in range(samples):
        series = root @ rng.standard_normal((len(rounds), SERIES))
        squares = np.cumsum((series[first] - series[second]) ** 2, axis=1)[np.arange(len(used)), used - 1]
        found.append(grid.fit(squares).alpha)
    low, high = np.quantile(found, [0.05, 0.95])
    return float(low), float(high)
