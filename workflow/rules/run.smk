# Run: a rule per experiment (`run_ozone`) and one for its tuned variants (`tuned_ozone`). Their jobs
# play all variants at one alpha for a block of seeds; the block size changes no number. The output is a
# manifest: the blocks that it lists lie in `runs/<experiment>/`, named by recipe and inputs
# (`tvgp.study.execution.pieces`), and a job plays those that are not there.

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
                runs=f"<results>/runs/{name}/alpha-{{alpha}}/seeds-{{first}}-{{last}}.json",
                times=f"<results>/timings/runs/{name}/alpha-{{alpha}}/seeds-{{first}}-{{last}}.json",
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
                recipes=lambda wildcards, of=(experiment, policies): recipes.runs(*of, wildcards.alpha),
                results=config["results"],
                expected=expected_recipes,
            message:
                f"Running {name}, alpha {{wildcards.alpha}}, seeds {{wildcards.first}} to {{wildcards.last}}"
            script:
                "../scripts/run.py"
