# Report: one HTML page that opens offline, with every figure, table, fit and data source. For the user's own
# data also the files with which `tvgp.live.Live` starts what the page recommends.


rule report:
    input:
        collected=collected_files(),
        analyses=untimed(analysis_files()),
        figures=[path for path in shown("figures") if path.endswith(".png")],
        tables=shown("tables"),
        records=untimed(record_file(drawing) for drawing in jobs.drawings(config)),
        summary_record="<results>/records/summary.json",
        quality_records=[
            f"{config['resources']}/{dataset}/quality.json" for dataset in jobs.used_datasets(config)
        ],
        quality=[f"{config['resources']}/{dataset}/quality.csv" for dataset in jobs.used_datasets(config)],
        manifests=[f"{config['resources']}/{dataset}/raw.json" for dataset in jobs.used_datasets(config)],
        check="<results>/check.json",
        template=report_template(),
    output:
        page=report("<results>/report.html", category="Study"),
        record="<results>/records/report.json",
    log:
        "<results>/logs/report.log",
    localrule: True
    conda:
        "../envs/study.yaml"
    params:
        recipe=lambda wildcards: recipes.report(report_template()),
        timed=[
            path.removeprefix(f"{config['results']}/")
            for drawing in jobs.drawings(config)
            if jobs.reads_times(config, drawing)
            for path in product_files(drawing)
            if not path.endswith(".pdf")
        ],
        expected=expected_recipes,
    message:
        "Writing the report"
    script:
        "../scripts/report.py"


rule live:
    input:
        collected="<results>/collected/{experiment}.nc",
        data=lambda wildcards: data_file(wildcards.experiment, "test"),
    output:
        **season_file(),
        policy="<results>/live/{experiment}/policy.db",
        reading="<results>/live/{experiment}/reading.db",
        reading_after="<results>/live/{experiment}/reading_after.db",
        record="<results>/live/{experiment}/record.json",
    log:
        "<results>/logs/live/{experiment}.log",
    localrule: True
    conda:
        "../envs/study.yaml"
    params:
        recipe=lambda wildcards: recipes.live(wildcards.experiment),
        expected=expected_recipes,
    message:
        "Writing what {wildcards.experiment} recommends, for use"
    script:
        "../scripts/live.py"
