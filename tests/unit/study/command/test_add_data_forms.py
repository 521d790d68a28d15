"""Forms of tables and grids that `tvgp add-data` reads, and what it says it read."""

import argparse
import datetime
import sys
from collections import Counter
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from tvgp.study import datasets
from tvgp.study.command import add_data
from tvgp.study.config import loading, strict_yaml, validation
from tvgp.study.datasets.tabular import guess, guess_signs, guess_times, header, times

KINDS = [(0, "no2"), (40, "pm10")]
DAYS = [f"2021-01-{day:02d}" for day in range(1, 31)]
PLAIN = "time,a,b\n" + "".join(f"{day},{k + 0.5},{2 * k}\n" for k, day in enumerate(DAYS))
NAMED = [(0, "Hill"), (1, "Lake")]
A, B = np.arange(30) + 0.5, 2.0 * np.arange(30)


@pytest.fixture
def read(tmp_path, monkeypatch, capsys, definitions):
    """Add a file in an empty folder: its field, the keys of the overlay and what was printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(loading, "read", lambda folder: definitions)
    monkeypatch.setattr(validation, "check", lambda config, schema: None)

    def call(path, *arguments, sites=()):
        parser = argparse.ArgumentParser()
        add_data.add_arguments(parser)
        given = parser.parse_args([str(path), *map(str, sites), "--name", "mine", "--replace", *arguments])
        assert add_data.main(given) == 0
        own = strict_yaml.read(tmp_path / "config" / "mine.yaml")
        config = loading.overlaid(definitions, [tmp_path / "config" / "mine.yaml"], {})
        loader = datasets.configured(config["datasets"]["mine"])
        field, _ = loader.load(sorted((tmp_path / "data" / "raw" / "mine").iterdir()))
        return field, own["your_data"], capsys.readouterr().out

    return call


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def is_plain(field):
    np.testing.assert_array_equal(field.value, np.column_stack([A, B]))
    assert field.site.tolist() == ["a", "b"] and str(field.time[0]) == DAYS[0]
    return True


@pytest.mark.parametrize(
    ("top", "above"),
    [
        ("Air temperature\n", 1),
        ("Air temperature,,\nOffice of the Weather,,\n\n", 3),
        ("Station: Hill, 340 m, north, Alps\nMade on 2021-02-01\n", 2),
        ('"Temperature, hourly"\n', 1),
    ],
)
def test_lines_above_the_header_are_left_out_and_named(read, tmp_path, top, above):
    field, own, said = read(write(tmp_path / "v.csv", top + PLAIN))
    assert is_plain(field) and own["lines_above"] == above
    assert f"lines left out beside the header: {above} above\n" in said


@pytest.mark.parametrize("top", ["time,,\n", "Report,2021\n", "5,,\n"])
def test_a_header_that_is_not_certain_is_not_passed_over(tmp_path, top):
    rows = PLAIN.partition("\n")[2]
    assert header.lines_above(write(tmp_path / "v.csv", top + rows)) == 0


def test_a_fault_below_a_title_has_its_own_line(read, tmp_path):
    path = write(tmp_path / "v.csv", "Title\n" + PLAIN.replace("2.5,4", "2.5,four", 1))
    with pytest.raises(ValueError, match="v.csv, line 5: 'four' in column 'b' is not a number"):
        read(path)


def test_a_line_of_units_below_the_header_gives_the_units(read, tmp_path):
    head, _, rows = PLAIN.partition("\n")
    field, own, said = read(write(tmp_path / "v.csv", f"{head}\nUTC,degC,degC\n{rows}"))
    assert is_plain(field) and (own["lines_below"], own["units"]) == (1, "degC")
    assert "1 below\n" in said and "values 0 to 58 degC" in said
    long = "time,site,value\n,,ppb\n" + "".join(
        f"{day},{s},{k}\n" for k, day in enumerate(DAYS) for s in "ab"
    )
    assert read(write(tmp_path / "v.csv", long))[1]["units"] == "ppb"


def test_a_first_line_without_values_is_not_of_units(read, tmp_path):
    head, _, rows = PLAIN.partition("\n")
    field, own, _ = read(write(tmp_path / "v.csv", f"{head}\n2020-12-31,NA,NA\n{rows}"))
    assert is_plain(field) and "lines_below" not in own
    with pytest.raises(ValueError, match="time 'soon' is not year-month-day|format of time 'soon' is not"):
        read(write(tmp_path / "v.csv", f"{head}\nsoon,1,2\n{rows}"))


def test_a_line_with_a_time_and_no_number_is_asked_for(read, tmp_path):
    rows = "".join(f"Jan {k + 1:02d} 2021,{k + 0.5},{2 * k}\n" for k in range(30))
    path = write(tmp_path / "v.csv", f"time,a,b\nDec 31 2020,fault,fault\n{rows}")
    with pytest.raises(ValueError, match="v.csv, line 2: a time and no number; if it is not to be read"):
        read(path, "--time-format", "%b %d %Y")
    assert is_plain(read(path, "--time-format", "%b %d %Y", "--lines-below", "1")[0])
    told = ("--time-format", "%b %d %Y", "--lines-below", "0", "--missing", "fault")
    assert is_plain(read(path, *told)[0])


def test_units_in_the_header_are_no_part_of_the_sites_names(read, tmp_path):
    sites = write(tmp_path / "sites.csv", "site,lat,lon\na,48,2\nb,49,3\n")
    text = PLAIN.replace("time,a,b", "time,a [degC],b [degC]")
    field, own, said = read(write(tmp_path / "v.csv", text), sites=[sites])
    assert is_plain(field) and (own["suffix"], own["units"]) == (" [degC]", "degC")
    assert "a column per site, named in the header, without ' [degC]'" in said
    for two in ("a (Hill),b (Lake)", "a: (Hill),b: (Hill)"):  # places, as in tables of Google Trends
        field, own, _ = read(write(tmp_path / "v.csv", PLAIN.replace("time,a,b", f"time,{two}")))
        assert field.site.tolist() == two.split(",") and "units" not in own
    with pytest.raises(ValueError, match=r"v.csv, line 1: column 'a' does not end in ' \(K\)' \(`suffix`\)"):
        read(write(tmp_path / "v.csv", PLAIN), "--suffix", " (K)")


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        (["1,234.5", "17", "999.25"], (".", ",")),
        (["1.234,5", "17", "3.000"], (",", ".")),
        (["1,234,567", "17"], (".", ",")),
        (["1 234,5", "17,25"], (",", " ")),
        (["1'234", "17.5"], (".", "'")),
        (["1\u202f234", "17"], (".", "\u202f")),
        (["1,234", "17"], (",", None)),  # may be either: asked for elsewhere
        (["1,234.5", "17,25"], (",", None)),  # contradict each other
        (["0,234", "1,5"], (",", None)),
        (["12.5", "1234"], (".", None)),
    ],
)
def test_thousands_are_taken_where_they_are_certain(numbers, found):
    assert guess_signs.signs(numbers, {}) == found


def test_thousands_are_read_and_said(read, tmp_path):
    rows = "".join(f'{day};"{1 + k}.250,5";{k}\n' for k, day in enumerate(DAYS))
    field, own, said = read(write(tmp_path / "v.csv", "time;a;b\n" + rows))
    assert field.value[:2, 0].tolist() == [1250.5, 2250.5] and own["thousands"] == "."
    assert "'.' stands between thousands, ',' before fractions\n" in said


def test_hour_24_is_the_start_of_the_next_day(read, tmp_path):
    stamps = [f"2021-01-0{1 + k // 24} {1 + k % 24:02d}:00" for k in range(72)]
    rows = "".join(f"{at},{k},{-k}\n" for k, at in enumerate(stamps))
    field, own, said = read(write(tmp_path / "v.csv", "time,a,b\n" + rows))
    assert own["step"] == "hour" and len(field.time) == 72
    assert str(field.time[23]) == "2021-01-02T00:00" and field.value[23, 0] == 23
    assert "times of hour 24: 3 (read as hour 0 of the next day)" in said
    columns = "".join(f"2021,1,{1 + k // 24},{1 + k % 24},{k},{-k}\n" for k in range(72))
    again, own, _ = read(write(tmp_path / "v.csv", "year,month,day,hour,a,b\n" + columns))
    np.testing.assert_array_equal(again.value, field.value)
    np.testing.assert_array_equal(again.time, field.time)


@pytest.mark.parametrize(
    ("text", "form", "found"),
    [
        ("2021 1 24", "%Y %m %d", "2021-01-24 00:00"),
        ("10:00 01 02 24", "%H:%M %d %m %y", "2024-02-01 10:00"),
        ("31/12/2021 24:00", "%d/%m/%Y %H:%M", "2022-01-01 00:00"),
        ("2021-01-31T24:00+02:00", None, "2021-01-31 22:00"),
    ],
)
def test_24_is_an_hour_where_the_format_ends_in_hours(text, form, found):
    assert times.moment(text, form)[0].isoformat(" ", "minutes") == found


@pytest.mark.parametrize("text", ["2021-01-31 24:30", "2021-01-31 25:00", "31/01/2021 24:00"])
def test_other_hours_beyond_the_day_are_no_times(text):
    with pytest.raises(ValueError, match="is not year-month-day"):
        times.moment(text, None)


def test_days_of_a_time_zone_are_of_its_standard_time(read, tmp_path):
    rows = "".join(f"{day}T23:30+00:00,{k},{-k}\n" for k, day in enumerate(DAYS))
    path = write(tmp_path / "v.csv", "time,a,b\n" + rows)
    assert str(read(path)[0].time[0]) == "2021-01-01"
    field, own, said = read(path, "--time-zone", "Europe/Paris")
    assert str(field.time[0]) == "2021-01-02" and own["time_zone"] == "Europe/Paris"
    assert "times with an offset from UTC: 30 (read as standard time of Europe/Paris)" in said
    assert "in the zone Europe/Paris; a column per site" in said


def test_clock_times_lose_the_hour_of_summer():
    parse = times.parser(None, Counter(), "Europe/Paris")
    found = parse(["2021-01-01 12:00", "2021-07-01 12:00"], lambda row: "v.csv, line 2")
    assert found.astype(str).tolist() == ["2021-01-01T12:00:00", "2021-07-01T11:00:00"]
    with pytest.raises(ValueError, match="line 9: time '2021-03-28 02:30' does not exist in Europe/Paris"):
        parse(["2021-03-28 02:30"], lambda row: "v.csv, line 9")
    fixed = times.parser(None, Counter(), "+01:00")(["2021-03-28 02:30"], lambda row: "")
    assert fixed.astype(str).tolist() == ["2021-03-28T02:30:00"]
    with pytest.raises(ValueError, match="time_zone is 'Paris'; expected a name such as Europe/Paris"):
        times.parser(None, Counter(), "Paris")


@pytest.mark.parametrize(
    ("zone", "start"), [("Europe/Berlin", "2023-10-27"), ("America/New_York", "2023-11-03")]
)
@pytest.mark.parametrize("minutes", [15, 60])
@pytest.mark.parametrize("layout", ["wide", "long"])
@pytest.mark.parametrize("forwards", [True, False])
def test_an_hour_that_clocks_show_twice_is_two(read, tmp_path, zone, start, minutes, layout, forwards):
    """As prices of electricity are written, newest first or last; the first of both has equal values."""
    first = datetime.datetime.fromisoformat(start).replace(tzinfo=datetime.UTC)
    moments = [first + datetime.timedelta(minutes=minutes * k) for k in range(480)]
    texts = [moment.astimezone(ZoneInfo(zone)).strftime("%d.%m.%Y %H:%M") for moment in moments]
    rows = [(text, max(k, 100), -k) for k, text in enumerate(texts)]
    rows = rows if forwards else rows[::-1]
    if layout == "wide":
        text = "time,a,b\n" + "".join(f"{time},{a},{b}\n" for time, a, b in rows)
    else:
        text = "time,site,value\n" + "".join(f"{time},a,{a}\n{time},b,{b}\n" for time, a, b in rows)
    path = write(tmp_path / "v.csv", text)
    field, _, said = read(path, "--time-zone", zone)
    assert set(np.diff(field.time)) == {np.timedelta64(minutes, "m")}
    np.testing.assert_array_equal(field.value[:, 1], -np.arange(len(moments)))
    number = 2 * 60 // minutes
    assert f"values of an hour that comes twice: {number} (those of the second, an hour later)" in said
    with pytest.raises(ValueError, match=r"on two lines|a second value at .*put back \(--time-zone\)"):
        read(path)


@pytest.mark.parametrize("second", ["02:30", "03:30"])
def test_a_third_reading_of_an_hour_is_refused(read, tmp_path, second):
    """And so is a second one of an hour that clocks show once."""
    rows = [f"2023-10-{day} 02:30" for day in range(10, 30)] + 2 * [f"2023-10-29 {second}"]
    text = "".join(f"{time},a,{k}\n{time},b,{-k}\n" for k, time in enumerate(rows))
    with pytest.raises(ValueError, match="has a second value at 2023-10-29"):
        read(write(tmp_path / "v.csv", "time,site,value\n" + text), "--time-zone", "Europe/Berlin")


@pytest.mark.parametrize("written", ["%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M%z"])
@pytest.mark.parametrize("step", ["D", "M"])
def test_days_and_months_are_the_same_in_a_zone(read, tmp_path, step, written):
    """Also as midnights on its clocks, which in summer are of the day before in standard time."""
    days = (np.datetime64("2021-02", step) + np.arange(90)).astype("datetime64[D]")
    zone, midnight = ZoneInfo("Europe/Paris"), datetime.time()
    texts = [datetime.datetime.combine(day, midnight, zone).strftime(written) for day in days.tolist()]
    path = write(tmp_path / "v.csv", "time,a,b\n" + "".join(f"{t},{k},{-k}\n" for k, t in enumerate(texts)))
    field, _, said = read(path, "--time-zone", "Europe/Paris")
    np.testing.assert_array_equal(field.time, days)
    assert "within a step" not in said


@pytest.mark.parametrize("zone", [None, "Europe/Paris"])
def test_dimensions_of_length_1_are_left_out(read, tmp_path, zone):
    values = np.arange(60.0).reshape(30, 1, 2, 1)
    moments = np.array(DAYS, dtype="datetime64[ns]") + np.timedelta64(23, "h")
    coords = {"time": moments, "number": [0], "latitude": [48.0, 49.0], "longitude": [2.0]}
    data = xr.Dataset({"t2m": (("time", "number", "latitude", "longitude"), values)}, coords)
    data.to_netcdf(tmp_path / "v.nc")
    field, own, said = read(tmp_path / "v.nc", *(["--time-zone", zone] if zone else []))
    np.testing.assert_array_equal(field.value, values.reshape(30, 2))
    assert field.lat.tolist() == [48.0, 49.0] and field.lon.tolist() == [2.0, 2.0]
    assert "values from 't2m'" in said and str(field.time[0]) == ("2021-01-02" if zone else "2021-01-01")
    expver = data.isel(number=0, drop=True).expand_dims(expver=[1, 5], axis=1)
    expver.to_netcdf(tmp_path / "two.nc")
    with pytest.raises(ValueError, match="which of .* is the value"):
        read(tmp_path / "two.nc")
    with pytest.raises(ValueError, match="has the dimensions time, expver, latitude, longitude; expected"):
        read(tmp_path / "two.nc", "--value", "t2m", "--time", "time")


@pytest.mark.parametrize(
    "head", ["date,{},rain", "rain,date,{}", "flag,date,{},rain", "date,lat,lon,{},rain"]
)
@pytest.mark.parametrize(
    ("name", "sites"),
    [("s.index", ["1", "2", "10"]), ("NUM_POSTE", ["20004002", "20031001"]), ("dep", ["01", "2A"])],
)
def test_sites_are_the_column_that_tells_lines_apart(read, tmp_path, head, name, sites):
    lines = [head.format(name)]
    for k, day in enumerate(DAYS):
        for j, site in enumerate(sites):
            cells = {"date": day, "{}": site, "rain": str(7 * k + j), "flag": "xy"[k % 2]}
            cells |= {"lat": f"4{j}.5", "lon": f"{j}.25"}
            if (k, j) != (4, 1):  # a reading that is missing
                lines.append(",".join(cells[column] for column in head.split(",")))
    field, own, said = read(write(tmp_path / "v.csv", "\n".join(lines) + "\n"))
    assert own["site"] == name and field.site.tolist() == sorted(sites)
    assert np.isfinite(field.value).sum() == 30 * len(sites) - 1
    assert f"sites from {name!r}" in said


def test_readings_that_no_column_tells_apart_ask_for_the_site(read, tmp_path):
    rows = "".join(f"{day},{level},{k},{k + level}\n" for k, day in enumerate(DAYS) for level in (5, 10, 5))
    with pytest.raises(ValueError, match="is on two lines; .* for one reading per line give --site"):
        read(write(tmp_path / "v.csv", "date,level,k,rain\n" + rows))


def test_a_column_of_one_number_is_not_the_values(read, tmp_path):
    rows = "".join(f"{day},{x},0,1,{k + x}\n" for k, day in enumerate(DAYS) for x in (5, 10, 15))
    own = read(write(tmp_path / "v.csv", "date,site,number,expver,t2m\n" + rows))[1]
    assert own["value"] == "t2m"


def test_positions_name_sites_beside_words_that_do_not(read, tmp_path):
    rows = "".join(
        f"{day},{x},{y},{'wet' if k % 3 else 'dry'},{k + x}\n"
        for k, day in enumerate(DAYS)
        for x in (5, 10)
        for y in (1, 2)
    )
    own = read(write(tmp_path / "v.csv", "date,lat,lon,regime,rain\n" + rows))[1]
    assert (own["site"], own["value"]) == (["lat", "lon"], "rain")
    rows = "".join(
        f"{day} 0{x}:00,{x},{x / 2},{'north' if x % 2 else 'south'},{k + x}\n"
        for k, day in enumerate(DAYS)
        for x in (1, 2)
    )
    own = read(write(tmp_path / "v.csv", "date,lat,lon,place,rain\n" + rows), "--step", "day")[1]
    assert own["site"] == "place"  # where no time has two lines


def test_columns_named_as_short_parts_of_a_date_may_be_sites(read, tmp_path):
    """Missouri and Croatia, beside years."""
    rows = "".join(f"{1990 + k},{k % 7},{k % 5},{k % 3}\n" for k in range(30))
    own = read(write(tmp_path / "v.csv", "year,AL,MO,HR\n" + rows), "--step", "year")[1]
    assert own["time"] == "year" and "exclude" not in own


def test_numbers_may_be_times_where_the_name_says_so(read, tmp_path):
    """As in the files of the German weather service."""
    rows = "".join(f"{x};{day.replace('-', '')};3;{k + x}\n" for k, day in enumerate(DAYS) for x in (44, 73))
    own = read(write(tmp_path / "v.txt", "STATIONS_ID;MESS_DATUM;QN_3;TMK\n" + rows))[1]
    assert (own["time"], own["time_format"], own["site"]) == ("MESS_DATUM", "%Y%m%d", "STATIONS_ID")


@pytest.mark.parametrize("name", ["v.tsv", "v.txt"])
def test_tabs_whatever_the_name_of_the_file(name, read, tmp_path):
    assert is_plain(read(write(tmp_path / name, PLAIN.replace(",", "\t")))[0])


def test_a_spreadsheet_becomes_a_table(read, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.create_sheet("empty")
    book.active.append(["Temperatures of the hill"])
    book.active.append(["time", "a", "b"])
    for k, day in enumerate(DAYS):
        book.active.append([datetime.datetime.fromisoformat(day), k + 0.5, 2 * k])
    book.save(tmp_path / "v.xlsx")
    field, own, _ = read(tmp_path / "v.xlsx")
    assert is_plain(field) and own["lines_above"] == 1
    copied = tmp_path / "data" / "raw" / "mine" / "v.csv"
    assert copied.read_text().splitlines()[2] == "2021-01-01 00:00:00,0.5,0"
    book["empty"].append(["more"])
    book.save(tmp_path / "v.xlsx")
    with pytest.raises(ValueError, match="expected one sheet with values, it has 'Sheet', 'empty'"):
        read(tmp_path / "v.xlsx")


def test_na_may_name_a_site_of_a_spreadsheet(read, tmp_path):
    """As the code of Namibia; a cell may be empty, or #N/A."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["time", "NA", "b"])
    for k, day in enumerate(DAYS):
        book.active.append([day, {3: None, 4: "#N/A", 5: "NA"}.get(k, k + 0.5), 2 * k])
    book.save(tmp_path / "v.xlsx")
    field, _, _ = read(tmp_path / "v.xlsx")
    assert field.site.tolist() == ["NA", "b"]
    assert np.flatnonzero(np.isnan(field.value[:, 0])).tolist() == [3, 4, 5]


