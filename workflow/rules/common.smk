# Shared by all stages: names of files and modules, from the configuration.

from dataclasses import asdict
from functools import cache, partial

from snakemake.io import IOFile

from tvgp.study import datasets, provenance
from tvgp.study.config import jobs
from tvgp.study.config.recipes import Recipes
from tvgp.study.data import raw_files

recipes = Recipes(config)


wildcard_constraints:
    experiment="[a-z0-9_]+",
    policy="[a-z0-9_]+",
    dataset="[a-z0-9_]+",
    analysis="[a-z0-9_]+",
    part="[a-z0-9_]+",
    figure="[a-z0-9_]+",
    table="|".join(config["tables"]) or "none",
    form="csv|tex|html",
    analyses="(timings/)?analyses",
    figures="(timings/)?figures",
    tables="(timings/)?tables",
    alpha=r"[0-9]+(\.[0-9]+)?",
    first="[0-9]+",
    last="[0-9]+",


def data_file(experiment, part):
    """Training or test part of an experiment's dataset; nothing for a synthetic environment."""
    dataset = config["experiments"][experiment].get("dataset")
    return f"{config['resources']}/{dataset}/{part}.nc" if dataset else []


def dropped_files(dataset):
    """Raw files that the user put there: a new or changed one reruns what depends on the dataset."""
    settings = jobs.dataset_settings(config, dataset)
    if settings["source"] == "standin":
        return []
    return raw_files.dropped(settings["raw"], datasets.configured(settings).patterns)


def tuned_file(experiment, policy):
    """The tuned parameter of a variant; nothing for most variants."""
    if jobs.tuned_parameter(config, policy) is None:
        return []
    return f"{config['results']}/tuned/{experiment}/{policy}.json"


def tuned_files(experiment):
    """Every tuned parameter of an experiment."""
    return [path for policy in jobs.variants(config, experiment) if (path := tuned_file(experiment, policy))]


def product_module(kind, name):
    """The module that draws a figure or writes a table."""
    return f"tvgp.study.{kind}.{jobs.product(config, kind, name)['module']}"


def run_files(experiment, output, policies=None, alphas=None):
    """Every file `output` (of rule run) of an experiment, or those of some policies and alphas."""
    return [
        output.format(experiment=experiment, policy=policy, alpha=alpha, first=first, last=last)
        for policy in policies or jobs.variants(config, experiment)
        for alpha in alphas or config["experiments"][experiment]["alphas"]
        for first, last in jobs.seed_blocks(config, experiment)
    ]


def collected_files(experiments=None):
    """One collected file for each selected experiment, or for those of these that are."""
    experiments = [
        experiment
        for experiment in jobs.selected(config, "experiments")
        if experiments is None or experiment in experiments
    ]
    return [f"{config['results']}/collected/{experiment}.nc" for experiment in experiments]


def folder(kind, timed):
    """The folder for results of a kind. Measured times differ between runs and go to `timings/`, apart
    from everything that is the same in every run."""
    return f"{config['results']}/{'timings/' if timed else ''}{kind}"


def analysis_folder(analysis):
    """Where an analysis lies."""
    return folder("analyses", jobs.is_timed(config, analysis))


def analysis_parts(analysis):
    """The files of each part of an analysis, in the order of their seeds.

    The prefix keeps parts called `get` or `items` apart from methods of Snakemake's inputs.
    """
    return {
        f"part_{part}": [
            f"{analysis_folder(analysis)}/{analysis}/{part}/seeds-{first}-{last}.nc"
            for first, last in jobs.analysis_blocks(config, analysis)
        ]
        for part in config["analyses"][analysis]["parts"]
    }


def analysis_files():
    """One file for each selected analysis."""
    return [f"{analysis_folder(analysis)}/{analysis}.nc" for analysis in jobs.selected(config, "analyses")]


