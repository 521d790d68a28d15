"""The configuration of the study: checked before any job, and cut into the jobs it asks for.

The schema (workflow/schemas/config.schema.json) says what each key is; `check` adds what a schema
cannot say: that names refer to something and that algorithms have the parameters they are given.
A job definition is a plain mapping with all that the job's numbers depend on, and nothing else.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from jsonschema import Draft202012Validator, TypeChecker
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import extend

from tvgp import analyses, datasets, environments, kernels, policies, strict_yaml, typed
from tvgp.costs import Costs

PACKAGE = Path(__file__).resolve().parent
# How work is cut into jobs: no result depends on these.
CUTTING = ("seeds_per_job", "seconds_per_job", "seconds_bundled")
EXACT_NORMS = ("matern_rkhs",)  # environments that know the RKHS norm of their function
MODEL_FITTED = ("variance", "length_scale", "noise_variance", "norm_bound", "prior_mean")
FIT_KEYS = ("epsilon", "alpha", "gamma", "norm_bound", "prior_mean", "noise_variance")
# What the study itself hands to an algorithm that has a field of that name.
CONTEXT = ("alpha", "delta", "epsilon", "horizon", "norm_bound", "prior_mean", "variation_budget")
_LONG_LIST = 250  # characters of names that one line can hold


def _is_whole(_checker: TypeChecker, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)  # 3.0 is no count


_Validator = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_whole),
)


def check(config: Mapping, schema: str | Path) -> None:
    """ValueError, one line naming the key, for the first fault of a configuration."""
    for fault in _not_numbers(config):
        raise ValueError(f"config: {fault}")
    validator = _Validator(json.loads(Path(schema).read_text(encoding="utf-8")))
    error = best_match(validator.iter_errors(config))
    if error is not None:
        raise ValueError(_sentence(error))
    for fault in _faults(config):
        raise ValueError(f"config: {fault}")


def read(folder: str | Path) -> dict:
    """The definitions of the study: default.yaml in `folder`, then those of papers/*.yaml.

    Mappings merge key by key, as Snakemake merges its configfiles.
    """
    config: dict = {}
    for path in files(folder):
        config = merged(config, strict_yaml.read(path))
    return config


def files(folder: str | Path) -> list[Path]:
    """The files that hold the definitions of the study, in the order in which they are read."""
    return [Path(folder) / "default.yaml", *sorted(Path(folder, "papers").glob("*.yaml"))]


def merged(base: Mapping, overlay: Mapping) -> dict:
    """`overlay` over `base`: mappings key by key, everything else replaced."""
    result = dict(base)
    for key, value in overlay.items():
        both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = merged(result[key], value) if both else value
    return result


def overlaid(base: Mapping, overlay: Mapping, path: str | Path) -> dict:
    """`merged`; ValueError, naming the file, for an empty mapping over a value that is none.

    Snakemake would keep the value.
    """

    def check(old: Mapping, new: Mapping, where: str) -> None:
        for key, value in new.items():
            if not isinstance(value, Mapping) or key not in old:
                continue
            if isinstance(old[key], Mapping):
                check(old[key], value, f"{where}{key}.")
            elif not value:
                raise ValueError(f"{path}: {where}{key}: {{}} does not replace {old[key]!r}")

    check(base, overlay, "")
    return merged(base, overlay)


def of_results(config: Mapping) -> dict:
    """What results depend on: all but how work is cut into jobs."""
    kept = {key: value for key, value in config.items() if key not in CUTTING}
    analyses_ = {
        name: {key: value for key, value in analysis.items() if key not in CUTTING}
        for name, analysis in config.get("analyses", {}).items()
    }
    return kept | ({"analyses": analyses_} if analyses_ else {})


def selected(config: Mapping, kind: str) -> list[str]:
    """Selected names of a kind (experiments, policies, ...): all definitions without a list."""
    chosen = config["selection"].get(kind)
    return list(config.get(kind, ())) if chosen is None else list(chosen)


def variants(config: Mapping, experiment: str) -> list[str]:
    """Selected variants that take part in an experiment, in the order of their definitions."""
    chosen = set(selected(config, "policies"))
    chosen &= set(config["experiments"][experiment].get("policies", chosen))
    return [
        name
        for name, variant in config["policies"].items()
        if name in chosen and experiment in variant.get("experiments", (experiment,))
    ]


def products(config: Mapping, kind: str) -> list[tuple[str, str]]:
    """(experiment, name) of every figure (`kind`) that is to be made per experiment."""
    return [
        (experiment, name)
        for name in selected(config, kind)
        if "over" not in config[kind][name]
        for experiment in selected(config, "experiments")
        if experiment in config[kind][name].get("experiments", (experiment,))
        and name in config["experiments"][experiment].get(kind, (name,))
    ]


def across(config: Mapping, kind: str) -> list[str]:
    """Figures (`kind`) made once over several experiments and analyses that are selected."""
    return [
        name
        for name in selected(config, kind)
        if "over" in config[kind][name] and members(config, kind, name)
    ]


def tables(config: Mapping) -> list[str]:
    """Selected tables that have anything selected to read."""
    return [name for name in selected(config, "tables") if members(config, "tables", name)]


def members(config: Mapping, kind: str, name: str) -> list[tuple[str, str]]:
    """("experiments" or "analyses", name) of what a figure or table reads: its `over` or, for a
    table without, all its experiments; those that are not selected are left out."""
    definition = config[kind][name]
    experiments, chosen = selected(config, "experiments"), selected(config, "analyses")
    wanted = definition.get("over", definition.get("experiments", experiments))
    if wanted == "all":
        wanted = experiments + [name for name in chosen if not is_timed(config, name)]
    return [("experiments", member) for member in experiments if member in wanted] + [
        ("analyses", member) for member in chosen if member in wanted
    ]


def product(config: Mapping, kind: str, name: str) -> dict:
    """What a figure or table depends on: its module and its parameters."""
    definition = config[kind][name]
    return {
        "module": definition.get("module", name),
        "parameters": definition.get("parameters", {}),
    }


def is_timed(config: Mapping, analysis: str) -> bool:
    """Whether an analysis measures time, so that no two runs of it give the same numbers."""
    return bool(config["analyses"][analysis].get("timed", False))


def reads_times(config: Mapping, kind: str, name: str) -> bool:
    """Whether a figure or table reads a timed analysis."""
    return any(
        what == "analyses" and is_timed(config, member)
        for what, member in members(config, kind, name)
    )


def seed_blocks(
    config: Mapping, experiment: str, policy: str, costs: Costs
) -> list[tuple[int, int]]:
    """First and last seed of each block of a variant's runs; the block size changes no number."""
    definition, size = config["experiments"][experiment], config["seeds_per_job"]
    if size is None:
        rounds, target = definition.get("horizon"), config["seconds_per_job"]
        size = costs.block_size("run", experiment, policy, rounds, target)
    return _blocks(int(definition["seeds"]), int(size))


def used_datasets(config: Mapping) -> list[str]:
    """Datasets of the selected experiments, each once."""
    found = (config["experiments"][e].get("dataset") for e in selected(config, "experiments"))
    return list(dict.fromkeys(name for name in found if name))


def dataset_settings(config: Mapping, name: str) -> dict:
    """A dataset's definition, with what the study sets for all: source and download limit."""
    settings = dict(config["datasets"][name])
    if config["data"] != "auto":
        settings["source"] = config["data"]
    limit = config.get("max_download_mb")
    if limit is not None and "max_download_mb" not in settings:
        settings["max_download_mb"] = limit
    return settings


def tuned_parameter(config: Mapping, variant: str) -> str | None:
    """Name of the parameter that is chosen on training seeds, None for most variants."""
    values = config["policies"][variant].get("parameters", {})
    return next((name for name, value in values.items() if _is(value, "tune")), None)


def fit_job(config: Mapping, experiment: str) -> dict:
    """What the fit of an experiment depends on."""
    definition = config["experiments"][experiment]
    keys = ("environment", "dataset", "horizon", "model", "training", "units", "round_label")
    return {"experiment": experiment} | {key: definition.get(key) for key in keys}


def run_job(config: Mapping, experiment: str, variant: str, alpha: str) -> dict:
    """What the runs of a variant depend on, but for the seeds."""
    definition, policy = config["experiments"][experiment], config["policies"][variant]
    keys = ("environment", "dataset", "horizon", "model", "settings")
    return {"experiment": experiment, "alpha": alpha, "policy": variant} | {
        **{key: definition.get(key) for key in keys},
        "squared_error": definition.get("squared_error", False),
        "algorithm": policy["algorithm"],
        "parameters": policy.get("parameters", {}),
    }


def analysis_blocks(
    config: Mapping, analysis: str, part: str, costs: Costs
) -> list[tuple[int, int]]:
    """First and last seed of each block of a part; the block size changes no number."""
    definition = config["analyses"][analysis]
    size = definition.get("seeds_per_job", config["seeds_per_job"])
    if size is None:
        rounds = analysis_rounds(config, analysis, part)
        size = costs.block_size("analysis", analysis, part, rounds, config["seconds_per_job"])
    return _blocks(int(definition["seeds"]), int(size))


def analysis_rounds(config: Mapping, analysis: str, part: str) -> int | None:
    """Horizon of a part of an analysis, None where it has none."""
    return analysis_job(config, analysis, part)["parameters"].get("horizon")


def analysis_job(config: Mapping, analysis: str, part: str) -> dict:
    """What a part of an analysis depends on, but for the seeds."""
    definition = config["analyses"][analysis]
    return {
        "analysis": analysis,
        "module": definition.get("module", analysis),
        "part": part,
        "parameters": {**definition.get("parameters", {}), **definition["parts"][part]},
    }


def gather_job(config: Mapping, analysis: str) -> dict:
    """What the gathered file of an analysis holds."""
    definition = config["analyses"][analysis]
    return {
        "analysis": analysis,
        "title": definition["title"],
        "seeds": int(definition["seeds"]),
        "timed": is_timed(config, analysis),
        "parts": {
            part: analysis_job(config, analysis, part)["parameters"] for part in definition["parts"]
        },
    }


def measured_jobs(config: Mapping, costs: Costs) -> Iterator[tuple[str, str, str, int, int, str]]:
    """(rule, name, part, seeds, rounds, file) of every job that says what it cost."""
    folder = f"{config['results']}/timings/jobs"
    for experiment in selected(config, "experiments"):
        rounds = config["experiments"][experiment].get("horizon") or 0
        yield "fit", experiment, "-", 1, rounds, f"{folder}/fit/{experiment}.csv"
        for policy in variants(config, experiment):
            if tuned_parameter(config, policy) is not None:
                yield (
                    "tune",
                    experiment,
                    policy,
                    1,
                    rounds,
                    f"{folder}/tune/{experiment}/{policy}.csv",
                )
            for first, last in seed_blocks(config, experiment, policy, costs):
                for alpha in config["experiments"][experiment]["alphas"]:
                    path = f"run/{experiment}/{policy}/alpha-{alpha}/seeds-{first}-{last}.csv"
                    yield "run", experiment, policy, last - first + 1, rounds, f"{folder}/{path}"
    for analysis in selected(config, "analyses"):
        apart = "timings/" if is_timed(config, analysis) else ""
        for part in config["analyses"][analysis]["parts"]:
            rounds = analysis_rounds(config, analysis, part) or 0
            for first, last in analysis_blocks(config, analysis, part, costs):
                path = f"{apart}analyses/{analysis}/{part}/seeds-{first}-{last}.csv"
                yield "analysis", analysis, part, last - first + 1, rounds, f"{folder}/{path}"


def tune_job(config: Mapping, experiment: str, variant: str) -> dict:
    """What the choice of a tuned parameter depends on."""
    alpha = config["experiments"][experiment]["alphas"][0]
    job = run_job(config, experiment, variant, alpha)
    return (
        job
        | {"squared_error": False, "tuned_parameter": tuned_parameter(config, variant)}
        | {
            key: config["experiments"][experiment].get("tuning", {}).get(key, value)
            for key, value in config["tuning"].items()
        }
    )


def collect_job(config: Mapping, experiment: str) -> dict:
    """What a collected file holds: the grid of its runs, and how to name things."""
    definition = config["experiments"][experiment]
    names = variants(config, experiment)
    keys = ("environment", "dataset", "horizon", "alphas", "settings", "title", "units",
            "round_label")  # fmt: skip
    return {"experiment": experiment} | {
        **{key: definition.get(key) for key in keys},
        "seeds": int(definition["seeds"]),
        "policies": {
            name: {key: config["policies"][name][key] for key in ("label", "group", "algorithm")}
            for name in names
        },
    }


def _blocks(count: int, size: int) -> list[tuple[int, int]]:
    """Blocks of `size` of the seeds 1 to `count`: with more seeds the first blocks stay."""
    return [(first, min(first + size - 1, count)) for first in range(1, count + 1, size)]


def _sentence(error: ValidationError) -> str:
    """One line: where, what, and what the schema says about the key."""
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
    told = error.schema.get("description", "")
    line = f"config: {where}: {text}" + (f" ({told})" if told else "")
    return " ".join(line.split())[:400]


def _not_numbers(value: object, where: str = "") -> Iterator[str]:
    """NaN and infinity are numbers to a schema, and below no maximum and above no minimum."""
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
        if name in config["experiments"]:
            yield f"analyses.{name}: there is an experiment of that name; names are unique"
    results = {**config["experiments"], **config.get("analyses", {})}
    for kind in ("figures", "tables"):
        modules = sorted(path.stem for path in (PACKAGE / kind).glob("[!_]*.py"))
        for name, product in config[kind].items():
            where = f"{kind}.{name}"
            yield from _unknown(where, "module", [product.get("module", name)], modules)
            known = _arguments(PACKAGE / kind / f"{product.get('module', name)}.py")
            given = product.get("parameters", {})
            yield from _unknown(f"{where}.parameters", "parameter", given, known)
            yield from _unknown(
                where, "experiment", product.get("experiments", ()), config["experiments"]
            )
            over = product.get("over", ())
            yield from _unknown(
                where, "experiment or analysis", () if over == "all" else over, results
            )


@cache
def _arguments(path: Path) -> frozenset[str]:
    """Parameters of a figure's `draw` or a table's `rows`, read without loading what it needs."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name in ("draw", "rows"):
            return frozenset(a.arg for a in [*node.args.args[1:], *node.args.kwonlyargs])
    return frozenset()


def _selection_faults(config: Mapping) -> Iterator[str]:
    if not selected(config, "experiments") and not selected(config, "analyses"):
        yield "selection: nothing is selected; expected experiments or analyses"
    for kind, names in config["selection"].items():
        known = config.get(kind, {})
        yield from _unknown(f"selection.{kind}", f"name in {kind}:", names, known)
    for experiment in selected(config, "experiments"):
        if not variants(config, experiment):
            yield f"experiments.{experiment}: no selected policy takes part in it"


def _experiment_faults(where: str, experiment: Mapping, config: Mapping) -> Iterator[str]:
    environment, dataset = experiment.get("environment"), experiment.get("dataset")
    yield from _unknown(where, "policy", experiment.get("policies", ()), config["policies"])
    yield from _unknown(where, "figure", experiment.get("figures", ()), config["figures"])
    if (environment is None) == (dataset is None):
        yield f"{where}: give either an environment or a dataset"
    if dataset is not None:
        yield from _unknown(where, "dataset", [dataset], config["datasets"])
    if "fit" in experiment["model"].values() and "training" not in experiment:
        if experiment["model"]["kernel"] != "empirical":
            yield f"{where}: training is missing, and the model has values to fit"
    exact = experiment["model"].get("norm_bound") == "exact"
    if exact and (environment or {}).get("name") not in EXACT_NORMS:
        yield f"{where}.model.norm_bound: exact needs one of: {', '.join(EXACT_NORMS)}"
    if environment is not None:
        name = environment["name"]
        yield from _unknown(f"{where}.environment", "environment", [name], environments.names())
        yield from _unknown(
            f"{where}.environment.parameters",
            "parameter",
            environment.get("parameters", {}),
            environments.parameters(name) - {"rng"},
        )
        yield from _mistyped(
            f"{where}.environment.parameters",
            environments.declaration(name),
            environment.get("parameters", {}),
        )
        if experiment["horizon"] is None:
            yield f"{where}.horizon: a synthetic environment needs a number of rounds"
    known = [*kernels.names(), *(["empirical"] if dataset is not None else [])]
    yield from _unknown(f"{where}.model", "kernel", [experiment["model"]["kernel"]], known)


def _policy_faults(variant_name: str, variant: Mapping, config: Mapping) -> Iterator[str]:
    where = f"policies.{variant_name}"
    algorithm, values = variant["algorithm"], variant.get("parameters", {})
    yield from _unknown(where, "algorithm", [algorithm], policies.names())
    yield from _unknown(f"{where}.parameters", "parameter", values, policies.parameters(algorithm))
    yield from _unknown(where, "experiment", variant.get("experiments", ()), config["experiments"])
    if sum(_is(value, "tune") for value in values.values()) > 1:
        yield f"{where}.parameters: only one parameter can be tuned"
    declared = policies.declaration(algorithm)
    for name, value in values.items():
        options = value["tune"] if _is(value, "tune") else [value]
        for option in options:
            if not isinstance(option, Mapping):
                yield from _mistyped(f"{where}.parameters", declared, {name: option})
        if not _is(value, "from"):
            continue
        if value["from"] == "fit":
            yield from _unknown(f"{where}.parameters.{name}", "key", [value["key"]], FIT_KEYS)
            continue
        for experiment in variant.get("experiments", config["experiments"]):
            if variant_name not in config["experiments"][experiment].get(
                "policies", config["policies"]
            ):
                continue
            settings = config["experiments"][experiment].get("settings", {})
            yield from _unknown(
                f"{where}.parameters.{name}",
                "key",
                [value["key"]],
                settings,
                f" among the settings of experiment {experiment}",
            )


def _analysis_faults(where: str, name: str, analysis: Mapping) -> Iterator[str]:
    module = analysis.get("module", name)
    yield from _unknown(where, "module", [module], analyses.names())
    known = analyses.parameters(module)
    declared, common = analyses.declaration(module), analysis.get("parameters", {})
    parts = {f"parts.{part}": values for part, values in analysis["parts"].items()}
    for place, values in {"parameters": common, **parts}.items():
        yield from _unknown(f"{where}.{place}", "parameter", values, known)
        yield from _mistyped(f"{where}.{place}", declared, values)


def _dataset_faults(where: str, dataset: Mapping) -> Iterator[str]:
    loader = dataset["loader"]
    yield from _unknown(where, "loader", [loader], datasets.names())
    own = set(dataset) - set(datasets.COMMON)
    yield from _unknown(where, "key", own, datasets.parameters(loader) | set(datasets.COMMON))
    values = {key: dataset[key] for key in dataset if key in own}
    yield from _mistyped(where, datasets.declaration(loader), values)


def _mistyped(where: str, declared: Callable, values: Mapping) -> Iterator[str]:
    fault = typed.first_fault(declared, values)
    if fault:
        yield f"{where}.{fault}"


def _unknown(
    where: str,
    what: str,
    names: Iterable[str],
    known: Collection[str],
    tail: str = "",
) -> Iterator[str]:
    for name in names:
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            if len(listed) > _LONG_LIST:
                close = get_close_matches(name, sorted(known), 6, 0.0)
                listed = f"{', '.join(close)} and {len(known) - len(close)} others"
            yield f"{where}: unknown {what} {name!r}{tail}; known: {listed}"


def _is(value: object, key: str) -> bool:
    return isinstance(value, Mapping) and key in value
