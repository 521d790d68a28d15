"""Fetch every raw file that has a URL: `make data`."""

import sys
from pathlib import Path

from tvgp.study import datasets
from tvgp.study.config import loading
from tvgp.study.data import download
from tvgp.study.execution.errors import one_line_errors

with one_line_errors():
    config = loading.read(Path(__file__).parents[2] / "config")
    known = config["datasets"].items()
    wanted = {name: (settings, datasets.patterns(settings)) for name, settings in known}
    sys.exit(download.everything(wanted))
