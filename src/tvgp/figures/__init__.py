"""Figures of the study, one file each; the file name is the figure's name everywhere.

A module offers `draw(collected, **parameters) -> Figure` and, with the same parameters,
`caption(collected, **parameters) -> str`, which says what the band means. Figures read collected
results and know nothing of how these were made.
"""

from __future__ import annotations

import inspect
from pathlib import Path

import xarray as xr
from matplotlib.figure import Figure

from tvgp import collected as results
from tvgp import plugins, style


def names() -> list[str]:
    """Names of all figures."""
    return plugins.names(__name__)


def parameters(name: str) -> set[str]:
    """Parameter names that figure `name` accepts."""
    return set(inspect.signature(plugins.load(__name__, name).draw).parameters) - {"collected"}


def applies(name: str, collected: xr.Dataset | str | Path) -> bool:
    """Whether a figure can be drawn from these results (maps, for one, need coordinates)."""
    test = getattr(plugins.load(__name__, name), "applies", None)
    return test is None or test(results.read(collected))


def draw(name: str, collected: xr.Dataset | str | Path, **values) -> Figure:
    """Draw figure `name` under the study's style, watermarked where the data are stand-ins."""
    _check(name, values)
    data = results.read(collected)
    with style.context():
        figure = plugins.load(__name__, name).draw(data, **values)
        if results.is_standin(data):
            style.watermark(figure)
    return figure


def caption(name: str, collected: xr.Dataset | str | Path, **values) -> str:
    """Caption of figure `name`: what is shown, what the band means, how many runs, which data."""
    _check(name, values)
    return plugins.load(__name__, name).caption(results.read(collected), **values)


def make(
    name: str, collected: xr.Dataset | str | Path, output_stem: str | Path, **values
) -> tuple[Path, Path]:
    """Draw figure `name` and save `<output_stem>.pdf` and `.png`; the same input gives the same
    bytes. Title ("experiment/figure") and caption stand in the files' metadata, from where the
    report takes them. ValueError, one line, for an unknown figure or parameter or bad input."""
    data = results.read(collected)
    figure = draw(name, data, **values)
    title = f"{data.attrs['experiment']}/{name}"
    with style.context():
        return style.save(figure, output_stem, title, caption(name, data, **values))


def _check(name: str, values: dict) -> None:
    known = parameters(name)
    for key in values:
        if key not in known:
            listed = ", ".join(sorted(known)) or "none"
            raise ValueError(f"figure {name} has no parameter {key!r}; it has: {listed}")
