# Shared by all stages: names of files and modules, from the configuration.

from dataclasses import asdict

from tvgp.study import analyses, datasets, provenance
from tvgp.study.config import jobs
from tvgp.study.data import raw_files


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


def dataset_module(dataset):
    """The module that reads a dataset."""
    return f"tvgp.study.datasets.{config['datasets'][dataset]['loader']}"


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


def tuned_files():
    """Every tuned parameter of the study."""
    return [
        path
        for experiment in jobs.selected(config, "experiments")
        for policy in jobs.variants(config, experiment)
        if (path := tuned_file(experiment, policy))
    ]


def environment_module(experiment):
    """The module that the rewards of an experiment come from."""
    environment = config["experiments"][experiment].get("environment") or {"name": "field"}
    return f"tvgp.environments.{environment['name']}"


def policy_module(policy):
    """The module of a variant's algorithm."""
    return f"tvgp.policies.{config['policies'][policy]['algorithm']}"


def product_module(kind, name):
    """The module that draws a figure or writes a table."""
    return f"tvgp.study.{kind}.{jobs.product(config, kind, name)['module']}"


def run_files(experiment, output):
    """Every file `output` (of rule run) of an experiment."""
    return [
        output.format(experiment=experiment, policy=policy, alpha=alpha, first=first, last=last)
        for policy in jobs.variants(config, experiment)
        for alpha in config["experiments"][experiment]["alphas"]
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


def analysis_fingerprint(analysis, part):
    """The code that a part of an analysis depends on."""
    job = jobs.analysis_job(config, analysis, part)
    return provenance.fingerprint("tvgp.study.analyses", *analyses.uses(job.module, job.parameters))


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


def middle_files():
    """Every file between the raw data and the final products.

    Rule `all` requests them, because Snakemake does not remake a missing file while everything made
    from it is up to date. A failed job leaves such a gap: its outputs are deleted, its params recorded.
    """
    data = [
        f"{config['resources']}/{dataset}/{name}"
        for dataset in jobs.used_datasets(config)
        for name in ("raw.json", "field.nc", "quality.csv", "train.nc", "test.nc")
    ]
    fits = [f"{config['results']}/fits/{name}.json" for name in jobs.selected(config, "experiments")]
    runs = [
        path
        for experiment in jobs.selected(config, "experiments")
        for output in (rules.run.output.runs, rules.run.output.timings)
        for path in run_files(experiment, output)
    ]
    parts = [
        path
        for analysis in jobs.selected(config, "analyses")
        for blocks in analysis_parts(analysis).values()
        for path in blocks
    ]
    summaries = [f"{config['results']}/tables/{name}.csv" for name in ("summary", "timing")]
    return [
        *data,
        *fits,
        *tuned_files(),
        *runs,
        *collected_files(),
        *parts,
        *analysis_files(),
        *summaries,
    ]


def untimed(files):
    """The files among these that are the same in every run."""
    apart = f"{config['results']}/timings/"
    return [path for path in files if not path.startswith(apart)]
