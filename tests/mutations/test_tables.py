"""A table is read as it was written, refused in one line, or `add-data` prints what it took otherwise.

Every case writes a table whose values are known, adds it as `tvgp add-data` does, and compares the field with
what was written. Of one axis (the case's name) an unusual form is drawn, of the others mostly the usual one.
"""

import csv
import io
import shutil
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import netCDF4
import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from tvgp.study import datasets
from tvgp.study.config import added, loading, validation

EQUAL, REFUSED, SHOWN, DIFFERENT = "equal", "refused with one line", "shown", "silently different"
PLACES = np.array([[48.125, 2.5], [48.75, -3.25], [49.0, 0.125], [50.375, 1.75]])  # north, east
AXES: dict[str, tuple] = {  # the usual form first
    "layout": ("wide", "long"),
    "separator": (",", ";", "\t", "|", " "),
    "decimal": (".", ","),
    "thousands": ("", ",", ".", " ", "'", "\u00a0"),
    "digits": (1, 0, 3),
    "size": (3, 0.4, 300, 2_000, 80_000),
    "sign": ("both", "positive"),
    "gap": ("", "NA", "null", "-", "n/a", "fault", "-99", "-99.9", "-999", "-9999.0", "9999", "1e20"),
    "gaps": (0.2, 0.0, 0.01),
    "encoding": ("utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le"),
    "names": ("plain", "accents", "codes", "separators", "numbers"),
    "column": ("none", "index", "id", "doy", "hour", "nameless last", "nameless values", "flag"),
    "order": ("sorted", "reversed", "shuffled"),
    "step": ("day", "hour", "10 minutes", "month"),
    "time": (
        *("%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%d.%m.%Y %H:%M"),
        *("%Y%m%d", "%Y-%m-%dT%H:%M+02:00", "%Y-%m-%dT%H:%MZ", "%s", "%d/%m/%Y %I:%M %p", "columns", "mixed"),
    ),
    "heading": ("time", "Date", "Zeit", "", "timestamp"),
    "repeats": ("none", "equal", "different", "mean", "sum", "min", "max"),
    "positions": ("none", "lat,lon", "Latitude (°N),Longitude (°E)", "SITE_LATITUDE,SITE_LONGITUDE", "y,x"),
    "beside": (True, False),
    "told": (False, True),
    "quoting": (csv.QUOTE_MINIMAL, csv.QUOTE_ALL),
    "end": ("\n", "\r\n"),
}
HARMLESS = {  # forms in which every table must be read
    "layout": AXES["layout"],
    "separator": AXES["separator"],
    "size": AXES["size"],
    "gap": ("", "NA", "null", "-"),
    "gaps": AXES["gaps"],
    "encoding": ("utf-8", "utf-8-sig"),
    "names": AXES["names"],
    "column": ("none", "index", "nameless last"),
    "order": AXES["order"],
    "step": AXES["step"],
    "heading": AXES["heading"],
    "quoting": AXES["quoting"],
    "end": AXES["end"],
    "told": AXES["told"],
}
SITES = {
    "plain": ("a", "b", "c", "d"),
    "accents": ("Süd", "Nîmes", "Århus", "Łódź"),
    "codes": ("028468", "010010", "07", "1e5"),
    "separators": ("Rue A, Paris", "b; c", 'the "old" one', "x|y"),
    "numbers": ("3", "10", "101", "7"),
}


@dataclass
class Case:
    """Files, what the user gives, and the meaning: times (n,), sites (k,), values (n, k), places (k, 2), None
    for none; shown: what the print says where it takes the table otherwise."""

    files: dict[str, bytes]
    given: dict[str, Any]
    times: np.ndarray
    sites: tuple[str, ...]
    values: np.ndarray
    places: np.ndarray | None = None
    shown: list[str] = field(default_factory=list)


