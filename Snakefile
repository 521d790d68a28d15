# The study, from raw data to the report. Stages, in order:
#   data     download, grid, split   raw files -> resources/<scale>/<dataset>/
#   fit      fit, tune_*             training data -> parameters
#   run      run_*, tuned_*          one job per experiment, alpha and block of seeds
#   analyse  analysis_*, gather      everything else: one job per analysis and block of seeds
#   collect  collect, summary        one checked file per experiment, all checks and wall times
#   figures  figure*, table_*        drawn from the collected files
#   report   report                  one HTML page
# `make study` is the quick study, plain `.venv/bin/snakemake --cores N` the papers' own scale.

import atexit
import os

from tvgp.study.execution import answer_cache, forkserver, processor

answer_cache.use(".snakemake")
atexit.register(answer_cache.keep)

processor.pin(os.environ)  # jobs inherit it: one core per job, the same sums everywhere
if not workflow.is_main_process:  # a cluster's job stays in its allocation
    os.environ.pop(forkserver.ADDRESS, None)


include: "workflow/rules/config.smk"
include: "workflow/rules/common.smk"


pathvars:
    results=config["results"],
    resources=config["resources"],


include: "workflow/rules/data.smk"
include: "workflow/rules/fit.smk"
include: "workflow/rules/run.smk"
include: "workflow/rules/collect.smk"
include: "workflow/rules/analyses.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        "<results>/report.html",
        "<results>/check.json",
        [f"{live_folder(name)}/policy.db" for name in own_experiments()],
        [path for drawing in jobs.drawings(config) for path in product_files(drawing)],
        middle_files,
    localrule: True
    message:
        "The study is complete: results in {config[results]}/"
