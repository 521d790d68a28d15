"""Collect the runs of an experiment, once it is complete and correct."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from tvgp.study.collect import card, checks, collection
from tvgp.study.collect.job import CollectJob
from tvgp.study.data import field
from tvgp.study.execution import errors, files, pieces, provenance
from tvgp.study.run.world import World

with errors.one_line_errors(snakemake.log[0]):
    recipe, paths = snakemake.params.recipe, snakemake.input
    runs, tuned = pieces.listed(*paths.runs), pieces.listed(*paths.get("tuned", ()))
    provenance.require(snakemake.params.expected)
    job = CollectJob.from_params(recipe["job"])
    world = World.open(job.experiment, field.read_field(paths.data) if paths.get("data") else None)
    arms = world.describe_arms(job.alphas[0])
    described = card.of_world(world, job.alphas[0], job.seeds)
    fit = files.read_object(paths.fit)
    chosen = [files.read_object(path) for path in tuned]
    collection.collect(snakemake.output.collected, runs, job, arms, described, fit, chosen, recipe["recipe"])
    report = checks.check(*collection.read(snakemake.output.collected), world)
    provenance.record(snakemake.output.check, recipe | {"checked": report}, [], [snakemake.output.collected])
