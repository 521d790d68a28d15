"""Jobs from the configuration.

A job holds everything that its numbers depend on, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tvgp.policies import ours
from tvgp.study.analyses import AnalysisJob, GatherJob
from tvgp.study.collect.job import CollectJob
from tvgp.study.fit.job import FitJob, TuneJob
from tvgp.study.run.job import Experiment, RunJob


def of_results(config: Mapping) -> dict:
    """The part that results depend on: everything except the sizes of jobs, at any level."""
    kept = {
        key: value for key, value in config.items() if key not in ("seeds_per_job", "results_per_drawing")
    }
    for kind in ("experiments", "analyses"):
        kept[kind] = {
            name: {key: value for key, value in entry.items() if key != "seeds_per_job"}
            for name, entry in config.get(kind, {}).items()
        }
    return kept


def selected(config: Mapping, kind: str) -> list[str]:
    """Selected names of a kind (experiments, policies, ...): every definition if the selection lists none,
    without those of `leave_out`."""
    chosen = config["selection"].get(kind)
    left_out = config.get("leave_out", {}).get(kind, ())
    return [name for name in (config.get(kind, ()) if chosen is None else chosen) if name not in left_out]


def variants(config: Mapping, experiment: str) -> list[str]:
    """Selected variants that take part in an experiment, in the order of their definitions."""
    chosen = set(selected(config, "policies"))
    chosen &= set(config["experiments"][experiment].get("policies", chosen))
    return [
        name
        for name, variant in config["policies"].items()
        if name in chosen and experiment in variant.get("experiments", (experiment,))
    ]


def tuned_variants(config: Mapping, experiment: str) -> list[str]:
    """Selected variants of an experiment with a tuned parameter."""
    return [name for name in variants(config, experiment) if tuned_parameter(config, name) is not None]


def run_groups(config: Mapping, experiment: str) -> dict[str, list[str]]:
    """Variants whose runs are one job, by the name of its rule: the tuned ones, which wait for their
    tuning, those under a model of their own, which take long, and all others."""
    tuned = tuned_variants(config, experiment)
    rest = [name for name in variants(config, experiment) if name not in tuned]
    modelled = [name for name in rest if "model" in config["policies"][name]]
    others = [name for name in rest if name not in modelled]
    groups = {f"run_{experiment}": others, f"model_{experiment}": modelled, f"tuned_{experiment}": tuned}
    return {rule: policies for rule, policies in groups.items() if policies}


@dataclass(frozen=True)
class Product:
    """A figure or table. kind: "figures" or "tables"; stem: its files below the results folder, without
    suffix; pdf_fonts: of a figure's PDF, none of a table; across: whether it reads a list of results, as
    tables do, instead of those of one experiment.
    """

    kind: str
    stem: str
    suffixes: Sequence[str]
    pdf_fonts: int | None
    module: str
    parameters: Mapping[str, Any]
    across: bool


@dataclass(frozen=True)
class Drawing:
    """Figures and tables that read the same results.

    name: of its record; members: ("experiments" or "analyses", name) of what it reads; policies: label and
    look of the policies in these results.
    """

    name: str
    members: Sequence[tuple[str, str]]
    products: Sequence[Product]
    policies: Mapping[str, Mapping[str, Any]]


def drawings(config: Mapping) -> list[Drawing]:
    """The figures and tables of the study, grouped by what they read."""
    return [
        Drawing(name, inputs, drawn, presentation(config, inputs))
        for inputs, (name, drawn) in _drawn(config).items()
    ]


def products(config: Mapping) -> list[Product]:
    """The figures and tables of the study."""
    return [product for _, drawn in _drawn(config).values() for product in drawn]


def _drawn(config: Mapping) -> dict[tuple[tuple[str, str], ...], tuple[str, list[Product]]]:
    """By what they read: the name of their drawing, and figures and tables."""
    groups: dict[tuple, tuple[str, list[Product]]] = {}
    for experiment in selected(config, "experiments"):
        groups[("experiments", experiment),] = (
            f"figures_{experiment}",
            [
                _product(config, "figures", name, f"figures/{experiment}/{name}", across=False)
                for name in selected(config, "figures")
                if "over" not in config["figures"][name]
                and experiment in config["figures"][name].get("experiments", (experiment,))
                and name in config["experiments"][experiment].get("figures", (name,))
            ],
        )
    for kind, folder in (("figures", "figures/across"), ("tables", "tables")):
        for name in selected(config, kind):
            if kind == "tables" or "over" in config[kind][name]:
                product = _product(config, kind, name, f"{folder}/{name}", across=True)
                inputs = tuple(members(config, kind, name))
                groups.setdefault(inputs, (f"{kind[:-1]}_{name}", []))[1].append(product)
    return {inputs: group for inputs, group in groups.items() if inputs and group[1]}


def presentation(config: Mapping, members: Iterable[tuple[str, str]]) -> dict[str, dict[str, Any]]:
    """Label and, where it has one, look of the policies that results may name: all of them for an analysis,
    whose parts they are, and the variants of an experiment."""
    names = {
        name
        for what, member in members
        for name in (variants(config, member) if what == "experiments" else config["policies"])
    }
    return {name: _presented(config["policies"], name) for name in sorted(names)}


def _presented(policies: Mapping, name: str) -> dict[str, Any]:
    shown = {key: policies[name][key] for key in ("label", "look") if key in policies[name]}
    if isinstance(shown.get("look"), str):  # that of another policy
        shown["look"] = policies[shown["look"]]["look"]
    return shown


def drawing_jobs(config: Mapping) -> list[list[Drawing]]:
    """The drawings of each job, which has the name of its first: up to `results_per_drawing` of those that
    read a single experiment or analysis, or of those that wait for several."""
    size, every = config["results_per_drawing"], drawings(config)
    groups = [[drawing for drawing in every if (len(drawing.members) > 1) == several] for several in (0, 1)]
    return [group[first : first + size] for group in groups for first in range(0, len(group), size)]


def _product(config: Mapping, kind: str, name: str, stem: str, across: bool) -> Product:
    """The figure or table `name`."""
    definition = config[kind][name]
    return Product(
        kind=kind,
        stem=stem,
        suffixes=config["figure_formats"] if kind == "figures" else definition.get("formats", ("csv",)),
        pdf_fonts=config["pdf_fonts"] if kind == "figures" else None,
        module=definition.get("module", name),
        parameters=definition.get("parameters", {}),
        across=across,
    )


def members(config: Mapping, kind: str, name: str) -> list[tuple[str, str]]:
    """("experiments" or "analyses", name) of each selected input of a figure or table: its `over` or,
    for a table without it, all its experiments."""
    definition = config[kind][name]
    experiments, chosen = selected(config, "experiments"), selected(config, "analyses")
    inputs = definition.get("over", definition.get("experiments", experiments))
    if inputs == "all":
        inputs = experiments + [name for name in chosen if not is_timed(config, name)]
    return [("experiments", member) for member in experiments if member in inputs] + [
        ("analyses", member) for member in chosen if member in inputs
    ]


def is_timed(config: Mapping, analysis: str) -> bool:
    """Whether an analysis measures time and so gives different numbers in every run."""
    return bool(config["analyses"][analysis].get("timed", False))


def reads_times(config: Mapping, drawing: Drawing) -> bool:
    """Whether figures and tables read a timed analysis."""
    return any(what == "analyses" and is_timed(config, name) for what, name in drawing.members)


def seed_blocks(config: Mapping, experiment: str) -> list[tuple[int, int]]:
    """First and last seed of each block of an experiment's runs; the size changes no number."""
    return _blocks(config, config["experiments"][experiment])


