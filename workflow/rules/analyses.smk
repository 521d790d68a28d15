# Analyses: everything that is not a grid of bandit runs. A rule per analysis (`analysis_ageing`): its
# jobs compute all parts for a block of seeds; the block size changes no number. A single block's job
# also joins the parts, otherwise a job of `gather_ageing` does. A part that is kept from an earlier job
# of the same recipe is not computed again.

for analysis in jobs.selected(config, "analyses"):
    blocks, stem = jobs.analysis_blocks(config, analysis), f"{analysis_folder(analysis)}/{analysis}"
    first, last = blocks[0] if len(blocks) == 1 else ("{first}", "{last}")
    block = f"{analysis_logs(analysis)}/seeds-{first}-{last}"

    rule:
        name:
            f"analysis_{analysis}"
        output:
            parts=[f"{stem}/{part}/seeds-{first}-{last}.nc" for part in config["analyses"][analysis]["parts"]],
            joined=f"{stem}.nc" if len(blocks) == 1 else [],
        log:
            f"<results>/logs/{block}.log",
        benchmark:
            f"<results>/timings/jobs/{block}.tsv"
        priority: ANALYSE
        conda:
            "../envs/study.yaml"
        resources:
            mem_mb=lambda wildcards, attempt: 2000 * attempt,
            runtime=lambda wildcards, attempt: 30 * attempt,
        params:
            parts=partial(part_recipes, analysis),
            joined=partial(gather_recipe, analysis),
            seeds=partial(block_of, (first, last)),
            kept=f"{config['results']}/kept/{analysis}",
        message:
            f"Analysis {analysis}, seeds {{params.seeds[0]}} to {{params.seeds[1]}}"
        script:
            "../scripts/analysis.py"

    if len(blocks) > 1:

        rule:
            name:
                f"gather_{analysis}"
            input:
                **analysis_parts(analysis),
            output:
                f"{stem}.nc",
            log:
                f"<results>/logs/{analysis_logs(analysis)}.log",
            localrule: True
            conda:
                "../envs/study.yaml"
            params:
                made=partial(gather_recipe, analysis),
                expected=expected_recipes,
            message:
                f"Joining the parts of analysis {analysis}"
            script:
                "../scripts/gather.py"
