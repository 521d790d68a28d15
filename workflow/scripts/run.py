"""Run one variant under one alpha for a block of seeds."""

from tvgp.study import errors, files, provenance
from tvgp.study.config import costs
from tvgp.study.data import field
from tvgp.study.run import blocks, build

with errors.one_line_errors(snakemake.log[0]):
    job, paths, names = snakemake.params.job, snakemake.input, snakemake.wildcards
    fit = files.read_object(paths.fit)
    tuned = files.read_object(paths.tuned) if paths.get("tuned") else None
    data = field.read_field(paths.data) if paths.get("data") else None
    seeds = range(int(names.first), int(names.last) + 1)
    block = build.run_block(job, seeds, fit, tuned, data)
    origin = provenance.of_run(job, snakemake.params.code)
    blocks.write_block(snakemake.output.runs, block, origin)
    blocks.write_timings(snakemake.output.timings, block)
    costs.write_job(snakemake.output.cost)
