"""Fit an experiment's model on its training data."""

import json

from tvgp import atomic, costs, field, training
from tvgp.provenance import one_line_errors

with one_line_errors(snakemake.log[0]):
    train = snakemake.input.get("data")
    fit = training.fit(snakemake.params.job, field.read_field(train) if train else None)
    atomic.write_text(snakemake.output.fit, json.dumps(fit, indent=2, sort_keys=True) + "\n")
    costs.write_job(snakemake.output.cost)
