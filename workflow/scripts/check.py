"""Check all collected runs against a recomputation."""

from tvgp.study import errors, files, provenance
from tvgp.study.collect import checks
from tvgp.study.data import field
from tvgp.study.run.job import Experiment
from tvgp.study.run.world import World

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    made, reports = snakemake.params.made, {}
    for params, path in zip(made["job"]["experiments"], snakemake.input.collected, strict=True):
        experiment = Experiment(**params)
        test = f"{snakemake.params.resources}/{experiment.dataset}/test.nc"
        world = World.open(experiment, field.read_field(test) if experiment.dataset else None)
        reports[experiment.name] = checks.check_file(path, world)
    files.write_object(snakemake.output.check, reports)
    provenance.record(snakemake.output.record, made, snakemake.input, [snakemake.output.check])
