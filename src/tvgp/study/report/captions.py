"""Captions of figures and tables as reStructuredText, for Snakemake's own report."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import xarray as xr

from tvgp.study import figures, results
from tvgp.study.execution import files
from tvgp.study.report import docstrings


def write(path: str | Path, product: Mapping[str, Any], data: Sequence[xr.Dataset], rule: str) -> Path:
    """The caption of a product (`tvgp.study.config.jobs.Product`) of these results: what a figure's own says,
    or what the table is; then what it was drawn from.
    """
    if product["kind"] == "figures":
        read = list(data) if product["across"] else data[0]
        text = figures.caption(product["module"], read, **product["parameters"])
    else:
        module = importlib.import_module(f"tvgp.study.tables.{product['module']}")
        text = " ".join(docstrings.of(module).partition("\n\n")[0].split())
    names = ", ".join(map(results.name, data))
    drawn = f"Drawn by rule {rule} from the results of {names}."
    files.write_text(Path(path), f"{_plain(text)}\n\n{_plain(drawn)}\n")
    return Path(path)


def _plain(text: str) -> str:
    """Text in which nothing is markup, of reStructuredText or of Jinja, which reads it first."""
    return re.sub(r"([\\*_`|{}<>])", r"\\\1", text)
