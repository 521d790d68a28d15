# Report: one HTML page that opens offline, with every figure, table, fit and data source.


rule report:
    input:
        collected=collected_files(),
        analyses=untimed(analysis_files()),
        figures=[path for path in untimed(figure_files()) if path.endswith(".png")],
        tables=[*untimed(table_files()), "<results>/tables/summary.csv"],
        quality=[f"{config['resources']}/{dataset}/quality.csv" for dataset in jobs.used_datasets(config)],
        manifests=[f"{config['resources']}/{dataset}/raw.json" for dataset in jobs.used_datasets(config)],
        check="<results>/check.json",
        template=f"{workflow.basedir}/workflow/report/report.html.j2",
    output:
        "<results>/report.html",
    log:
        "<results>/logs/report.log",
    localrule: True
    params:
        config=jobs.of_results(config),
        timed=[
            path.removeprefix(f"{config['results']}/")
            for path in (*figure_files(), *table_files())
            if path not in untimed([path]) and not path.endswith(".pdf")
        ],
        code=lambda wildcards: provenance.fingerprint("tvgp.study.report.page"),
        expected=expected_recipes,
    message:
        "Writing the report"
    script:
        "../scripts/report.py"
