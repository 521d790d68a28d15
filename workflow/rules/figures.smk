# Figures and tables, drawn from the collected files: redrawing takes seconds and never reruns `run`.
# A rule per set of results (`figures_ozone`, `table_claims`): its job draws all that reads this set.

for drawing in jobs.drawings(config):

    rule:
        name:
            drawing.name
        input:
            [result_file(*member) for member in drawing.members],
        output:
            products=[in_report(path) for path in product_files(drawing)],
            record=record_file(drawing),
        log:
            f"<results>/logs/draw/{drawing.name}.log",
        localrule: True
        params:
            made=partial(recipe_of, drawing),
            folder=product_folder(drawing),
            expected=expected_recipes,
        message:
            f"Drawing {drawing.name}"
        script:
            "../scripts/draw.py"
