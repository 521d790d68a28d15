"""Fit an experiment's model on its training data."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from tvgp.study.data import field
from tvgp.study.execution import errors, files, provenance
from tvgp.study.fit import training
from tvgp.study.fit.job import FitJob

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    recipe = snakemake.params.recipe
    train = snakemake.input.get("data")
    fit = training.fit(FitJob.from_params(recipe["job"]), field.read_field(train) if train else None)
    files.write_object(snakemake.output.fit, fit | recipe)
