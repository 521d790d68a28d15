# Figures and tables, drawn from the collected files: redrawing takes seconds and never reruns `run`.
# What reads the same results has one record. The figures of a few experiments or analyses are one job,
# named after the first (`figures_ozone`); so are figures and tables that read several (`table_league`).

for drawings in jobs.drawing_jobs(config):

    rule:
        name:
            drawings[0].name
        input:
            [result_file(*member) for drawing in drawings for member in drawing.members],
        output:
            products=[path for drawing in drawings for path in product_files(drawing)],
            records=[record_file(drawing) for drawing in drawings],
        log:
            f"<results>/logs/draw/{drawings[0].name}.log",
        benchmark:
            f"<results>/timings/jobs/draw/{drawings[0].name}.tsv"
        localrule: True
        conda:
            "../envs/study.yaml"
        params:
            recipes=partial(drawing_recipes, drawings),
            inputs=[[result_file(*member) for member in drawing.members] for drawing in drawings],
            folders=[product_folder(drawing) for drawing in drawings],
            expected=expected_recipes,
        message:
            f"Drawing {', '.join(drawing.name for drawing in drawings)}"
        script:
            "../scripts/draw.py"
