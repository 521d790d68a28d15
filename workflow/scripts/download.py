"""Find, fetch, extract or stand in for the raw files of a dataset, and write their manifest."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from pathlib import Path

from tvgp.study import datasets
from tvgp.study.data import download
from tvgp.study.execution import files
from tvgp.study.execution.errors import one_line_errors

with one_line_errors(snakemake.log[0]):
    dataset, recipe = snakemake.wildcards.dataset, snakemake.params.recipe
    settings = recipe["job"]
    loader, extract = datasets.configured(settings), datasets.write_extract(settings)
    manifest, patterns = Path(snakemake.output[0]), datasets.patterns(settings)
    download.obtain(dataset, settings, patterns, extract, loader.write_standin, manifest)
    files.write_object(manifest, files.read_object(manifest) | {"recipe": recipe["recipe"]})