def used_datasets(config: Mapping) -> list[str]:
    """Datasets of the selected experiments and analyses, each once."""
    names = [config["experiments"][e].get("dataset") for e in selected(config, "experiments")]
    names += [name for a in selected(config, "analyses") for name in analysis_datasets(config, a)]
    return list(dict.fromkeys(name for name in names if name))


def dataset_settings(config: Mapping, name: str) -> dict:
    """A dataset's definition with the study-wide settings: source and download limit."""
    settings = dict(config["datasets"][name])
    if config["data"] != "auto":
        settings["source"] = config["data"]
    limit = config.get("max_download_mb")
    if limit is not None and "max_download_mb" not in settings:
        settings["max_download_mb"] = limit
    return settings


def tuned_parameter(config: Mapping, variant: str) -> str | None:
    """Name of the parameter tuned on training seeds, None for most variants."""
    values = config["policies"][variant].get("parameters", {})
    return next((name for name, value in values.items() if is_option(value, "tune")), None)


def experiment(config: Mapping, name: str) -> Experiment:
    """Where the rewards of an experiment come from."""
    definition = config["experiments"][name]
    environment = definition.get("environment") or {"name": None}
    settings = definition.get("settings", {})
    return Experiment(
        name=name,
        environment=environment["name"],
        environment_parameters=environment.get("parameters", {}),
        dataset=definition.get("dataset"),
        horizon=definition["horizon"],
        test_day=settings.get("test_day"),
        first_arms=settings.get("first_arms", False),
    )


def fit_job(config: Mapping, name: str) -> FitJob:
    """The fit of an experiment."""
    definition = config["experiments"][name]
    model = {key: value for key, value in definition["model"].items() if key not in ("kernel", "delta")}
    played = [config["policies"][variant] for variant in variants(config, name)]
    return FitJob(
        experiment=experiment(config, name),
        kernel=definition["model"]["kernel"],
        model=model,
        training=definition.get("training"),
        units=definition["units"],
        round_label=definition["round_label"],
        models=sorted({policy["model"] for policy in played if "model" in policy}),
    )


