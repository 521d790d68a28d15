# Analyses: everything that is not a grid of bandit runs. A rule per analysis (`analysis_ageing`): its
# jobs compute all parts for a block of seeds; the block size changes no number. The output is a
# manifest, as in run.smk; `gather` joins the parts of all blocks.

for analysis in jobs.selected(config, "analyses"):

    rule:
        name:
            f"analysis_{analysis}"
        input:
            **{name: data_files(name) for name in jobs.analysis_datasets(config, analysis)},
        output:
            f"{analysis_folder(analysis)}/{analysis}/seeds-{{first}}-{{last}}.json",
        log:
            f"<results>/logs/{analysis_logs(analysis)}/seeds-{{first}}-{{last}}.log",
        benchmark:
            f"<results>/timings/jobs/{analysis_logs(analysis)}/seeds-{{first}}-{{last}}.tsv"
        priority: ANALYSE
        conda:
            "../envs/study.yaml"
        resources:
            mem_mb=lambda wildcards, attempt: 2000 * attempt,
            runtime=lambda wildcards, attempt: 30 * attempt,
        params:
            recipes=lambda wildcards, of=analysis: recipes.parts(of),
            folder=f"{analysis_folder(analysis)}/{analysis}",
            datasets=jobs.analysis_datasets(config, analysis),
            expected=expected_recipes,
        message:
            f"Analysis {analysis}, seeds {{wildcards.first}} to {{wildcards.last}}"
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
