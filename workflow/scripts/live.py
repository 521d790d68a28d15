"""Write the files that start what is recommended on the user's own data."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from tvgp.study import results
from tvgp.study.data import field
from tvgp.study.execution import errors, provenance
from tvgp.study.report import live
from tvgp.study.run.job import RunJob

with errors.one_line_errors(snakemake.log[0]):
    recipe, paths = snakemake.params.recipe, snakemake.input
    provenance.require(snakemake.params.expected)
    jobs = {name: RunJob.from_params(job) for name, job in recipe["job"].items()}
    products = dict(snakemake.output.items())
    record = products.pop("record")
    live.write(products, results.read(paths.collected), field.read_field(paths.data), jobs)
    provenance.record(record, recipe, list(paths), list(products.values()))
