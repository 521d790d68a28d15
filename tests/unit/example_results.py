"""Made-up collected results in the real format, for tests of figures, tables and the report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from tvgp.study.execution import netcdf

# variant: (label, group, algorithm, level of average regret on a scale where random play is 1)
VARIANTS = {
    "gp_ucb": ("GP-UCB", "published", "gp_ucb", 0.98),
    "r_gp_ucb": ("R-GP-UCB", "published", "r_gp_ucb", 0.93),
    "sw_gp_ucb": ("SW-GP-UCB", "published", "sw_gp_ucb", 0.90),
    "tv_gp_ucb": ("TV-GP-UCB", "published", "tv_gp_ucb", 0.62),
    "w_gp_ucb": ("W-GP-UCB", "published", "w_gp_ucb", 0.91),
    "sparq_gp_ucb": ("SparQ-GP-UCB", "published", "sparq_gp_ucb", 0.05),
    "w_sparq_gp_ucb": ("W-SparQ-GP-UCB", "published", "w_sparq_gp_ucb", 0.24),
    "w_gp_ucb_single": ("W-GP-UCB, single weight", "control", "w_gp_ucb", 0.92),
    "ui_gp_ucb": ("UI-GP-UCB", "control", "ui_gp_ucb", 0.7),
    "r_gp_ucb_tuned": ("R-GP-UCB, tuned", "tuned", "r_gp_ucb", 0.55),
    "sw_gp_ucb_tuned": ("SW-GP-UCB, tuned", "tuned", "sw_gp_ucb", 0.52),
    "tv_gp_ucb_tuned": ("TV-GP-UCB, tuned", "tuned", "tv_gp_ucb", 0.4),
    "w_gp_ucb_tuned": ("W-GP-UCB, tuned", "tuned", "w_gp_ucb", 0.5),
    "uniform": ("Uniform random", "control", "uniform", 1.0),
    "best_fixed_arm": ("Best fixed arm", "control", "best_fixed_arm", 0.23),
    "oracle": ("Oracle", "control", "oracle", 0.0),
    "yesterdays_best": ("Yesterday's best", "control", "yesterdays_best", 0.04),
    "sparq_domain_greedy": ("SparQ, greedy over the domain", "control", "sparq_gp_ucb", 0.06),
    "w_sparq_domain_greedy": ("W-SparQ, greedy over the domain", "control", "w_sparq_gp_ucb", 0.2),
    "sparq_random_subset": ("SparQ, random subset", "control", "sparq_gp_ucb", 0.052),
    "sparq_greedy_subset": ("SparQ, greedy subset", "control", "sparq_gp_ucb", 0.05),
    "sparq_gp_ucb_width": ("SparQ-GP-UCB, best constant width", "tuned", "sparq_gp_ucb", 0.03),
    "tv_gp_ucb_width": ("TV-GP-UCB, best constant width", "tuned", "tv_gp_ucb", 0.5),
}
# of tuned variants: parameter, grid, and regret in two training runs per value
TUNED = {
    "sw_gp_ucb_tuned": ("window", [10, 25], [[1.5, 1.5], [1.25, 1.25]]),
    "sparq_gp_ucb_width": ("width", [1, 2, 4], [[0.08, 0.1], [0.02, 0.04], [0.2, 0.3]]),
    "tv_gp_ucb_width": ("width", [1, 2, 4], [[0.6, 0.7], [0.8, 0.6], [1.0, 1.1]]),
}

TITLES = {
    "moving_bump": "Moving bump (Mauduit 2025a, Fig. 1)",
    "rkhs_sine": "RKHS sine (Mauduit 2025b, Fig. 2)",
    "ozone": "Daily ozone, New York State",
    "berkeley_france": "Monthly temperature anomalies, France",
}
CARD = {
    **{"realisations": 1, "best_fixed_regret": 0.3, "uniform_regret": 1.2, "mean_optimum": 1.4},
    **{"optimum_moves": 5.0, "path_length": 2.0, "sup_variation": 3.0, "rkhs_variation": None},
    **{"period": None, "change_points": [20, 40]},
}
SCALES = {"moving_bump": 1.347, "rkhs_sine": 1.36, "ozone": 12.0, "berkeley_france": 1.4}


def queries(name: str, horizon: int) -> np.ndarray:
    """Expert queries a round that a variant of this name makes."""
    t = np.arange(1, horizon + 1)
    count = np.minimum(np.maximum(np.ceil(6 * np.log(t)), 1), t).astype(int)
    if "w_sparq" in name:
        opens = np.zeros(horizon, bool)
        at = 1
        while at <= horizon:
            opens[at - 1] = True
            at += int(at**0.25) + 1
        return np.where(opens, count, 0)
    if "sparq" in name:
        return count
    return np.zeros(horizon, int)


def tuned(experiment: str, variant: str) -> dict:
    """The record of a tuned variant."""
    parameter, grid, regret = TUNED[variant]
    means = [float(np.mean(runs)) for runs in regret]
    best = int(np.argmin(means))
    return {
        "experiment": experiment,
        "policy": variant,
        "parameter": parameter,
        "value": grid[best],
        "grid": grid,
        "average_regret": means,
        "regret": regret,
        "queries": [[float(value), float(value)] for value in grid],
        "training_seeds": 2,
        "at_edge_of_grid": best in (0, len(grid) - 1),
    }


def write(
    folder: Path,
    experiment: str,
    data: str = "synthetic",
    horizon: int = 500,
    seeds: int = 8,
    alphas: tuple[str, ...] = ("1",),
    variants: tuple[str, ...] | None = None,
) -> Path:
    """Write `<folder>/<experiment>.nc` and return its path."""

    rng = np.random.default_rng(7)
    gridded = experiment in ("ozone", "berkeley_france")
    chosen = variants or tuple(v for v in VARIANTS if not v.endswith("_width"))
    if not gridded:
        chosen = tuple(v for v in chosen if v != "yesterdays_best")
    n_arms = 40 if gridded else 501
    scale = SCALES[experiment]
    shape = (len(chosen), len(alphas), seeds, horizon)
    regret = np.zeros(shape)
    asked = np.zeros(shape, int)
    arm = np.zeros(shape, int)
    t = np.arange(1, horizon + 1)
    optimum = (n_arms / 2 * (1 + 0.8 * np.sin(t / 10))).astype(int)
    draws = rng.gamma(2.0, 0.5, (seeds, horizon))
    for i, name in enumerate(chosen):
        level = VARIANTS[name][3]
        own = rng.gamma(4.0, 0.25, (seeds, horizon))
        fade = 1 + (4 if "sparq" in name else 0.2) / np.sqrt(t)
        regret[i] = scale * level * fade * (draws + own) / 2
        asked[i] = queries(name, horizon)
        jitter = rng.normal(0, 1 + 150 * level * n_arms / 501, (seeds, horizon)).astype(int)
        arm[i] = np.clip(optimum + jitter, 0, n_arms - 1)
    if "oracle" in chosen:
        regret[chosen.index("oracle")] = 0
        arm[chosen.index("oracle")] = optimum
    path = Path(folder) / f"{experiment}.nc"
    path.parent.mkdir(parents=True, exist_ok=True)
    fit = {
        "experiment": experiment,
        "kernel": {"name": "se", "variance": 0.5, "length_scale": 3.0},
        "noise_variance": 0.01,
        "epsilon": 0.03,
        "alpha": 1.0,
        "gamma": 0.9,
        "norm_bound": 5.0,
        "prior_mean": 0.0,
        "units": {"noise_variance": "1"},
        "bounds_hit": ["epsilon"],
        "points": 200,
        "source": data,
        "estimated": ["epsilon", "alpha"],
        "log_marginal_likelihood": -12.5,
        "optimiser": {"status": "converged", "starts": 5, "gradient_norm": 1e-7},
    }
    dims = ("policy", "alpha", "seed", "round")
    with netcdf.writing(path) as file:
        for name, size in zip(dims, shape, strict=True):
            file.createDimension(name, size)
        file.createDimension("arm", n_arms)
        file.createDimension("dimension", 2 if gridded else 1)
        netcdf.put_strings(file, "policy", ("policy",), list(chosen))
        netcdf.put_strings(file, "alpha", ("alpha",), list(alphas))
        netcdf.put_numbers(file, "seed", ("seed",), np.arange(1, seeds + 1))
        for j, key in enumerate(("label", "group", "algorithm")):
            netcdf.put_strings(file, key, ("policy",), [VARIANTS[v][j] for v in chosen])
        netcdf.put_strings(file, "queries", ("policy",), ["after"] * len(chosen))
        netcdf.put_strings(file, "ours", ("policy",), [""] * len(chosen))
        netcdf.put_numbers(file, "arm", dims, arm)
        netcdf.put_numbers(file, "reward", dims, scale - regret)
        netcdf.put_numbers(file, "regret", dims, regret)
        netcdf.put_numbers(file, "expert_queries", dims, asked)
        netcdf.put_numbers(file, "places", dims, asked + 1)
        engines = np.full(shape[:2], "append", dtype=object)
        netcdf.put_strings(file, "engine", ("policy", "alpha"), engines)
        if gridded:
            rows, columns = np.divmod(np.arange(n_arms), 8)
            lat, lon = 43.5 + rows.astype(float), -2.5 + columns.astype(float)
            netcdf.put_numbers(file, "arms", ("arm", "dimension"), np.stack([lon, lat], 1))
            netcdf.put_numbers(file, "lat", ("arm",), lat)
            netcdf.put_numbers(file, "lon", ("arm",), lon)
            level = np.array([VARIANTS[v][3] + 0.05 for v in chosen])
            error = level[:, None, None, None] * rng.gamma(2, 0.5, (*shape[:3], n_arms))
            silent = [v in ("uniform", "oracle", "best_fixed_arm", "yesterdays_best") for v in chosen]
            error[np.array(silent)] = np.nan
            netcdf.put_numbers(file, "squared_error", ("policy", "alpha", "seed", "arm"), error)
        else:
            grid = np.linspace(-50, 50, n_arms)[:, None]
            netcdf.put_numbers(file, "arms", ("arm", "dimension"), grid)
        units = {"ozone": "ppb", "berkeley_france": "degree_Celsius"}.get(experiment, "")
        label = {"ozone": "day", "berkeley_france": "month"}.get(experiment, "round")
        netcdf.set_attributes(
            file,
            {
                "experiment": experiment,
                "title": TITLES[experiment],
                "data": data,
                "fit": fit,
                "card": CARD,
                "tuned": {v: tuned(experiment, v) for v in chosen if v in TUNED},
                "horizon": horizon,
                "units": units,
                "round_label": label,
                "provenance": {
                    "commit": ["0123456789ab"],
                    "fingerprint": [],
                    "versions": ['{"numpy": "1.99"}'],
                },
            },
        )
    return path


def of_regret(name: str, regret: np.ndarray, policies: Sequence[str], title: str) -> xr.Dataset:
    """Results in memory with this regret, (policy, 1, seed, round), and without queries."""
    dims, zero = ("policy", "alpha", "seed", "round"), np.zeros(regret.shape, dtype=int)
    numbers = {"regret": regret, "expert_queries": zero, "places": zero + 1, "arm": zero}
    texts = dict.fromkeys(("label", "group", "algorithm"), ("policy", list(policies)))
    return xr.Dataset(
        {key: (dims, values) for key, values in numbers.items()} | texts,
        coords={"policy": list(policies), "alpha": ["1"], "seed": np.arange(1, regret.shape[2] + 1)},
        attrs={
            "experiment": name,
            "title": title,
            "data": "synthetic",
            "units": "1",
            "card": json.dumps(CARD),
        },
    )
