"""Add the user's own dataset: inspect and try the files, copy them, write the overlay that plays them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tvgp.study import datasets
from tvgp.study.config import loading, strict_yaml, validation, your_data
from tvgp.study.data.field import Field, coordinates, elapsed, projection_error, spread
from tvgp.study.data.splits import split
from tvgp.study.datasets import table
from tvgp.study.datasets.tabular import converted, gridded, guess, suggest
from tvgp.study.execution import files
from tvgp.study.tables.base.drift import SEASON_SHARE, yearly_share

SCHEMA = "workflow/schemas/config.schema.yaml"
LONGEST = 3000  # rounds played unless the overlay says otherwise
MANY = 20_000  # values to be played above which one run per method must do, as rounds are the sample
SEASON_DAYS = 3 * 365  # a third of the record trains: a year at least
SPREAD_SHARE = 0.1  # of the spread between sites: price of a reading, if none is given
STUCK, STUCK_SHARE = 24, 5.0  # steps with one value that `add-data` names, and times the median of all sites
JUMP, LASTING = 12.0, 15  # times the usual change between two steps; steps before and after
LEAST_STEPS = 20  # with values of two sites; fewer may not determine the model of the readings
ALWAYS = 0.99  # of the steps in which one site is the best
FLAT = 0.01  # error of distances on a flat map above which `add-data` says so
BY_HAND = ("train_fraction", "train", "test", "kernel", "coordinates", "long_name")  # no option sets them
REPORTED = (
    "sites dropped",
    "sites without a position",
    "sites without any value",
    "implausible values",
    "same value twice",
    "values within a step",
    "sums of fewer values than usual",
    "lines of notes",
    "times with an offset from UTC",
    "values of an hour that comes twice",
    "times that are intervals",
    "times of hour 24",
    "values outside the file's valid range",
    "values that often mean no value",
)


def add(
    source: Path, folder: Path, name: str, paths: Sequence[Path], given: Mapping[str, Any], replace: bool
) -> list[str]:
    """Write config/<name>.yaml and data/raw/<name>/ into a folder; lines that say what was understood.

    source: the folder of the study's own configuration; paths: the file of values, or the folder of a Zarr
    store, and perhaps the table of sites; given: keys of `your_data` that the user has set; replace: whether
    data and overlay of this name may exist. ValueError, one line, for files that cannot be used; nothing is
    written then.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder}: no such folder; make it, or name another with --folder")
    definitions = loading.read(source / "config")
    asked = {key: given[key] for key in ("price", "budget") if key in given}
    your_data.definitions(definitions, {"name": name} | asked)  # refuses those that cannot be used
    with TemporaryDirectory() as temporary:
        readable = [_readable(path, Path(temporary)) for path in paths]
        try:
            return _added(source, folder, definitions, name, [path for path, _ in readable], given, replace)
        except ValueError as error:
            text = str(error)
            for path, called in readable:
                text = text.replace(str(path), called)
            raise ValueError(text) from None


def _readable(path: Path, folder: Path) -> tuple[Path, str]:
    """The file, or one in the folder that the study reads in its place, and what messages call it."""
    if path.is_dir():
        return gridded.packed(path, folder), str(path)
    return converted.table(path, folder) if converted.is_converted(path) else (path, str(path))