def test_a_fault_in_a_spreadsheet_names_it_and_its_row(read, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.create_sheet("notes")
    book.active.title = "July 2021"
    book.active.append(["Temperatures of the hill"])
    book.active.append([])
    book.active.append(["time", "a", "b"])
    for k, day in enumerate(DAYS):
        book.active.append([day, "broken" if k == 7 else k + 0.5, 2 * k])
    path = tmp_path / "v.xlsx"
    book.save(path)
    with pytest.raises(ValueError, match=f"^{path}, sheet 'July 2021', line 11: 'broken' in column 'a'"):
        read(path)
    with pytest.raises(ValueError, match=f"^{path}, sheet 'July 2021', line 3: no column 'when'"):
        read(path, "--time", "when")


def test_a_parquet_file_becomes_a_table(read, tmp_path):
    pytest.importorskip("pyarrow")
    index = pd.DatetimeIndex(DAYS, name="time")
    pd.DataFrame({"a": A, "b": B}, index=index).to_parquet(tmp_path / "v.parquet")
    assert is_plain(read(tmp_path / "v.parquet")[0])
    filtered = pd.DataFrame({"date": index, "a": A, "b": B}, index=range(5, 5 + len(A)))
    filtered.index = filtered.index.to_numpy()  # no RangeIndex, as after a filter
    filtered.to_parquet(tmp_path / "w.parquet")
    assert is_plain(read(tmp_path / "w.parquet")[0])
    with pytest.raises(ValueError, match=f"^{tmp_path}/w.parquet, line 1: no column 'when'"):
        read(tmp_path / "w.parquet", "--time", "when")


@pytest.mark.parametrize(("name", "package"), [("v.xlsx", "openpyxl"), ("v.parquet", "pyarrow")])
def test_a_missing_reader_is_named_in_one_line(read, tmp_path, monkeypatch, name, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ValueError, match=f"{name}: needs the package {package}; run: pip install {package}"):
        read(write(tmp_path / name, "x"))


@pytest.mark.parametrize("name", ["v.xlsx", "v.parquet"])
def test_a_file_of_another_kind_is_refused(read, tmp_path, name):
    pytest.importorskip({"v.xlsx": "openpyxl", "v.parquet": "pyarrow"}[name])
    with pytest.raises(ValueError, match=f"{name}: cannot be read"):
        read(write(tmp_path / name, "time,a,b\n"))


@pytest.mark.parametrize("before", [b"xl/worksheets/sheet1.xml", b"PK\1"])
def test_a_damaged_spreadsheet_is_refused(read, tmp_path, before):
    """In a member's bytes, or in the list of members."""
    path = tmp_path / "v.xlsx"
    pytest.importorskip("openpyxl").Workbook().save(path)
    content = path.read_bytes()
    at = content.index(before) + len(before)
    path.write_bytes(content[:at] + b"\xff" * 4 + content[at + 4 :])
    with pytest.raises(ValueError, match=f"^{path}: cannot be read"):
        read(path)


def test_daily_summaries_of_the_epa_are_known_by_their_header(read, tmp_path):
    head = "Date,Source,Site ID,POC,Daily Max 8-hour Ozone Concentration,Units,Daily AQI Value,SITE_LATITUDE"
    rows = "".join(
        f"01/{k + 1:02d}/2021,AQS,{site},1,{0.03 + k / 1000:.3f},ppm,{30 + k},4{site[-1]}.5,-73.5\n"
        for k in range(30)
        for site in ("360010012", "360050133")
    )
    field, own, said = read(write(tmp_path / "v.csv", f"{head},SITE_LONGITUDE\n{rows}"))
    assert field.site.tolist() == ["360010012", "360050133"] and field.value[1, 0] == 0.031
    assert own["units"] == "ppm" and own["time_format"] == "%m/%d/%Y"
    expected = "times from 'Date' as %m/%d/%Y; values from 'Daily Max 8-hour Ozone Concentration'; sites from"
    assert f"{expected} 'Site ID'\n" in said


def test_a_site_of_airdata_is_its_three_codes(read, tmp_path):
    head = (
        "State Code,County Code,Site Num,Latitude,Longitude,Datum,Date Local,Units of Measure,Arithmetic Mean"
    )
    rows = "".join(
        f'36,{county},12,4{county[-1]}.5,-73.5,WGS84,{day},"ug/m3, 25 C",{k + 0.5}\n'
        for k, day in enumerate(DAYS)
        for county in ("001", "005")
    )
    field, own, said = read(write(tmp_path / "v.csv", f"{head}\n{rows}"))
    assert field.site.tolist() == ["36-001-12", "36-005-12"] and field.lat.tolist() == [41.5, 45.5]
    assert own["site"] == ["State Code", "County Code", "Site Num"] and own["units"] == "ug/m3, 25 C"
    assert "sites from 'State Code' 'County Code' 'Site Num'\n" in said
    alone = "".join(row + "\n" for row in rows.splitlines() if ",001," in row)
    with pytest.raises(ValueError, match="values of a single site; a choice needs 2"):
        read(write(tmp_path / "v.csv", f"{head}\n{alone}"))


def test_the_first_rows_are_shown_as_read(read, tmp_path):
    _, _, said = read(write(tmp_path / "v.csv", PLAIN), "--minimise")
    shown = said.partition("first steps as read:\n")[2].splitlines()[:4]
    assert [line.split() for line in shown] == [
        ["time", "a", "b"],
        ["2021-01-01", "0.5", "0"],
        ["2021-01-02", "1.5", "2"],
        ["2021-01-03", "2.5", "4"],
    ]


def test_sums_of_fewer_values_than_usual_are_counted(read, tmp_path):
    """They look small: of three hours a day, a site lacks one on the first two days."""
    lines = [
        f"{day} {hour}:00,{'' if hour == 10 and k < 2 else a},{-a}"
        for k, (day, a) in enumerate(zip(DAYS, A, strict=True))
        for hour in (10, 11, 12)
    ]
    path = write(tmp_path / "v.csv", "\n".join(["time,a,b", *lines]) + "\n")
    said = read(path, "--step", "day", "--aggregate", "sum")[2]
    assert "sums of fewer values than usual: 2 (of less than 3, kept; these sums may look small)\n" in said
    assert "sums of fewer" not in read(path, "--step", "day")[2]


def test_a_second_value_points_to_columns_of_kinds(read, tmp_path):
    lines = [
        f"{day},{site},{kind},{k + i}" for k, day in enumerate(DAYS) for site in "ab" for i, kind in KINDS
    ]
    path = write(tmp_path / "v.csv", "\n".join(["date,station,pollutant,value", *lines]) + "\n")
    with pytest.raises(
        ValueError, match="a second value .*lines of a site: 'pollutant': keep the lines of one"
    ):
        read(path)


def test_shown_values_keep_their_digits(read, tmp_path):
    text = "".join(f"{day},{123456.78 + k},{-1234567.125 - k}\n" for k, day in enumerate(DAYS))
    _, _, said = read(write(tmp_path / "v.csv", f"time,a,b\n{text}"))
    assert ["2021-01-01", "123456.78", "-1234567.125"] in [line.split() for line in said.splitlines()]
    assert "values -1234596.125 to 123485.78 " in said
    again = f"{DAYS[0]},123456.79,1\n"
    with pytest.raises(ValueError, match="a second value at .*, 123456.79; see .*: 123456.78; correct it"):
        read(write(tmp_path / "v.csv", f"time,a,b\n{text}{again}"), "--layout", "wide")


def test_columns_of_several_quantities_are_pointed_out(read, tmp_path):
    waves = np.sin(np.arange(30)), 1013 + np.cos(np.arange(30))
    rows = [f"{day},{a:.2f},{b:.2f}" for day, a, b in zip(DAYS, *waves, strict=True)]
    path = write(tmp_path / "v.csv", "\n".join(["time,temp,pressure", *rows]))
    said = read(path)[2]
    assert "pressure is the best site in 100% of the steps; do all sites measure the same" in said
    assert "temp is the best site in 100%" in read(path, "--minimise")[2]
    assert "ever fall" not in said
    rows = [f"{day},{a:.2f},{a + b:.2f}" for day, a, b in zip(DAYS, *waves[:1] * 2, strict=True)]
    assert "is the best site" not in read(write(tmp_path / "v.csv", "\n".join(["time,a,b", *rows])))[2]


@pytest.mark.parametrize("option", [[], ["--minimise"]])
def test_meters_that_only_count_on_are_pointed_out(read, tmp_path, option):
    assert "no site's values ever fall, as of meters" in read(write(tmp_path / "v.csv", PLAIN), *option)[2]
    falls = PLAIN.replace(",29.5,58", ",29.5,1")
    assert "ever fall" not in read(write(tmp_path / "v.csv", falls), *option)[2]


def test_columns_that_vary_and_are_not_read_are_named(read, tmp_path):
    rows = [
        f"{day},{site},{k + 0.5},{5 * k},{site.upper()},ok,{'' if k else 'x'}"
        for k, day in enumerate(DAYS)
        for site in "ab"
    ]
    text = "\n".join(["date,site,value,depth,street,source,note", *rows])
    _, _, said = read(write(tmp_path / "v.csv", text))
    assert "columns that are not read: 'depth', 'note'\n" in said
    _, _, said = read(write(tmp_path / "v.csv", PLAIN))
    assert "not read" not in said


WEATHER = ["sun"] * 9 + ["rain"] * 12 + ["fog"] * 9


@pytest.mark.parametrize(
    "words",
    [
        WEATHER,
        ["ok"] * 30,
        ["ok" if k % 7 else "fault" for k in range(30)],
        ["new sensor" if k == 5 else "" for k in range(30)],
        [f"note {k}" for k in range(30)],
        [f"{day} 02:00" for day in DAYS],
    ],
)
def test_a_column_of_words_is_left_out_of_a_wide_table(read, tmp_path, words):
    head, *rows = PLAIN.splitlines()
    lines = [f"{row},{word}" for row, word in zip(rows, words, strict=True)]
    field, _, said = read(write(tmp_path / "v.csv", "\n".join([f"{head},told", *lines])))
    assert is_plain(field) and "columns that are not sites, left out: 'told'\n" in said


@pytest.mark.parametrize(
    ("minute", "words"),
    [(0, ["sensor a", "sensor b"] * 15), (7, WEATHER)],
)
def test_words_that_may_name_sites_are_asked_for(read, tmp_path, minute, words):
    """In turn, or at times that are not in steps."""
    lines = [
        f"{day} 00:{minute * k % 60:02d},{a},{b},{word}"
        for k, (day, a, b, word) in enumerate(zip(DAYS, A, B, words, strict=True))
    ]
    path = write(tmp_path / "v.csv", "\n".join(["time,a,b,told", *lines]))
    with pytest.raises(ValueError, match="'told' may hold the names of sites; give --site 'told' .* or --la"):
        read(path)
    assert is_plain(read(path, "--layout", "wide", "--step", "day")[0])
    assert guess.values(path, {"site": "told", "value": "a"})["layout"] == "long"


@pytest.mark.parametrize(
    ("a", "b", "line"),
    [
        (
            "{k}",
            "{word}",
            "'sun' in column 'b' is not numeric; a wide table has .* two or more of sites",
        ),
        ("{k} K", "{k}", "'0 K' in column 'a' is not numeric; .* leave it out of the file, or give"),
    ],
)
def test_a_column_that_cannot_be_left_out_is_named(read, tmp_path, a, b, line):
    cells = f"{{day}},{a},{b}"
    rows = [cells.format(k=k, day=day, word=WEATHER[k]) for k, day in enumerate(DAYS)]
    with pytest.raises(ValueError, match=line):
        read(write(tmp_path / "v.csv", "\n".join(["time,a,b", *rows])))


def test_sites_with_too_few_values_are_named(read, tmp_path):
    rows = [f"{day} 00:{7 * k % 60:02d},{k},{WEATHER[k]}" for k, day in enumerate(DAYS)]
    with pytest.raises(ValueError, match=r"0 of 3 sites \(sun, rain, fog\) have a value in"):
        read(write(tmp_path / "v.csv", "\n".join(["time,temp,weather", *rows])), "--coverage", "0.9")


HOURS = [datetime.datetime(2021, 1, 30) + datetime.timedelta(hours=k) for k in range(72)]


@pytest.mark.parametrize(
    ("head", "parts", "left_out"),
    [
        ("MO,DY", "{0.month},{0.day}", "'MO', 'DY'"),
        ("yr,h", "{0.year},{0.hour}.0", "'yr', 'h'"),
        ("Monat,HR", "{0.month:02d},{0.hour:02d}", "'Monat', 'HR'"),
        ("year,month,day", "{0.year},{0.month},{0.day}", "'year', 'month', 'day'"),
    ],
)
def test_columns_that_repeat_the_date_are_no_sites(read, tmp_path, head, parts, left_out):
    rows = [f"{at:%Y-%m-%d %H:%M},{parts.format(at)},{k % 7},{k}" for k, at in enumerate(HOURS)]
    field, own, said = read(write(tmp_path / "v.csv", "\n".join([f"date,{head},a,b", *rows])))
    assert (own["time"], field.site.tolist(), len(field.time)) == ("date", ["a", "b"], 72)
    assert f"columns that are not sites, left out: {left_out}\n" in said


def test_numbers_beside_a_date_may_be_of_sites(read, tmp_path):
    """One that differs once, one that is a count, and a dead one that is always at hour 0."""
    rows = [f"{at:%Y-%m-%d %H:%M},{at.hour + (k == 71)},{k}" for k, at in enumerate(HOURS)]
    assert read(write(tmp_path / "v.csv", "\n".join(["date,a,b", *rows])))[0].site.tolist() == ["a", "b"]
    rows = [f"{day},{k + 1},{k % 7},0" for k, day in enumerate(DAYS)]
    field, _, said = read(write(tmp_path / "v.csv", "\n".join(["date,a,b,dead", *rows])))
    assert field.site.tolist() == ["a", "b"] and "equal training values: 1 sites, dead\n" in said


SERIAL = [44226 + k / 24 for k in range(72)]  # of HOURS


@pytest.mark.parametrize("name", ["date", "Date/Time", "Messdatum"])
@pytest.mark.parametrize("digits", [15, 10])
def test_spreadsheets_numbers_of_days_are_read_as_dates(read, tmp_path, name, digits):
    rows = [f"{day:.{digits}g},{k % 7},{k}" for k, day in enumerate(SERIAL)]
    field, own, said = read(write(tmp_path / "v.csv", "\n".join([f"{name},a,b", *rows])))
    np.testing.assert_array_equal(field.time, np.array(HOURS, dtype="datetime64[m]"))
    assert own["time_format"] == "excel days" and "as excel days;" in said


@pytest.mark.parametrize(
    ("name", "days"),
    [("time", SERIAL), ("date", [25568 + k for k in range(72)]), ("date", [k**2 + 44226 for k in range(72)])],
)
def test_numbers_that_need_not_be_days_are_no_dates(read, tmp_path, name, days):
    """Of a column that may count seconds, of 1969, and not in steps."""
    path = write(tmp_path / "v.csv", "\n".join([f"{name},a,b", *(f"{day},{day % 7},1" for day in days)]))
    with pytest.raises(ValueError, match="give --time-format"):
        read(path)
    assert guess.values(path, {"time_format": "excel days"})["time"] == name


def test_a_number_of_a_day_without_its_name_has_a_cure(tmp_path):
    rows = [f"{day},{k % 7},{k}" for k, day in enumerate(SERIAL)]
    path = write(tmp_path / "v.csv", "\n".join(["time,a,b", *rows]))
    with pytest.raises(ValueError, match="line 2: time '44226.0' may be a day's number .* 'excel days'"):
        guess.values(path, {})


def test_a_number_of_a_day_is_of_its_second():
    found = [times.moment(text, "excel days")[0] for text in ("45292", "45292.041666666664", "45292.75")]
    assert [str(each) for each in found] == [f"2024-01-01 {hour:02d}:00:00" for hour in (0, 1, 18)]


def test_a_table_without_a_header_is_refused(tmp_path):
    rows = PLAIN.partition("\n")[2]
    with pytest.raises(ValueError, match="v.csv, line 1: '2021-01-01' is a time, expected the names of the"):
        guess.values(write(tmp_path / "v.csv", rows), {})
    path = write(tmp_path / "v.csv", rows.replace("2021-01-", "Jan "))
    with pytest.raises(ValueError, match="v.csv, line 1: 'Jan 01' is a time, expected the names"):
        guess.values(path, {"time": "Jan 01", "time_format": "%b %d"})


SPACED = PLAIN.replace(",", "   ")


@pytest.mark.parametrize(
    ("name", "text", "beside"),
    [
        ("v.txt", SPACED, []),
        ("v.dat", "  " + SPACED.replace("\n", " \n "), []),
        ("v.txt", "# " + SPACED, []),
        ("v.txt", "Air temperature here\n" + SPACED, ["1 above"]),  # as many words as columns
        ("v.txt", "Hill, 340 m\n\n" + SPACED.replace("b\n", "b\nUTC  K K\n", 1), ["2 above", "1 below"]),
        ("v.txt", SPACED.replace(".5", ",5"), []),
        ("v.txt", SPACED.replace("   ", "  \t "), []),
    ],
)
def test_spaces_may_separate_columns(read, tmp_path, name, text, beside):
    given = ["--delimiter", " "] if "\t" in text else []
    field, own, said = read(write(tmp_path / name, text), *given)
    assert is_plain(field) and own["delimiter"] == " " and "columns are what spaces separate\n" in said
    assert all(each in said for each in beside) and ("left out beside" in said) == bool(beside)


def test_spaces_may_separate_the_columns_of_sites(read, tmp_path):
    sites = write(tmp_path / "sites.txt", "site lat  lon\na    48.5   2\nb  49   3\n")
    field = read(write(tmp_path / "v.csv", PLAIN), sites=[sites])[0]
    assert field.lat.tolist() == [48.5, 49] and field.lon.tolist() == [2, 3]


def test_daily_files_of_climate_stations_are_read(read, tmp_path):
    """As USCRN's with the lines of its headers.txt, of which the first counts the columns."""
    head = (
        "1 2 3 4 5\nWBANNO LST_DATE LONGITUDE LATITUDE T_DAILY_MEAN\nXXXXX YYYYMMDD degrees degrees Celsius\n"
    )
    rows = "".join(
        f"{site} {day.replace('-', '')}  -8{k}.50   3{k}.25   {x + k:6.1f}\n"
        for k, site in enumerate(("03728", "53878"))
        for day, x in zip(DAYS, A, strict=True)
    )
    with pytest.raises(
        ValueError, match="among 1, 2, 3, 4, 5; expected the columns' names: .* --lines-above"
    ):
        read(write(tmp_path / "v.txt", head + rows))
    field, own, _ = read(tmp_path / "v.txt", "--lines-above", "1")
    np.testing.assert_array_equal(field.value, np.column_stack([A, A + 1]))
    assert field.site.tolist() == ["03728", "53878"] and own["units"] == "Celsius"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (SPACED.replace("   0.5", "        ", 1), "v.txt: one column, .* ' ' for any number of spaces"),
        (SPACED.replace("   4.5", "        "), "line 6: 2 fields, the header has 3 .*, or a blank cell"),
        (SPACED.replace("time ", "time of day"), "v.txt: one column"),
        ("Mean temperature\nstart time,a\n" + PLAIN.partition("\n")[2], "v.txt"),
    ],
)
def test_spaces_that_do_not_fit_the_header_are_refused(tmp_path, text, line):
    with pytest.raises(ValueError, match=line):
        guess.values(write(tmp_path / "v.txt", text), {})


