"""Build every selected variant once on three arms: invalid parameters stop the study before any job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from tvgp.contracts import Environment
from tvgp.study.config import jobs
from tvgp.study.run import build

ROUNDS = 100  # for experiments that play all times of their dataset
MOST_ROUNDS = 10_000  # some policies allocate a value per round

EMPIRICAL: dict[str, Any] = {"name": "empirical", "covariance": np.eye(3).tolist()}
FITTED: dict[str, Any] = {
    "kernel": EMPIRICAL,
    "prior_mean": [0.0] * 3,
    "site_means": [0.0] * 3,
    "norm_bound": None,
}


class ThreeArms(Environment):
    """An environment for policies that are built but never played."""

    arms = np.arange(3.0)[:, None]
    noise_std = 0.1
    expert_noise_std = 0.0

    def mean_rewards(self, t: int) -> np.ndarray:
        """No rewards."""
        return np.zeros(3)

    def norm(self, t: int) -> float:
        """The norm bound of an experiment with exact norms."""
        return 1.0

    def variation(self, horizon: int) -> None:
        """None: not known to a learner."""
        return None


def refusals(config: Mapping[str, Any]) -> Iterator[str]:
    """One line per variant, experiment and alpha whose policy rejects its parameters."""
    for name in jobs.selected(config, "experiments"):
        definition = config["experiments"][name]
        fit, rounds = _fit(definition["model"]), min(definition["horizon"] or ROUNDS, MOST_ROUNDS)
        for variant, alpha in product(jobs.variants(config, name), definition["alphas"]):
            job = jobs.run_job(config, name, variant, alpha)
            grid = jobs.tune_job(config, name, variant).grid if job.tuned else [None]
            for value in grid:
                try:
                    build.build_policy(job, ThreeArms(), rounds, fit, value)
                except ValueError as error:
                    yield f"policies.{variant}, in experiment {name}, alpha {alpha}: {error}"


def _fit(model: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a model, with values that any policy accepts in place of those to be fitted."""
    if model["kernel"] == "empirical":
        kernel: dict[str, Any] = EMPIRICAL
    else:
        kernel = {key: _number(model[key], 1.0) for key in ("variance", "length_scale")}
        kernel["name"] = model["kernel"]
    return {
        "kernel": kernel,
        "noise_variance": _number(model.get("noise_variance"), 0.01),
        "epsilon": _number(model.get("epsilon"), 0.03),
        "alpha": 1.0,
        "gamma": 0.9,
        "norm_bound": _number(model.get("norm_bound"), 1.0),
        "prior_mean": [0.0] * 3
        if model.get("centre") == "sensors" or model.get("prior_mean") == "sites"
        else _number(model.get("prior_mean"), 0.0),
        "field": FITTED,
        "chosen": FITTED,
    }


def _number(value: Any, instead: float) -> float:
    return instead if value is None or isinstance(value, str) else float(value)
