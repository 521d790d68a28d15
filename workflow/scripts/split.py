"""Cut the field of a dataset into its training and its test part."""

from tvgp.study.data import field, splits
from tvgp.study.errors import one_line_errors

with one_line_errors(snakemake.log[0]):
    whole = field.read_field(snakemake.input[0])
    train, test = splits.split(whole, **snakemake.params.settings)
    field.write_field(snakemake.output.train, train)
    field.write_field(snakemake.output.test, test)
