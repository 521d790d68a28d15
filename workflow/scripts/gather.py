"""Gather the parts of an analysis, once it is complete."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from tvgp.study import analyses
from tvgp.study.execution import errors, provenance

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    made = snakemake.params.made
    job = analyses.GatherJob(**made["job"])
    files = {part: list(getattr(snakemake.input, f"part_{part}")) for part in job.parts}
    analyses.write(snakemake.output[0], analyses.gather(files, job), {"recipe": made["recipe"]})
