"""`tvgp add-data`: inspect your own data, copy them to data/raw/ and write the overlay that plays them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from tvgp.study.command import checkout

_TEXTS = {
    "title": "of the data, in figures and report (default: the name)",
    "time-format": "format of the times, as of strptime, 'unix seconds', milliseconds, ... or 'excel days'",
    "time-zone": "of the times, such as Europe/Paris or +01:00; steps are then of its standard time",
    "value": "long CSV: column of the value; NetCDF, Zarr: its variable",
    "site-id": "column of the sites' names in the table of sites",
    "latitude": "column of latitudes, degrees",
    "longitude": "column of longitudes, degrees",
    "x": "column of x",
    "y": "column of y",
    "delimiter": "character between columns",
    "decimal": "decimal sign, . or ,",
    "thousands": "sign between thousands, if there is one",
    "suffix": "text after the sites' names in the header of a wide table",
    "layout": "wide (a column per site), long (a line per reading) or transposed (a column per time)",
    "step": "step of time, such as hour, 30 minutes or month",
    "aggregate": "of the readings within a step: mean, sum, min or max",
    "units": "units of the values",
    "anomaly": "subtract from each site: site_mean, site_month or harmonic",
    "licence": "licence of the data",
    "citation": "how to cite the data",
}
# Keys of `your_data` whose values are no text, in the order of the overlay.
_OTHERS = (
    *("missing", "plausible", "period", "coverage", "lines_above", "lines_below", "price", "budget"),
    *("time", "site", "maximise", "repeats"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.usage = "tvgp add-data VALUES [SITES] --name NAME [options]; tvgp add-data --help lists them"
    parser.add_argument("values", type=Path, help="CSV (wide or long), NetCDF, Zarr, .xlsx or .parquet file")
    parser.add_argument("sites", type=Path, nargs="?", help="CSV table of the sites' positions")
    parser.add_argument("--name", required=True, help="name of the dataset and its results: a-z, 0-9 and _")
    parser.add_argument("--folder", type=Path, default=Path("."), help="where to write (default: here)")
    parser.add_argument("--time", nargs="+", help="column of the time, or several such as year month day")
    parser.add_argument(
        "--site", nargs="+", help="long CSV: column of the site, or several; NetCDF, Zarr: its dimension"
    )
    for each, where in (("above", "the header, such as a title"), ("below", "the header, such as its units")):
        parser.add_argument(f"--lines-{each}", type=int, help=f"lines {each} {where}, which are left out")
    for key, text in _TEXTS.items():
        parser.add_argument(f"--{key}", help=text)
    parser.add_argument("--missing", nargs="+", help="texts or numbers that stand for no value")
    parser.add_argument("--plausible", nargs=2, type=float, metavar=("LOW", "HIGH"), help="range of values")
    parser.add_argument("--period", nargs=2, metavar=("FIRST", "LAST"), help="dates")
    parser.add_argument("--coverage", type=float, help="least fraction of steps with a value, per site")
    parser.add_argument("--price", type=float, help="of a reading before the choice, in units of the values")
    parser.add_argument("--budget", type=float, help="readings before the choice, per step on average")
    parser.add_argument(
        "--minimise", dest="maximise", action="store_const", const=False, help="smaller values are better"
    )
    parser.add_argument(
        "--aggregate-repeats",
        dest="repeats",
        action="store_const",
        const="aggregate",
        help="several values at one instant are fine",
    )
    parser.add_argument("--replace", action="store_true", help="replace data and overlay of this name")


def main(given: argparse.Namespace) -> int:
    """Write config/<name>.yaml and data/raw/<name>/; print what was understood and the next command."""
    from tvgp.study.config import added  # needs more than NumPy and SciPy

    paths = [path for path in (given.values, given.sites) if path is not None]
    source = checkout.source(given.folder)
    for line in added.add(source, given.folder, given.name, paths, _keys(given), given.replace):
        print(line)
    return 0


def _keys(given: argparse.Namespace) -> dict[str, Any]:
    """The keys of `your_data` that the user has set."""
    names = (*(name.replace("-", "_") for name in _TEXTS), *_OTHERS)
    keys = {name: value for name in names if (value := getattr(given, name)) is not None}
    for name in ("time", "site"):  # a column, or several
        if len(keys.get(name, ())) == 1:
            keys[name] = keys[name][0]
    return keys
