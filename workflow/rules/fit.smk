# Fit: model parameters from training data, and the tuned parameters of an experiment's tuned variants (a
# rule per experiment, `tune_ozone`), whose output is a manifest, as in run.smk.


rule fit:
    input:
        data=lambda wildcards: data_file(wildcards.experiment, "train"),
    output:
        fit="<results>/fits/{experiment}.json",
    log:
        "<results>/logs/fit/{experiment}.log",
    benchmark:
        "<results>/timings/jobs/fit/{experiment}.tsv"
    priority: FIRST
    conda:
        "../envs/study.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        recipe=lambda wildcards: recipes.fit(wildcards.experiment),
        expected=expected_recipes,
    message:
        "Fitting the model of {wildcards.experiment} on its training data"
    script:
        "../scripts/fit.py"


for experiment in jobs.selected(config, "experiments"):
    if policies := jobs.tuned_variants(config, experiment):

        rule:
            name:
                f"tune_{experiment}"
            input:
                fit=f"<results>/fits/{experiment}.json",
                data=data_file(experiment, "train"),
            output:
                f"<results>/tuned/{experiment}.json",
            log:
                f"<results>/logs/tune/{experiment}.log",
            benchmark:
                f"<results>/timings/jobs/tune/{experiment}.tsv"
            priority: FIRST
            conda:
                "../envs/study.yaml"
            resources:
                mem_mb=lambda wildcards, attempt: 2000 * attempt,
                runtime=lambda wildcards, attempt: 30 * attempt,
            params:
                recipes=lambda wildcards, of=experiment: recipes.tuned(of),
                folder=f"{config['results']}/tuned/{experiment}",
                expected=expected_recipes,
            message:
                f"Tuning variants for {experiment} on training data"
            script:
                "../scripts/tune.py"