def test_spaces_in_a_title_do_not_separate_columns(read, tmp_path):
    """Neither above commas, nor where each line has two words."""
    rows = "".join(f"{day} 00:00,{k + 0.5},{2 * k}\n" for k, day in enumerate(DAYS))
    field, own, _ = read(write(tmp_path / "v.csv", "Air temperature\nstart time,a,b\n" + rows))
    assert is_plain(field) and own["lines_above"] == 1 and "delimiter" not in own


@pytest.mark.parametrize(
    ("form", "between", "zone"),
    [("%d.%m.%Y %H:%M", " - ", None), ("%d/%m/%Y %H:%M:%S", " - ", None), ("%Y-%m-%d %H:%M", " - ", "UTC")],
)
def test_an_interval_is_at_its_start(read, tmp_path, form, between, zone):
    """As ENTSO-E writes times."""
    start = [datetime.datetime.fromisoformat(day) for day in DAYS]
    cells = [f"{at:{form}}{between}{at + datetime.timedelta(days=1):{form}}" for at in start]
    rows = "".join(f"{cell},{k + 0.5},{2 * k}\n" for k, cell in enumerate(cells))
    path = write(tmp_path / "v.csv", "MTU (UTC),a,b\n" + rows)
    field, _, said = read(path, *(["--time-zone", zone] if zone else []))
    assert is_plain(field) and "times that are intervals: 30 (read as their start)\n" in said


