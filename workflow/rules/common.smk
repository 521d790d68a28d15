# Shared by all stages: names of files and modules, from the configuration.

import time
from functools import cache, partial
from itertools import chain
from pathlib import Path

from snakemake.io import IOFile

from tvgp.study import datasets
from tvgp.study.execution import provenance
from tvgp.study.config import jobs
from tvgp.study.config.recipes import Recipes
from tvgp.study.data import raw_files

recipes = Recipes(config)

# Long jobs start first, what they wait for before them; collecting and drawing fill the gaps at the end.
FIRST, PLAY, ANALYSE = 3, 2, 1


wildcard_constraints:
    experiment="[a-z0-9_]+",
    analysis="[a-z0-9_]+",
    folder="analyses|timings/analyses",
    dataset="[a-z0-9_]+",
    alpha=r"[0-9]+(\.[0-9]+)?|fit",
    first="[0-9]+",
    last="[0-9]+",


def data_file(experiment, part):
    """Training or test part of an experiment's dataset; nothing for a synthetic environment."""
    dataset = config["experiments"][experiment].get("dataset")
    return f"{config['resources']}/{dataset}/{part}.nc" if dataset else []


def data_files(dataset):
    """Training and test part of a dataset."""
    return [f"{config['resources']}/{dataset}/{part}.nc" for part in ("train", "test")]


def dropped_files(dataset):
    """Raw files that the user put there: a new or changed one reruns what depends on the dataset."""
    settings = jobs.dataset_settings(config, dataset)
    if settings["source"] in ("extract", "standin"):
        return []
    try:
        return raw_files.dropped(settings["raw"], datasets.patterns(settings))
    except ValueError as error:
        sys.exit(f"ERROR: {error}")


def tuned_files(experiment, policies=None):
    """The manifest of an experiment's tuned parameters, if it has any, or some of these policies do."""
    tuned = jobs.tuned_variants(config, experiment)
    wanted = tuned if policies is None else set(tuned) & set(policies)
    return [f"{config['results']}/tuned/{experiment}.json"] if wanted else []


def run_files(experiment, group=None, alpha=None, folder=""):
    """The manifests of an experiment's runs, or of those of one rule and alpha."""
    return [
        f"{config['results']}/{folder}runs/{name}/alpha-{each}/seeds-{first}-{last}.json"
        for name in ([group] if group else jobs.run_groups(config, experiment))
        for each in ([alpha] if alpha else config["experiments"][experiment]["alphas"])
        for first, last in jobs.seed_blocks(config, experiment)
    ]


def timing_files():
    """The manifests of the wall seconds of all runs."""
    experiments = jobs.selected(config, "experiments")
    return [path for experiment in experiments for path in run_files(experiment, folder="timings/")]


def collected_files():
    """One collected file for each selected experiment."""
    return [result_file("experiments", name) for name in jobs.selected(config, "experiments")]


def own_experiments():
    """Selected experiments on the user's own data."""
    datasets = {name: each["loader"] for name, each in config.get("datasets", {}).items()}
    selected = jobs.selected(config, "experiments")
    return [name for name in selected if datasets.get(config["experiments"][name].get("dataset")) == "table"]


def season_file():
    """What was subtracted from each site, a file of its own where the user's own data are anomalies."""
    played = [config["experiments"][name]["dataset"] for name in own_experiments()]
    anomalies = any("anomaly" in config["datasets"][dataset] for dataset in played)
    return {"season": "<results>/live/{experiment}/season.json"} if anomalies else {}


def live_folder(experiment):
    """Where the files that start what is recommended lie."""
    return f"{config['results']}/live/{experiment}"


def check_files():
    """What was checked of each selected experiment."""
    return [f"{config['results']}/checks/{name}.json" for name in jobs.selected(config, "experiments")]


def results_folder(timed):
    """Measured times differ between runs and go to `timings/`, apart from everything that is the same in
    every run."""
    return f"{config['results']}/timings" if timed else config["results"]


