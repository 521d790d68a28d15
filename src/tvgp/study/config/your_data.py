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

from tvgp.study.results import advice, readings

KEY = "your_data"
PUBLISHED = (
    "gp_ucb",
    "r_gp_ucb",
    "sw_gp_ucb",
    "tv_gp_ucb",
    "w_gp_ucb",
    "w_gp_ucb_single",
    "ui_gp_ucb",
    "st_gp_ucb",
    "ui_tvbo",
    "et_gp_ucb",
    "glr_gp_ucb",
    "r_perp",
    "bob_gp_ucb",
    "master_gp_ucb",
    "w_dbo",
    "sparq_gp_ucb",
    "w_sparq_gp_ucb",
    "aw_sparq_gp_ucb",
)
POSITIONS_ONLY = ("w_dbo",)  # of them: no closed form for an empirical kernel
REFERENCES = ("uniform", "preference_order", "oracle", "yesterdays_best")
# Variant and its grid: from hardly any memory to what no record of the usual length forgets.
TUNED: dict[str, tuple[str, list[float]]] = {
    "r_gp_ucb_tuned": ("block_length", [1, 2, 5, 10, 30, 100, 300, 1000, 3000]),
    "sw_gp_ucb_tuned": ("window", [1, 2, 5, 10, 30, 100, 300, 1000, 3000]),
    "tv_gp_ucb_tuned": ("epsilon", [1e-5, 0.0001, 0.001, 0.01, 0.03, 0.1, 0.3, 0.9, 0.99, 0.9999]),
    "w_gp_ucb_tuned": ("gamma", [0.01, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.998, 0.9995]),
}
MODEL = "chosen"  # of Field-GP-UCB, of readings, and of the methods below
# Methods of the papers under that model, by the algorithm; their width is 1.
ON_FIELD = ("gp_ucb", "sw_gp_ucb", "tv_gp_ucb", "w_gp_ucb", "ui_gp_ucb")
NUMBERS = (0, 1, 2, 3, 5, 10)
# Numbers of readings before the choice and after it, beside none, and Pandora's index.
READINGS = (
    readings.NONE,
    *(f"field_reads_{number}{moment}" for number in NUMBERS[1:] for moment in ("", "_after")),
)
FIGURES = ("sites", "readings", "average_regret", "controls", "queries", "plays_by_site")
UNITS_OF_TIME = ("second", "minute", "hour", "day", "week", "month", "year")
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
    if name == "paper":
        raise ValueError(f"config: {KEY}.name: 'paper' is the papers' whole study; choose another")
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
    added = _rule(name, asking) | (_on_field(config["policies"], name) | asking if asking else {})
    published = [policy for policy in PUBLISHED if not (indexed and policy in POSITIONS_ONLY)]
    chosen = [*published, *REFERENCES, *(READINGS if asking else ()), *added, *(() if indexed else TUNED)]
    experiment = {
        "title": title,
        "dataset": name,
        "horizon": own.get("horizon"),
        "seeds": own.get("seeds", 4),  # they vary ties and subsets; rounds are the sample
        "alphas": ["1"] if indexed else ["fit"],
        "policies": chosen,
        "figures": [*FIGURES, *(["own_readings"] if asking else [])],
        "model": model,
        **({} if indexed else {"training": {"queries": 6000, "starts": 2}}),
        "settings": {"sparq_version": "2025b"},
        "units": str(own.get("units", "1")),
        "round_label": _round(step),
    }
    return {
        "scale": name,
        "results": f"results/{name}",
        "resources": f"resources/{name}",
        "seeds_per_job": 2,
        "pdf_fonts": 3,
        "selection": {"experiments": [name], "analyses": []},
        "experiments": {name: experiment},
        "datasets": {name: dataset},
        "policies": {policy: _joined(config, policy, name) for policy in chosen if policy not in added}
        | added,
        "figures": {figure: _listed(config, "figures", figure, name) for figure in FIGURES}
        | ({"own_readings": {"experiments": [name]}} if asking else {}),
        "tuning": {"seeds": 1},
    }


def _round(step: str) -> str:
    """What a round is called: day, half-hour, or, of several units, such as 15-minute step."""
    if step == "30 minutes":
        return "half-hour"
    several = re.fullmatch(r"(\d+) (\w+?)s?", step)
    name = f"{several[1]}-{several[2]} step" if several else step
    return name if (several[2] if several else step) in UNITS_OF_TIME else "round"


def _joined(config: Mapping[str, Any], policy: str, name: str) -> dict[str, Any]:
    """What a variant of the study needs to play the user's data."""
    changes = _listed(config, "policies", policy, name)
    if policy in PUBLISHED:
        changes["group"] = "published"  # some are controls of the study's own questions
    if policy in READINGS:
        changes["model"] = MODEL
    if policy in TUNED:
        parameter, grid = TUNED[policy]
        changes["parameters"] = {parameter: {"tune": grid}}
    return changes


def _listed(config: Mapping[str, Any], kind: str, entry: str, name: str) -> dict[str, Any]:
    """The experiments of an entry that lists them, and the user's."""
    if "experiments" not in config[kind].get(entry, {}):
        return {}
    return {"experiments": [*config[kind][entry]["experiments"], name]}


def _rule(name: str, asking: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The site of the best mean in training, the next one where it is missing: the rule that anyone has."""
    variant = {
        "algorithm": "prior_order",
        "label": "best site of training",
        "look": {"colour": "grey_6e", "line": "solid", "marker": "x"},
        "group": "control",
        "experiments": [name],
    }
    means = {"prior_mean": {"from": "fit", "key": "site_means"}}  # the chosen model may have one for all
    return {advice.RULE: variant | ({"model": MODEL, "parameters": means} if asking else {})}


def _on_field(policies: Mapping[str, Any], name: str) -> dict[str, dict[str, Any]]:
    """Methods of the papers under the model chosen in training."""
    return {
        f"{algorithm}{readings.ON_FIELD}": {
            "algorithm": algorithm,
            "label": f"{policies[algorithm]['label']}, field's model",
            "look": algorithm,
            "group": "control",
            "experiments": [name],
            "model": MODEL,
            "parameters": {"width": advice.ON_FIELD_WIDTH},
        }
        for algorithm in ON_FIELD
    }


def _asking(own: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """By name, the variant that reads while it pays and, with a price, those that read as many as cost least
    in training; none without a price and a budget.

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
    shared = {
        "algorithm": "pandora_gp_ucb",
        "group": "control",
        "experiments": [own["name"]],
        "model": MODEL,
    }
    asking = {
        name: {
            **shared,
            "label": label,
            "look": "pandora_at_1_00",
            "queries": "before",
            "parameters": {"model": "field"} | given,
        }
    }
    if "budget" in given:
        return asking
    grid = {"tune": list(NUMBERS), "price": given["price"]}
    return asking | {
        readings.TUNED[moment]: {
            **shared,
            "label": f"readings {moment}, number by training",
            "look": look,
            "queries": moment,
            "parameters": {"model": "field", "rule": "upper_bound", "number": grid},
        }
        for moment, look in (("before", "field_reads_1"), ("after", "field_reads_1_after"))
    }


def coordinates(own: Mapping[str, Any]) -> str:
    """Input of the kernel: km for latitude and longitude, xy for x and y, index without positions."""
    return "km" if "latitude" in own else "xy" if "x" in own else "index"
