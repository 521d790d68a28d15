# Run: every variant at every alpha, in blocks of seeds. The block size changes no number.


rule run:
    input:
        fit="<results>/fits/{experiment}.json",
        tuned=lambda wildcards: tuned_file(wildcards.experiment, wildcards.policy),
        data=lambda wildcards: data_file(wildcards.experiment, "test"),
    output:
        runs="<results>/runs/{experiment}/{policy}/alpha-{alpha}/seeds-{first}-{last}.nc",
        timings="<results>/timings/runs/{experiment}/{policy}/alpha-{alpha}/seeds-{first}-{last}.csv",
    log:
        "<results>/logs/run/{experiment}/{policy}/alpha-{alpha}/seeds-{first}-{last}.log",
    benchmark:
        "<results>/timings/jobs/run/{experiment}/{policy}/alpha-{alpha}/seeds-{first}-{last}.tsv"
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        made=lambda wildcards: recipes.run(wildcards.experiment, wildcards.policy, wildcards.alpha),
        expected=expected_recipes,
    message:
        "Running {wildcards.policy} on {wildcards.experiment}, alpha {wildcards.alpha}, "
        "seeds {wildcards.first} to {wildcards.last}"
    script:
        "../scripts/run.py"
