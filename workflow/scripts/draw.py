"""Draw the figures and tables that read the same results."""

from pathlib import Path

from tvgp.study import errors, figures, provenance, results, tables

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    made, inputs = snakemake.params.made, snakemake.input
    data = [results.read(path) for path in inputs]
    for product in made["job"]["products"]:
        module, values = product["module"], product["parameters"]
        stem = Path(snakemake.params.folder, product["stem"])
        if product["kind"] == "figures":
            figures.make(module, data if product["across"] else data[0], stem, **values)
        else:
            for suffix in product["suffixes"]:
                tables.make(module, data, f"{stem}.{suffix}", **values)
    provenance.record(snakemake.output.record, made, inputs, snakemake.output.products)
