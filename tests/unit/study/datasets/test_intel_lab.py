"""Intel lab temperatures: the rules for raw lines, the matrices, the stand-in, bad files."""

import gzip

import example_loading
import numpy as np
import pytest

from tvgp.study import datasets
from tvgp.study.data import field
from tvgp.study.datasets import intel_lab

ONE_DAY = {"period": ("2004-03-01", "2004-03-01"), "coverage": 0.001}


def line(mote=1, time="00:03:10.5", celsius=20.0, volts=2.7, day="2004-03-01", epoch=3):
    return f"{day} {time} {epoch} {mote} {celsius} 37.9 97.52 {volts}"


def write(tmp_path, *lines, places="1 21.5 23\n2 24.5 20\n", name="data.txt"):
    path = tmp_path / name
    content = b"\n".join(x if isinstance(x, bytes) else x.encode() for x in lines) + b"\n"
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    (tmp_path / "mote_locs.txt").write_text(places)
    return [path, tmp_path / "mote_locs.txt"]


def load(files, **parameters):
    return example_loading.load("intel_lab", files, **(ONE_DAY | parameters))


def fails(files, **parameters):
    return example_loading.fails("intel_lab", files, **(ONE_DAY | parameters))


@pytest.mark.parametrize("name", ["data.txt", "data.txt.gz"])
def test_readings_are_averaged_in_bins_of_the_clock(tmp_path, name):
    files = write(
        tmp_path,
        line(1, "00:09:59.9", 21.0),
        line(1, "00:00:00.0", 20.0),  # out of order
        line(1, "00:10:00.0", 25.0),
        line(2, "23:59:59.9", 18.0),
        name=name,
    )
    result, counts = load(files)
    assert result.site.tolist() == ["1", "2"]
    assert result.value.shape == (144, 2)
    assert result.value[:2, 0].tolist() == [20.5, 25.0]
    assert result.value[-1, 1] == 18.0
    assert np.isnan(result.value).sum() == 2 * 144 - 3
    assert str(result.time[1]) == "2004-03-01T00:10"
    assert (result.lon.tolist(), result.lat.tolist()) == ([21.5, 24.5], [23.0, 20.0])
    assert counts["readings not in time order"] == 1
    assert result.attrs["source"] == "real"


def test_unusable_lines_are_counted_by_reason(tmp_path):
    files = write(
        tmp_path,
        line(),
        "2004-03-01 00:03:10.5 3",
        "2004-03-01 00:03:10.5 3 1 20.0 37.9 97.52",
        "",
        line(55),
        line(65407),
        line(0),
        line(1, celsius=122.153, volts=2.03),
        line(1, celsius=30.0, volts=2.1),
        line(1, day="2004-02-29"),
        line(1, day="2004-03-02"),
    )
    result, counts = load(files)
    assert result.value[0, 0] == 20.0
    assert counts["lines read"] == 10
    assert counts["truncated lines"] == 2
    assert counts["readings of ids outside 1-54"] == 3
    assert counts["implausible temperatures"] == 1
    assert counts["readings at low voltage"] == 1
    assert counts["readings outside the period"] == 2
    assert counts["readings used"] == 1


def test_failing_motes_are_removed(tmp_path):
    times = [f"{h:02d}:{m:02d}:00.0" for h in range(24) for m in range(5, 60, 10)]
    lines = [line(1, t) for t in times] + [line(2, t) for t in times[:72]]
    lines += [line(2, t, celsius=122.0) for t in times[72:]]
    result, quality = datasets.make("intel_lab", **(ONE_DAY | {"coverage": 0.9})).load(
        write(tmp_path, *lines)
    )
    assert result.site.tolist() == ["1"]
    table = {item: (count, action) for item, count, action in quality}
    assert table["motes removed"] == (1, "failing, fewer values: 2")
    assert table["motes without any value"][0] == 52
    assert table["implausible temperatures"][0] == 72