@pytest.mark.parametrize("text", ["01.01.2020 00:00 - soon", "01.01.2020 - 01.01.2020 01:00", "a - b - c"])
def test_other_texts_are_no_intervals(text):
    assert guess_times.forms([text]) == []
    assert times.moment("2020-01-01 - 10:00", "%Y-%m-%d - %H:%M")[0].hour == 10


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["Jan-1990", "Feb-1990"], ["%b-%Y"]),
        (["January 1990", "March 1990"], ["%B %Y"]),
        (["01JAN1990", "02FEB1990"], ["%d%b%Y"]),
        (["1-Jan-1990 00:30", "11-Feb-1990 01:00"], ["%d-%b-%Y %H:%M"]),
        (["1990M01", "1990M12"], ["%YM%m"]),
        (["06/01/21 12:30 AM", "06/30/21 01:30 PM"], ["%m/%d/%y %I:%M %p"]),
        (["06/01/21", "06/02/21"], ["%d/%m/%y", "%m/%d/%y", "%y/%m/%d"]),
        (["03.06.04", "12.12.05"], ["%d.%m.%y", "%y.%m.%d"]),
        (["30.06.99"], ["%d.%m.%y"]),
        (["06/15/67", "06/15/85"], []),  # not of 2067
        (["01-Jan-98", "31-Jan-98"], ["%d-%b-%y"]),
        (["Jan-90"], []),
    ],
)
def test_months_in_words_and_years_of_two_digits(texts, found):
    assert guess_times.forms(texts) == found


