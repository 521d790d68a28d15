"""Gather the parts of an analysis, once it is complete."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from tvgp.study import analyses
from tvgp.study.execution import errors, pieces, provenance

with errors.one_line_errors(snakemake.log[0]):
    found, recipe = pieces.listed(*snakemake.input), snakemake.params.recipe
    provenance.require(snakemake.params.expected)
    job = analyses.GatherJob(**recipe["job"])
    parts = {part: [path for path in found if path.parent.name == part] for part in job.parts}
    analyses.write(snakemake.output[0], analyses.gather(parts, job), {"recipe": recipe["recipe"]})
