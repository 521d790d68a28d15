"""All checks, and apart from them the wall times, which no rerun repeats."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from pathlib import Path

from tvgp.study.collect import collection
from tvgp.study.execution import errors, files, pieces, provenance

with errors.one_line_errors(snakemake.log[0]):
    times = pieces.listed(*snakemake.input.timings)
    provenance.require(snakemake.params.expected)
    given, made, recipe = snakemake.input, snakemake.output, snakemake.params.made
    collection.write_timing(made.timing, times)
    files.write_object(made.check, {Path(p).stem: files.read_object(p)["checked"] for p in given.checks})
    provenance.record(made.record, recipe, [*given.collected, *given.checks], [made.check])
    provenance.record(made.timing_record, recipe, given.timings, [made.timing])
