# Data: raw files (local, downloaded or stand-in) become a field with a training and a test part.


rule download:
    input:
        dropped=lambda wildcards: [path.as_posix() for path in dropped_files(wildcards.dataset)],
    output:
        "<resources>/{dataset}/raw.json",
    log:
        "<results>/logs/download/{dataset}.log",
    priority: FIRST
    localrule: True
    conda:
        "../envs/study.yaml"
    params:
        recipe=lambda wildcards: recipes.raw(wildcards.dataset),
        # a file that replaces another may be older (unzip, cp -p)
        contents=lambda wildcards: raw_files.contents(dropped_files(wildcards.dataset)),
    message:
        "Locating the raw files of {wildcards.dataset}"
    script:
        "../scripts/download.py"


rule grid:
    input:
        "<resources>/{dataset}/raw.json",
    output:
        field="<resources>/{dataset}/field.nc",
        quality="<resources>/{dataset}/quality.csv",
        record="<resources>/{dataset}/quality.json",
    log:
        "<results>/logs/grid/{dataset}.log",
    priority: FIRST
    conda:
        "../envs/study.yaml"
    params:
        recipe=lambda wildcards: recipes.grid(wildcards.dataset),
        expected=expected_recipes,
    message:
        "Gridding {wildcards.dataset}"
    script:
        "../scripts/grid.py"


rule split:
    input:
        "<resources>/{dataset}/field.nc",
    output:
        train="<resources>/{dataset}/train.nc",
        test="<resources>/{dataset}/test.nc",
    log:
        "<results>/logs/split/{dataset}.log",
    priority: FIRST
    localrule: True
    conda:
        "../envs/study.yaml"
    params:
        recipe=lambda wildcards: recipes.split(wildcards.dataset),
        expected=expected_recipes,
    message:
        "Splitting {wildcards.dataset} into training and test parts"
    script:
        "../scripts/split.py"
