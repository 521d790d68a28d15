"""Run the variants of a job under one alpha for a block of seeds."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from tvgp.study.execution import errors, pieces, provenance
from tvgp.study.run import blocks

with errors.one_line_errors(snakemake.log[0]):
    given, made, params, names = snakemake.input, snakemake.output, snakemake.params, snakemake.wildcards
    tuned = pieces.listed(*given.get("tuned", ()))
    provenance.require(params.expected)
    inputs = blocks.Inputs(given.fit, given.get("data"), tuned)
    recipes = [provenance.origin(recipe) for recipe in params.made]
    seeds = range(int(names.first), int(names.last) + 1)
    runs, times = zip(*blocks.play(recipes, seeds, inputs, params.results), strict=True)
    provenance.record_pieces(made.runs, params.made, runs)
    provenance.record_pieces(made.times, params.made, times)
