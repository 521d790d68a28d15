# Analyses: everything that is not a grid of bandit runs. A rule per analysis (`analysis_ageing`), or per
# dataset that it plays (`analysis_causes_ozone`): its jobs compute all parts for a block of seeds; the block
# size changes no number. The output is a manifest, as in run.smk; `gather` joins the parts of all blocks.

for analysis, dataset, parts in analysis_groups():

    rule:
        name:
            jobs.analysis_rule(analysis, dataset)
        input:
            **({dataset: data_files(dataset)} if dataset else {}),
        output:
            f"{analysis_folder(analysis)}/{jobs.analysis_stem(analysis, dataset)}-{{first}}-{{last}}.json",
        log:
            f"<results>/logs/{analysis_logs(analysis, dataset)}-{{first}}-{{last}}.log",
        benchmark:
            f"<results>/timings/jobs/{analysis_logs(analysis, dataset)}-{{first}}-{{last}}.tsv"
        priority: ANALYSE
        conda:
            "../envs/study.yaml"
        resources:
            mem_mb=lambda wildcards, attempt: 2000 * attempt,
            runtime=lambda wildcards, attempt: 30 * attempt,
        params:
            recipes=lambda wildcards, of=analysis, parts=parts: recipes.parts(of, parts),
            folder=f"{analysis_folder(analysis)}/{analysis}",
            datasets=[dataset] if dataset else [],
            expected=expected_recipes,
        message:
            f"Analysis {analysis}{' on ' if dataset else ''}{dataset}, seeds {{wildcards.first}} to {{wildcards.last}}"
        script:
            "../scripts/analysis.py"


rule gather:
    input:
        lambda wildcards: analysis_manifests(wildcards.analysis),
    output:
        "<results>/{folder}/{analysis}.nc",
    log:
        "<results>/logs/{folder}/{analysis}.log",
    localrule: True
    conda:
        "../envs/study.yaml"
    params:
        recipe=lambda wildcards: recipes.gather(wildcards.analysis),
        expected=expected_recipes,
    message:
        "Joining the parts of analysis {wildcards.analysis}"
    script:
        "../scripts/gather.py"
