"""Fit an experiment's model on its training data."""

from tvgp.study import files
from tvgp.study.data import field
from tvgp.study.errors import one_line_errors
from tvgp.study.fit import training
from tvgp.study.fit.job import FitJob

with one_line_errors(snakemake.log[0]):
    train = snakemake.input.get("data")
    fit = training.fit(FitJob.from_params(snakemake.params.job), field.read_field(train) if train else None)
    files.write_object(snakemake.output.fit, fit)
