"""Compute the parts of an analysis for a block of seeds and, if these are all, join them."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from pathlib import Path

from tvgp.study import analyses
from tvgp.study.execution import errors, provenance
from tvgp.study.run import kept

with errors.one_line_errors(snakemake.log[0]):
    params, output = snakemake.params, snakemake.output
    first, last = params.seeds
    files = {}
    for made, path in zip(params.parts, output.parts, strict=True):
        job = analyses.AnalysisJob(**made["job"])
        folder, key = Path(params.kept, job.part, f"seeds-{first}-{last}"), kept.key(made["recipe"])
        files[job.part] = [path]
        if kept.take(folder, key, [path]):
            continue
        result = analyses.run(job.module, range(first, last + 1), **job.parameters)
        analyses.write(path, result, provenance.origin(made))
        kept.keep(folder, key, [path])
    if output.get("joined"):
        joined = analyses.gather(files, analyses.GatherJob(**params.joined["job"]))
        analyses.write(output.joined, joined, {"recipe": params.joined["recipe"]})
