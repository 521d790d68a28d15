"""Draw figures and tables, one set of results after the other."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from pathlib import Path

from tvgp.study import figures, results, tables
from tvgp.study.execution import errors, provenance
from tvgp.study.results import presentation

with errors.one_line_errors(snakemake.log[0]):
    params = snakemake.params
    provenance.require(params.expected)
    jobs = zip(params.recipes.items(), params.inputs, params.folders, strict=True)
    for (record, recipe), inputs, folder in jobs:
        data, drawn = [results.read(path) for path in inputs], []
        with presentation.of(recipe["job"]["policies"]):
            for product in recipe["job"]["products"]:
                module, values, suffixes = product["module"], product["parameters"], product["suffixes"]
                stem = Path(folder, product["stem"])
                if product["kind"] == "figures":
                    read = data if product["across"] else data[0]
                    drawn += figures.make(module, read, stem, suffixes, product["pdf_fonts"], **values)
                else:
                    drawn += [tables.make(module, data, f"{stem}.{suffix}", **values) for suffix in suffixes]
        provenance.record(record, recipe, inputs, drawn)
