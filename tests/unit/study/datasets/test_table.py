"""The loader for your own data: every form gives the same field, every fault its line."""

import sys
import zipfile

import netCDF4
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


def netcdf(path, stored, attributes, values, units="degC"):
    """A NetCDF file of values as stored, over time and site."""
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("time", len(values)), ("site", values.shape[1])):
            file.createDimension(name, size)
        time = file.createVariable("time", "f8", ("time",))
        time.units, time[:] = "days since 2021-01-01", np.arange(len(values))
        fill = attributes.get("_FillValue")
        variable = file.createVariable("value", stored, ("time", "site"), fill_value=fill)
        variable.set_auto_maskandscale(False)
        variable.setncatts({"units": units} | {k: v for k, v in attributes.items() if k != "_FillValue"})
        variable[:] = values
    return path


@pytest.mark.parametrize("units", ["seconds", "minutes", "hours", "days"])
def test_durations_are_numbers_of_their_unit(tmp_path, units):
    written = np.arange(60.0).reshape(20, 3) + 0.5
    written[3, 1] = np.nan
    path = netcdf(tmp_path / "v.nc", "f8", {"_FillValue": np.nan}, written, units)
    field, _ = datasets.make("table").load([path])
    np.testing.assert_array_equal(field.value, written)


@pytest.mark.parametrize(
    ("stored", "attributes", "mark", "missing"),
    [
        ("f4", {}, -999.9, ["-999.9"]),
        ("f4", {"missing_value": -999.9}, -999.9, []),
        ("f4", {"missing_value": "-999.9"}, -999.9, []),
        ("f4", {"missing_value": np.array([-888.8, -999.9])}, -999.9, []),
        ("f4", {}, netCDF4.default_fillvals["f4"], []),
        ("f4", {"valid_range": np.array([0.1, 5.9])}, 1e30, []),
        ("f4", {"valid_min": 0.1}, -5, []),
        ("f8", {"valid_max": 5.9}, 6, []),
        ("i2", {"scale_factor": 0.1, "valid_range": np.array([1, 59], dtype="i2")}, 60, []),
        ("i2", {"scale_factor": 0.1, "valid_range": np.array([0.05, 5.95])}, 60, []),
        ("i2", {"scale_factor": 0.1}, -9999, ["-999.9"]),
        ("i2", {"scale_factor": 0.1}, netCDF4.default_fillvals["i2"], []),
    ],
)
def test_no_value_holds_in_the_precision_of_the_file(tmp_path, stored, attributes, mark, missing):
    tenths = np.arange(1, 60).repeat(2)[:60].reshape(20, 3)
    raw = (tenths / (1 if "scale_factor" in attributes else 10)).astype(stored)
    raw[4, 2] = np.array(mark).astype(stored)
    path = netcdf(tmp_path / "v.nc", stored, attributes, raw)
    field, quality = datasets.make("table", missing=missing).load([path])
    expected = tenths / 10
    expected[4, 2] = np.nan
    np.testing.assert_allclose(field.value, expected, rtol=1e-6)
    outside = {item: count for item, count, _ in quality}["values outside the file's valid range"]
    assert outside == any(name.startswith("valid") for name in attributes)


def test_a_packed_byte_may_have_any_value(tmp_path):
    raw = np.arange(196, 256).astype("u1").reshape(20, 3)
    path = netcdf(tmp_path / "v.nc", "u1", {"scale_factor": 0.5}, raw)
    np.testing.assert_array_equal(datasets.make("table").load([path])[0].value, raw / 2)


def test_times_in_fractions_of_a_day_are_whole_minutes(tmp_path):
    path = netcdf(tmp_path / "v.nc", "f8", {}, np.ones((432, 2)))
    with netCDF4.Dataset(path, "a") as file:
        file["time"].units, file["time"][:] = "days since 1900-01-01", 44254 + np.arange(432) / 144
    field, _ = datasets.make("table", step="10 minutes").load([path])
    np.testing.assert_array_equal(field.time, np.datetime64("2021-03-01T00:00") + 10 * np.arange(432))


@pytest.mark.parametrize(("units", "last"), [("fortnights since 2021-01-01", 19), (None, 1e36)])
def test_times_that_are_no_dates_are_refused(tmp_path, units, last):
    path = netcdf(tmp_path / "v.nc", "f8", {}, np.ones((20, 2)))
    with netCDF4.Dataset(path, "a") as file:
        file["time"].units, file["time"][-1] = units or file["time"].units, last
    with pytest.raises(ValueError, match=f"^{path}: .*; expected times such as days since 2000-01-01$"):
        datasets.make("table").load([path])


def test_text_in_a_netcdf_variable_is_refused(tmp_path):
    with pytest.raises(
        ValueError, match="'value' holds datetime64.*, expected numbers; give another `value`"
    ):
        datasets.make("table").load(
            [netcdf(tmp_path / "v.nc", "f8", {}, np.ones((20, 2)), "days since 2000-01-01")]
        )


