"""Validate a configuration before any job runs; each fault is one line.

The schema (workflow/schemas/config.schema.yaml) describes each key; `check` adds what a schema cannot
express: names must exist, and algorithms must have the parameters they receive.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import chain
from pathlib import Path

from jsonschema import Draft202012Validator, TypeChecker
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import extend

from tvgp import environments, kernels, policies
from tvgp.plugins import types as typed
from tvgp.study import analyses, datasets, figures, tables
from tvgp.study.config import rehearsal, strict_yaml
from tvgp.study.config.jobs import (
    analysis_datasets,
    is_option,
    products,
    selected,
    tuned_parameter,
    used_datasets,
    variants,
)
from tvgp.study.figures.base import style

FIT_KEYS = ("epsilon", "alpha", "gamma", "norm_bound", "prior_mean", "noise_variance", "site_means")
EXACT_NORMS = ("matern_rkhs",)  # environments that know the RKHS norm of their function
_ENTRIES = ("experiments", "policies", "datasets", "analyses", "figures", "tables")
# what rule summary writes, and the folder of figures over several experiments
_RESERVED = {"tables": {"timing"}, "experiments": {"across"}}
_LONGEST = 400  # characters of a fault
_LONG_LIST = 250  # characters; longer lists of names are shortened


def _is_whole(_checker: TypeChecker, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)  # 3.0 is not a count


_Validator = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_whole),
)


def check(config: Mapping, schema: str | Path) -> None:
    """ValueError, one line naming the key, for the first fault of a configuration."""
    for fault in _not_numbers(config):
        raise ValueError(f"config: {fault}")
    validator = _Validator(strict_yaml.read(schema))
    error = best_match(validator.iter_errors(config))
    if error is not None:
        raise ValueError(_sentence(error))
    for fault in chain(_faults(config), rehearsal.refusals(config)):
        raise ValueError(f"config: {' '.join(fault.split())[:_LONGEST]}")


def refuse_unplayed(config: Mapping, known: Collection[str]) -> None:
    """ValueError for a policy that is not known, an entry of the user's own, and played nowhere."""
    played = {name for each in selected(config, "experiments") for name in variants(config, each)}
    for name in config["policies"]:
        if name not in known and name not in played:
            raise ValueError(
                f"config: policies.{name}: no selected experiment plays it; add it to selection.policies, and"
                " to the key policies of experiments that have one"
            )


def unused(config: Mapping, selections: Iterable[Mapping]) -> str | None:
    """One line naming the entries that no selection uses; None if every entry is used.

    selections: the values of `selection` in force and in the project's overlays, so that an overlay
    that selects part of the study causes no warning. What an overlay defines itself is known there only.
    """
    used: dict[str, set[str]] = {kind: set() for kind in _ENTRIES}
    for selection in selections:
        known = {kind: [n for n in names if n in config.get(kind, {})] for kind, names in selection.items()}
        chosen = {**config, "selection": known, "leave_out": {}}
        used["experiments"] |= set(selected(chosen, "experiments"))
        used["analyses"] |= set(selected(chosen, "analyses"))
        used["datasets"] |= set(used_datasets(chosen))
        for product in products(chosen):
            used[product.kind].add(product.stem.rpartition("/")[2])
        for experiment in selected(chosen, "experiments"):
            used["policies"] |= set(variants(chosen, experiment))
    left = [f"{kind}.{name}" for kind in _ENTRIES for name in config.get(kind, {}) if name not in used[kind]]
    return f"WARNING: config: defined, but no selection uses them: {', '.join(left)}" if left else None


def _sentence(error: ValidationError) -> str:
    """One line: the key, the fault and the schema's description of the key."""
    where = ".".join(str(part) for part in error.absolute_path) or "the top level"
    text = error.message
    if error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        unknown = sorted(set(error.instance) - set(known), key=str)
        text = f"unknown key {unknown[0]!r}; known: {', '.join(known)}" if known else text
    elif error.validator == "pattern" and "propertyNames" in error.absolute_schema_path:
        text = f"{error.instance!r} is not a name; use a-z, 0-9 and _"
    elif error.validator == "type":
        kinds = error.validator_value
        kinds = [kinds] if isinstance(kinds, str) else kinds
        text = f"{error.instance!r} is not of type {' or '.join(map(repr, kinds))}"
    description = error.schema.get("description", "")
    line = f"config: {where}: {text}" + (f" ({description})" if description else "")
    return " ".join(line.split())[:_LONGEST]


