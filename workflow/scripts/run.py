"""Run one variant under one alpha for a block of seeds."""

from tvgp import costs, field, jsonfile, provenance, results, study

with provenance.one_line_errors(snakemake.log[0]):
    job, paths, names = snakemake.params.job, snakemake.input, snakemake.wildcards
    fit = jsonfile.read_object(paths.fit)
    tuned = jsonfile.read_object(paths.tuned) if paths.get("tuned") else None
    data = field.read_field(paths.data) if paths.get("data") else None
    seeds = range(int(names.first), int(names.last) + 1)
    block = study.run_block(job, seeds, fit, tuned, data)
    origin = provenance.of_run(job, snakemake.params.code)
    results.write_block(snakemake.output.runs, block, origin)
    results.write_timings(snakemake.output.timings, block)
    costs.write_job(snakemake.output.cost)
