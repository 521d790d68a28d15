"""Your own data: a table of values by time and site, as CSV, NetCDF or Zarr, with positions if there are any.

CSV is wide (a row per time, a column per site), long (a row per time and site) or transposed (a row per
site, a column per time). NetCDF and Zarr have a variable over time and one or two further dimensions.
Positions come from a table of sites or from columns beside the values. Readings are resampled into steps of
time; a step without a reading at a site is missing there, and a step without any reading is not a round.
`docs/your_data.md` explains every key.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from pathlib import Path

import numpy as np
import pandas as pd

from tvgp.study.data.field import Field
from tvgp.study.data.splits import period_bounds
from tvgp.study.datasets.tabular import positions, readings, times, transposed
from tvgp.study.datasets.tabular.notation import Notation
from tvgp.study.datasets.tabular.positions import Position
from tvgp.study.datasets.tabular.readings import Format, Readings
from tvgp.study.datasets.tabular.times import Step

PATTERNS = ("*.csv", "*.tsv", "*.txt", "*.dat", "*.zip", "*.nc")
AGGREGATES = ("mean", "sum", "min", "max")
NAMED = 8  # sites of several in a line of text
LEAST_TIMES = 10  # of a field that is to be split, fitted and played


@dataclass(frozen=True)
class Parameters:
    """values: names of the files with readings, None for all but `sites`; sites: table of sites.
    layout: wide, long or transposed, None for long where the columns `site` and `value` exist; time: column
    of the time, or several that are joined by spaces; time_format: as of `times.moment`;
    time_zone: whose standard time the steps are of, None for the times as they are; site: column of the
    sites' names, or several that are joined by -;
    site_id: column of the sites' names in the table of sites, None for `site`; latitude and longitude
    (degrees) or x and y: columns of positions. delimiter: character between columns, None for the most
    frequent one of the header; decimal: the decimal sign; thousands: the sign between thousands, or None;
    lines_above: the header, lines_below: it, such as one of units, which are not read; suffix: text after the
    sites' names in the header of a wide table;
    missing: further texts and numbers that mean no value; plausible: [lowest, highest] value, others are left
    out; repeats: error, or aggregate, for different values of one site at one time.
    step: of time, such as day or 30 minutes; aggregate: of the readings within a step; period: [first, last]
    date; coverage: least fraction of the steps with a value at any site in which a site has one; exclude:
    sites to leave out; maximise: whether larger values are better. units, long_name, licence, citation: as
    text.
    """

    values: str | Sequence[str] | None = None
    sites: str | None = None
    layout: str | None = None
    time: str | Sequence[str] = "time"
    time_format: str | None = None
    time_zone: str | None = None
    site: str | Sequence[str] = "site"
    value: str = "value"
    site_id: str | None = None
    latitude: str | None = None
    longitude: str | None = None
    x: str | None = None
    y: str | None = None
    delimiter: str | None = None
    decimal: str = "."
    thousands: str | None = None
    lines_above: int = 0
    lines_below: int = 0
    suffix: str | None = None
    missing: Sequence[str] = ()
    plausible: Sequence[float] | None = None
    repeats: str = "error"
    step: str = "day"
    aggregate: str = "mean"
    period: Sequence[str] | None = None
    coverage: float = 0.5
    exclude: Sequence[str] = ()
    maximise: bool = True
    units: str = "1"
    long_name: str = "value"
    licence: str = "not stated"
    citation: str = "not stated"

    def __post_init__(self) -> None:
        for name, options in {
            "layout": ("wide", "long", transposed.LAYOUT, None),
            "decimal": (".", ","),
            "repeats": ("error", "aggregate"),
            "aggregate": AGGREGATES,
        }.items():
            if getattr(self, name) not in options:
                listed = ", ".join(map(str, filter(None, options)))
                raise ValueError(f"table: {name} is {getattr(self, name)!r}, expected one of {listed}")
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter == self.decimal):
            raise ValueError(
                f"table: delimiter is {self.delimiter!r}, expected one character such as ; or a tab"
            )
        if self.thousands is not None and (len(self.thousands) != 1 or self.thousands == self.decimal):
            raise ValueError(
                f"table: thousands is {self.thousands!r}, expected one character, not the decimal sign"
            )
        if not 0 < self.coverage <= 1:
            raise ValueError(f"table: coverage is {self.coverage}, must lie in (0, 1]")
        if self.plausible is not None and not (
            len(self.plausible) == 2 and self.plausible[0] < self.plausible[1]
        ):
            raise ValueError(f"table: plausible is {list(self.plausible)}, expected [lowest, highest]")
        for a, b in (("latitude", "longitude"), ("x", "y")):
            if (getattr(self, a) is None) != (getattr(self, b) is None):
                raise ValueError(f"table: give both {a} and {b}, or neither")
        if self.latitude is not None and self.x is not None:
            raise ValueError("table: give either latitude and longitude or x and y")
        if self.sites is not None and self.position is None:
            raise ValueError(
                f"table: sites is {self.sites!r}, but no columns of positions are named;"
                " give latitude and longitude, or x and y"
            )
        if min(self.lines_above, self.lines_below) < 0:
            raise ValueError("table: lines_above and lines_below must be 0 or more")
        if self.time_zone is not None:
            times.zone(self.time_zone)
        Step.read(self.step)

    @property
    def notation(self) -> Notation:
        """How numbers are written."""
        return Notation(self.decimal, self.thousands)

    @property
    def position(self) -> tuple[str, str] | None:
        """Columns of the two coordinates, north before east; None for none."""
        if self.latitude is not None and self.longitude is not None:
            return self.latitude, self.longitude
        return (self.y, self.x) if self.x is not None and self.y is not None else None


class SecondValue(ValueError):
    """Of a site, in one step of time."""


def load(files: Sequence[Path], parameters: Parameters) -> tuple[Field, list[tuple[str, int, str]]]:
    """The field of the readings, with its quality table (item, count, action).

    ValueError, naming file and line, for a file that is not as the parameters say; naming the selection if
    too few sites or times are left.
    """
    tally: Counter[str] = Counter()
    lost: dict[str, list[str]] = {}
    paths, table = _chosen(files, parameters)
    found = readings.read(paths, form(parameters, table), tally)
    marks = found.value[found.marked()]
    tally["values that often mean no value"] = len(marks)
    known: dict[str, Position] = found.positions
    if table is not None and parameters.position is not None:
        site = parameters.site_id or "-".join(form(parameters, table).site)
        plan = None if parameters.latitude else parameters.notation
        known = positions.read(table, site, parameters.position, plan)
    found = _included(found, parameters, tally)
    found = _placed(found, known, parameters, lost)
    found = _within(found, parameters, tally)
    found = _single(found, parameters, tally)
    field = _grid(found, known, parameters, tally, lost)
    return field, _quality(field, paths, parameters, marks, tally, lost)


def some(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def form(parameters: Parameters, sites: Path | None) -> Format:
    """How the readings are written; sites: the table of sites, if there is one."""
    return Format(
        layout=parameters.layout,
        time=[parameters.time] if isinstance(parameters.time, str) else list(parameters.time),
        site=[parameters.site] if isinstance(parameters.site, str) else list(parameters.site),
        value=parameters.value,
        time_format=parameters.time_format,
        time_zone=parameters.time_zone,
        delimiter=parameters.delimiter,
        notation=parameters.notation,
        missing=parameters.missing,
        position=None if sites else parameters.position,
        degrees=parameters.latitude is not None,
        exclude=parameters.exclude,
        lines_above=parameters.lines_above,
        lines_below=parameters.lines_below,
        suffix=parameters.suffix,
    )


def _chosen(files: Sequence[Path], parameters: Parameters) -> tuple[list[Path], Path | None]:
    """Files of readings, and the table of sites."""
    named = {Path(path).name: Path(path) for path in files}
    values = [parameters.values] if isinstance(parameters.values, str) else parameters.values
    wanted = [*(values or ()), *([parameters.sites] if parameters.sites else ())]
    for name in wanted:
        if name not in named:
            raise ValueError(f"table: no file {name!r} among the raw files; found {', '.join(sorted(named))}")
    rest = [name for name in sorted(named) if name != parameters.sites] if values is None else values
    if not rest:
        raise ValueError(
            f"table: no file of values beside {parameters.sites!r}; put it into the folder `raw`"
        )
    return [named[name] for name in rest], named[parameters.sites] if parameters.sites else None


def _included(found: Readings, parameters: Parameters, tally: Counter) -> Readings:
    """The readings of all sites but the excluded ones."""
    for name in parameters.exclude:
        if name not in found.sites:
            raise ValueError(f"table: exclude: no site {name!r}; sites are {', '.join(found.sites[:5])}, ...")
    tally["sites excluded"] = len(parameters.exclude)
    return found.kept(np.array([name not in parameters.exclude for name in found.sites])[found.site])


def _placed(found: Readings, known: dict, parameters: Parameters, lost: dict) -> Readings:
    """The readings of sites with a position, or all of them where no positions are asked for."""
    if parameters.position is None:
        return found
    usable = {name for name, place in known.items() if np.isfinite(place.values).all()}
    for name in sorted(usable if parameters.latitude is not None else ()):
        lat, lon = known[name].values
        if not (-90 <= lat <= 90 and -180 <= lon <= 360):
            raise ValueError(
                f"table: site {name!r} is at latitude {lat:g}, longitude {lon:g}; expected -90 to 90 and -180"
                " to 360; are the columns exchanged, or are they x and y?"
            )
    present = [found.sites[i] for i in np.unique(found.site)]
    nowhere = [name for name in present if name not in usable]
    if len(nowhere) == len(present):
        theirs = ", ".join(sorted(known)[:3]) or "none"
        raise ValueError(
            f"table: no site of the values has a position; sites of the values: {', '.join(nowhere[:3])};"
            f" of the positions: {theirs}; their names must agree (column `site_id`)"
        )
    lost["sites without a position"] = nowhere
    return found.kept(np.array([name in usable for name in found.sites])[found.site])


def _within(found: Readings, parameters: Parameters, tally: Counter) -> Readings:
    """The readings in the period and in the plausible range."""
    if parameters.period is not None:
        first, last = period_bounds(parameters.period, "table: period")
        inside = (found.time >= first) & (found.time < last + np.timedelta64(1, "D"))
        if not inside.any():
            raise ValueError(
                f"table: no value from {first} to {last}; the files have {found.time.min()} to"
                f" {found.time.max()}; change `period`"
            )
        tally["values outside the period"] = int((~inside).sum())
        found = found.kept(inside)
    if parameters.plausible is not None:
        low, high = parameters.plausible
        inside = (found.value >= low) & (found.value <= high)
        if not inside.any():
            span = f"{found.value.min():.10g} to {found.value.max():.10g}"
            raise ValueError(
                f"table: no value within `plausible` [{low:.10g}, {high:.10g}]; the files have {span}"
            )
        tally["implausible values"] = int((~inside).sum())
        found = found.kept(inside)
    return found


def _single(found: Readings, parameters: Parameters, tally: Counter) -> Readings:
    """One reading per site and instant, unless repeats are to be aggregated: equal ones of several
    instruments count as often as they were read."""
    if parameters.repeats == "aggregate":
        return found
    if parameters.time_zone and tally[times.ON_CLOCKS]:
        found = _second_hours(found, times.zone(parameters.time_zone), tally)
    order = np.lexsort((found.value, found.time, found.site))
    before, after = order[:-1], order[1:]
    same = (found.time[before] == found.time[after]) & (found.site[before] == found.site[after])
    differ = same & (found.value[before] != found.value[after])
    if differ.any():
        a, b = sorted((int(before[differ.argmax()]), int(after[differ.argmax()])))
        raise SecondValue(
            f"{found.where(b)}: site {found.sites[found.site[b]]!r} has a second value at {found.time[b]},"
            f" {found.value[b]:.10g}; see {found.where(a)}: {found.value[a]:.10g}; correct it, name"
            " all columns that tell sites apart in `site` (--site), or the zone of clocks that were put back"
            " (--time-zone), or, if both measure the same, set repeats: aggregate (--aggregate-repeats)"
        )
    repeated = same & ~differ
    tally["same value twice"] = int(repeated.sum())
    return found.kept(np.sort(np.concatenate([order[:1], after[~repeated]])))


def _second_hours(found: Readings, zone: tzinfo, tally: Counter) -> Readings:
    """Of two readings of a site at a time that clocks show twice, the second moved on by an hour: the first
    in files that go back in time."""
    backwards = found.time[0] > found.time[-1]
    frame = pd.DataFrame({"site": found.site, "time": found.time})
    rows = np.flatnonzero(frame.duplicated(keep="last" if backwards else "first"))
    hour, time = np.timedelta64(1, "h"), found.time.copy()
    clocks = (time[rows] + hour).tolist()  # in summer, as at the first of both
    second = rows[np.array([times.is_shown_twice(clock, zone) for clock in clocks], dtype=bool)]
    tally["values of an hour that comes twice"] = len(second)
    time[second] += hour
    return replace(found, time=time)


def _grid(found: Readings, known: dict, parameters: Parameters, tally: Counter, lost: dict) -> Field:
    """The field of the sites with enough values."""
    if len(np.unique(found.site)) < 2:
        raise ValueError("table: values of a single site; a choice needs 2 at least")
    step = Step.read(parameters.step)
    bins, row = np.unique(step.bins(found.time), return_inverse=True)
    cell = row * len(found.sites) + found.site
    shape = (len(bins), len(found.sites))
    counts = np.bincount(cell, minlength=shape[0] * shape[1])
    if parameters.aggregate in ("min", "max"):
        extreme, start = (np.minimum, np.inf) if parameters.aggregate == "min" else (np.maximum, -np.inf)
        totals = np.full(len(counts), start)
        extreme.at(totals, cell, found.value)
    else:
        totals = np.bincount(cell, found.value, len(counts))
        if parameters.aggregate == "mean":
            totals = totals / np.maximum(counts, 1)
    value = np.where(counts > 0, totals, np.nan).reshape(shape)
    share = np.isfinite(value).mean(axis=0)
    kept = [i for i in np.argsort(found.sites) if share[i] >= parameters.coverage]
    if len(kept) < 2:
        second = np.sort(share)[-2:][0]
        hint = f" (--coverage {_hundredths(second) / 100:g} keeps two)" if _hundredths(second) else ""
        raise ValueError(
            f"table: {len(kept)} of {len(found.sites)} sites ({some(found.sites)}) have a value in"
            f" {parameters.coverage:.0%} of {len(bins)} steps of a {step}, 2 are needed; the second best has"
            f" {second:.1%}; lower `coverage`{hint}, or set `step` or `period`"
        )
    reported = np.isfinite(value[:, kept]).any(axis=1)
    value, time = value[reported][:, kept], step.starts(bins[reported])
    if len(time) < LEAST_TIMES:
        raise ValueError(
            f"table: {len(time)} of the steps (a {step}) have a value, {LEAST_TIMES} are needed; set `step`"
        )
    named = sorted({*found.sites} - {*parameters.exclude} - {*lost.get("sites without a position", ())})
    part = dict(zip(found.sites, share, strict=True))
    lost["sites without any value"] = [name for name in named if not part[name]]
    lost["sites dropped"] = [name for name in named if 0 < part[name] < parameters.coverage]
    dropped = [part[name] for name in lost["sites dropped"]]
    tally["hundredths of the sparsest"] = _hundredths(min(dropped, default=0.0))
    tally["values within a step"] = int((counts > 1).sum())
    if parameters.aggregate == "sum":
        usual = int(np.median(counts[counts > 0]))
        tally["sums of fewer values than usual"] = int(((counts > 0) & (counts < usual)).sum())
        tally["usual"] = usual
    span = int(bins[-1] - bins[0]) + 1
    tally["steps without any value"] = span - len(time)
    sites = [found.sites[i] for i in kept]
    nowhere = (np.nan, np.nan)
    north, east = np.array([known[name].values if parameters.position else nowhere for name in sites]).T
    attrs = {
        "title": parameters.long_name,
        "units": parameters.units,
        "long_name": parameters.long_name if parameters.maximise else f"minus {parameters.long_name}",
        "frequency": str(step),
        "licence": parameters.licence,
        "citation": parameters.citation,
        "source": "real",
        "positions": "degrees" if parameters.latitude else "xy" if parameters.x else "none",
    }
    return Field(value if parameters.maximise else -value, time, np.array(sites), north, east, attrs)


def _hundredths(share: float) -> int:
    """Rounded down: a `coverage` that keeps sites with values in this share of the steps; 0 for none."""
    return math.floor(100 * share)


def _quality(
    field: Field, paths: Sequence[Path], parameters: Parameters, marks: np.ndarray, tally: Counter, lost: dict
) -> list[tuple[str, int, str]]:
    low, high = parameters.plausible or (-np.inf, np.inf)
    kept = ", ".join(f"{mark:.10g}" for mark in np.unique(marks))
    sparsest = tally["hundredths of the sparsest"]
    all_kept = f"; {sparsest / 100:g} keeps all" if sparsest else ""
    zone = f"standard time of {parameters.time_zone}" if parameters.time_zone else "UTC"
    actions = {
        "values read": "read",
        "missing values": "missing",
        "lines of notes": "below the values, left out",
        "values outside the file's valid range": "left out",
        "values that often mean no value": f"{kept}, kept; name them in `missing` if they do",
        "times with an offset from UTC": f"read as {zone}",
        "times that are intervals": "read as their start",
        "times of hour 24": "read as hour 0 of the next day",
        "values of an hour that comes twice": "those of the second, an hour later",
        "values outside the period": "left out",
        "implausible values": f"outside {low:.10g} to {high:.10g}, left out",
        "same value twice": "kept once",
        "values within a step": f"cells of the field with several: {parameters.aggregate}",
        "sums of fewer values than usual": f"of less than {tally['usual']}, kept; these sums may look small",
        "sites excluded": "left out",
    }
    reasons = {
        "sites without a position": "left out",
        "sites without any value": "left out",
        "sites dropped": f"values in less than {parameters.coverage:.0%} of the steps (`coverage`{all_kept})",
    }
    return [
        ("files of values", len(paths), "read"),
        *((item, tally[item], action) for item, action in actions.items()),
        *(
            (item, len(sites), f"{why}: {some(sites)}" if sites else why)
            for item, why in reasons.items()
            for sites in [lost.get(item, [])]
        ),
        ("sites kept", len(field.site), f"value in at least {parameters.coverage:.0%} of steps"),
        ("steps", len(field.time), f"{field.time[0]} to {field.time[-1]}, each a {field.attrs['frequency']}"),
        ("steps without any value", tally["steps without any value"], "not a round of the study"),
        ("missing in the field", int(np.isnan(field.value).sum()), "site not available in that step"),
    ]