def _added(
    source: Path,
    folder: Path,
    definitions: Mapping[str, Any],
    name: str,
    paths: Sequence[Path],
    given: Mapping[str, Any],
    replace: bool,
) -> list[str]:
    for path in paths:
        if not path.is_file():
            raise ValueError(f"{path}: no such file")
        if not any(path.match(pattern) for pattern in datasets.make("table").patterns):
            raise ValueError(
                f"{path}: expected a .csv, .tsv, .txt, .dat, .xlsx, .parquet, .zip, .nc or .zarr.zip file;"
                " rename it if it is one of these"
            )
    if len({path.name for path in paths}) < len(paths):
        raise ValueError(f"{paths[1].name}: would be kept under the name of another; rename one of the two")
    overlay, raw = folder / "config" / f"{name}.yaml", folder / "data" / "raw" / name
    copies = {path: raw / path.name for path in paths if path.resolve() != (raw / path.name).resolve()}
    taken = next((path for path in (overlay, *copies.values()) if path.exists()), None)
    for known in (overlay, source / "config" / overlay.name):
        if known.exists() and your_data.KEY not in strict_yaml.read(known):
            raise ValueError(f"{known} is not an overlay of your own data; choose another --name")
    if taken is not None and not replace:
        raise ValueError(f"{taken} exists; choose another --name, or add --replace")

    before = strict_yaml.read(overlay) if overlay.exists() else {your_data.KEY: {}}
    old, rest = before.pop(your_data.KEY) or {}, before
    by_hand = {key: old[key] for key in BY_HAND if key in old}
    own = {"name": name} | by_hand | suggest.keys(paths[0], paths[1] if len(paths) > 1 else None, given)
    aside = list(own.get("exclude", ()))
    tried, quality = _tried(definitions, own, paths)
    while short := suggest.untrained(*tried):
        own["exclude"] = [*own.get("exclude", ()), *short]
        tried, quality = _tried(definitions, own, paths)
    field, indexed, settings = tried
    if not (indexed or np.ptp(field.lat) or np.ptp(field.lon)):
        raise ValueError(
            "all sites have one position, under which no kernel tells them apart; correct the positions, or"
            " leave them out"
        )
    for text in (own.get("units", ""), own.get("title", ""), *map(str, field.site)):
        if "$" in text:
            raise ValueError(f"{text!r} has a $, which marks mathematics in figures; write USD, or rename it")
    train, test = split(field, **settings)
    rounds = len(test.time)
    if "price" not in own and (start := _price(train.value)):
        own["price"] = start
    if rounds > LONGEST:
        own["horizon"] = LONGEST
    if "seeds" not in own and rounds * len(field.site) > MANY:
        own["seeds"] = 1
    own["sha256"] = {path.name: files.digest(path) for path in paths}
    config = loading.overlaid(definitions, [], {your_data.KEY: own} | rest)
    validation.check(config, source / SCHEMA)

    raw.mkdir(parents=True, exist_ok=True)
    for path, copy in copies.items():
        with files.replacing(copy) as temporary:
            shutil.copyfile(path, temporary)
    files.write_text(overlay, _text(own, rest))
    changed = [key for key in old if key != "sha256" and own.get(key) != old[key]]
    return [
        *_understood(field, quality, train, rounds, own, aside, guess.unread(paths[0], own)),
        *([f"keys that differ from the overlay before: {', '.join(changed)}"] if changed else []),
        f"wrote {overlay} and {raw}/; {source / 'docs' / 'your_data.md'} explains the keys",
        f"next: tvgp run {name}",
    ]


def _tried(
    definitions: Mapping[str, Any], own: Mapping[str, Any], paths: Sequence[Path]
) -> tuple[tuple[Field, bool, dict[str, Any]], list[tuple[str, int, str]]]:
    """The study's field, whether it lacks positions, and the settings of its split; its quality table."""
    settings = your_data.definitions(definitions, own)["datasets"][own["name"]]
    field, quality = datasets.configured(settings).load(paths)
    return (field, settings["coordinates"] == "index", datasets.split_settings(settings)), quality


def _price(values: np.ndarray) -> float:
    """A tenth of the standard deviation between sites within a step, to one digit; 0 for values that do not
    tell, or are too few for the model of the readings."""
    if (np.isfinite(values).sum(axis=1) > 1).sum() < LEAST_STEPS:
        return 0.0
    return float(f"{SPREAD_SHARE * spread(values):.1g}")


def _text(own: Mapping[str, Any], rest: Mapping[str, Any]) -> str:
    """The overlay; rest: its keys beside `your_data`."""
    body = strict_yaml.text({your_data.KEY: dict(own), **rest})
    return f"# Your own data; docs/your_data.md explains every key.\n{body}"


def _season(field: Field, own: Mapping[str, Any]) -> list[str]:
    """A hint where most of the variance is a yearly wave, which no policy can use."""
    if "anomaly" in own:
        return [f"{own['anomaly']} of each site's training part is subtracted"]
    days = field.time.astype("datetime64[D]").astype(int)
    if np.ptp(days) < SEASON_DAYS:
        return []
    share = yearly_share(field.time, field.value)
    hint = f"a yearly wave makes up {share:.0%} of the variance within sites; --anomaly harmonic removes it"
    return [hint] if share > SEASON_SHARE else []


def _holes(field: Field) -> str:
    """Steps of the span in which no site has a value."""
    missing = int(elapsed(field)[-1]) - len(field.time)
    return f"; no value at all in {missing} of the steps between" if missing else ""


def _always(field: Field) -> list[str]:
    """A warning of a site that is always the best, as where columns are of different quantities."""
    some = field.value[np.isfinite(field.value).sum(axis=1) > 1]
    if not len(some):
        return []
    counts = np.bincount(np.where(np.isnan(some), -np.inf, some).argmax(axis=1))
    share, site = counts.max() / len(some), field.site[counts.argmax()]
    told = f"{site} is the best site in {share:.0%} of the steps; do all sites measure the same in one unit?"
    return [told] if share >= ALWAYS else []