def chosen(draw, kind: str) -> dict[str, Any]:
    """A form on every axis: unusual ones on the axis `kind`, few elsewhere; harmless ones for "harmless"."""
    if kind == "harmless":
        forms = {axis: draw(st.sampled_from(HARMLESS.get(axis, AXES[axis][:1]))) for axis in AXES}
        if forms["separator"] == " ":  # any number of them separates columns, so no cell and no name is empty
            forms |= {"gap": forms["gap"] or "NA", "heading": forms["heading"] or "time", "column": "none"}
    else:
        rare = {
            axis: st.sampled_from((usual,) * 3 * len(AXES) + AXES[axis]) for axis, (usual, *_) in AXES.items()
        }
        forms = {axis: draw(st.sampled_from(AXES[axis][1:]) if axis == kind else rare[axis]) for axis in AXES}
    if kind in ("decimal", "thousands"):  # otherwise the signs seldom matter
        forms["separator"] = draw(st.sampled_from(AXES["separator"]))
        forms["size"], forms["decimal"] = draw(st.sampled_from(AXES["size"])), draw(st.sampled_from(".,"))
    if forms["heading"] == "" and forms["column"] != "none":  # two columns without a name
        forms["heading" if kind == "column" else "column"] = AXES[
            "heading" if kind == "column" else "column"
        ][0]
    if kind in ("positions", "repeats", "gap"):
        forms["layout"], forms["told"] = draw(st.sampled_from(AXES["layout"])), draw(st.booleans())
    return forms


def moments(rng, step: str) -> np.ndarray:
    """Times of 40 steps, of which some are missing."""
    unit, count = {"day": ("D", 1), "hour": ("h", 1), "10 minutes": ("m", 10), "month": ("M", 1)}[step]
    first = np.datetime64("2019-01-01") + int(rng.integers(700))
    times = first.astype(f"datetime64[{unit}]") + count * np.arange(40)
    return times[np.sort(rng.choice(40, 36, replace=False))].astype("datetime64[s]")


def table(draw, kind: str) -> Case:
    """A CSV table, perhaps with a table of sites."""
    form = chosen(draw, kind)
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    if form["time"] == "%Y%m%d":
        form["step"] = "day"
    times, sites = moments(rng, form["step"]), SITES[form["names"]]
    values = np.round(rng.normal(size=(len(times), 4)) * form["size"], form["digits"])
    values = np.abs(values) if form["sign"] == "positive" else values
    values[rng.random(values.shape) < form["gaps"]] = np.nan
    again = repeated(rng, form, values)
    case = Case({}, given_by_user(form), times, sites, values)
    if form["repeats"] in ("different", "mean", "sum", "min", "max"):
        total = {"different": np.mean}.get(form["repeats"]) or getattr(np, form["repeats"])
        case.values = total([values, *again], axis=0)
    texts = time_texts(form, times)
    if form["positions"] != "none":
        case.places = PLACES * 1000 if form["positions"] == "y,x" else PLACES
    rows = lines(form, texts, [values, *again], case)
    if form["order"] != "sorted":
        rows[1:] = (
            rows[:0:-1]
            if form["order"] == "reversed"
            else [rows[1 + k] for k in rng.permutation(len(rows) - 1)]
        )
    with_column(form, rows, times)
    case.files = {"values.csv": written(form, rows)} | case.files
    if form["gap"].lstrip("-")[0:1].isdigit():
        case.shown.append("values that often mean no value")
    if form["time"].endswith("+02:00"):
        case.shown.append("times with an offset from UTC")
    if form["thousands"] == "." and form["separator"] == "," and form["digits"] == 0:
        case.shown.append("values ")  # 12.345 is a fraction in a table with commas; the range says so
    return case


def repeated(rng, form, values: np.ndarray) -> list[np.ndarray]:
    """Further readings at the same instants."""
    if form["repeats"] == "none":
        return []
    if form["repeats"] == "equal":
        return [values]
    step = np.where(rng.random(values.shape) < 0.5, 0, 10.0 ** -form["digits"])
    return [np.round(values + k * step, form["digits"]) for k in (1, 2)]


def given_by_user(form) -> dict[str, Any]:
    """Keys that are needed, and, if the user tells them, those that describe the table."""
    given: dict[str, Any] = {"coverage": 0.01}
    if form["repeats"] in ("mean", "sum", "min", "max"):
        given |= {"repeats": "aggregate", "aggregate": form["repeats"], "layout": form["layout"]}
    if form["told"]:
        given |= {"decimal": form["decimal"], "layout": form["layout"], "missing": [form["gap"]]}
        given |= {"thousands": form["thousands"]} if form["thousands"] not in ("", form["decimal"]) else {}
        if form["time"][:2] in ("%d", "%m"):
            given["time_format"] = form["time"]
    return given


