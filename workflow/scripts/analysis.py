"""Run one part of an analysis for a block of seeds."""

from tvgp.study import analyses, errors, provenance

with errors.one_line_errors(snakemake.log[0]):
    made, names = snakemake.params.made, snakemake.wildcards
    job = analyses.AnalysisJob(**made["job"])
    seeds = range(int(names.first), int(names.last) + 1)
    result = analyses.run(job.module, seeds, **job.parameters)
    analyses.write(snakemake.output.result, result, provenance.origin(made))
