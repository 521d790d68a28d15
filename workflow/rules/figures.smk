# Figures and tables, drawn from the collected files; seconds to redraw, never a rerun of `run`.


rule figure:
    localrule: True
    message:
        "Drawing {wildcards.figure} of {wildcards.experiment}"
    input:
        "<results>/collected/{experiment}.nc",
    output:
        pdf="<results>/figures/{experiment}/{figure}.pdf",
        png="<results>/figures/{experiment}/{figure}.png",
    params:
        product=lambda wildcards: configuration.product(config, "figures", wildcards.figure),
        code=lambda wildcards: provenance.fingerprint(
            "tvgp.figures", product_module("figures", wildcards.figure)
        ),
    log:
        "<results>/logs/figures/{experiment}/{figure}.log",
    script:
        "../scripts/figure.py"


rule table:
    localrule: True
    message:
        "Writing table {wildcards.table}"
    input:
        lambda wildcards: collected_files(config["tables"][wildcards.table].get("experiments")),
    output:
        "<results>/tables/{table}.csv",
    params:
        product=lambda wildcards: configuration.product(config, "tables", wildcards.table),
        code=lambda wildcards: provenance.fingerprint(
            "tvgp.tables", product_module("tables", wildcards.table)
        ),
    log:
        "<results>/logs/tables/{table}.log",
    script:
        "../scripts/table.py"