def test_a_table_of_services_with_its_widths(read, tmp_path):
    """As the USGS writes its RDB files: comments, numbers in names, a line of widths and kinds."""
    rows = "".join(
        f"USGS\t{site}\t{day}\t{x}\tA\n" for site in ("0149", "0164") for day, x in zip(DAYS, A, strict=True)
    )
    head = (
        "# Some of it\n#\nagency_cd\tsite_no\tdatetime\t69928_0060\t69928_0060_cd\n5s\t15s\t20d\t14n\t10s\n"
    )
    field, own, _ = read(write(tmp_path / "v.txt", head + rows))
    np.testing.assert_array_equal(field.value, np.column_stack([A, A]))
    assert (own["lines_above"], own["lines_below"], own["site"]) == (2, 1, "site_no") and "units" not in own


def test_lines_above_may_be_filled_up_with_empty_cells(read, tmp_path):
    """As a spreadsheet saves them; day and clock of a logger in columns of their own."""
    head = "Protocol;Lab 3;;\nDevice:;ALMEMO;;\n\nDatum;Uhrzeit;a;b\n;;K;K\n"
    rows = "".join(f"01.02.2022;{k // 6:02d}:{k % 6}0:00;{k},5;{2 * k}\n" for k in range(30))
    field, own, _ = read(write(tmp_path / "v.csv", head + rows))
    np.testing.assert_array_equal(field.value, np.column_stack([A, B]))
    assert own["time"] == ["Datum", "Uhrzeit"] and (own["lines_above"], own["step"]) == (3, "10 minutes")