def time_texts(form, times: np.ndarray) -> list[list[str]]:
    """Cells of the times, the heading first."""
    moments = [t.item() for t in times]
    if form["time"] == "columns":
        names = ["year", "month", "day", "hour"]
        return [names, *([str(t.year), str(t.month), str(t.day), str(t.hour)] for t in moments)]
    forms = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M+02:00"] if form["time"] == "mixed" else [form["time"]] * 2
    if form["time"] == "%s":
        texts = [str(int((t - datetime(1970, 1, 1)).total_seconds())) for t in moments]
    else:
        texts = [t.strftime(forms[k % 2]) for k, t in enumerate(moments)]
    return [[form["heading"]], *([text] for text in texts)]


def number(form, value: float) -> str:
    """A value as text."""
    if np.isnan(value):
        return form["gap"]
    thousands = "" if form["thousands"] == form["decimal"] else form["thousands"]
    text = f"{value:,.{form['digits']}f}"
    return text.translate(str.maketrans({",": thousands, ".": form["decimal"]}))


def lines(form, texts, versions, case: Case) -> list[list[str]]:
    """Rows of cells; the table of sites goes into the case's files."""
    names = form["positions"].split(",") if case.places is not None else []
    places = [[number({**form, "digits": 3}, v) for v in place] for place in case.places] if names else []
    beside = bool(names) and form["layout"] == "long" and form["beside"]
    if names and not beside:
        rows = [["station", *names], *([site, *at] for site, at in zip(case.sites, places, strict=True))]
        case.files["sites.csv"] = written(form, rows)
    if form["layout"] == "wide":
        rows = [[*texts[0], *case.sites]]
        return rows + [
            [*text, *(number(form, v) for v in row)]
            for values in versions
            for text, row in zip(texts[1:], values, strict=True)
        ]
    rows = [[*texts[0], "site", *(names if beside else []), "value"]]
    return rows + [
        [*text, site, *(places[k] if beside else []), number(form, values[i, k])]
        for values in versions
        for i, text in enumerate(texts[1:])
        for k, site in enumerate(case.sites)
    ]


def with_column(form, rows, times) -> None:
    """Put a column into the rows that is neither time, site nor value."""
    count, head = len(rows) - 1, rows[0]
    if form["column"] in ("index", "id"):
        cells, at = [str(k + (form["column"] == "id")) for k in range(count)], 0
    elif form["column"] in ("doy", "hour", "nameless values"):
        cells, at = [str(k % 24) for k in range(count)], len(head)
    else:
        cells, at = ["" if form["column"] == "nameless last" else "ok"] * count, len(head)
    if form["column"] != "none":
        name = form["column"] if form["column"] in ("id", "doy", "hour", "flag") else ""
        for row, cell in zip(rows, [name, *cells], strict=True):
            row.insert(at, cell)


def written(form, rows) -> bytes:
    stream = io.StringIO()
    form_of = {"delimiter": form["separator"], "quoting": form["quoting"], "lineterminator": form["end"]}
    csv.writer(stream, **form_of).writerows(rows)
    return stream.getvalue().encode(
        form["encoding"], errors="replace" if form["encoding"] != "utf-8" else "strict"
    )


CELLS = ("1.0 5.0", "1.0 6.0", "2.0 5.0", "2.0 6.0")
GRIDS: dict[str, tuple] = {
    "stored": ("f4", "f8", "i2", "i4", "u1"),
    "fill": ("none", "_FillValue", "missing_value", "double", "text", "two", "told", "library"),
    "mark": (-999.9, -999.0, 1e20, 9999.0),
    "limits": ("none", "valid_range", "valid_min", "valid_max", "unpacked", "double"),
    "packing": ((1.0, 0.0), (0.1, 0.0), (0.01, 273.15), (-0.5, 10.0)),
    "units": ("degC", "seconds", "minutes", "hours", "days"),
    "since": ("days since 2019-03-01", "hours since 1900-01-01", "seconds since 1970-01-01"),
    "clock": ("f8", "i4", "f4"),
    "every": (86400, 3600, 600),
    "shape": ("sites", "grid"),
    "turned": (False, True),
    "kind": ("NETCDF4", "NETCDF3_CLASSIC"),
}