def analysis_folder(analysis):
    """Where an analysis lies."""
    return f"{results_folder(jobs.is_timed(config, analysis))}/analyses"


def analysis_groups():
    """Analysis, dataset and parts of the jobs that compute the selected analyses."""
    for analysis in jobs.selected(config, "analyses"):
        for dataset, parts in jobs.analysis_groups(config, analysis).items():
            yield analysis, dataset, parts


def analysis_logs(analysis, dataset):
    """What the logs of a group of parts start with, below the folder of logs."""
    folder = analysis_folder(analysis).removeprefix(f"{config['results']}/")
    return f"{folder}/{jobs.analysis_stem(analysis, dataset)}"


def analysis_manifests(analysis, dataset=None):
    """The manifests of an analysis's parts, or of those on a dataset, in the order of their seeds."""
    groups = jobs.analysis_groups(config, analysis) if dataset is None else [dataset]
    return [
        f"{analysis_folder(analysis)}/{jobs.analysis_stem(analysis, group)}-{first}-{last}.json"
        for group in groups
        for first, last in jobs.analysis_blocks(config, analysis)
    ]


def analysis_files():
    """One file for each selected analysis."""
    return [result_file("analyses", name) for name in jobs.selected(config, "analyses")]


def result_file(what, name):
    """The collected file of an experiment or the gathered file of an analysis."""
    folder = f"{config['results']}/collected" if what == "experiments" else analysis_folder(name)
    return f"{folder}/{name}.nc"


def product_folder(drawing):
    """Where figures and tables that read the same results lie."""
    return results_folder(jobs.reads_times(config, drawing))


def product_files(drawing):
    """The files of figures and tables that read the same results."""
    return [
        f"{product_folder(drawing)}/{product.stem}.{suffix}"
        for product in drawing.products
        for suffix in product.suffixes
    ]


def record_file(drawing):
    """The record of figures and tables that read the same results."""
    return f"{product_folder(drawing)}/records/{drawing.name}.json"


def drawing_recipes(drawings, wildcards):
    """The recipes of a job's figures and tables, by their record."""
    return {record_file(drawing): recipes.draw(drawing) for drawing in drawings}


def shown(kind):
    """Figures or tables in the report, in the order of their selection: the same in every run."""
    order = jobs.selected(config, kind)
    drawn = [
        path
        for drawing in jobs.drawings(config)
        for path in product_files(drawing)
        if path.startswith(f"{config['results']}/{kind}/")
    ]
    return sorted(drawn, key=lambda path: order.index(Path(path).name.partition(".")[0]))


@cache
def middle_recipes():
    """The recipe of every file that holds one, as a function without arguments: all between raw data
    and final products, and the products' records.

    A job computes those of its own inputs only: all recipes of the study take seconds.
    """
    results, known = config["results"], {}
    for dataset in jobs.used_datasets(config):
        folder = f"{config['resources']}/{dataset}"
        known[f"{folder}/raw.json"] = partial(recipes.raw, dataset)
        known[f"{folder}/field.nc"] = partial(recipes.grid, dataset)
        known[f"{folder}/quality.json"] = partial(recipes.grid, dataset)
        known |= {f"{folder}/{part}.nc": partial(recipes.split, dataset) for part in ("train", "test")}
    for name in jobs.selected(config, "experiments"):
        known[f"{results}/fits/{name}.json"] = partial(recipes.fit, name)
        known[f"{results}/collected/{name}.nc"] = partial(recipes.collect, name)
        known[f"{results}/checks/{name}.json"] = partial(recipes.collect, name)
        known |= dict.fromkeys(tuned_files(name), partial(joint, recipes.tuned, name))
        for group, policies in jobs.run_groups(config, name).items():
            for alpha in config["experiments"][name]["alphas"]:
                runs = partial(joint, recipes.runs, name, policies, alpha)
                known |= dict.fromkeys(run_files(name, group, alpha), runs)
                known |= dict.fromkeys(run_files(name, group, alpha, "timings/"), runs)
    for name in jobs.selected(config, "analyses"):
        known[f"{analysis_folder(name)}/{name}.nc"] = partial(recipes.gather, name)
    for name, dataset, parts in analysis_groups():
        group = partial(joint, recipes.parts, name, parts)
        known |= dict.fromkeys(analysis_manifests(name, dataset), group)
    known |= {record_file(drawing): partial(recipes.draw, drawing) for drawing in jobs.drawings(config)}
    known |= {f"{live_folder(name)}/record.json": partial(recipes.live, name) for name in own_experiments()}
    known[f"{results}/records/summary.json"] = recipes.summary
    known[f"{results}/timings/records/summary.json"] = recipes.summary
    known[f"{results}/records/report.json"] = partial(recipes.report, report_template())
    return known


