"""The default experiment on a dataset of your own: the key `your_data` of an overlay, written out.

    your_data:
      name: my_sensors
      units: degC
      step: hour
      sites: sites.csv
      latitude: lat
      longitude: lon

becomes a dataset and an experiment of that name, selected alone, with folders of their own. Keys that are not
listed here belong to the loader `table` (docs/your_data.md). Other keys of the overlay are merged over the
result.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from tvgp.study.results import readings

KEY = "your_data"
POLICIES = (
    "gp_ucb",
    "r_gp_ucb",
    "sw_gp_ucb",
    "tv_gp_ucb",
    "w_gp_ucb",
    "w_gp_ucb_single",
    "ui_gp_ucb",
    "sparq_gp_ucb",
    "w_sparq_gp_ucb",
    "gp_same_budget_sparq",
    "gp_same_budget_w_sparq",
    "tv_same_budget_sparq",
    "tv_same_budget_w_sparq",
    "uniform",
    "best_fixed_arm",
    "preference_order",
    "oracle",
    "yesterdays_best",
)
TUNED = ("r_gp_ucb_tuned", "sw_gp_ucb_tuned", "tv_gp_ucb_tuned", "w_gp_ucb_tuned")
# Played if readings before the choice have a price or a budget, beside Pandora's index.
READINGS = (
    "field_gp_ucb",
    "field_reads_1",
    "field_reads_2",
    "field_reads_3",
    "field_reads_5",
    "field_reads_8",
)
FIGURES = ("sites", "readings", "average_regret", "controls", "queries", "plays_by_site")
ROUNDS = {"30 minutes": "half-hour", "10 minutes": "10 minutes", "5 minutes": "5 minutes"}
UNITS_OF_TIME = ("second", "minute", "hour", "day", "week", "month", "year")
_SPLIT = (
    "train_fraction",
    "train",
    "test",
    "anomaly",
    "coordinates",
    "raw",
    "title",
    "source",
    "url",
    "sha256",
)
_EXPERIMENT = ("horizon", "seeds", "kernel", "price", "budget")
_FIT = {
    "variance": "fit",
    "length_scale": "fit",
    "noise_variance": "fit",
    "norm_bound": "fit",
    "prior_mean": "sites",
}


def definitions(config: Mapping[str, Any], own: Any) -> dict[str, Any]:
    """The overlay that the mapping `own` stands for, on the study `config`. ValueError for a mapping without
    a usable name; other faults are found where the whole configuration is checked."""
    if not isinstance(own, Mapping) or not isinstance(own.get("name"), str):
        raise ValueError(f"config: {KEY}: expected a mapping with a key name, such as name: my_sensors")
    name = own["name"]
    if not re.fullmatch("[a-z0-9_]+", name):
        raise ValueError(f"config: {KEY}.name: {name!r} is not a name; use a-z, 0-9 and _")
    for kind in ("experiments", "datasets", "analyses"):
        if name in config.get(kind, {}):
            raise ValueError(f"config: {KEY}.name: {name!r} is one of the study's own {kind}; choose another")
    step, title = str(own.get("step", "day")), str(own.get("title", name))
    settings = {key: value for key, value in own.items() if key not in ("name", *_EXPERIMENT)}
    dataset = {
        "loader": "table",
        "title": title,
        "raw": f"data/raw/{name}",
        "source": "file",
        "coordinates": coordinates(own),
        **({} if "train" in own else {"train_fraction": 0.3333}),
        **settings,
    }
    indexed = dataset["coordinates"] == "index"
    model = {"kernel": own.get("kernel", "se"), **_FIT, "delta": 0.05}
    if indexed:
        model = {
            "kernel": "empirical",
            "centre": "sensors",
            "noise_fraction": 0.05,
            "epsilon": "fit",
            "independent_days": False,
            "delta": 0.05,
        }
    asking = _asking(own)
    chosen = [*POLICIES, *(READINGS if asking else ()), *asking, *(() if indexed else TUNED)]
    experiment = {
        "title": title,
        "dataset": name,
        "horizon": own.get("horizon"),
        "seeds": own.get("seeds", 4),  # they vary ties and subsets; rounds are the sample
        "alphas": ["1"] if indexed else ["fit"],
        "policies": chosen,
        "figures": list(FIGURES),
        "model": model,
        **({} if indexed else {"training": {"queries": 6000, "starts": 2}}),
        "settings": {"sparq_version": "2025b"},
        "units": str(own.get("units", "1")),
        "round_label": ROUNDS.get(step, step if step in UNITS_OF_TIME else "round"),
    }
    restricted = {
        kind: {
            entry: {"experiments": [*config[kind][entry]["experiments"], name]}
            for entry in entries
            if "experiments" in config[kind].get(entry, {})
        }
        for kind, entries in (("policies", chosen), ("figures", FIGURES))
    }
    return {
        "scale": name,
        "results": f"results/{name}",
        "resources": f"resources/{name}",
        "seeds_per_job": 2,
        "selection": {"experiments": [name], "analyses": []},
        "experiments": {name: experiment},
        "datasets": {name: dataset},
        "policies": restricted["policies"] | asking,
        "figures": restricted["figures"],
        "tuning": {"seeds": 1},
    }


def _asking(own: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The variant that reads before the choice while it pays, by its name; none without a price and a budget.

    ValueError for one that is not a positive number.
    """
    given = {key: own[key] for key in ("price", "budget") if key in own}
    for key, value in given.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (number and 0 < value < math.inf):
            raise ValueError(f"config: {KEY}.{key}: {value!r} is not a positive number")
    if not given:
        return {}
    if "budget" in given:
        name = readings.variant("budget", given["budget"])
        label = f"Pandora's index, {given['budget']:g} readings on average"
    else:
        name = readings.variant("at", given["price"])
        label = f"Pandora's index, {given['price']:g} {own.get('units', '')}".rstrip() + " a reading"
    return {
        name: {
            "algorithm": "pandora_gp_ucb",
            "label": label,
            "look": "pandora_at_1_00",
            "group": "control",
            "experiments": [own["name"]],
            "model": "field",
            "queries": "before",
            "parameters": {"model": "field"} | given,
        }
    }


def coordinates(own: Mapping[str, Any]) -> str:
    """Input of the kernel: km for latitude and longitude, xy for x and y, index without positions."""
    return "km" if "latitude" in own else "xy" if "x" in own else "index"
