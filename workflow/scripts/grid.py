"""Bring the raw files of a dataset to its field, with a table of their quality."""

from tvgp.study import datasets
from tvgp.study.data import field, raw_files
from tvgp.study.errors import one_line_errors

with one_line_errors(snakemake.log[0]):
    manifest = raw_files.read_manifest(snakemake.input[0])
    dataset, settings = snakemake.wildcards.dataset, snakemake.params.settings
    result, quality = datasets.grid(dataset, settings, manifest)
    field.write_field(snakemake.output.field, result)
    field.write_quality(snakemake.output.quality, quality)
