"""The loader for your own data: every form gives the same field, every fault its line."""

import sys
import zipfile

import numpy as np
import pytest
import xarray as xr

from tvgp.study import datasets
from tvgp.study.data import field as fields
from tvgp.study.data import raw_files
from tvgp.study.datasets.tabular import gridded, guess

DAYS = np.arange("2021-01-01", "2021-01-21", dtype="datetime64[D]")
SITES = {"a": (48.0, 2.0), "b": (48.5, 2.5), "c": (49.0, -3.0)}
PLACES = {"sites": "sites.csv", "latitude": "lat", "longitude": "lon"}


def values(seed=0):
    """(20, 3) values below and above 0, with ties, gaps and no value at all on the sixth day."""
    rng = np.random.default_rng(seed)
    result = np.round(rng.normal(0, 3, (len(DAYS), len(SITES))))
    result[rng.random(result.shape) < 0.2] = np.nan
    result[5] = np.nan
    return result


def text(number):
    return "" if np.isnan(number) else f"{number:g}"


def wide(table, times=DAYS):
    rows = [",".join([str(t), *map(text, row)]) for t, row in zip(times, table, strict=True)]
    return "\n".join(["time," + ",".join(SITES), *rows]) + "\n"


def long(table, times=DAYS):
    rows = [
        f"{t},{s},{text(v)}"
        for t, row in zip(times, table, strict=True)
        for s, v in zip(SITES, row, strict=True)
    ]
    return "\n".join(["time,site,value", *rows]) + "\n"


def places():
    return "site,lat,lon\n" + "".join(f"{name},{lat},{lon}\n" for name, (lat, lon) in SITES.items())


def load(folder, contents, **parameters):
    """Field and counts from files given as {name: text}."""
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    loader = datasets.make("table", **({"coverage": 0.1} | parameters))
    field, quality = loader.load([folder / name for name in contents])
    return field, {item: count for item, count, _ in quality}


def same(one, other):
    np.testing.assert_array_equal(one.value, other.value)
    np.testing.assert_array_equal(one.time, other.time)
    np.testing.assert_array_equal([one.lat, one.lon], [other.lat, other.lon])
    assert one.site.tolist() == other.site.tolist() and one.attrs == other.attrs


@pytest.fixture
def reference(tmp_path):
    return load(tmp_path, {"values.csv": wide(values()), "sites.csv": places()}, **PLACES)[0]


def test_the_field_has_the_values_of_the_file(reference):
    kept = np.delete(np.arange(20), 5)
    np.testing.assert_array_equal(reference.value, values()[kept])
    np.testing.assert_array_equal(reference.time, DAYS[kept])
    assert reference.site.tolist() == list(SITES)
    assert list(zip(reference.lat, reference.lon, strict=True)) == list(SITES.values())
    assert fields.elapsed(reference).tolist() == (kept + 1).tolist()


def test_long_gives_the_same_field(reference, tmp_path):
    same(load(tmp_path, {"values.csv": long(values()), "sites.csv": places()}, **PLACES)[0], reference)


def test_positions_may_be_beside_the_values(reference, tmp_path):
    head, *rows = long(values()).splitlines()
    compass = {"a": "48.0N,2.0E", "b": "48.5N,2.5E", "c": "49.0N,3.0W"}
    table = "\n".join([f"{head},lat,lon", *(f"{row},{compass[row.split(',')[1]]}" for row in rows)])
    same(load(tmp_path, {"values.csv": table + "\n"}, latitude="lat", longitude="lon")[0], reference)


def test_semicolons_and_decimal_commas(reference, tmp_path):
    rows = wide(values() + 0.5).replace(",", ";").replace(".", ",")
    field, _ = load(tmp_path, {"values.csv": rows, "sites.csv": places()}, decimal=",", **PLACES)
    np.testing.assert_array_equal(field.value, reference.value + 0.5)


def test_a_zip_of_two_years_gives_the_same_field(reference, tmp_path):
    table, half = values(), 10
    with zipfile.ZipFile(tmp_path / "values.zip", "w") as archive:
        archive.writestr("one.csv", wide(table[:half], DAYS[:half]))
        archive.writestr("two.csv", long(table[half:], DAYS[half:]))
    (tmp_path / "sites.csv").write_text(places())
    loader = datasets.make("table", coverage=0.1, **PLACES)
    same(loader.load([tmp_path / "values.zip", tmp_path / "sites.csv"])[0], reference)


