"""Write one table over all experiments."""

from tvgp.study import errors, provenance, tables

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    product = snakemake.params.product
    tables.make(product["module"], snakemake.input, snakemake.output[0], **product["parameters"])