def test_a_field_within_days_survives_its_file(tmp_path):
    result, _ = load(write(tmp_path, line(1), line(2, "23:59:00.0")))
    field.write_field(tmp_path / "field.nc", result)
    again = field.read_field(tmp_path / "field.nc")
    np.testing.assert_array_equal(again.time, result.time)
    np.testing.assert_array_equal(again.value, result.value)
    np.testing.assert_array_equal(again.lat, result.lat)
    assert again.attrs["positions"] == "metres"
    np.testing.assert_array_equal(field.coordinates(again.lat, again.lon, "index"), [[0], [1]])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([line(), b"\x00\x8f\xff\x12 garbage", line()], "data.txt, line 2: binary data"),
        ([line(), line().encode()[:30] + b"\x07" + b"1"], "data.txt, line 2: binary data"),
        ([line(), line(17)], "data.txt, line 2: mote 17 has no position in mote_locs.txt"),
        ([line(), line() + " 4"], "data.txt, line 2: 9 fields, expected 8"),
        ([line(), line("x")], "data.txt, line 2: mote id 'x' is not a whole number"),
        ([line(epoch="1.5")], "data.txt, line 1: epoch '1.5' is not a whole number"),
        ([line(celsius="warm")], "data.txt, line 1: 'warm' is not a number"),
        ([line(volts="nan")], "data.txt, line 1: 'nan' is not a number"),
        ([line(day="01/03/2004")], "data.txt, line 1: '01/03/2004' is not a date"),
        ([line(time="25:00:00")], "data.txt, line 1: '25:00:00' is not a time"),
        ([line(time="12:00:57/365804")], "data.txt, line 1: '12:00:57/365804' is not a time"),
        ([line(time="12:00:577")], "data.txt, line 1: '12:00:577' is not a time"),
        ([line(time="noon")], "data.txt, line 1: 'noon' is not a time"),
        ([line() + "x" * 70000], "data.txt, line 1: longer than"),
        ([line(day="2004-04-01")], "data.txt: no mote has a value"),
        (["<!DOCTYPE html>"], "web page"),
    ],
)
def test_bad_lines(tmp_path, lines, message):
    assert message in fails(write(tmp_path, *lines))


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ("1 21.5\n", "mote_locs.txt, line 1: 2 fields, expected 3"),
        ("1 21.5 23\n1 2 3\n", "mote_locs.txt, line 2: mote 1 has a second position"),
        ("1 21.5 here\n", "mote_locs.txt, line 1: 'here' is not a number"),
        ("", "mote_locs.txt: the file is empty"),
    ],
)
def test_bad_positions(tmp_path, places, message):
    assert message in fails(write(tmp_path, line(), places=places))


