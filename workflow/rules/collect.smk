# Collect: one file per experiment, one table of all runs, and checks of every run.


rule collect:
    input:
        runs=lambda wildcards: run_files(wildcards.experiment),
        fit="<results>/fits/{experiment}.json",
        data=lambda wildcards: data_file(wildcards.experiment, "test"),
    output:
        "<results>/collected/{experiment}.nc",
    log:
        "<results>/logs/collect/{experiment}.log",
    localrule: True
    params:
        made=lambda wildcards: recipes.collect(wildcards.experiment),
        expected=expected_recipes,
    message:
        "Collecting the runs of {wildcards.experiment}"
    script:
        "../scripts/collect.py"


rule summary:
    input:
        collected=collected_files(),
        timings=timing_files(),
    output:
        summary="<results>/tables/summary.csv",
        timing="<results>/tables/timing.csv",
        record="<results>/records/summary.json",
    log:
        "<results>/logs/summary.log",
    localrule: True
    params:
        made=lambda wildcards: recipes.summary(),
        expected=expected_recipes,
    message:
        "Writing the summary of all runs"
    script:
        "../scripts/summary.py"


rule check:
    input:
        collected=collected_files(),
        data=[f"{config['resources']}/{dataset}/test.nc" for dataset in jobs.used_datasets(config)],
    output:
        check="<results>/check.json",
        record="<results>/records/check.json",
    log:
        "<results>/logs/check.log",
    localrule: True
    params:
        made=lambda wildcards: recipes.check(),
        resources=config["resources"],
        expected=expected_recipes,
    message:
        "Checking all runs against recomputed regret"
    script:
        "../scripts/check.py"