def grid(draw, kind: str) -> Case:
    """A NetCDF file."""
    form = {
        axis: draw(st.sampled_from(forms[1:] if axis == kind else forms[:1] * 6 + forms))
        for axis, forms in GRIDS.items()
    }
    if form["stored"] == "u1":  # which has no fill value of the library's, nor is it in the classic format
        form["kind"], form["fill"] = "NETCDF4", "none" if form["fill"] == "library" else form["fill"]
    stored = np.dtype(form["stored"])
    form["packing"] = form["packing"] if stored.kind != "f" or kind == "packing" else (1.0, 0.0)
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    times = np.datetime64("2019-03-01", "s") + form["every"] * np.sort(rng.choice(60, 40, replace=False))
    raw = np.round(rng.normal(20, 6, (40, 4)).clip(1, 60), 1).astype(stored)
    scale, offset = form["packing"]
    values = raw.astype(float) * scale + offset
    given: dict[str, Any] = {"coverage": 0.01}
    gaps = rng.random(raw.shape) < (0.2 if form["fill"] != "none" else 0)
    wild = rng.random(raw.shape) < (0.1 if form["limits"] != "none" else 0)
    attributes, mark = marked(form, stored, given, (scale, offset))
    attributes |= limited(form, stored, values[~wild & ~gaps], raw[~wild & ~gaps])
    high = form["limits"] != "valid_min"
    raw[wild] = np.array(100 if high else 0).astype(stored)
    raw[gaps] = mark
    values[gaps | wild] = np.nan
    shown = ["values that often mean no value"] if form["fill"] != "none" else []
    content = netcdf(form, times, raw, attributes)
    cells = ("5.0 1.0", "6.0 1.0", "5.0 2.0", "6.0 2.0") if form["turned"] else CELLS
    sites = SITES["plain"] if form["shape"] == "sites" else cells
    return Case({"values.nc": content}, given, times, sites, values, None, shown)


def marked(form, stored, given, packing) -> tuple[dict[str, Any], Any]:
    """Attributes of the gaps, and the number stored there."""
    mark = form["mark"] if stored.kind == "f" else {"i2": -999, "i4": -9999, "u1": 255}[form["stored"]]
    own = np.array(mark).astype(stored)[()]
    if form["fill"] == "told":
        given["missing"] = [f"{mark * packing[0] + packing[1]:.10g}"]
        return {}, own
    if form["fill"] == "library":
        return {}, np.array(netCDF4.default_fillvals[form["stored"]]).astype(stored)[()]
    attributes = {
        "none": {},
        "_FillValue": {"_FillValue": own},
        "missing_value": {"missing_value": own},
        "double": {"missing_value": float(mark)},
        "text": {"missing_value": str(mark)},
        "two": {"_FillValue": np.array(77).astype(stored)[()], "missing_value": own},
    }
    return dict(attributes[form["fill"]]), own


def limited(form, stored, values, raw) -> dict[str, Any]:
    """Attributes of the valid range, within which all values lie that are meant."""
    if form["limits"] == "none" or not len(raw):
        return {}
    low, high = (np.array(v).astype(stored)[()] for v in (raw.min(), raw.max()))
    if form["limits"] == "unpacked" and stored.kind != "f":
        slack = 0.4 * abs(form["packing"][0])
        return {"valid_range": np.array([values.min() - slack, values.max() + slack])}
    if form["limits"] == "double" and stored.kind == "f":
        return {"valid_range": np.array([round(float(low), 1), round(float(high), 1)])}
    limits = {"valid_min": low, "valid_max": high}
    if form["limits"] in limits:
        return {form["limits"]: limits[form["limits"]]}
    return {"valid_range": np.array([low, high])}


def netcdf(form, times, raw, attributes) -> bytes:
    file = netCDF4.Dataset("values.nc", "w", format=form["kind"], memory=1 << 16)
    rest = {"sites": ("site",), "grid": ("lat", "lon")}[form["shape"]]
    dims = ("time", *rest)
    sizes = {"time": len(times), "site": 4, "lat": 2, "lon": 2}
    for dim in dims:
        file.createDimension(dim, sizes[dim])
    unit, _, first = form["since"].partition(" since ")
    length = {"days": 86400, "hours": 3600, "seconds": 1}[unit]
    seconds = (times - np.datetime64(first, "s")).astype(float)
    exact = np.array_equal((seconds / length).astype(form["clock"]), seconds / length)
    clock = form["clock"] if exact else "f8"
    axis = file.createVariable("time", clock, ("time",))
    axis.units = form["since"]
    axis[:] = seconds / length
    if form["shape"] == "sites":
        file.createDimension("letters", 1)
        names = file.createVariable("site", "S1", ("site", "letters"))
        names[:] = np.array([list(name) for name in SITES["plain"]], dtype="S1")
    else:
        for dim, start in (("lat", 1), ("lon", 5)):
            file.createVariable(dim, "f8", (dim,))[:] = start + np.arange(2)
    order = dims[::-1] if form["turned"] else dims
    block = raw.reshape([sizes[dim] for dim in dims])
    fill = attributes.pop("_FillValue", None)
    variable = file.createVariable("value", form["stored"], order, fill_value=fill)
    variable.set_auto_maskandscale(False)
    if form["packing"] != (1.0, 0.0):
        variable.scale_factor, variable.add_offset = form["packing"]
    variable.units = form["units"]
    for name, value in attributes.items():
        variable.setncattr(name, value)
    variable[:] = block.transpose([dims.index(dim) for dim in order])
    return bytes(file.close())


