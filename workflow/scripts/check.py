"""Check all collected runs against a recomputation."""

import json

from tvgp.study import files
from tvgp.study.collect import checks
from tvgp.study.data import field
from tvgp.study.errors import one_line_errors

with one_line_errors(snakemake.log[0]):
    resources = snakemake.params.resources
    reports = {}
    for job, path in zip(snakemake.params.jobs, snakemake.input.collected, strict=True):
        dataset = job["dataset"]
        data = field.read_field(f"{resources}/{dataset}/test.nc") if dataset else None
        reports[job["experiment"]] = checks.check_file(path, job, data)
    files.write_text(snakemake.output[0], json.dumps(reports, indent=2) + "\n")
