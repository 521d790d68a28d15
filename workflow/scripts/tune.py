"""Choose the tuned parameter of a variant on training seeds."""

import json
from pathlib import Path

from tvgp import atomic, costs, field, training
from tvgp.provenance import one_line_errors

with one_line_errors(snakemake.log[0]):
    train = snakemake.input.get("data")
    fit = json.loads(Path(snakemake.input.fit).read_text())
    tuned = training.tune(snakemake.params.job, fit, field.read_field(train) if train else None)
    atomic.write_text(snakemake.output.tuned, json.dumps(tuned, indent=2, sort_keys=True) + "\n")
    costs.write_job(snakemake.output.cost)
