"""Choose the tuned parameters of an experiment's variants on training data."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from pathlib import Path

from tvgp.study.data import field
from tvgp.study.execution import errors, files, provenance
from tvgp.study.fit import tuning
from tvgp.study.fit.job import TuneJob
from tvgp.study.run import kept

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    recipes, paths = snakemake.params.made, snakemake.input
    fit = files.read_object(paths.fit)
    train = field.read_field(paths.data) if paths.get("data") else None
    tunings = [TuneJob.from_params(made["job"]) for made in recipes]
    training = tuning.open_training(tunings[0], train)
    for job, made, path in zip(tunings, recipes, snakemake.output.tuned, strict=True):
        folder, key = Path(snakemake.params.kept, job.run.policy, "tuned"), kept.key(made["recipe"], paths)
        if not kept.take(folder, key, [path]):
            files.write_object(path, tuning.tune(job, fit, training) | made)
            kept.keep(folder, key, [path])