def result_files(kind, name):
    """The files that a figure or table over several experiments and analyses reads."""
    return [
        f"{folder('collected', False) if what == 'experiments' else analysis_folder(member)}" f"/{member}.nc"
        for what, member in jobs.members(config, kind, name)
    ]


def figure_files():
    """Every figure, as PDF and PNG."""
    stems = [
        f"{folder('figures', False)}/{experiment}/{name}"
        for experiment, name in jobs.products(config, "figures")
    ] + [
        f"{folder('figures', jobs.reads_times(config, 'figures', name))}/across/{name}"
        for name in jobs.across(config, "figures")
    ]
    return [f"{stem}.{suffix}" for stem in stems for suffix in ("pdf", "png")]


def table_files():
    """Every table."""
    return [
        f"{folder('tables', jobs.reads_times(config, 'tables', name))}/{name}.{form}"
        for name in jobs.tables(config)
        for form in config["tables"][name].get("formats", ("csv",))
    ]


@cache
def middle_recipes():
    """The recipe of every file between raw data and final products, as a function without arguments.

    A job computes those of its own inputs only: all recipes of the study take seconds.
    """
    made = {}
    for dataset in jobs.used_datasets(config):
        folder = f"{config['resources']}/{dataset}"
        made[f"{folder}/raw.json"] = partial(recipes.raw, dataset)
        made[f"{folder}/field.nc"] = partial(recipes.grid, dataset)
        made |= {f"{folder}/{part}.nc": partial(recipes.split, dataset) for part in ("train", "test")}
    for name in jobs.selected(config, "experiments"):
        made[f"{config['results']}/fits/{name}.json"] = partial(recipes.fit, name)
        made[f"{config['results']}/collected/{name}.nc"] = partial(recipes.collect, name)
        for policy in jobs.variants(config, name):
            if tuned := tuned_file(name, policy):
                made[tuned] = partial(recipes.tune, name, policy)
            for alpha in config["experiments"][name]["alphas"]:
                blocks = run_files(name, rules.run.output.runs, [policy], [alpha])
                made |= dict.fromkeys(blocks, partial(recipes.run, name, policy, alpha))
    for name in jobs.selected(config, "analyses"):
        made[f"{analysis_folder(name)}/{name}.nc"] = partial(recipes.gather, name)
        for key, blocks in analysis_parts(name).items():
            part = key.removeprefix("part_")
            made |= dict.fromkeys(blocks, partial(recipes.analysis, name, part))
    return made


def expected_recipes(wildcards, input):
    """Digests of the recipes of a job's inputs, as the configuration asks for them."""
    known = middle_recipes()
    return {path: known[path]()["recipe"] for path in input if path in known}


def middle_files(wildcards):
    """Every file between the raw data and the final products.

    Rule `all` requests them, because Snakemake does not remake a missing file while everything made
    from it is up to date. A failed job leaves such a gap: its outputs are deleted, its params recorded.

    Where Snakemake has no record of a file, as after copying results, it cannot see that the
    configuration differs: such files must have been made by the recipes of this configuration.
    """
    if not workflow.dag_settings.forceall:
        known, record = middle_recipes(), workflow.persistence.metadata
        unrecorded = (
            path for path in known if os.path.exists(path) and record(IOFile(path, rule=None)) is None
        )
        try:
            provenance.require({path: known[path]()["recipe"] for path in unrecorded})
        except ValueError as error:
            sys.exit(f"ERROR: {error}")
    timings = [
        path
        for experiment in jobs.selected(config, "experiments")
        for path in run_files(experiment, rules.run.output.timings)
    ]
    quality = [f"{config['resources']}/{dataset}/quality.csv" for dataset in jobs.used_datasets(config)]
    summaries = [f"{config['results']}/tables/{name}.csv" for name in ("summary", "timing")]
    return [*middle_recipes(), *timings, *quality, *summaries]


def untimed(files):
    """The files among these that are the same in every run."""
    apart = f"{config['results']}/timings/"
    return [path for path in files if not path.startswith(apart)]
