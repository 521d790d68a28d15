"""Compute the parts of an analysis for a block of seeds."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from tvgp.study import analyses
from tvgp.study.execution import errors, provenance

with errors.one_line_errors(snakemake.log[0]):
    params, names = snakemake.params, snakemake.wildcards
    seeds = range(int(names.first), int(names.last) + 1)
    provenance.require(params.expected)
    data = {name: list(snakemake.input[name]) for name in params.datasets}
    parts = analyses.compute(params.recipes, seeds, params.folder, data)
    provenance.record_pieces(snakemake.output[0], params.recipes, list(parts))
