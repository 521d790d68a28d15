"""Write one table over all experiments."""

from tvgp.study import tables
from tvgp.study.errors import one_line_errors

with one_line_errors(snakemake.log[0]):
    product = snakemake.params.product
    tables.make(product["module"], snakemake.input, snakemake.output[0], **product["parameters"])
