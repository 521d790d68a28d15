"""Gather the parts of an analysis, once it is complete."""

from tvgp.study import analyses
from tvgp.study.errors import one_line_errors

with one_line_errors(snakemake.log[0]):
    job = analyses.GatherJob(**snakemake.params.job)
    files = {part: list(getattr(snakemake.input, f"part_{part}")) for part in job.parts}
    analyses.write(snakemake.output[0], analyses.gather(files, job), {})
