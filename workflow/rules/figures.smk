# Figures and tables, drawn from the collected files: redrawing takes seconds and never reruns `run`.


rule figure:
    input:
        "<results>/collected/{experiment}.nc",
    output:
        pdf="<results>/figures/{experiment}/{figure}.pdf",
        png="<results>/figures/{experiment}/{figure}.png",
    log:
        "<results>/logs/figures/{experiment}/{figure}.log",
    localrule: True
    params:
        product=lambda wildcards: jobs.product(config, "figures", wildcards.figure),
        code=lambda wildcards: provenance.fingerprint(
            "tvgp.study.figures", product_module("figures", wildcards.figure)
        ),
        expected=expected_recipes,
    message:
        "Drawing {wildcards.figure} of {wildcards.experiment}"
    script:
        "../scripts/figure.py"


rule figure_across:
    input:
        lambda wildcards: result_files("figures", wildcards.figure),
    output:
        pdf="<results>/{figures}/across/{figure}.pdf",
        png="<results>/{figures}/across/{figure}.png",
    log:
        "<results>/logs/{figures}/across/{figure}.log",
    localrule: True
    params:
        product=lambda wildcards: jobs.product(config, "figures", wildcards.figure),
        code=lambda wildcards: provenance.fingerprint(
            "tvgp.study.figures", product_module("figures", wildcards.figure)
        ),
        expected=expected_recipes,
    message:
        "Drawing {wildcards.figure} across its experiments"
    script:
        "../scripts/figure_across.py"


ruleorder: figure_across > figure


rule table:
    input:
        lambda wildcards: result_files("tables", wildcards.table),
    output:
        "<results>/{tables}/{table}.{form}",
    log:
        "<results>/logs/{tables}/{table}.{form}.log",
    localrule: True
    params:
        product=lambda wildcards: jobs.product(config, "tables", wildcards.table),
        code=lambda wildcards: provenance.fingerprint(
            "tvgp.study.tables", product_module("tables", wildcards.table)
        ),
        expected=expected_recipes,
    message:
        "Writing table {wildcards.table}"
    script:
        "../scripts/table.py"
