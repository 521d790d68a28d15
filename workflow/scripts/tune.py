"""Choose the tuned parameter of a variant on training seeds."""

import json

from tvgp import atomic, costs, field, jsonfile, training
from tvgp.provenance import one_line_errors

with one_line_errors(snakemake.log[0]):
    train = snakemake.input.get("data")
    fit = jsonfile.read_object(snakemake.input.fit)
    tuned = training.tune(snakemake.params.job, fit, field.read_field(train) if train else None)
    atomic.write_text(snakemake.output.tuned, json.dumps(tuned, indent=2, sort_keys=True) + "\n")
    costs.write_job(snakemake.output.cost)