def test_a_line_below_the_table_has_its_number(tmp_path):
    path = write(tmp_path / "v.csv", "Title\n\n" + PLAIN + "Mean,15,29\n")
    with pytest.raises(
        ValueError, match="v.csv, line 34: the format of time 'Mean' .* or take this line out"
    ):
        guess.values(path, {})


@pytest.mark.parametrize(
    "names",
    [
        *(["Jan", "Feb", "Mar"], ["JANUARY", "FEBRUARY"], ["0:00", "1:00", "23:00"]),
        *(["00:00:00", "12:00:00"], ["2019-01-31", "2019-02-28"], ["2020-Q4", "2021-Q1"]),
    ],
)
def test_columns_named_as_times_are_no_sites(read, tmp_path, names):
    cells = ",1.5" * (len(names) - 2)
    rows = "".join(f"{day},{a},{b}{cells}\n" for day, a, b in zip(DAYS, A, B, strict=True))
    path = write(tmp_path / "v.csv", ",".join(["date", *names]) + "\n" + rows)
    with pytest.raises(ValueError, match=f"columns '{names[0]}' to '{names[-1]}' are named as times, expect"):
        read(path)
    assert names[0] in read(path, "--layout", "wide")[0].site


@pytest.mark.parametrize(
    ("text", "between"),
    [
        ('"x|y, 1" a|b c\n1 2 3\n', " "),
        ("a|b;c|d;e|f\n1;2;3\n", ";"),
        ("a;b\n1,5;2,5\n", ";"),
        ("a b c\n1,5 2,5 3,5\n", " "),
        ("a,b c\n2021-01-01 00:00,1\n", ","),
        ("a b,c\n", ","),
        ("", ","),
    ],
)
def test_what_is_between_columns_is_in_both_lines(tmp_path, text, between):
    assert header.delimiter(write(tmp_path / "v.csv", text)) == between


def transposed(days, cells=(A, B), end=""):
    """A line per site, with a code and a place, and a column per time."""
    rows = [
        [name, "7", str(k), "2", *map(str, own)]
        for k, (name, own) in enumerate(zip("ab", cells, strict=True))
    ]
    return "".join(",".join(row) + end + "\n" for row in [["region", "code", "Lat", "Long", *days], *rows])


@pytest.mark.parametrize("end", ["", ","])
def test_a_line_per_site_is_read_as_one_per_reading(read, tmp_path, end):
    field, _, said = read(write(tmp_path / "v.csv", transposed(DAYS, end=end)))
    assert is_plain(field)
    assert [field.lat.tolist(), field.lon.tolist()] == [[0, 1], [2, 2]]
    assert said.startswith("times from the header; sites from 'region'\n2 sites, 30 steps (day)")


@pytest.mark.parametrize("form", ["{0}", "{0} [YR{0}]"])
def test_years_in_the_header_are_steps(read, tmp_path, form):
    years = [form.format(year) for year in range(1990, 2020)]
    field, *_ = read(write(tmp_path / "v.csv", transposed(years) + "," * 33 + "\n"))
    np.testing.assert_array_equal(field.value, np.column_stack([A, B]))
    assert str(field.time[1]) == "1991-01-01"


NOTES = "Data from database: Development\nLast Updated: 12/16/2025\n"


@pytest.mark.parametrize("between", ["\n\n\n", ",,\n", "\n,,\n"])
def test_notes_at_the_end_are_left_out(read, tmp_path, between):
    """As in tables of the World Bank."""
    for end in ("", "\n"):
        field, _, said = read(write(tmp_path / "v.csv", PLAIN + between + NOTES + end))
        assert is_plain(field) and "lines of notes: 2 (below the values, left out)" in said


@pytest.mark.parametrize(
    ("rest", "fault"),
    [
        (NOTES, "line 32: 1 fields, the header has 3"),
        ("\n2021-01-31\n", "line 33: 1 fields, the header has 3"),
        ("\n" + NOTES + "2021-01-31,3,4\n", "line 35: values below a note, which is on line 34"),
    ],
)
def test_what_may_be_part_of_the_table_is_no_note(read, tmp_path, rest, fault):
    with pytest.raises(ValueError, match=fault):
        read(write(tmp_path / "v.csv", PLAIN + rest))


@pytest.mark.parametrize(
    ("text", "given", "fault"),
    [
        (
            transposed([*DAYS[:-1], "Total"]),
            {"layout": "transposed"},
            "line 1: the last columns are .* Total",
        ),
        (transposed(DAYS), {"layout": "wide"}, "no column of times among .*give --time"),
        (transposed([*DAYS[:-1], "1/31/2021"]), {}, "line 2: the format of time '1/31/2021' is not known"),
        (transposed(["value", *DAYS[1:]]), {}, "line 1: column 'value' is beside times in the header"),
    ],
)
def test_a_line_per_site_that_cannot_be_read_is_refused(tmp_path, text, given, fault):
    with pytest.raises(ValueError, match=fault):
        guess.values(write(tmp_path / "v.csv", text), given)


@pytest.mark.parametrize("text", [PLAIN, transposed(DAYS)])
def test_lines_below_the_header_may_not_be_all(tmp_path, text):
    few = write(tmp_path / "v.csv", "".join(text.splitlines(keepends=True)[:3]))
    with pytest.raises(ValueError, match="v.csv: 0 lines of values; expected a header"):
        guess.values(few, {"lines_below": 2})


def test_faults_of_a_transposed_table_have_their_lines(read, tmp_path):
    bad = write(tmp_path / "v.csv", transposed(DAYS, (A, ["x", *B[1:]])))
    with pytest.raises(ValueError, match=r"v.csv, line 3: 'x' in column 'value' is not a number"):
        read(bad)
    stray = transposed(DAYS, end=",").replace("58.0,", "58.0,9")
    with pytest.raises(ValueError, match="line 3: time '' is not year-month-day"):
        read(write(tmp_path / "v.csv", stray))


def test_an_empty_part_of_a_sites_name_is_left_out(read, tmp_path):
    lines = "".join(f"{day},{part},c,{x}\n" for k, day in enumerate(DAYS) for part, x in (("", k), ("p", -k)))
    path = write(tmp_path / "v.csv", f"date,province,country,value\n{lines}")
    assert read(path, "--site", "country", "province")[0].site.tolist() == ["c", "c-p"]


