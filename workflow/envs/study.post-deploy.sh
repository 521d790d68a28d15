#!/usr/bin/env bash
# Snakemake runs this after it has made the conda environment (--software-deployment-method conda): installs the
# package of this checkout, the working directory, into it.
set -euo pipefail
pip install --no-deps --no-build-isolation -e .
