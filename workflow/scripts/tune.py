"""Choose the tuned parameters of an experiment's variants on training data."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from tvgp.study.execution import errors, provenance
from tvgp.study.fit import tuning

with errors.one_line_errors(snakemake.log[0]):
    paths, params = snakemake.input, snakemake.params
    provenance.require(params.expected)
    chosen = tuning.choose(params.recipes, paths.fit, paths.get("data"), params.folder)
    provenance.record_pieces(snakemake.output[0], params.recipes, list(chosen))