def gridded_values() -> xr.Dataset:
    places_of = np.array(list(SITES.values())).T
    return xr.Dataset(
        {"value": (("time", "site"), values())},
        {"time": DAYS, "site": list(SITES), "lat": ("site", places_of[0]), "lon": ("site", places_of[1])},
    )


@pytest.mark.parametrize("order", [("time", "site"), ("site", "time")])
def test_netcdf_gives_the_same_field(reference, tmp_path, order):
    data = gridded_values()
    data["value"] = data["value"].transpose(*order)
    data.to_netcdf(tmp_path / "values.nc")
    loader = datasets.make("table", coverage=0.1, latitude="lat", longitude="lon")
    same(loader.load([tmp_path / "values.nc"])[0], reference)


@pytest.mark.parametrize("version", [2, 3])
def test_zarr_gives_the_same_field_and_the_same_file_twice(reference, tmp_path, version):
    pytest.importorskip("zarr", reason="the package zarr, which is optional, is not installed")
    gridded_values().to_zarr(tmp_path / "values.zarr", zarr_format=version, consolidated=False)
    path = gridded.packed(tmp_path / "values.zarr", tmp_path)
    raw_files.check(path)
    loader = datasets.make("table", coverage=0.1, latitude="lat", longitude="lon")
    same(loader.load([path])[0], reference)
    content = path.read_bytes()
    assert gridded.packed(tmp_path / "values.zarr", tmp_path).read_bytes() == content
    assert guess.values(path, {})["value"] == "value"


def test_zarr_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr.storage", None)
    (tmp_path / "values.zarr").mkdir()
    with pytest.raises(ValueError, match="not of a Zarr group"):
        gridded.packed(tmp_path / "values.zarr", tmp_path)
    (tmp_path / "values.zarr" / "zarr.json").write_text("{}")
    path = gridded.packed(tmp_path / "values.zarr", tmp_path)
    with pytest.raises(
        ValueError, match="values.zarr.zip: Zarr needs the package zarr; run: .*pip install zarr"
    ):
        datasets.make("table").load([path])


def test_a_grid_in_netcdf_has_a_site_per_cell(tmp_path):
    cells = np.arange(20 * 2 * 3, dtype=float).reshape(20, 2, 3)
    data = xr.Dataset(
        {"value": (("time", "lat", "lon"), cells)},
        {"time": DAYS, "lat": [48.0, 49.0], "lon": [1.0, 2.0, 3.0]},
    )
    data.to_netcdf(tmp_path / "values.nc")
    field, _ = datasets.make("table", latitude="lat", longitude="lon").load([tmp_path / "values.nc"])
    at = {place: k for k, place in enumerate(zip(field.lat, field.lon, strict=True))}
    np.testing.assert_array_equal(field.value[:, at[49.0, 2.0]], cells[:, 1, 1])


@pytest.mark.parametrize(
    ("step", "apart", "form", "stored"),
    [
        ("10 seconds", np.timedelta64(10, "s"), "%Y-%m-%dT%H:%M:%S", "s"),
        ("30 minutes", np.timedelta64(30, "m"), "%d/%m/%Y %H:%M", "m"),
        ("hour", np.timedelta64(1, "h"), "%Y-%m-%d %H:%M", "m"),
        ("week", np.timedelta64(7, "D"), "%d.%m.%Y", "D"),
        ("month", np.timedelta64(1, "M"), "%Y %m", "D"),
        ("year", np.timedelta64(1, "Y"), "%Y", "D"),
    ],
)
def test_steps_from_seconds_to_years(tmp_path, step, apart, form, stored):
    first = np.datetime64("1966-11-07") if apart.dtype == "<m8[D]" else np.datetime64("1966-11")
    unit = np.datetime_data(apart.dtype)[0]
    times = first.astype(f"datetime64[{unit}]") + apart * np.arange(20)
    written = [t.astype("datetime64[s]").item().strftime(form) for t in times]
    parameters = {"step": step, "time_format": form}
    field, _ = load(tmp_path, {"values.csv": wide(values(), written)}, **parameters)
    assert np.datetime_data(field.time.dtype)[0] == stored and field.attrs["frequency"] == step
    np.testing.assert_array_equal(field.time, np.delete(times, 5))
    assert fields.elapsed(field).tolist() == np.delete(np.arange(1, 21), 5).tolist()
    fields.write_field(tmp_path / "field.nc", field)
    again = fields.read_field(tmp_path / "field.nc")
    np.testing.assert_array_equal(again.time, field.time)
    assert again.time.dtype == field.time.dtype


