# Fit: model parameters from training data, and the tuned parameter of each tuned variant.


rule fit:
    input:
        data=lambda wildcards: data_file(wildcards.experiment, "train"),
    output:
        fit="<results>/fits/{experiment}.json",
        timing="<results>/timings/fits/{experiment}.txt",
    log:
        "<results>/logs/fit/{experiment}.log",
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        job=lambda wildcards: configuration.fit_job(config, wildcards.experiment),
        code=lambda wildcards: provenance.fingerprint(
            "tvgp.training", environment_module(wildcards.experiment)
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
        "<results>/tuned/{experiment}/{policy}.json",
    log:
        "<results>/logs/tune/{experiment}/{policy}.log",
    resources:
        mem_mb=1500,
        runtime=60,
    params:
        job=lambda wildcards: configuration.tune_job(config, wildcards.experiment, wildcards.policy),
        code=lambda wildcards: provenance.fingerprint(
            "tvgp.training",
            environment_module(wildcards.experiment),
            policy_module(wildcards.policy),
        ),
    message:
        "Tuning {wildcards.policy} for {wildcards.experiment} on training seeds"
    script:
        "../scripts/tune.py"
