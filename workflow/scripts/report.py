"""Write the HTML report."""

from tvgp.study import errors, provenance
from tvgp.study.report import page

with errors.one_line_errors(snakemake.log[0]):
    provenance.require(snakemake.params.expected)
    parts = snakemake.input
    inputs = page.Inputs(
        template=parts.template,
        config=snakemake.params.config,
        collected=parts.collected,
        analyses=parts.get("analyses", []),
        figures=parts.figures,
        tables=parts.tables,
        quality=parts.get("quality", []),
        manifests=parts.get("manifests", []),
        check=parts.check,
        timed=snakemake.params.timed,
    )
    page.write(snakemake.output[0], inputs)
