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
        job=lambda wildcards: asdict(jobs.fit_job(config, wildcards.experiment)),
        code=lambda wildcards: provenance.fingerprint(
            "tvgp.study.fit.training", environment_module(wildcards.experiment)
        ),
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
        job=lambda wildcards: asdict(jobs.tune_job(config, wildcards.experiment, wildcards.policy)),
        code=lambda wildcards: provenance.fingerprint(
            "tvgp.study.fit.tuning",
            environment_module(wildcards.experiment),
            policy_module(wildcards.policy),
        ),
    message:
        "Tuning {wildcards.policy} for {wildcards.experiment} on training data"
    script:
        "../scripts/tune.py"
