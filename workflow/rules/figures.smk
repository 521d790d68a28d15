# Figures and tables, drawn from the collected files; seconds to redraw, never a rerun of `run`.


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
        product=lambda wildcards: configuration.product(config, "figures", wildcards.figure),
        code=lambda wildcards: provenance.fingerprint(
            "tvgp.figures", product_module("figures", wildcards.figure)
        ),
    message:
        "Drawing {wildcards.figure} of {wildcards.experiment}"
    script:
        "../scripts/figure.py"


rule table:
    input:
        lambda wildcards: collected_files(config["tables"][wildcards.table].get("experiments")),
    output:
        "<results>/tables/{table}.csv",
    log:
        "<results>/logs/tables/{table}.log",
    localrule: True
    params:
        product=lambda wildcards: configuration.product(config, "tables", wildcards.table),
        code=lambda wildcards: provenance.fingerprint(
            "tvgp.tables", product_module("tables", wildcards.table)
        ),
    message:
        "Writing table {wildcards.table}"
    script:
        "../scripts/table.py"
