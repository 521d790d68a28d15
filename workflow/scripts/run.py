"""Run one variant under one alpha for a block of seeds."""

import json
from pathlib import Path

from tvgp import costs, field, provenance, results, study

with provenance.one_line_errors(snakemake.log[0]):
    job, paths, names = snakemake.params.job, snakemake.input, snakemake.wildcards
    fit = json.loads(Path(paths.fit).read_text())
    tuned = json.loads(Path(paths.tuned).read_text()) if paths.get("tuned") else None
    data = field.read_field(paths.data) if paths.get("data") else None
    seeds = range(int(names.first), int(names.last) + 1)
    block = study.run_block(job, seeds, fit, tuned, data)
    origin = provenance.of_run(job, snakemake.params.code)
    results.write_block(snakemake.output.runs, block, origin)
    results.write_timings(snakemake.output.timings, block)
    costs.write_job(snakemake.output.cost)
