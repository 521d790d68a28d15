"""Run one part of an analysis for a block of seeds."""

from tvgp.study import analyses, errors, provenance

with errors.one_line_errors(snakemake.log[0]):
    job, names = analyses.AnalysisJob(**snakemake.params.job), snakemake.wildcards
    seeds = range(int(names.first), int(names.last) + 1)
    result = analyses.run(job.module, seeds, **job.parameters)
    origin = provenance.origin(snakemake.params.job, snakemake.params.code)
    analyses.write(snakemake.output.result, result, origin)