@pytest.mark.parametrize(
    ("aggregate", "expected"), [("mean", 2.0), ("sum", 6.0), ("min", -1.0), ("max", 4.0)]
)
def test_resampling(tmp_path, aggregate, expected):
    hours = np.arange("2021-01-01T00", "2021-01-16", 8, dtype="datetime64[h]")
    table = np.tile([[-1.0], [3.0], [4.0]], (15, 3))
    field, counts = load(tmp_path, {"values.csv": wide(table, hours)}, aggregate=aggregate)
    np.testing.assert_array_equal(field.value, np.full((15, 3), expected))
    assert counts["values within a step"] == 45


def test_smaller_values_are_better_if_asked(reference, tmp_path):
    contents = {"values.csv": wide(values()), "sites.csv": places()}
    field, _ = load(tmp_path, contents, maximise=False, long_name="PM10", **PLACES)
    np.testing.assert_array_equal(field.value, -reference.value)
    assert field.attrs["long_name"] == "minus PM10"


def test_missing_markers_range_period_and_coverage(tmp_path):
    table = values()
    table[:, 2] = np.where(np.arange(20) < 3, table[:, 2], np.nan)
    rows = wide(table).replace("-999", "x").replace(",,", ",-999.0,").replace(",,", ",fault,")
    field, counts = load(
        tmp_path,
        {"values.csv": rows},
        missing=["-999", "fault"],
        plausible=[-4, 4],
        period=["2021-01-02", "2021-01-19"],
        coverage=0.5,
    )
    kept = table[1:19, :2]
    kept[np.abs(kept) > 4] = np.nan
    np.testing.assert_array_equal(field.value, kept[np.isfinite(kept).any(axis=1)])
    assert field.site.tolist() == ["a", "b"] and counts["sites dropped"] == 1
    assert counts["implausible values"] > 0 and counts["values outside the period"] > 0


def test_a_repeated_value_is_kept_once_and_may_be_aggregated(tmp_path):
    rows = long(np.ones((20, 3)))
    assert load(tmp_path, {"v.csv": rows + "2021-01-02,b,1\n"})[1]["same value twice"] == 1
    field, _ = load(tmp_path, {"v.csv": rows + "2021-01-02,b,4\n"}, repeats="aggregate")
    assert field.value[1, 1] == 2.5


GOOD = {"values.csv": wide(np.ones((20, 3)))}
LONG = {"values.csv": long(np.ones((20, 3)))}
BOTH = {**GOOD, "sites.csv": places()}


def changed(contents, before, after, name="values.csv"):
    assert before in contents[name]
    return {**contents, name: contents[name].replace(before, after, 1)}