def test_months_beside_sites_and_years_are_no_values(tmp_path):
    rows = "".join(f"{site},{k},{k + 0.5},{-k},{9 - k}\n" for site in "ab" for k in range(2000, 2010))
    path = write(tmp_path / "v.csv", f"station,year,Jan,Feb,Mar\n{rows}")
    with pytest.raises(ValueError, match="columns 'Jan' to 'Mar' are named as times.* write one line per"):
        guess.values(path, {})


def test_several_units_below_the_header_are_refused(read, tmp_path):
    rows = "".join(f"{day},{a},{b},{a}\n" for day, a, b in zip(DAYS, A, B, strict=True))
    path = write(tmp_path / "v.csv", f"time,a,b,c\n,degC,degC,degF\n{rows}")
    with pytest.raises(ValueError, match="below the header are degC and degF; keep the columns of one unit"):
        read(path)
    assert read(path, "--units", "degC")[1]["units"] == "degC"
    path = write(tmp_path / "v.csv", f"time,a,b,c\n,Hill,Lake,Town\n{rows}")  # names, not units
    assert "units" not in read(path)[1]


def test_several_values_within_a_step_are_counted(read, tmp_path):
    rows = "".join(f"{day} {hour}:00,{a},{-a}\n" for day, a in zip(DAYS, A, strict=True) for hour in (10, 12))
    field, _, said = read(write(tmp_path / "v.csv", f"time,a,b\n{rows}"), "--step", "day")
    assert "values within a step: 60 (cells of the field with several: mean)\n" in said
    np.testing.assert_array_equal(field.value[:, 0], A)


def test_two_lines_below_the_header_of_a_logger(read, tmp_path):
    """As in Campbell's TOA5 files: units, how each value was taken, and numbers of the lines."""
    head = (
        '"TOA5","CR1000","CR1000","1234","Std.05","T.CR1"\n"TIMESTAMP","RECORD","a","b"\n'
        '"TS","RN","Deg C","Deg C"\n"","","Avg","Smp"\n'
    )
    rows = "".join(f'"{day} 00:00:00",{700 + k},{k + 0.5},{2 * k}\n' for k, day in enumerate(DAYS))
    path = write(tmp_path / "v.csv", head + rows.replace(",4.5,", ',"NAN",'))
    field, own, said = read(path)
    assert (own["lines_above"], own["lines_below"], own["units"]) == (1, 2, "Deg C")
    assert np.isnan(field.value[4, 0]) and "left out: 'RECORD'\n" in said
    np.testing.assert_array_equal(field.value[:, 1], B)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2021-01-01 00:59:59.999", datetime.datetime(2021, 1, 1, 1)),  # as fractions of a day come out
        ("2021-01-01 00:59:59.998", datetime.datetime(2021, 1, 1, 0, 59, 59)),
        ("2021-Q2", datetime.datetime(2021, 4, 1)),
        ("2020-W53", datetime.datetime(2020, 12, 28)),
    ],
)
def test_times_are_of_their_second_quarter_and_week(text, expected):
    assert times.moment(text, None)[0] == expected


def test_times_may_end_in_utc(read, tmp_path):
    """As those of ThingSpeak, beside numbers of the lines that start anywhere."""
    rows = "".join(f"{day} 23:30:04 UTC,{700 + k},{k + 0.5},{2 * k}\n" for k, day in enumerate(DAYS))
    path = write(tmp_path / "v.csv", f"created_at,entry_id,a,b\n{rows}")
    field, _, said = read(path, "--step", "day")
    assert is_plain(field) and "times with an offset from UTC: 30" in said
    assert str(read(path, "--step", "day", "--time-zone", "+01:00")[0].time[0]) == "2021-01-02"


def test_a_time_that_is_on_all_lines_is_not_that_of_the_readings(read, tmp_path):
    """As in the tables of Eurostat."""
    quarters = [f"{year}-Q{quarter}" for year in range(2010, 2020) for quarter in range(1, 5)]
    cells = [f"15/02/23 11:00:00,Q,PC,{geo},{q},{k + 0.5}" for geo in "AB" for k, q in enumerate(quarters)]
    head = "LAST UPDATE,freq,unit,geo,TIME_PERIOD,OBS_VALUE\n"
    field, own, _ = read(write(tmp_path / "v.csv", head + "\n".join(cells) + "\n"))
    assert (own["time"], own["site"], own["value"], own["units"]) == ("TIME_PERIOD", "geo", "OBS_VALUE", "PC")
    assert own["step"] == "3 months" and str(field.time[1]) == "2010-04-01"


def test_numbers_of_readings_name_no_sites(tmp_path):
    rows = "".join(f"{700 + 2 * k + s},{day},{name},{k}\n" for k, day in enumerate(DAYS) for s, name in NAMED)
    path = write(tmp_path / "v.csv", f"id,time,station_name,value\n{rows}")
    assert guess.values(path, {})["site"] == "station_name"


def test_devices_are_the_sites_of_their_readings(tmp_path):
    """As in the exports of LoRa gateways, each reading at a time of its own."""
    rows = "".join(
        f'"{day}T0{s}:17:{s}2.123456789+01:00","eui-{s}",{k + s},{s}\n'
        for k, day in enumerate(DAYS)
        for s in (1, 2)
    )
    path = write(tmp_path / "v.csv", f'"received_at","device_id","temperature","snr"\n{rows}')
    assert guess.values(path, {"value": "temperature"})["site"] == "device_id"
    with pytest.raises(ValueError, match="which of temperature, snr is the value"):
        guess.values(path, {})


@pytest.mark.parametrize("names", ["a (ppb),b (K)", "a [degC],b [degF],c [degC]", "t (°C),r (%),v (km/h)"])
def test_several_units_in_the_header_are_asked_about(read, tmp_path, names):
    """As in the tables of Open-Meteo, of one place."""
    rows = "".join(f"{day},{a},{b},{a}\n" for day, a, b in zip(DAYS, A, B, strict=True))
    rows = rows if names.count(",") == 2 else PLAIN.partition("\n")[2]
    path = write(tmp_path / "v.csv", f"time,{names}\n{rows}")
    with pytest.raises(ValueError, match="v.csv: in the header are .* keep the columns of one unit, or give"):
        read(path)
    field, own, _ = read(path, "--units", "K")
    assert sorted(field.site) == sorted(names.split(",")) and own["units"] == "K"


@pytest.mark.parametrize(
    ("names", "first"),
    [
        *(("H1", 1), ("HE01", 1), ("00", 0), ("Hour_0", 0), ("1", 1)),
        *(("VALUE1", 1), ("d01", 1), ("m1", 1), ("Month 1", 1)),
    ],
)
def test_numbered_hours_days_and_months_are_no_sites(tmp_path, names, first):
    """As in tables of loads, and of months of a station."""
    count = 12 if names[0] in "mM" else 31 if names[0] in "Vd" else 24
    plain = names.rstrip("01")
    width = len(names) - len(plain)
    head = ",".join(f"{plain}{k:0{width}}" for k in range(first, first + count))
    rows = "".join(f"{day},{','.join(map(str, range(count)))}\n" for day in DAYS)
    path = write(tmp_path / "v.csv", f"date,{head}\n{rows}")
    with pytest.raises(ValueError, match=f"columns '{names}' to .* are named as times, expected sites"):
        guess.values(path, {})
    short = write(tmp_path / "v.csv", f"date,{head},S9\n{rows.replace(chr(10), ',1' + chr(10))}")
    assert guess.values(short, {})["layout"] == "wide"


def test_a_value_that_is_no_column_has_its_line(tmp_path):
    rows = "".join(f"{day},{s},{k}\n" for k, day in enumerate(DAYS) for s in "ab")
    path = write(tmp_path / "v.csv", f"time,site,pm10 (ug)\n{rows}")
    with pytest.raises(ValueError, match=r"v.csv: no column 'pm10'; it has 'time', 'site', 'pm10 \(ug\)'"):
        guess.values(path, {"value": "pm10"})


@pytest.mark.parametrize(
    ("written", "first", "form"),
    [
        *(("%Y-%m-%d", 0, "%Y-%m-%d %H"), ("%Y%m%d", 0, "%Y%m%d %H"), ("%d.%m.%Y", 1, "%d.%m.%Y %H")),
    ],
)
@pytest.mark.parametrize("names", ["date,hour", "Datum,Stunde", "Date Local,Hour Ending"])
def test_a_date_and_an_hour_are_one_time(read, tmp_path, written, first, form, names):
    """Hours from 0 to 23, or as those that end from 1 to 24."""
    hours = np.datetime64("2021-01-30T00") + np.arange(72)
    cells = [(hour.strftime(written), hour.hour + first) for hour in hours.tolist()]
    rows = "".join(f"{day},{hour},{k},{-k}\n" for k, (day, hour) in enumerate(cells))
    field, own, _ = read(write(tmp_path / "v.csv", f"{names},a,b\n{rows}"))
    assert (own["time"], own["time_format"], own["step"]) == (names.split(","), form, "hour")
    np.testing.assert_array_equal(field.time, hours + first)
    np.testing.assert_array_equal(field.value[:, 0], np.arange(72))


