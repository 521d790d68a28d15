"""Bring the raw files of a dataset to its field, with a table of their quality."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from tvgp.study import datasets
from tvgp.study.data import field, raw_files
from tvgp.study.execution import errors, provenance

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    manifest = raw_files.read_manifest(snakemake.input[0])
    dataset, recipe = snakemake.wildcards.dataset, snakemake.params.recipe
    result, quality = datasets.grid(dataset, recipe["job"], manifest)
    result.attrs["recipe"] = recipe["recipe"]
    field.write_field(snakemake.output.field, result)
    field.write_quality(snakemake.output.quality, quality)
    provenance.record(snakemake.output.record, recipe, snakemake.input, [snakemake.output.quality])
