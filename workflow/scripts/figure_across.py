"""Draw one figure over several experiments and analyses as PDF and PNG."""

from pathlib import Path

from tvgp.study import figures
from tvgp.study.errors import one_line_errors

with one_line_errors(snakemake.log[0]):
    product, inputs = snakemake.params.product, list(snakemake.input)
    stem = Path(snakemake.output.pdf).with_suffix("")
    figures.make(product["module"], inputs, stem, **product["parameters"])
