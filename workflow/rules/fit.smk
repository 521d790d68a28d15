# Fit: model parameters from training data, and the tuned parameter of each tuned variant.


rule fit:
    input:
        data=lambda wildcards: data_file(wildcards.experiment, "train"),
    output:
        fit="<results>/fits/{experiment}.json",
        cost="<results>/timings/jobs/fit/{experiment}.csv",
    log:
        "<results>/logs/fit/{experiment}.log",
    group:
        bundle("fit")
    resources:
        mem_mb=memory("fit"),
        runtime=minutes("fit"),
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
        cost="<results>/timings/jobs/tune/{experiment}/{policy}.csv",
    log:
        "<results>/logs/tune/{experiment}/{policy}.log",
    group:
        bundle("tune")
    resources:
        mem_mb=memory("tune"),
        runtime=minutes("tune"),
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