def _apart(field: Field) -> list[str]:
    """A warning of sites whose values are all above or below the others', as if quantities were mixed."""
    least, most = np.nanmin(field.value, axis=0), np.nanmax(field.value, axis=0)
    order = np.argsort(least)
    between = least[order][1:] - np.maximum.accumulate(most[order])[:-1]
    if not len(between) or between.max() <= 0:
        return []
    k = int(between.argmax()) + 1
    one, other = (table.some(sorted(field.site[part])) for part in (order[:k], order[k:]))
    return [
        f"all values of {one} are on one side of those of {other}; do all sites measure the same in one unit?"
    ]


def _rising(field: Field, own: Mapping[str, Any]) -> list[str]:
    """A warning where no value is less than the one before, as of meters that count."""
    sign = 1 if own.get("maximise", True) else -1
    columns = [sign * column[np.isfinite(column)] for column in field.value.T]
    falls = any((np.diff(column) < 0).any() for column in columns)
    hint = "no site's values ever fall, as of meters that count on; if they do, write what each step adds"
    return [] if falls else [hint]


def _stuck(field: Field, own: Mapping[str, Any]) -> list[str]:
    """A warning of sites that repeat one value much longer than the others do, as dead sensors do."""
    sign = 1 if own.get("maximise", True) else -1
    longest = [_longest_run(column[np.isfinite(column)]) for column in field.value.T]
    usual = float(np.median([length for length, _ in longest]))
    found = [
        f"{site} ({sign * value:.10g}, {length} steps)"
        for site, (length, value) in zip(field.site, longest, strict=True)
        if length >= max(STUCK, STUCK_SHARE * usual)
    ]
    if not found:
        return []
    named = table.some(found)
    return [f"one value many steps in a row, as of a dead sensor: {named}; the key exclude leaves sites out"]


def _jump(field: Field, own: Mapping[str, Any]) -> list[str]:
    """A warning where all sites change their level at once and for long, as after a change of the unit."""
    level = np.nanmedian(field.value, axis=1)
    steps = np.diff(level)
    if len(steps) < 2 * LASTING:
        return []
    k = LASTING - 1 + int(np.abs(steps[LASTING - 1 : 1 - LASTING]).argmax())
    usual = float(np.median(np.abs(steps))) or float(np.mean(np.abs(steps)))  # of counts most are 0
    before, after = level[k + 1 - LASTING : k + 1], level[k + 1 : k + 1 + LASTING]
    change = float(np.median(after) - np.median(before))
    up, spread = np.sign(steps[k]), np.quantile(before, (0.1, 0.9))
    apart = (np.quantile(after, 0.1) > spread[1]) if up > 0 else (np.quantile(after, 0.9) < spread[0])
    if abs(steps[k]) <= JUMP * usual or change / steps[k] < 0.5 or not apart:
        return []
    size = (1 if own.get("maximise", True) else -1) * change
    units = own.get("units", "")
    said = f"the sites' median changes by {size:.3g} {units}".rstrip()
    return [
        f"{said} at {field.time[k + 1]} and stays there, as after a change of unit; --period plays a part"
    ]


def _twins(field: Field) -> list[str]:
    """A warning of sites that have the same values in every step, of which a reading is worth one."""
    first: dict[bytes, str] = {}
    found = []
    for site, column in zip(field.site, field.value.T, strict=True):
        other = first.setdefault((column + 0.0).tobytes(), str(site))
        if other != site:
            found.append(f"{site} and {other}")
    if not found:
        return []
    return [f"the same values in every step: {table.some(found)}; the key exclude leaves sites out"]


def _longest_run(values: np.ndarray) -> tuple[int, float]:
    """Length and value of the longest run of equal values, (0, 0) of none."""
    if not len(values):
        return 0, 0.0
    starts = np.concatenate([[0], 1 + np.flatnonzero(np.diff(values))])
    lengths = np.diff(starts, append=len(values))
    i = int(lengths.argmax())
    return int(lengths[i]), float(values[starts[i]])


def _extent(field: Field, own: Mapping[str, Any]) -> list[str]:
    """How far apart the sites are, which shows swapped or wrong positions; a warning where they are too far
    apart for a flat map."""
    kind = your_data.coordinates(own)
    if kind == "index" or len(field.site) < 2:
        return []
    from scipy.spatial import KDTree  # slow to import
    from scipy.spatial.distance import pdist

    places = coordinates(field.lat, field.lon, kind)
    nearest, unit = np.median(KDTree(places).query(places, 2)[0][:, 1]), " km" if kind == "km" else ""
    far = (
        f"the two farthest sites are {pdist(places).max():.4g}{unit} apart, a site and its nearest"
        f" {nearest:.3g}{unit} (median)"
    )
    error = projection_error(field.lat, field.lon) if kind == "km" else 0.0
    if error <= FLAT:
        return [far]
    hint = "take a smaller region, or use --x and --y from a better projection"
    return [far, f"a flat map of these positions makes distances wrong by up to {error:.0%}; {hint}"]


