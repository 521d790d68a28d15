"""Draw one figure over several experiments and analyses as PDF and PNG."""

from pathlib import Path

from tvgp.study import errors, figures, provenance

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    product, inputs = snakemake.params.product, list(snakemake.input)
    stem = Path(snakemake.output.pdf).with_suffix("")
    figures.make(product["module"], inputs, stem, **product["parameters"])
