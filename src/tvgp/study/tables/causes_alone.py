"""What each cause of regret on real fields does by itself, over all levels of the others in `causes`."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study.results import causes, presentation

_FITTED = "_alpha"  # ends the name of a method whose alpha is


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per field, with its title and units, design (policy: methods and widths; asked: a number of
    queries; subset: SparQ's and W-SparQ's), cause and level: the share of the variance of average regret that
    the cause explains, and the level's mean difference to another, with its 95 % interval over blocks of
    rounds."""
    (data,) = collected
    table = []
    for part in data.part.values:
        own = causes.field(data, part)
        title, units = causes.title(str(part)), causes.units(str(part))
        for found in causes.alone(own, causes.block_length(own)):
            difference = found.pop("difference")
            table.append(
                {
                    "field": part,
                    "title": title,
                    "units": units,
                    **found,
                    **difference.columns("difference", ""),
                    "label": _label(str(found["level"])),
                }
            )
    return pd.DataFrame(table)


def _label(level: str) -> str:
    """Of a method; that of any other level is itself."""
    fitted = level.endswith(_FITTED)
    return presentation.label(level.removesuffix(_FITTED)) + (", α fitted" if fitted else "")
