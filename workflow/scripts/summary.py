"""One row per run: the summary, and apart from it the wall times, which no rerun repeats."""

from tvgp.study.collect import collection
from tvgp.study.errors import one_line_errors

with one_line_errors(snakemake.log[0]):
    collection.write_summary(snakemake.output.summary, snakemake.input.collected)
    collection.write_timing(snakemake.output.timing, snakemake.input.timings)