def _reading(own: Mapping[str, Any]) -> list[str]:
    """What a reading before the choice is taken to cost."""
    if "budget" in own:
        return [f"readings before the choice: {own['budget']:g} per step on average"]
    if "price" in own:
        cost = f"{own['price']:g} {own.get('units', '')}".rstrip()
        return [f"a reading before the choice costs {cost}; --price and --budget change it"]
    return []


def _columns(own: Mapping[str, Any]) -> list[str]:
    """What was read from where."""

    def named(key: str) -> str:
        name = own.get(key, key)
        return " ".join(map(repr, [name] if isinstance(name, str) else name))

    transposed = own.get("layout") == "transposed"
    where = f"times from {'the header' if transposed else named('time')}" + (
        f" as {own['time_format']}" if "time_format" in own else ""
    )
    where += f" in the zone {own['time_zone']}" if "time_zone" in own else ""
    if own.get("layout") == "wide":
        suffix = f", without {own['suffix']!r}" if own.get("suffix") else ""
        where += f"; a column per site, named in the header{suffix}"
    else:
        where += "" if transposed else f"; values from {named('value')}"
        where += f"; sites from {named('site')}" if "site" in own else ""
    skipped = " and ".join(
        f"{own[f'lines_{at}']} {at}" for at in ("above", "below") if own.get(f"lines_{at}")
    )
    signs = f"{own.get('thousands')!r} stands between thousands, {own.get('decimal', '.')!r} before fractions"
    return [
        where,
        *(["columns are what spaces separate"] if own.get("delimiter") == " " else []),
        *([f"lines left out beside the header: {skipped}"] if skipped else []),
        *([signs] if "thousands" in own else []),
    ]


def _first_rows(field: Field, sign: int) -> list[str]:
    """The first values as they were read, for comparison with the file."""
    shown = [[str(field.time[row]), *(f"{sign * v:.10g}" for v in field.value[row, :4])] for row in range(3)]
    table = [["time", *map(str, field.site[:4])], *shown]
    wide = [max(map(len, column)) for column in zip(*table, strict=True)]
    rows = ("  ".join(cell.rjust(n) for cell, n in zip(row, wide, strict=True)) for row in table)
    more = ", ..." if len(field.site) > 4 else ""
    return [f"first steps as read{f' (sites 1 to 4{more})' if more else ''}:", *(f"  {row}" for row in rows)]


def _understood(
    field: Field,
    quality: list[tuple[str, int, str]],
    train: Field,
    rounds: int,
    own: Mapping[str, Any],
    aside: Sequence[str],
    unread: Sequence[str],
) -> list[str]:
    """What was understood, line by line. aside: columns that are not sites; unread: of a long table, those
    that vary and are not read."""
    some = field.value[np.isfinite(field.value)]
    sign = 1 if own.get("maximise", True) else -1
    low, high = sorted((sign * some.min(), sign * some.max()))
    short = own.get("exclude", ())[len(aside) :]
    excluded = f"{len(short)} sites, {table.some(short)}"
    names = [str(site) for site in field.site]
    named = ", ".join(names if len(names) <= 12 else [*names[:8], "...", names[-1]])
    kernel = {
        "km": "latitude and longitude",
        "xy": "x and y",
        "index": "none; the covariance of the sites is estimated from the training part",
    }
    return [
        *_columns(own),
        f"{len(field.site)} sites, {len(field.time)} steps ({field.attrs['frequency']}) from {field.time[0]}"
        f" to {field.time[-1]}, {np.isnan(field.value).mean():.0%} missing{_holes(field)}",
        f"sites: {named}",
        *([f"columns that are not sites, left out: {', '.join(map(repr, aside))}"] if aside else []),
        *([f"columns that are not read: {table.some([*map(repr, unread)])}"] if unread else []),
        *([f"no value where the file has {' or '.join(own['missing'])}"] if "missing" in own else []),
        f"values {low:.10g} to {high:.10g} {own.get('units', '(no --units given)')};"
        f" the {'largest' if sign > 0 else 'smallest'} is best",
        f"positions: {kernel[your_data.coordinates(own)]}",
        *_extent(field, own),
        *([f"excluded, too few or equal training values: {excluded}"] if short else []),
        *(f"{item}: {count} ({action})" for item, count, action in quality if count and item in REPORTED),
        *(_always(field) or _apart(field)),
        *_rising(field, own),
        *_stuck(field, own),
        *_twins(field),
        *_jump(field, own),
        *_season(field, own),
        f"the first third trains, then {own.get('horizon', rounds)} of {rounds} steps are played",
        *_reading(own),
        *_first_rows(field, sign),
    ]