def _not_numbers(value: object, where: str = "") -> Iterator[str]:
    """NaN and infinity, which a schema accepts as numbers within any range."""
    if isinstance(value, float) and not math.isfinite(value):
        yield f"{where}: {value} is not a number"
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _not_numbers(inner, f"{where}.{key}".lstrip("."))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _not_numbers(inner, f"{where}.{index}")


def _faults(config: Mapping) -> Iterator[str]:
    yield from _selection_faults(config)
    for name, experiment in config["experiments"].items():
        yield from _experiment_faults(f"experiments.{name}", experiment, config)
    for name, variant in config["policies"].items():
        yield from _policy_faults(name, variant, config)
    for name, dataset in config["datasets"].items():
        yield from _dataset_faults(f"datasets.{name}", dataset)
    for name, analysis in config.get("analyses", {}).items():
        yield from _analysis_faults(f"analyses.{name}", name, analysis)
        played = analysis_datasets(config, name)
        yield from _unknown(f"analyses.{name}.parts", "dataset", played, config["datasets"])
        if name in config["experiments"]:
            yield f"analyses.{name}: an experiment has the same name; names must be unique"
    yield from _reserved_names(config)
    for kind in ("figures", "tables"):
        for name, product in config[kind].items():
            yield from _product_faults(kind, name, product, config)


def _reserved_names(config: Mapping) -> Iterator[str]:
    """Names that collide with files or folders of the study's own."""
    for kind, names in _RESERVED.items():
        for name in sorted(names & set(config.get(kind, {}))):
            yield f"{kind}.{name}: the study writes a file or folder of that name; choose another name"


def _product_faults(kind: str, name: str, product: Mapping, config: Mapping) -> Iterator[str]:
    """Faults of a figure or a table."""
    registry = {"figures": figures, "tables": tables}[kind]
    where, experiments = f"{kind}.{name}", config["experiments"]
    module, given = product.get("module", name), product.get("parameters", {})
    yield from _unknown(where, "module", [module], registry.names())
    yield from _unknown(f"{where}.parameters", "parameter", given, registry.parameters(module))
    for missing in sorted(registry.required(module).difference(given)):
        yield f"{where}.parameters: parameter {missing} is missing"
    yield from _refused(f"{where}.parameters", registry.declaration(module), given)
    variants = given.get("variants") or ()
    yield from _unknown(f"{where}.parameters.variants", "policy", variants, config["policies"])
    yield from _unknown(where, "experiment", product.get("experiments", ()), experiments)
    over, results = product.get("over", ()), {**experiments, **config.get("analyses", {})}
    yield from _unknown(where, "experiment or analysis", () if over == "all" else over, results)


def _selection_faults(config: Mapping) -> Iterator[str]:
    selection, left_out = config["selection"], config.get("leave_out", {})
    for kind, names in left_out.items():
        for name in (name for name in selection.get(kind, ()) if name in names):
            yield (
                f"selection.{kind}: {name} is left out by leave_out.{kind}; take it out of one of the two"
                f" (leave_out: {{{kind}: []}} in your file leaves nothing out)"
            )
    if not selected(config, "experiments") and not selected(config, "analyses"):
        yield "selection: selects nothing; expected experiments or analyses"
    for key, chosen in (("selection", selection), ("leave_out", left_out)):
        for kind, names in chosen.items():
            yield from _unknown(f"{key}.{kind}", f"name in {kind}:", names, config.get(kind, {}))
    yield from _unplayed_faults(config)


def _unplayed_faults(config: Mapping) -> Iterator[str]:
    """Selected policies that no experiment plays, and experiments that play none, or one that they cannot."""
    played = {name: variants(config, name) for name in selected(config, "experiments")}
    for name in selected({**config, "policies": ()}, "policies"):
        if any(played.values()) and name in config["policies"] and name not in chain(*played.values()):
            yield (
                f"selection.policies: {name} takes part in no selected experiment; add it to the key"
                " policies of those that should play it (experiments.NAME.policies)"
            )
    for experiment, names in played.items():
        if not names:
            yield f"experiments.{experiment}: no selected policy takes part in it"
        for name in names if config["experiments"][experiment]["model"]["kernel"] == "empirical" else ():
            policy, tuned = config["policies"][name], tuned_parameter(config, name)
            possible = "model" in policy or (policy["algorithm"], tuned) == ("r_gp_ucb", "block_length")
            if tuned is not None and not possible:
                yield (
                    f"policies.{name}: with the empirical kernel of experiment {experiment} "
                    "only R-GP-UCB's block_length can be tuned"
                )


