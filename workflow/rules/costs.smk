# Costs: time and memory used by the jobs of a study, as the table that sizes the jobs of the next one.


rule costs:
    input:
        lambda wildcards: [path for *_, path in jobs.measured_jobs(config, COSTS)],
    output:
        "<results>/timings/costs.csv",
    log:
        "<results>/logs/costs.log",
    localrule: True
    params:
        jobs=lambda wildcards: list(jobs.measured_jobs(config, COSTS)),
    message:
        "Writing the time and memory that the jobs of this study used"
    script:
        "../scripts/costs.py"
