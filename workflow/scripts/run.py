"""Run the variants of a job under one alpha for a block of seeds."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from pathlib import Path

from tvgp.study.data import field
from tvgp.study.execution import errors, files, provenance
from tvgp.study.run import blocks, build, kept
from tvgp.study.run.job import RunJob
from tvgp.study.run.world import World

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    recipes, paths, names = snakemake.params.made, snakemake.input, snakemake.wildcards
    outputs = list(zip(snakemake.output.runs, snakemake.output.timings, strict=True))
    first, last = int(names.first), int(names.last)
    fit = files.read_object(paths.fit)
    tuned = paths.get("tuned") or [None] * len(recipes)
    data = field.read_field(paths.data) if paths.get("data") else None
    world = World.open(RunJob.from_params(recipes[0]["job"]).experiment, data)
    for made, (runs, timings), parameter in zip(recipes, outputs, tuned, strict=True):
        job = RunJob.from_params(made["job"])
        folder = Path(snakemake.params.kept, job.policy, f"alpha-{job.alpha}", f"seeds-{first}-{last}")
        key = kept.key(made["recipe"], [path for path in (paths.fit, paths.get("data"), parameter) if path])
        if kept.take(folder, key, (runs, timings)):
            continue
        value = files.read_object(parameter)["value"] if parameter else None
        block = build.run_block(job, world, range(first, last + 1), fit, value)
        blocks.write_block(runs, block, job.names | provenance.origin(made))
        blocks.write_timings(timings, block)
        kept.keep(folder, key, (runs, timings))