@pytest.mark.parametrize(
    ("contents", "parameters", "line"),
    [
        (
            changed(GOOD, "time", "when"),
            {},
            "values.csv, line 1: no column 'time'; it has 'when', 'a', 'b', 'c'",
        ),
        (changed(GOOD, ",b,", ",a,"), {}, "values.csv, line 1: column 'a' appears 2 times"),
        (
            changed(GOOD, ",1", ",one"),
            {},
            "values.csv, line 2: 'one' in column 'a' is not a number; if it means",
        ),
        (changed(GOOD, ",1", ",inf"), {}, "values.csv, line 2: 'inf' in column 'a' is not a number"),
        (changed(GOOD, ",1,1,1", ",1,1"), {}, "values.csv, line 2: 3 fields, the header has 4"),
        (changed(GOOD, "2021-01-02", "2021-13-02"), {}, "line 3: time '2021-13-02' is not year-month-day"),
        (changed(GOOD, "2021-01-02", "02/01/2021"), {}, "set `time_format`, such as %d/%m/%Y"),
        (changed(GOOD, "2021-01-02", "0021-01-02"), {}, "line 3: time '0021-01-02' is of the year 21"),
        (GOOD, {"time_format": "%d"}, "line 2: time '2021-01-01' is not %d"),
        (GOOD, {"values": "other.csv"}, "no file 'other.csv' among the raw files; found values.csv"),
        (GOOD, {"step": "fortnight"}, "step is 'fortnight'; expected second, minute"),
        (GOOD, {"step": "month"}, "1 of the steps (a month) have a value"),
        (GOOD, {"period": ["2030", "2031"]}, "no value from 2030-01-01 to 2031-12-31; the files have 2021"),
        (GOOD, {"plausible": [5, 6]}, "no value within `plausible` [5, 6]; the files have 1 to 1"),
        (GOOD, {"plausible": [6, 5]}, "plausible is [6, 5], expected [lowest, highest]"),
        (GOOD, {"missing": ["1"]}, "values.csv: no value; check `value`, `missing`"),
        (GOOD, {"coverage": 0.0}, "coverage is 0.0, must lie in (0, 1]"),
        (GOOD, {"layout": "deep"}, "layout is 'deep', expected one of wide, long"),
        (GOOD, {"latitude": "lat"}, "give both latitude and longitude, or neither"),
        (GOOD, {"sites": "sites.csv"}, "sites is 'sites.csv', but no columns of positions are named"),
        (GOOD, {"delimiter": ";;"}, "delimiter is ';;', expected one character"),
        (changed(LONG, ",a,", ",,"), {}, "line 2: column 'site' is empty; expected the name of a site"),
        (
            {"values.csv": long(np.ones((20, 3))) + "2021-01-02,b,4\n"},
            {},
            "line 62: site 'b' has a second value at 2021-01-02T00:00:00, 4; see",
        ),
        ({"values.csv": "time,a\n2021-01-01,1\n"}, {}, "values of a single site; a choice needs 2"),
        (
            {"values.csv": "time\n2021-01-01\n"},
            {},
            "line 1: only columns of time; expected one more per site",
        ),
        ({"values.csv": ""}, {}, "values.csv: the file is empty"),
        ({"values.csv": "<html>"}, {}, "values.csv: this is a web page"),
        ({"values.nc": "a,b"}, {}, "values.nc: not a NetCDF file"),
        (
            changed(BOTH, "48.0", "north", "sites.csv"),
            PLACES,
            "line 2: 'north' in column 'lat' is not a coordinate",
        ),
        (
            changed(BOTH, "48.0", "148", "sites.csv"),
            PLACES,
            "site 'a' is at latitude 148, longitude 2; expected",
        ),
        (changed(BOTH, "b,", "a,", "sites.csv"), PLACES, "line 3: site 'a' is also in line 2; keep one line"),
        (
            {**GOOD, "sites.csv": places().replace("a,", "1,").replace("b,", "2,").replace("c,", "3,")},
            PLACES,
            "no site of the values has a position; sites of the values: a, b, c; of the positions: 1, 2, 3",
        ),
        (BOTH, {**PLACES, "latitude": "y"}, "sites.csv, line 1: no column 'y'; it has 'site', 'lat', 'lon'"),
    ],
)
def test_every_fault_has_its_line(tmp_path, contents, parameters, line):
    with pytest.raises(ValueError) as error:
        load(tmp_path, contents, **parameters)
    message = str(error.value)
    assert line in message and "\n" not in message


@pytest.mark.parametrize(
    ("kind", "refused"), [("km", True), ("degrees", True), ("xy", True), ("index", False)]
)
def test_coordinates_must_suit_the_positions(tmp_path, kind, refused):
    path = tmp_path / "values.csv"
    path.write_text(GOOD["values.csv"])
    settings = {"loader": "table", "title": "t", "raw": "r", "source": "file", "coordinates": kind}
    manifest = {"source": "real", "files": [{"path": str(path), "sha256": "0", "bytes": 1}]}
    if refused:
        with pytest.raises(
            ValueError, match=f"mine: coordinates is {kind}, but the sites' positions are none"
        ):
            datasets.grid("mine", settings, manifest)
    else:
        assert datasets.grid("mine", settings, manifest)[0].attrs["coordinates"] == kind
