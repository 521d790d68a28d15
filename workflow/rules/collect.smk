# Collect: one file per experiment, all its runs checked; all checks, and all wall times.


rule collect:
    input:
        runs=lambda wildcards: run_files(wildcards.experiment),
        fit="<results>/fits/{experiment}.json",
        tuned=lambda wildcards: tuned_files(wildcards.experiment),
        data=lambda wildcards: data_file(wildcards.experiment, "test"),
    output:
        collected="<results>/collected/{experiment}.nc",
        check="<results>/checks/{experiment}.json",
    log:
        "<results>/logs/collect/{experiment}.log",
    localrule: True
    conda:
        "../envs/study.yaml"
    params:
        recipe=lambda wildcards: recipes.collect(wildcards.experiment),
        expected=expected_recipes,
    message:
        "Collecting and checking the runs of {wildcards.experiment}"
    script:
        "../scripts/collect.py"


rule summary:
    input:
        collected=collected_files(),
        checks=check_files(),
        timings=timing_files(),
    output:
        check="<results>/check.json",
        timing="<results>/tables/timing.csv",
        record="<results>/records/summary.json",
        timing_record="<results>/timings/records/summary.json",
    log:
        "<results>/logs/summary.log",
    localrule: True
    conda:
        "../envs/study.yaml"
    params:
        recipe=lambda wildcards: recipes.summary(),
        expected=expected_recipes,
    message:
        "Writing the checks and wall times of all runs"
    script:
        "../scripts/summary.py"
