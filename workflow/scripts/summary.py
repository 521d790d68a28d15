"""One row per run: the summary, and apart from it the wall times, which no rerun repeats; all checks."""

from tvgp.study import forkserver

forkserver.hand_over()

from pathlib import Path

from tvgp.study import errors, files, provenance
from tvgp.study.collect import collection

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    collection.write_summary(snakemake.output.summary, snakemake.input.collected)
    collection.write_timing(snakemake.output.timing, snakemake.input.timings)
    reports = {Path(path).stem: files.read_object(path) for path in snakemake.input.checks}
    files.write_object(snakemake.output.check, {name: report["checked"] for name, report in reports.items()})
    made_from = [*snakemake.input.collected, *snakemake.input.checks]
    products = [snakemake.output.summary, snakemake.output.check]
    provenance.record(snakemake.output.record, snakemake.params.made, made_from, products)
    made, timing = snakemake.params.made, snakemake.output.timing
    provenance.record(snakemake.output.timing_record, made, snakemake.input.timings, [timing])
