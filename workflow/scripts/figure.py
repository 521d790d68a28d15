"""Draw one figure of one experiment as PDF and PNG."""

from pathlib import Path

from tvgp.study import errors, figures, provenance

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    product = snakemake.params.product
    stem = Path(snakemake.output.pdf).with_suffix("")
    figures.make(product["module"], snakemake.input[0], stem, **product["parameters"])
