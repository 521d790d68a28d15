"""Write the checks of all experiments and, apart from them, the wall times, which differ between runs."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from pathlib import Path

from tvgp.study.collect import collection
from tvgp.study.execution import errors, files, pieces, provenance

with errors.one_line_errors(snakemake.log[0]):
    times = pieces.listed(*snakemake.input.timings)
    provenance.require(snakemake.params.expected)
    paths, output, recipe = snakemake.input, snakemake.output, snakemake.params.recipe
    collection.write_timing(output.timing, times)
    checks = {Path(path).stem: files.read_object(path)["checked"] for path in paths.checks}
    files.write_object(output.check, checks)
    provenance.record(output.record, recipe, [*paths.collected, *paths.checks], [output.check])
    provenance.record(output.timing_record, recipe, paths.timings, [output.timing])
