"""Cut the field of a dataset into its training and its test part."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from tvgp.study.data import field, splits
from tvgp.study.execution import errors, provenance

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    recipe = snakemake.params.recipe
    whole = field.read_field(snakemake.input[0])
    parts = splits.split(whole, **recipe["job"])
    for path, part in zip((snakemake.output.train, snakemake.output.test), parts, strict=True):
        part.attrs["recipe"] = recipe["recipe"]
        field.write_field(path, part)
