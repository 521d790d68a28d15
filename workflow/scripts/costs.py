"""Write the table of what the jobs of a study took."""

from tvgp.study import errors
from tvgp.study.config import costs

with errors.one_line_errors(snakemake.log[0]):
    costs.write(snakemake.output[0], snakemake.params.jobs)