@pytest.mark.parametrize("date", ["%Y-%m-%d", "%Y%m%d", "%d.%m.%Y", "%Y/%m/%d"])
@pytest.mark.parametrize("names", ["date,hour,minute", "Datum,Stunde,Minuten"])
def test_a_date_an_hour_and_minutes_are_one_time(read, tmp_path, date, names):
    times = np.datetime64("2021-01-30T00:05") + np.arange(96) * np.timedelta64(15, "m")
    cells = [f"{time.strftime(date)},{time.hour},{time.minute}" for time in times.tolist()]
    rows = "".join(f"{cell},{k},{-k}\n" for k, cell in enumerate(cells))
    field, own, _ = read(write(tmp_path / "v.csv", f"{names},a,b\n{rows}"))
    assert (own["time"], own["time_format"], own["step"]) == (names.split(","), f"{date} %H %M", "15 minutes")
    np.testing.assert_array_equal(field.value[:, 0], np.arange(96))


def test_minutes_that_tell_no_lines_apart_are_not_of_the_time(read, tmp_path):
    hours = [np.datetime64("2021-01-30T00") + np.timedelta64(k, "h") for k in range(72)]
    cells = [(f"{hour.tolist():%Y-%m-%d,%H}", k) for k, hour in enumerate(hours)]
    rows = "".join(f"{cell},{k % 3},{k},{-k}\n" for cell, k in cells)
    _, own, said = read(write(tmp_path / "v.csv", f"date,hour,minute,a,b\n{rows}"))
    assert own["time"] == ["date", "hour"] and "left out: 'minute'" in said


def test_an_hour_that_tells_no_lines_apart_is_not_of_the_time(read, tmp_path):
    rows = "".join(f"{day},{7 + k % 3},{k + 0.5},{2 * k}\n" for k, day in enumerate(DAYS))
    field, own, said = read(write(tmp_path / "v.csv", f"date,hour,a,b\n{rows}"))
    assert is_plain(field) and own["time"] == "date" and "left out: 'hour'" in said


@pytest.mark.parametrize("kind", [object, "S6"])
def test_texts_name_the_stations_of_a_netcdf_file(read, tmp_path, kind):
    """Where the dimension only counts them; of several texts those that are told to be names."""
    data = xr.Dataset(
        {
            "temp": (("time", "obs"), np.column_stack([A, B])),
            "network": ("obs", np.array(["N", "M"], object)),
        },
        {"time": np.array(DAYS, dtype="datetime64[ns]")},
    )
    data["wmo"] = ("obs", np.array(["07156 ", "07157 "], dtype=kind), {"cf_role": "timeseries_id"})
    data.to_netcdf(tmp_path / "v.nc")
    field, own, said = read(tmp_path / "v.nc")
    assert field.site.tolist() == ["07156", "07157"] and own["site"] == "wmo"
    assert "sites from 'wmo'" in said
    data.assign_coords(obs=[0, 1]).to_netcdf(tmp_path / "counted.nc")
    assert guess.values(tmp_path / "counted.nc", {})["site"] == "wmo"
    data.assign_coords(obs=[71, 72]).to_netcdf(tmp_path / "numbers.nc")
    assert guess.values(tmp_path / "numbers.nc", {})["site"] == "obs"
    numbers = data[["temp"]].assign(station_id=("obs", [71, 72]), height=("obs", [5, 6]))
    numbers.to_netcdf(tmp_path / "ids.nc")
    assert guess.values(tmp_path / "ids.nc", {})["site"] == "station_id"


def test_times_of_copernicus_are_known_by_name(tmp_path):
    moments = np.array(DAYS, dtype="datetime64[ns]")
    data = xr.Dataset(
        {"t2m": (("valid_time", "latitude", "longitude"), np.ones((30, 2, 1)))},
        {"valid_time": moments, "latitude": [1.0, 2.0], "longitude": [3.0], "number": 0},
    )
    data.to_netcdf(tmp_path / "v.nc")
    assert guess.values(tmp_path / "v.nc", {})["time"] == "valid_time"


@pytest.mark.parametrize("part", ["week", "Quarter"])
def test_a_year_and_its_weeks_or_quarters_are_one_time(tmp_path, part):
    rows = "".join(f"{year},{k},{year - k}\n" for year in range(2000, 2020) for k in range(1, 5))
    path = write(tmp_path / "v.csv", f"Year,{part},value\n{rows}")
    with pytest.raises(ValueError, match=f"'Year' and '{part}' are one time; write both into one column"):
        guess.values(path, {})


@pytest.mark.parametrize("name", ["SETTLEMENT_PERIOD", "Trading Period", "period"])
def test_periods_of_a_day_are_no_sites(tmp_path, name):
    """As in tables of loads, whose half-hours are numbered."""
    rows = "".join(f"{day},{k},{30 + k}\n" for day in DAYS for k in range(1, 49))
    path = write(tmp_path / "v.csv", f"date,{name},load\n{rows}")
    with pytest.raises(ValueError, match="is on two lines; .* if another column has its hour or period"):
        guess.values(path, {"value": "load"})


def test_the_start_of_an_interval_is_its_time(read, tmp_path):
    starts = np.datetime64("2021-01-30T00:00") + 15 * np.arange(192)
    cells = [f"{t:%d.%m.%Y};{t:%H:%M};{t + datetime.timedelta(minutes=15):%H:%M}" for t in starts.tolist()]
    rows = "".join(f"{cell};{k};{-k}\n" for k, cell in enumerate(cells))
    field, own, said = read(write(tmp_path / "v.csv", f"Datum;von;bis;a;b\n{rows}"))
    np.testing.assert_array_equal(field.time, starts)
    assert own["step"] == "15 minutes" and "left out: 'bis'" in said


@pytest.mark.parametrize("marker", ["-6999", "-8888", "9.96921e+36", "9.969209968386869e+36"])
def test_more_marks_for_no_value_are_known(read, tmp_path, marker):
    field, own, _ = read(write(tmp_path / "v.csv", PLAIN.replace(",4.5,", f",{marker},")))
    assert np.isnan(field.value[4, 0]) and np.isnan(field.value).sum() == 1 and own["missing"]


def test_a_decimal_date_is_no_site(read, tmp_path):
    rows = "".join(f"{1990 + k // 12},{k % 12 + 1},{1990 + k / 12:.4f},{k},{-k}\n" for k in range(60))
    field, _, said = read(write(tmp_path / "v.csv", f"year,month,decimal date,a,b\n{rows}"))
    assert field.site.tolist() == ["a", "b"] and "left out: 'decimal date'" in said


@pytest.mark.parametrize("name", ["Time Local", "start"])
def test_only_clock_times_beside_a_date_are_of_it(tmp_path, name):
    rows = "".join(f"{day},{k:02}:00,{site},{k + 0.5}\n" for day in DAYS for k in range(3) for site in "ab")
    path = write(tmp_path / "v.csv", f"Date Local,{name},site,value\n{rows}")
    assert guess.values(path, {})["time"] == ["Date Local", name]
    path.write_text(path.read_text().replace(":00,", ","))  # places, or a count
    assert guess.values(path, {})["time"] == "Date Local"


def test_times_of_a_day_name_no_sites(tmp_path):
    rows = "".join(f"{day},{hour:02}:00,{hour}\n" for day in DAYS for hour in range(24))
    path = write(tmp_path / "v.csv", f"date,until,load\n{rows}")
    with pytest.raises(ValueError, match="which of date, until, load is the site"):
        guess.values(path, {"value": "load"})


@pytest.mark.parametrize("option", [(), ("--minimise",)])
def test_sites_of_two_quantities_are_pointed_out(read, tmp_path, option):
    rows = "".join(f"{d},{a % 7},{40 + a % 9},{a % 5},{40 + a % 11}\n" for d, a in zip(DAYS, A, strict=True))
    path = write(tmp_path / "v.csv", f"time,hill_t,hill_rh,lake_t,lake_rh\n{rows}")
    words = "all values of {} are on one side of those of {}; do all sites measure the same in one unit?\n"
    pairs = ("hill_t, lake_t", "hill_rh, lake_rh"), ("hill_rh, lake_rh", "hill_t, lake_t")
    assert any(words.format(*pair) in read(path, *option)[2] for pair in pairs)
    assert "on one side" not in read(write(tmp_path / "v.csv", PLAIN))[2]