def _experiment_faults(where: str, experiment: Mapping, config: Mapping) -> Iterator[str]:
    dataset = experiment.get("dataset")
    yield from _unknown(where, "policy", experiment.get("policies", ()), config["policies"])
    yield from _unknown(where, "figure", experiment.get("figures", ()), config["figures"])
    if ("environment" in experiment) == (dataset is not None):
        yield f"{where}: give either an environment or a dataset"
    if dataset is not None:
        yield from _unknown(where, "dataset", [dataset], config["datasets"])
    yield from _model_faults(where, experiment)
    if dataset is None:
        yield from _environment_faults(where, experiment)
    kernel = experiment["model"]["kernel"]
    known = [*kernels.fittable(), *(["empirical"] if dataset is not None else [])]
    if kernel in set(kernels.names()) - set(known):
        yield f"{where}.model: kernel {kernel!r} cannot be used here; expected one of: {', '.join(known)}"
    else:
        yield from _unknown(f"{where}.model", "kernel", [kernel], known)


def _model_faults(where: str, experiment: Mapping) -> Iterator[str]:
    """Values of a model that need training data, or an environment that knows them."""
    model, trained = experiment["model"], "training" in experiment
    environment = experiment.get("environment")
    if environment is not None and model.get("prior_mean") == "sites":
        yield f"{where}.model.prior_mean: sites needs a dataset; expected a number or fit"
    if {"fit", "sites"} & set(map(str, model.values())) and not trained and model["kernel"] != "empirical":
        yield f"{where}: the model has values to fit; expected a key training"
    if "fit" in experiment["alphas"] and not trained:
        yield f'{where}.alphas: "fit" needs a fit by likelihood; expected a key training, or numbers'
    if model.get("norm_bound") == "exact":
        if trained:
            yield f"{where}.model.norm_bound: exact requires a model without training"
        if (environment or {}).get("name") not in EXACT_NORMS:
            yield f"{where}.model.norm_bound: exact needs one of: {', '.join(EXACT_NORMS)}"


def _environment_faults(where: str, experiment: Mapping) -> Iterator[str]:
    """Faults of a synthetic environment."""
    name, values = experiment["environment"]["name"], experiment["environment"].get("parameters", {})
    at = f"{where}.environment"
    yield from _unknown(at, "environment", [name], set(environments.names()) - {"field"})
    yield from _unknown(f"{at}.parameters", "parameter", values, environments.parameters(name) - {"rng"})
    yield from _mistyped(f"{at}.parameters", environments.declaration(name), values)
    if experiment["horizon"] is None:
        yield f"{where}.horizon: a synthetic environment needs a number of rounds"
    elif (own := values.get("horizon")) is not None:
        rounds = max(experiment["horizon"], experiment.get("training", {}).get("queries", 0))
        if own < rounds:
            yield f"{at}.parameters.horizon: {own}, but {rounds} rounds are played"


def _policy_faults(variant_name: str, variant: Mapping, config: Mapping) -> Iterator[str]:
    where = f"policies.{variant_name}"
    algorithm, values = variant["algorithm"], variant.get("parameters", {})
    yield from _unknown(where, "algorithm", [algorithm], policies.names())
    yield from _unknown(f"{where}.parameters", "parameter", values, policies.parameters(algorithm))
    yield from _unknown(where, "experiment", variant.get("experiments", ()), config["experiments"])
    if sum(is_option(value, "tune") for value in values.values()) > 1:
        yield f"{where}.parameters: only one parameter can be tuned"
    yield from _look_faults(f"{where}.look", variant.get("look"), config)
    for name in _played_in(variant_name, config) if "model" in variant else ():
        if "dataset" not in config["experiments"][name]:
            yield f"{where}.model: {variant['model']} is fitted to a dataset, and experiment {name} has none"
    declared = policies.declaration(algorithm)
    for name, value in values.items():
        options = value["tune"] if is_option(value, "tune") else [value]
        for option in options:
            if not isinstance(option, Mapping):
                yield from _refused(f"{where}.parameters", declared, {name: option})
            elif option["from"] == "fit":
                yield from _unknown(f"{where}.parameters.{name}", "key", [option["key"]], FIT_KEYS)
        if is_option(value, "from") and value["from"] == "experiment":
            yield from _setting_faults(variant_name, name, value["key"], config)


