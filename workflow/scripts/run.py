"""Run one variant under one alpha for a block of seeds."""

from tvgp.study import errors, files, provenance
from tvgp.study.data import field
from tvgp.study.run import blocks, build
from tvgp.study.run.job import RunJob
from tvgp.study.run.world import World

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    made, paths, names = snakemake.params.made, snakemake.input, snakemake.wildcards
    job = RunJob.from_params(made["job"])
    fit = files.read_object(paths.fit)
    tuned = files.read_object(paths.tuned)["value"] if paths.get("tuned") else None
    world = World.open(job.experiment, field.read_field(paths.data) if paths.get("data") else None)
    block = build.run_block(job, world, range(int(names.first), int(names.last) + 1), fit, tuned)
    blocks.write_block(snakemake.output.runs, block, job.names | provenance.origin(made))
    blocks.write_timings(snakemake.output.timings, block)
