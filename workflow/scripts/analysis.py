"""Run one part of an analysis for a block of seeds."""

from tvgp.study import analyses, errors, provenance
from tvgp.study.config import costs

with errors.one_line_errors(snakemake.log[0]):
    job, names = snakemake.params.job, snakemake.wildcards
    seeds = range(int(names.first), int(names.last) + 1)
    result = analyses.run(job["module"], seeds, **job["parameters"])
    origin = {"job": job, "fingerprint": snakemake.params.code, "versions": provenance.versions()}
    analyses.write(snakemake.output.result, result, origin | {"commit": provenance.commit()})
    costs.write_job(snakemake.output.cost)