@pytest.mark.parametrize(("aggregate", "expected"), [("sum", 1.2), ("mean", 0.3), ("min", 0.2), ("max", 0.4)])
def test_equal_readings_of_several_instruments_all_count(tmp_path, aggregate, expected):
    rows = "".join(
        f"{day},{site},{value}\n" for day in DAYS for site in "ab" for value in (0.2, 0.4, 0.4, 0.2)
    )
    field, counts = load(
        tmp_path, {"v.csv": "time,site,value\n" + rows}, repeats="aggregate", aggregate=aggregate
    )
    np.testing.assert_allclose(field.value, expected)
    assert counts["same value twice"] == 0


@pytest.mark.parametrize(
    ("cell", "decimal", "thousands", "expected"),
    [
        ("980,5", ",", None, 980.5),
        ("1.020", ",", ".", 1020),
        ("-1.020,5", ",", ".", -1020.5),
        ("1,020.5", ".", ",", 1020.5),
        ("1 020 300,5", ",", " ", 1020300.5),
        ("980.5", ",", ".", None),
        ("1.020", ",", None, None),
        ("1,020", ".", None, None),
        ("10,20", ".", ",", None),
        ("1.02", ",", ".", None),
    ],
)
def test_signs_between_thousands_are_read_or_refused(tmp_path, cell, decimal, thousands, expected):
    table = {"v.csv": wide(np.ones((20, 3))).replace(",", ";").replace(";1", f";{cell}", 1)}
    signs = {"decimal": decimal, "thousands": thousands}
    if expected is None:
        with pytest.raises(ValueError, match=r"is not a number; the decimal sign is .*set `decimal`"):
            load(tmp_path, table, **signs)
    else:
        assert load(tmp_path, table, **signs)[0].value[0, 0] == expected


@pytest.mark.parametrize(
    ("north", "signs", "expected"),
    [
        ("1,250", {}, None),
        ("1.250", {}, 1.25),
        ("1,250", {"decimal": ","}, 1.25),
        ("1.250", {"decimal": ","}, None),
        ("1,250", {"thousands": ","}, 1250),
        ("1,5", {}, 1.5),
    ],
)
def test_positions_on_a_plan_may_be_in_thousands(tmp_path, north, signs, expected):
    table = {"v.csv": wide(np.ones((20, 3))).replace(",", ";")}
    table["s.csv"] = f"site;y;x\na;{north};2\nb;3;4\nc;5;6\n"
    keys = {"sites": "s.csv", "x": "x", "y": "y", **signs}
    if expected is None:
        with pytest.raises(
            ValueError, match=f"line 2: '{north}' in column 'y' is not a coordinate; .*thousands"
        ):
            load(tmp_path, table, **keys)
    else:
        assert load(tmp_path, table, **keys)[0].lat[0] == expected


@pytest.mark.parametrize("name", ["", "doy", "Unnamed: 0", "Hour", "day_of_year"])
def test_a_column_that_is_not_a_site_must_be_excluded(tmp_path, name):
    table = wide(values()).replace("time", f"time,{name}", 1).splitlines()
    rows = "\n".join([table[0], *(row.replace(",", ",7,", 1) for row in table[1:])])
    with pytest.raises(ValueError, match=f"line 1: column 2 is named '{name}', and a column of a wide table"):
        load(tmp_path, {"v.csv": rows})
    field, _ = load(tmp_path, {"v.csv": rows}, exclude=[name])
    assert field.site.tolist() == list(SITES)


@pytest.mark.parametrize(
    ("encoding", "line"),
    [
        ("latin-1", "line 1: byte 0xee is not UTF-8; save the table as UTF-8"),
        ("utf-16", "line 1: byte 0xff is not UTF-8"),
        ("cp037", "line 1: .*; save the table as UTF-8"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_other_encodings_are_refused(tmp_path, encoding, line, packed):
    content = wide(values()).replace("a", "N\u00eemes", 1).encode(encoding)
    path = tmp_path / "v.csv"
    path.write_bytes(content)
    if packed:
        path = tmp_path / "v.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("v.csv", content)
    with pytest.raises(ValueError, match=line):
        datasets.make("table").load([path])


def test_times_with_and_without_an_offset_are_not_mixed(tmp_path):
    aware = [f"{day}T01:00+02:00" for day in DAYS]
    field, counts = load(tmp_path, {"v.csv": wide(np.ones((20, 3)), aware)})
    assert field.time[0] == DAYS[0] - 1 and counts["times with an offset from UTC"] == 20
    mixed = wide(np.ones((20, 3)), [*aware[:19], "2021-01-20T01:00"])
    line = "line 21: time '2021-01-20T01:00' is without an offset from UTC, unlike .*; write all times with"
    with pytest.raises(ValueError, match=line):
        load(tmp_path, {"v.csv": mixed})
    two = {"one.csv": wide(np.ones((10, 3)), aware[:10]), "two.csv": wide(np.ones((10, 3)), DAYS[10:])}
    with pytest.raises(ValueError, match="two.csv, line 2: time '2021-01-11' is without an offset"):
        load(tmp_path, {"v.csv": wide(np.ones((20, 3)), aware)} | two, values=list(two))


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
            changed(changed(LONG, ",a,", ",,"), "site", "{0}"),
            {"site": "{0}"},
            "line 2: column '{0}' is empty",
        ),
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
