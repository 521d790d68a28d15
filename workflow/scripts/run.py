"""Run the variants of a job under one alpha for a block of seeds."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from tvgp.study.execution import errors, pieces, provenance
from tvgp.study.run import blocks

with errors.one_line_errors(snakemake.log[0]):
    params, paths, names = snakemake.params, snakemake.input, snakemake.wildcards
    tuned = pieces.listed(*paths.get("tuned", ()))
    provenance.require(params.expected)
    inputs = blocks.Inputs(paths.fit, paths.get("data"), tuned)
    recipes = [provenance.origin(recipe) for recipe in params.recipes]
    seeds = range(int(names.first), int(names.last) + 1)
    runs, times = zip(*blocks.play(recipes, seeds, inputs, params.results), strict=True)
    provenance.record_pieces(snakemake.output.runs, params.recipes, runs)
    provenance.record_pieces(snakemake.output.times, params.recipes, times)
