"""Add your own data: inspect the files, copy them to data/raw/ and write the overlay that plays them.

tvgp add-data values.csv sites.csv --name my_sensors
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from tvgp.study.execution.errors import one_line_errors

_TEXTS = {
    "title": "of the data, in figures and report (default: the name)",
    "time-format": "format of the times, as of strptime, or 'unix seconds'",
    "site": "long CSV: column of the site; NetCDF, Zarr: its dimension",
    "value": "long CSV: column of the value; NetCDF, Zarr: its variable",
    "site-id": "column of the sites' names in the table of sites",
    "latitude": "column of latitudes, degrees",
    "longitude": "column of longitudes, degrees",
    "x": "column of x",
    "y": "column of y",
    "delimiter": "character between columns",
    "decimal": "decimal sign, . or ,",
    "thousands": "sign between thousands, if there is one",
    "layout": "wide (a column per site) or long (a line per reading)",
    "step": "step of time, such as hour, 30 minutes or month",
    "aggregate": "of the readings within a step: mean, sum, min or max",
    "units": "units of the values",
    "anomaly": "subtract from each site: site_mean, site_month or harmonic",
    "licence": "licence of the data",
    "citation": "how to cite the data",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("values", type=Path, help="CSV (wide or long), NetCDF or Zarr file of values")
    parser.add_argument("sites", type=Path, nargs="?", help="CSV table of the sites' positions")
    parser.add_argument("--name", required=True, help="name of the dataset and its results: a-z, 0-9 and _")
    parser.add_argument("--folder", type=Path, default=Path("."), help="checkout of tvgp (default: here)")
    parser.add_argument("--time", nargs="+", help="column of the time, or several such as year month day")
    for key, text in _TEXTS.items():
        parser.add_argument(f"--{key}", help=text)
    parser.add_argument("--missing", nargs="+", help="texts or numbers that stand for no value")
    parser.add_argument("--plausible", nargs=2, type=float, metavar=("LOW", "HIGH"), help="range of values")
    parser.add_argument("--period", nargs=2, metavar=("FIRST", "LAST"), help="dates")
    parser.add_argument("--coverage", type=float, help="least fraction of steps with a value, per site")
    parser.add_argument("--minimise", action="store_true", help="smaller values are better")
    parser.add_argument(
        "--aggregate-repeats", action="store_true", help="several values at one instant are fine"
    )
    parser.add_argument("--replace", action="store_true", help="replace data and overlay of this name")


def run(arguments: argparse.Namespace) -> int:
    """Write config/<name>.yaml and data/raw/<name>/; print what was understood and the next command."""
    from tvgp.study.config import added  # needs more than NumPy and SciPy

    paths = [path for path in (arguments.values, arguments.sites) if path is not None]
    for line in added.add(arguments.folder, arguments.name, paths, _given(arguments), arguments.replace):
        print(line)
    return 0


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The loader's keys that the user has set."""
    keys = [key.replace("-", "_") for key in _TEXTS] + ["missing", "plausible", "period", "coverage"]
    given = {key: value for key in keys if (value := getattr(arguments, key)) is not None}
    if arguments.time:
        given["time"] = arguments.time[0] if len(arguments.time) == 1 else arguments.time
    return (
        given
        | ({"maximise": False} if arguments.minimise else {})
        | ({"repeats": "aggregate"} if arguments.aggregate_repeats else {})
    )


def main(given: argparse.Namespace | None = None) -> int:
    """The subcommand, with the arguments that `tvgp` has parsed, or of `python -m`."""
    if given is not None:
        return run(given)
    parser = argparse.ArgumentParser(
        prog="add-data", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add_arguments(parser)
    with one_line_errors():
        return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
