"""Recipes change with everything that a file depends on, and with nothing else."""

import copy

import pytest

from tvgp.study.config.recipes import Recipes


def digests(config) -> dict[str, str]:
    recipes = Recipes(config)
    made = {
        "raw": recipes.raw("ozone"),
        "split": recipes.split("ozone"),
        "fit": recipes.fit("ozone"),
        "tune": recipes.tune("ozone", "sw_gp_ucb_tuned"),
        "tuned run": recipes.run("ozone", "sw_gp_ucb_tuned", "1"),
        "run": recipes.run("ozone", "w_gp_ucb_single", "1"),
        "collect": recipes.collect("ozone"),
        "analysis": recipes.analysis("window_partition", part(config)),
        "gather": recipes.gather("window_partition"),
        "on data": recipes.analysis("causes", "ozone"),
    }
    return {name: recipe["recipe"] for name, recipe in made.items()}


def part(config) -> str:
    """A part of an analysis."""
    return next(iter(config["analyses"]["window_partition"]["parts"]))


@pytest.mark.parametrize(
    ("path", "value", "changed"),
    [
        ("seeds_per_job", 7, set()),
        ("policies.w_gp_ucb_single.label", "another label", {"collect"}),
        ("policies.w_gp_ucb_single.parameters.delta", 0.9, {"run", "collect"}),
        ("tuning.seeds", 7, {"tune", "tuned run", "collect"}),
        ("experiments.ozone.seeds", 7, {"collect"}),
        ("experiments.ozone.training.queries", 7, {"fit", "tune", "tuned run", "run", "collect"}),
        (
            "datasets.ozone.train_fraction",
            0.3,
            {"raw", "split", "fit", "tune", "tuned run", "run", "collect", "on data"},
        ),
        ("analyses.window_partition.seeds", 7, {"gather"}),
    ],
)
def test_a_recipe_changes_with_what_it_depends_on(definitions, path, value, changed):
    config, keys = copy.deepcopy(definitions), path.split(".")
    inner = config
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    before, after = digests(definitions), digests(config)
    assert {name for name in before if before[name] != after[name]} == changed
