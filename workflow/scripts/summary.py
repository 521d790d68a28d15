"""One row per run: the summary, and apart from it the wall times, which no rerun repeats."""

from tvgp.study import errors, provenance
from tvgp.study.collect import collection

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    collection.write_summary(snakemake.output.summary, snakemake.input.collected)
    collection.write_timing(snakemake.output.timing, snakemake.input.timings)
    record, made = snakemake.output.record, snakemake.params.made
    provenance.record(record, made, snakemake.input.collected, [snakemake.output.summary])
