"""Draw one figure of one experiment as PDF and PNG."""

from pathlib import Path

from tvgp.study import figures
from tvgp.study.errors import one_line_errors

with one_line_errors(snakemake.log[0]):
    product = snakemake.params.product
    stem = Path(snakemake.output.pdf).with_suffix("")
    figures.make(product["module"], snakemake.input[0], stem, **product["parameters"])