def run_job(config: Mapping, name: str, variant: str, alpha: str) -> RunJob:
    """The runs of a variant in experiment `name`, for any seeds."""
    definition, policy = config["experiments"][name], config["policies"][variant]
    parameters, from_fit = {}, {}
    for parameter, value in policy.get("parameters", {}).items():
        if not isinstance(value, Mapping):
            parameters[parameter] = value
        elif is_option(value, "from") and value["from"] == "fit":
            from_fit[parameter] = value["key"]
        elif is_option(value, "from"):
            parameters[parameter] = definition["settings"][value["key"]]
    return RunJob(
        experiment=experiment(config, name),
        policy=variant,
        algorithm=policy["algorithm"],
        alpha=alpha,
        queries=policy.get("queries", "after"),
        model=policy.get("model"),
        parameters=parameters,
        from_fit=from_fit,
        tuned=tuned_parameter(config, variant),
        delta=float(definition["model"]["delta"]),
        exact_norm=definition["model"].get("norm_bound") == "exact",
        squared_error=definition.get("squared_error", False),
    )


def tune_job(config: Mapping, name: str, variant: str) -> TuneJob:
    """The choice of a variant's tuned parameter, under the first alpha of the experiment, on the
    study's number of training seeds unless the variant has its own."""
    definition = config["experiments"][name]
    run = run_job(config, name, variant, definition["alphas"][0])
    model = definition["model"]
    empirical = {
        key: model[key] for key in ("centre", "noise_fraction") if key in model and run.model is None
    }
    option = config["policies"][variant]["parameters"][run.tuned]
    return TuneJob(
        run=replace(run, squared_error=False),
        grid=option["tune"],
        seeds=option.get("seeds", config["tuning"]["seeds"]),
        days=empirical or None,
        price=option.get("price", 0.0),
    )


def collect_job(config: Mapping, name: str) -> CollectJob:
    """The collected file of an experiment."""
    definition, names = config["experiments"][name], variants(config, name)
    policies = [config["policies"][variant] for variant in names]
    return CollectJob(
        experiment=experiment(config, name),
        policies=names,
        labels=[policy["label"] for policy in policies],
        groups=[policy["group"] for policy in policies],
        algorithms=[policy["algorithm"] for policy in policies],
        queries=[policy.get("queries", "after") for policy in policies],
        ours=[
            ", ".join(name for name in ours(policy["algorithm"]) if name not in policy.get("parameters", {}))
            for policy in policies
        ],
        alphas=definition["alphas"],
        seeds=definition["seeds"],
        title=definition["title"],
        units=definition["units"],
        round_label=definition["round_label"],
    )


def analysis_blocks(config: Mapping, analysis: str) -> list[tuple[int, int]]:
    """First and last seed of each block of an analysis's parts; the size changes no number."""
    return _blocks(config, config["analyses"][analysis])


def analysis_groups(config: Mapping, analysis: str) -> dict[str, list[str]]:
    """The parts of an analysis by the dataset that they play, "" for none; a job computes a group."""
    groups: dict[str, list[str]] = {}
    for part in config["analyses"][analysis]["parts"]:
        dataset = analysis_job(config, analysis, part).parameters.get("dataset", "")
        groups.setdefault(dataset, []).append(part)
    return groups


def analysis_rule(analysis: str, dataset: str) -> str:
    """The rule that computes a group."""
    return f"analysis_{analysis}_{dataset}" if dataset else f"analysis_{analysis}"


def analysis_stem(analysis: str, dataset: str) -> str:
    """What precedes the seeds in the names of a group's files, below the folder of analyses."""
    return f"{analysis}/{dataset}-seeds" if dataset else f"{analysis}/seeds"


def analysis_datasets(config: Mapping, analysis: str) -> list[str]:
    """Datasets that the parts of an analysis play, each once."""
    return [dataset for dataset in analysis_groups(config, analysis) if dataset]


def analysis_job(config: Mapping, analysis: str, part: str) -> AnalysisJob:
    """A part of an analysis, for any seeds."""
    definition = config["analyses"][analysis]
    return AnalysisJob(
        analysis=analysis,
        module=definition.get("module", analysis),
        part=part,
        parameters={**definition.get("parameters", {}), **definition["parts"][part]},
    )


def gather_job(config: Mapping, analysis: str) -> GatherJob:
    """The gathered file of an analysis."""
    definition = config["analyses"][analysis]
    return GatherJob(
        analysis=analysis,
        title=definition["title"],
        seeds=definition["seeds"],
        timed=is_timed(config, analysis),
        parts={part: analysis_job(config, analysis, part).parameters for part in definition["parts"]},
    )


def _blocks(config: Mapping, entry: Mapping) -> list[tuple[int, int]]:
    """Seed blocks of an experiment or analysis; more seeds leave earlier full blocks unchanged."""
    count, size = entry["seeds"], entry.get("seeds_per_job", config["seeds_per_job"])
    return [(first, min(first + size - 1, count)) for first in range(1, count + 1, size)]


def is_option(value: object, key: str) -> bool:
    """Whether a parameter's value is a mapping with this key, such as {tune: [...]}."""
    return isinstance(value, Mapping) and key in value
