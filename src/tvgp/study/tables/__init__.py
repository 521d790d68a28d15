"""Tables of the study, one file each; the file name is the table's name everywhere.

A module offers `rows(collected) -> pandas.DataFrame`, where `collected` is a list of the results of
experiments and analyses; with a frozen dataclass `Parameters`, `rows(collected, parameters)`. Tables
do not know how results were made.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import xarray as xr

from tvgp import plugins
from tvgp.study import results
from tvgp.study.execution import files
from tvgp.study.results import mathematics

_registry = plugins.Registry(__name__, "table")
names, declaration, parameters = _registry.names, _registry.declaration, _registry.parameters
required = _registry.required


def rows(name: str, collected: Iterable[xr.Dataset | str | Path], **values) -> pd.DataFrame:
    """Compute table `name`. ValueError, one line, for an unknown name or parameter or bad input."""
    arguments = _registry.arguments(name, values)
    data = [results.read(source) for source in collected]
    if not data:
        raise ValueError(f"table {name}: no collected results; expected at least one file")
    return _registry.load(name).rows(data, *arguments)


def make(name: str, collected: Iterable[xr.Dataset | str | Path], output: str | Path, **values) -> Path:
    """Compute table `name` and write it: `.csv`, with six significant digits, and `.html`, with three, always
    work, `.tex` for tables that offer `latex(frame)`. Formulas are in plain characters but in `.tex`."""
    frame = rows(name, collected, **values)
    output = Path(output)
    module = _registry.load(name)
    if output.suffix == ".tex":
        if not hasattr(module, "latex"):
            raise ValueError(f"{output}: table {name} has no LaTeX form; write it as .csv")
        text = module.latex(frame)
    elif output.suffix == ".csv":
        text = _plain(frame).to_csv(index=False, float_format="%.6g", lineterminator="\n")
    elif output.suffix == ".html":
        text = _plain(frame).to_html(index=False, float_format="{:.3g}".format, na_rep="-") + "\n"
    else:
        raise ValueError(f"{output}: tables are written as .csv, .tex or .html")
    files.write_text(output, text)
    return output


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.map(lambda cell: mathematics.plain(cell) if isinstance(cell, str) else cell)
