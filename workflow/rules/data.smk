# Data: raw files, dropped, fetched or made up, become a field with a training and a test part.


rule download:
    localrule: True
    message:
        "Looking for the raw files of {wildcards.dataset}"
    input:
        dropped=lambda wildcards: dropped_files(wildcards.dataset),
    output:
        "<resources>/{dataset}/raw.json",
    params:
        settings=lambda wildcards: configuration.dataset_settings(config, wildcards.dataset),
        code=lambda wildcards: provenance.fingerprint(
            "tvgp.rawfiles", dataset_module(wildcards.dataset)
        ),
    log:
        "<results>/logs/download/{dataset}.log",
    script:
        "../scripts/download.py"


rule grid:
    message:
        "Gridding {wildcards.dataset}"
    input:
        "<resources>/{dataset}/raw.json",
    output:
        field="<resources>/{dataset}/field.nc",
        quality="<resources>/{dataset}/quality.csv",
    params:
        settings=lambda wildcards: datasets.grid_settings(config["datasets"][wildcards.dataset]),
        code=lambda wildcards: provenance.fingerprint(dataset_module(wildcards.dataset)),
    log:
        "<results>/logs/grid/{dataset}.log",
    script:
        "../scripts/grid.py"


rule split:
    localrule: True
    message:
        "Splitting {wildcards.dataset} into training and test part"
    input:
        "<resources>/{dataset}/field.nc",
    output:
        train="<resources>/{dataset}/train.nc",
        test="<resources>/{dataset}/test.nc",
    params:
        settings=lambda wildcards: datasets.split_settings(config["datasets"][wildcards.dataset]),
        code=provenance.fingerprint("tvgp.splits"),
    log:
        "<results>/logs/split/{dataset}.log",
    script:
        "../scripts/split.py"
