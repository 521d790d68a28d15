"""Choose the tuned parameter of a variant on training data."""

from tvgp.study import errors, files, provenance
from tvgp.study.data import field
from tvgp.study.fit import tuning
from tvgp.study.fit.job import TuneJob

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    made = snakemake.params.made
    train = snakemake.input.get("data")
    job, fit = TuneJob.from_params(made["job"]), files.read_object(snakemake.input.fit)
    tuned = tuning.tune(job, fit, field.read_field(train) if train else None)
    files.write_object(snakemake.output.tuned, tuned | made)
