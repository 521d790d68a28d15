# Analyses: everything that is not a grid of bandit runs; parts run in blocks of seeds, then are joined.


rule analysis:
    output:
        result="<results>/{analyses}/{analysis}/{part}/seeds-{first}-{last}.nc",
    log:
        "<results>/logs/{analyses}/{analysis}/{part}/seeds-{first}-{last}.log",
    benchmark:
        "<results>/timings/jobs/{analyses}/{analysis}/{part}/seeds-{first}-{last}.tsv"
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        made=lambda wildcards: recipes.analysis(wildcards.analysis, wildcards.part),
    message:
        "Analysis {wildcards.analysis}, {wildcards.part}, " "seeds {wildcards.first} to {wildcards.last}"
    script:
        "../scripts/analysis.py"


rule gather:
    input:
        unpack(lambda wildcards: analysis_parts(wildcards.analysis)),
    output:
        "<results>/{analyses}/{analysis}.nc",
    log:
        "<results>/logs/{analyses}/{analysis}.log",
    localrule: True
    params:
        made=lambda wildcards: recipes.gather(wildcards.analysis),
        expected=expected_recipes,
    message:
        "Joining the parts of analysis {wildcards.analysis}"
    script:
        "../scripts/gather.py"
