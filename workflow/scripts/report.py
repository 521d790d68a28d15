"""Write the HTML report."""

from tvgp.study.execution import forkserver

forkserver.hand_over()

from tvgp.study.execution import errors, provenance
from tvgp.study.report import page

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    parts, recipe = snakemake.input, snakemake.params.recipe
    inputs = page.Inputs(
        template=parts.template,
        config=recipe["job"]["config"],
        collected=parts.collected,
        analyses=parts.get("analyses", []),
        figures=parts.figures,
        tables=parts.tables,
        quality=parts.get("quality", []),
        manifests=parts.get("manifests", []),
        check=parts.check,
        timed=snakemake.params.timed,
    )
    page.write(snakemake.output.page, inputs)
    made_from = [path for path in parts if path != parts.template]
    provenance.record(snakemake.output.record, recipe, made_from, [snakemake.output.page])
