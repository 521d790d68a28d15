# Run: a rule per experiment (`run_ozone`) and one for its tuned variants (`tuned_ozone`). Their jobs
# play all variants at one alpha for a block of seeds; the block size changes no number. A variant
# whose block is kept from an earlier job of the same recipe and inputs is not played again.

for experiment in jobs.selected(config, "experiments"):
    for name, policies in jobs.run_groups(config, experiment).items():

        rule:
            name:
                name
            input:
                fit=f"<results>/fits/{experiment}.json",
                tuned=tuned_files(experiment, policies),
                data=data_file(experiment, "test"),
            output:
                runs=[f"<results>/{block_pattern(experiment, policy)}.nc" for policy in policies],
                timings=[f"<results>/timings/{block_pattern(experiment, policy)}.json" for policy in policies],
            log:
                f"<results>/logs/run/{name}/alpha-{{alpha}}/seeds-{{first}}-{{last}}.log",
            benchmark:
                f"<results>/timings/jobs/run/{name}/alpha-{{alpha}}/seeds-{{first}}-{{last}}.tsv"
            priority: PLAY
            conda:
                "../envs/study.yaml"
            resources:
                mem_mb=lambda wildcards, attempt: 2000 * attempt,
                runtime=lambda wildcards, attempt: 30 * attempt,
            params:
                made=partial(run_recipes, experiment, policies),
                kept=f"{config['results']}/kept/{experiment}",
                expected=expected_recipes,
            message:
                f"Running {name}, alpha {{wildcards.alpha}}, seeds {{wildcards.first}} to {{wildcards.last}}"
            script:
                "../scripts/run.py"