CASES = [
    *(
        (table, kind)
        for kind in ("harmless", *AXES)
        if kind not in ("beside", "quoting", "end", "gaps", "sign")
    ),
    *((grid, kind) for kind in GRIDS if kind not in ("mark", "every", "turned", "kind")),
]


@pytest.fixture(scope="module")
def checkout(project, definitions, tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(project / "config", folder / "config")
    with pytest.MonkeyPatch.context() as patch:  # the study's own configuration is the same every time
        patch.setattr(loading, "read", lambda folder: definitions)
        patch.setattr(validation, "check", lambda config, schema: None)
        yield folder


@pytest.mark.parametrize(("write", "kind"), CASES, ids=lambda part: getattr(part, "__name__", part))
@given(data=st.data())
def test_read_as_written_refused_or_shown(write, kind, data, checkout):
    case = write(data.draw, kind)
    outcome, why = read(case, checkout)
    event(outcome)
    assert outcome != DIFFERENT, why
    assert outcome == EQUAL or kind != "harmless", why


def read(case: Case, checkout) -> tuple[str, str]:
    """What becomes of a case's table, and why."""
    shutil.rmtree(checkout / "data", ignore_errors=True)
    (checkout / "in").mkdir(exist_ok=True)
    paths = [checkout / "in" / name for name in case.files]
    for path, content in zip(paths, case.files.values(), strict=True):
        path.write_bytes(content)
    overlay = checkout / "config" / "mine.yaml"
    overlay.unlink(missing_ok=True)
    try:
        said = "\n".join(added.add(checkout, checkout, "mine", paths, case.given, True))
        config = loading.overlaid(loading.read(checkout / "config"), [overlay], {})
    except ValueError as error:
        named = any(name in str(error) for name in ("values.", "sites.", "table", "mine"))
        assert named and "\n" not in str(error)
        return REFUSED, str(error)
    loader = datasets.configured(config["datasets"]["mine"])
    result, _ = loader.load(sorted((checkout / "data" / "raw" / "mine").iterdir()))
    lost = (
        set(case.sites) - set(result.site) if "excluded, too few or equal training values" in said else set()
    )
    why = difference(case, result, lost)
    if not why:
        return (SHOWN, said) if lost else (EQUAL, "")
    return (SHOWN if any(phrase in said for phrase in case.shown) else DIFFERENT), f"{why}\n{said}"


def difference(case: Case, result, lost: set[str]) -> str:
    """How a field differs from what was written, but for lost sites; empty where it does not."""
    ours = cells(result.time.astype("datetime64[s]"), result.site.tolist(), result.value)
    theirs = cells(case.times, case.sites, case.values)
    theirs = {key: value for key, value in theirs.items() if key[1] not in lost}
    if ours.keys() != theirs.keys():
        return f"other times or sites: {sorted(ours.keys() ^ theirs.keys())[:3]}"
    for key, value in theirs.items():
        if not np.isclose(ours[key], value, rtol=1e-6, atol=1e-9):
            return f"{ours[key]} for {value} at {key}"
    if case.places is None:
        return ""
    order = [case.sites.index(site) for site in result.site]
    found = np.column_stack([result.lat, result.lon])
    return "" if np.allclose(found, case.places[order]) else f"positions {found} for {case.places[order]}"


def cells(times, sites, values) -> dict[tuple, float]:
    return {
        (str(time), site): values[i, k]
        for i, time in enumerate(times)
        for k, site in enumerate(sites)
        if np.isfinite(values[i, k])
    }
