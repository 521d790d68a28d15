"""One row per run: the summary, and apart from it the wall times, which no rerun repeats."""

from tvgp import collection
from tvgp.provenance import one_line_errors

with one_line_errors(snakemake.log[0]):
    collection.write_summary(snakemake.output.summary, snakemake.input.collected)
    collection.write_timing(snakemake.output.timing, snakemake.input.timings)
