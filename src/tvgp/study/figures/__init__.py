"""Figures of the study, one file each; the file name is the figure's name everywhere.

A module offers `draw(collected) -> Figure` and `caption(collected) -> str`, which explains the band;
with a frozen dataclass `Parameters`, both take it as a second argument. `collected` is the results of
one experiment or, for a figure whose entry in the configuration has `over`, a list of the results of
experiments and analyses. Figures do not know how results were made.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import xarray as xr
from matplotlib.figure import Figure

from tvgp import plugins
from tvgp.study import results
from tvgp.study.figures.base import style

Results = xr.Dataset | str | Path

_registry = plugins.Registry(__name__, "figure")
names, declaration, parameters = _registry.names, _registry.declaration, _registry.parameters
required = _registry.required


def draw(name: str, collected: Results | Sequence[Results], **values) -> Figure:
    """Draw figure `name` under the study's style, watermarked where the data are stand-ins."""
    arguments, data = _registry.arguments(name, values), _read(collected)
    with style.context():
        figure = _registry.load(name).draw(data, *arguments)
        if any(map(results.is_standin, data if isinstance(data, list) else [data])):
            style.watermark(figure)
        if _bounds_hit(data):
            style.subtitle(figure, "fit at a bound: caption")
    return figure


def caption(name: str, collected: Results | Sequence[Results], **values) -> str:
    """Caption of figure `name`: what is shown, what the band means, how many runs, which data."""
    arguments, data = _registry.arguments(name, values), _read(collected)
    text = _registry.load(name).caption(data, *arguments)
    if hit := _bounds_hit(data):
        text += f" The fit of this experiment ended at the end of its search range: {hit}."
    return text


def make(
    name: str,
    collected: Results | Sequence[Results],
    output_stem: str | Path,
    formats: Sequence[str] = ("pdf", "png"),
    pdf_fonts: int = 42,
    **values,
) -> list[Path]:
    """Draw figure `name` and save `<output_stem>.<format>`; the same input gives the same
    bytes; pdf_fonts: see `style.save`. Title ("experiment/figure", "across/figure" over several) and
    caption are in the files' metadata, from which the report reads them. ValueError, one line, for an
    unknown figure or parameter or bad input."""
    data = _read(collected)
    figure = draw(name, data, **values)
    if isinstance(data, list):
        title = f"across/{Path(output_stem).name}"
    else:
        title = f"{data.attrs['experiment']}/{name}"
    with style.context():
        return style.save(figure, output_stem, title, caption(name, data, **values), formats, pdf_fonts)


def _bounds_hit(data: xr.Dataset | list[xr.Dataset]) -> str:
    """Where the fit of a single experiment ended on a bound."""
    return "" if isinstance(data, list) else results.bounds_hit(data)


def _read(collected: Results | Sequence[Results]) -> xr.Dataset | list[xr.Dataset]:
    if isinstance(collected, Sequence) and not isinstance(collected, str):
        return [results.read(source) for source in collected]
    return results.read(collected)
