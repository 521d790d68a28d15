# Fit: model parameters from training data, and the tuned parameter of each tuned variant.


rule fit:
    input:
        data=lambda wildcards: data_file(wildcards.experiment, "train"),
    output:
        fit="<results>/fits/{experiment}.json",
    log:
        "<results>/logs/fit/{experiment}.log",
    benchmark:
        "<results>/timings/jobs/fit/{experiment}.tsv"
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        made=lambda wildcards: recipes.fit(wildcards.experiment),
        expected=expected_recipes,
    message:
        "Fitting the model of {wildcards.experiment} on its training data"
    script:
        "../scripts/fit.py"


rule tune:
    input:
        fit="<results>/fits/{experiment}.json",
        data=lambda wildcards: data_file(wildcards.experiment, "train"),
    output:
        tuned="<results>/tuned/{experiment}/{policy}.json",
    log:
        "<results>/logs/tune/{experiment}/{policy}.log",
    benchmark:
        "<results>/timings/jobs/tune/{experiment}/{policy}.tsv"
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        made=lambda wildcards: recipes.tune(wildcards.experiment, wildcards.policy),
        expected=expected_recipes,
    message:
        "Tuning {wildcards.policy} for {wildcards.experiment} on training data"
    script:
        "../scripts/tune.py"