def _setting_faults(variant_name: str, parameter: str, key: str, config: Mapping) -> Iterator[str]:
    """Faults of a parameter whose value is a setting of each experiment that the variant takes part in."""
    declared = policies.declaration(config["policies"][variant_name]["algorithm"])
    where = f"policies.{variant_name}.parameters"
    for name in _played_in(variant_name, config):
        settings = config["experiments"][name].get("settings", {})
        place = f" among the settings of experiment {name}"
        yield from _unknown(f"{where}.{parameter}", "key", [key], settings, place)
        yield from _refused(f"{where}, settings of {name}", declared, {parameter: settings.get(key)})


def _played_in(variant_name: str, config: Mapping) -> Iterator[str]:
    """The experiments that a variant takes part in, selected or not."""
    for name in config["policies"][variant_name].get("experiments", config["experiments"]):
        if variant_name in config["experiments"][name].get("policies", config["policies"]):
            yield name


def _look_faults(where: str, look: Mapping | str | None, config: Mapping) -> Iterator[str]:
    """Faults of a policy's look: a name that is not known, or another policy without a look of its own."""
    if isinstance(look, str):
        own = [name for name, policy in config["policies"].items() if isinstance(policy.get("look"), Mapping)]
        yield from _unknown(where, "policy with a look of its own:", [look], own)
    elif look is not None:
        colours = () if re.fullmatch("#[0-9a-f]{6}", look["colour"]) else (look["colour"],)
        yield from _unknown(where, "colour", colours, style.COLOURS)
        yield from _unknown(where, "line", [look["line"]], style.LINES)
        yield from _unknown(where, "marker", [look["marker"]], style.MARKERS)


def _analysis_faults(where: str, name: str, analysis: Mapping) -> Iterator[str]:
    module = analysis.get("module", name)
    yield from _unknown(where, "module", [module], analyses.names())
    known = analyses.parameters(module)
    declared, common = analyses.declaration(module), analysis.get("parameters", {})
    parts = {f"parts.{part}": values for part, values in analysis["parts"].items()}
    for key, values in {"parameters": common, **parts}.items():
        yield from _unknown(f"{where}.{key}", "parameter", values, known)
        yield from _mistyped(f"{where}.{key}", declared, values)
    for key, values in parts.items():
        for missing in sorted(analyses.required(module) - set(common) - set(values)):
            yield f"{where}.{key}: parameter {missing} is missing"
        try:
            analyses.uses(module, common | values)
        except ValueError as error:
            yield f"{where}.{key}: {error}"


def _dataset_faults(where: str, dataset: Mapping) -> Iterator[str]:
    yield from _loader_faults(where, dataset, datasets.COMMON)
    if "extract_as" in dataset:
        yield from _loader_faults(f"{where}.extract_as", dataset["extract_as"], ("loader", "title"))


def _loader_faults(where: str, settings: Mapping, common: Collection[str]) -> Iterator[str]:
    loader = settings["loader"]
    yield from _unknown(where, "loader", [loader], datasets.names())
    own = set(settings) - set(common)
    yield from _unknown(where, "key", own, datasets.parameters(loader) | set(common))
    values = {key: settings[key] for key in settings if key in own}
    yield from _mistyped(where, datasets.declaration(loader), values)


def _mistyped(where: str, declared: Callable, values: Mapping) -> Iterator[str]:
    fault = typed.first_fault(declared, values)
    if fault:
        yield f"{where}.{fault}"


def _refused(where: str, declared: Callable, values: Mapping) -> Iterator[str]:
    """Values of the wrong type, or rejected by the parameters' own checks."""
    mistyped = list(_mistyped(where, declared, values))
    if mistyped:
        yield from mistyped
        return
    try:
        declared(**values)
    except ValueError as error:
        yield f"{where}: {error}"


def _unknown(
    where: str, what: str, names: Iterable[str], known: Collection[str], place: str = ""
) -> Iterator[str]:
    for name in names:
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            if len(listed) > _LONG_LIST:
                close = get_close_matches(name, sorted(known), 6, 0.0)
                listed = f"{', '.join(close)} and {len(known) - len(close)} others"
            yield f"{where}: unknown {what} {name!r}{place}; known: {listed}"