def test_damaged_gzip_and_missing_companions(tmp_path):
    files = write(tmp_path, *[line()] * 3000, name="data.txt.gz")
    whole = files[0].read_bytes()
    files[0].write_bytes(whole[: len(whole) // 2])
    assert "data.txt.gz: not a gzip file, damaged or truncated" in fails(files)
    files[0].write_bytes(b"2004-03-01 text that is no gzip")
    assert "data.txt.gz: not a gzip file" in fails(files)
    files[0].write_bytes(whole)
    assert "mote_locs.txt, with the motes' positions, is missing" in fails(files[:1])
    assert "expected data.txt.gz and mote_locs.txt" in fails(files[1:])
    (tmp_path / "data.txt").write_text(line())
    assert "keep only one of" in fails([*files, tmp_path / "data.txt"])


def matrices(tmp_path, train, test):
    files = [tmp_path / name for name in intel_lab.MATRICES]
    for path, rows in zip(files, (train, test), strict=True):
        path.write_text("\n".join(",".join(row) for row in rows) + "\n", encoding="utf-8")
    return files


def test_matrices(tmp_path):
    files = matrices(tmp_path, [["1.8E+01"] * 96, ["19"] * 96], [["20"] * 48, ["21"] * 48])
    result, counts = load(files)
    assert result.value.shape == (144, 2)
    assert result.value[[0, 95, 96], 1].tolist() == [19.0, 19.0, 21.0]
    assert [str(t) for t in result.time[[0, 1, 96]]] == [
        "2004-03-01T00:00",
        "2004-03-01T00:30",
        "2004-03-03T00:00",
    ]
    assert np.isnan(result.lat).all()
    assert counts["sensors"] == 2


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        ([["1"] * 48, ["1"] * 47], [["1"] * 48], "Train.csv, line 2: 47 fields, the header has 48"),
        ([["1"] * 50], [["1"] * 48], "Train.csv, line 1: 50 columns, expected whole days of 48"),
        ([["1"] * 48], [["1"] * 48] * 2, "Test.csv: 2 sensors, intelTemperatureTrain.csv has 1"),
        ([["1"] * 47 + ["x"]], [["1"] * 48], "Train.csv, line 1: temperature 'x', expected 0 to 50 degree C"),
        ([["1"] * 48], [["122"] * 48], "Test.csv, line 1: temperature '122', expected 0 to 50 degree C"),
    ],
)
def test_bad_matrices(tmp_path, train, test, message):
    assert message in fails(matrices(tmp_path, train, test))


def test_the_standin_has_the_format_and_the_mark(tmp_path):
    short = {"period": ("2004-03-01", "2004-03-01"), "coverage": 0.9}
    loader = datasets.make("intel_lab", **short)
    files = loader.write_standin(tmp_path / "a")
    again = loader.write_standin(tmp_path / "b")
    assert [f.read_bytes() for f in files] == [f.read_bytes() for f in again]
    result, counts = load(files, **short)
    assert result.attrs["source"] == "standin"
    assert result.value.shape == (144, 51)
    assert not {"5", "15", "18"} & set(result.site.tolist())
    for item in (
        "truncated lines",
        "readings of ids outside 1-54",
        "readings not in time order",
        "implausible temperatures",
        "readings outside the period",
    ):
        assert counts[item] > 0, item
    assert 15 < np.nanmin(result.value) < np.nanmax(result.value) < 35


def test_real_raw_lines(real_data, tmp_path):
    """The lines at hand are of motes 55, 56 and 58, which no map lists: read, none kept."""
    source = real_data / "intel_lab" / "data_unlisted_motes.txt.gz"
    text = gzip.decompress(source.read_bytes()).decode()
    places = (real_data / "intel_lab" / "mote_locs.txt").read_text()
    period = ("2004-03-11", "2004-04-05")
    files = write(tmp_path, *text.splitlines(), places=places, name="data.txt.gz")
    assert "no mote has a value" in fails(files, period=period)

    renamed = [x.split() for x in text.splitlines()]
    ids = {"55": "1", "56": "2", "58": "3"}
    lines = [" ".join([*x[:3], ids[x[3]], *x[4:]]) for x in renamed]
    files = write(tmp_path, *lines, places=places, name="data.txt.gz")
    result, counts = load(files, period=period, coverage=0.01)
    assert counts["lines read"] == 9719
    assert counts["truncated lines"] == 0
    assert counts["readings not in time order"] > 1000
    celsius = [float(x[4]) for x in renamed if x[3] == "55" and x[0] == "2004-03-11"]
    on_day = result.time.astype("datetime64[D]") == np.datetime64("2004-03-11")
    assert min(celsius) <= np.nanmin(result.value[on_day, 0])
    assert np.nanmax(result.value[on_day, 0]) <= max(celsius)


def test_real_matrices(real_data):
    files = [real_data / "intel_lab" / name for name in intel_lab.MATRICES]
    result, _ = load(files, period=("2004-03-01", "2004-03-05"))
    assert result.value.shape == (240, 50)
    assert np.isfinite(result.value).all()
    assert result.value[:2, 0].tolist() == [18.3, 18.2]