def joint(of_pieces, *names):
    """The recipe of the manifest of what these recipes make."""
    return provenance.joint(of_pieces(*names))


def report_template():
    """The template of the report."""
    return f"{workflow.basedir}/workflow/report/report.html.j2"


def expected_recipes(wildcards, input):
    """Digests of the recipes of a job's inputs, as the configuration asks for them."""
    known = middle_recipes()
    return {path: known[path]()["recipe"] for path in input if path in known}


def middle_files(wildcards):
    """Every file between the raw data and the final products, and all records.

    Rule `all` requests them, because Snakemake does not remake a missing file while everything made
    from it is up to date. A failed job leaves such a gap: its outputs are deleted, its params recorded.
    """
    make_right()
    known = middle_recipes()
    workflow.dag.forcefiles |= provenance.incomplete(filter(os.path.exists, known))  # what a manifest lists
    quality = [f"{config['resources']}/{dataset}/quality.csv" for dataset in jobs.used_datasets(config)]
    return [*known, *quality, f"{config['results']}/tables/timing.csv"]


def unrecorded_recipes():
    """The recipe of every file that Snakemake has no record of, as after copying results: it cannot see that
    the configuration differs."""
    if workflow.dag_settings.forceall:
        return {}
    known, record = middle_recipes(), workflow.persistence.metadata
    present = [path for path in known if os.path.exists(path) and record(IOFile(path, rule=None)) is None]
    return {path: known[path]()["recipe"] for path in present}


def make_right():
    """Refuse damaged files, and unrecorded ones that are of other recipes, each in a line.

    With `repair`, which `tvgp run` gives, they are deleted instead, so that they are made again, and so is
    whatever else in the study differs from its own records; file times in the future become now.
    """
    unrecorded = unrecorded_recipes()
    # while another Snakemake runs here, files are in the making
    quiet = not any((workflow.dryrun, workflow.dag_settings.forceall, *Path(".snakemake/locks").glob("*")))
    sealed = provenance.sealed(config["results"], config["resources"]) if quiet else []
    if not (repair and quiet):
        faults = provenance.damaged(sealed) | provenance.faults(unrecorded, unrecorded)
        if refused := [f"ERROR: {fault}" for path, fault in faults.items() if os.path.exists(path)]:
            sys.exit("\n".join(refused))
        return
    for path, fault in provenance.faults({**unrecorded, **dict.fromkeys(sealed)}, unrecorded).items():
        print(f"Made again: {fault.partition(';')[0]}", file=sys.stderr)
        Path(path).unlink(missing_ok=True)
    bring_back_from_the_future()


def bring_back_from_the_future():
    """Snakemake fails where an output is older than an input, as after the clock has been set back."""
    now = time.time()
    raw = (dropped_files(dataset) for dataset in jobs.used_datasets(config))
    folders = (config["results"], config["resources"], f"{workflow.basedir}/workflow")
    for path in chain(*raw, *(Path(folder).rglob("*") for folder in folders)):
        if path.is_file() and path.stat().st_mtime > now:
            os.utime(path, (now, now))


def untimed(files):
    """The files among these that are the same in every run."""
    apart = f"{config['results']}/timings/"
    return [path for path in files if not path.startswith(apart)]
