# Collect: one file per experiment, one table of all runs, and checks of every run.


rule collect:
    input:
        runs=lambda wildcards: run_files(wildcards.experiment, rules.run.output.runs),
        fit="<results>/fits/{experiment}.json",
        tuned=lambda wildcards: tuned_files(wildcards.experiment),
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
        timings=[
            path
            for experiment in jobs.selected(config, "experiments")
            for path in run_files(experiment, rules.run.output.timings)
        ],
    output:
        summary="<results>/tables/summary.csv",
        timing="<results>/tables/timing.csv",
    log:
        "<results>/logs/summary.log",
    localrule: True
    params:
        code=lambda wildcards: provenance.fingerprint("tvgp.study.collect.collection"),
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
        "<results>/check.json",
    log:
        "<results>/logs/check.log",
    localrule: True
    params:
        experiments=[asdict(jobs.experiment(config, name)) for name in jobs.selected(config, "experiments")],
        resources=config["resources"],
        code=lambda wildcards: provenance.fingerprint(
            "tvgp.study.collect.checks",
            *{recipes.environment(e) for e in jobs.selected(config, "experiments")},
        ),
        expected=expected_recipes,
    message:
        "Checking all runs against recomputed regret"
    script:
        "../scripts/check.py"
