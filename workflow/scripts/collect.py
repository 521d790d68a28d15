"""Collect the runs of an experiment, once it is complete."""

from pathlib import Path

from tvgp import collection, field, study
from tvgp.provenance import one_line_errors

with one_line_errors(snakemake.log[0]):
    job, paths = snakemake.params.job, snakemake.input
    data = field.read_field(paths.data) if paths.get("data") else None
    arms = study.describe_arms(job, data)
    fit = Path(paths.fit).read_text(encoding="utf-8")
    collection.collect(snakemake.output[0], paths.runs, job, arms, fit)
