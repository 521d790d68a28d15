"""Every mutation of raw files and configurations that ever found a fault, as a small case.

Further ones are drawn in tests/mutations (`make mutations` draws many).
"""

import gzip
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from test_bad_raw_files import berkeley_error, ozone_error, table
from test_berkeley_earth import write as write_netcdf
from test_freeway_speed import SMALL
from test_freeway_speed import fails as freeway_error
from test_intel_lab import fails as intel_error
from test_intel_lab import line as intel_line
from test_intel_lab import matrices
from test_ozone import HEAD_20, row

from tvgp.plugins import types as typed
from tvgp.study import datasets
from tvgp.study.data import csv_tables, raw_files
from tvgp.study.execution import errors

ROOT = Path(__file__).resolve().parents[4]
SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.yaml"


# ---------------------------------------------------------------- raw files


@pytest.mark.parametrize("text", [b"\n", b"a,b\n", b"\0", b" "])
def test_gzip_bombs_are_not_unpacked(tmp_path, text, monkeypatch):
    """Hundreds of MB of lines took minutes."""
    unpacked = sizes(monkeypatch, gzip.GzipFile, "readline")
    path = tmp_path / "data.txt.gz"
    with gzip.open(path, "wb", 1) as file:
        for _ in range(13):
            file.write(text * ((1 << 22) // len(text)))
    (tmp_path / "mote_locs.txt").write_text("1 21.5 23\n")
    message = intel_error([path, tmp_path / "mote_locs.txt"])
    refusals = "unpack to", "line 1: binary data", "longer", "more than"
    assert any(text in message for text in refusals)
    assert 0 < sum(unpacked) < 32 << 20  # of 54 MB; Python 3.12 reads ahead further than 3.11


@pytest.mark.parametrize("denied", [False, True])
def test_zip_bombs_are_not_unpacked(tmp_path, denied, monkeypatch):
    unpacked = sizes(monkeypatch, zipfile.ZipExtFile, "read1")
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", b"\n" * (30 << 20))
    content = path.read_bytes()
    if denied:  # the directory says 1000 bytes
        place = content.rindex(b"PK\x01\x02") + 24
        path.write_bytes(content[:place] + struct.pack("<I", 1000) + content[place + 4 :])
    message = ozone_error(path)
    assert "unpack to" in message or "damaged zip" in message
    assert sum(unpacked) < 1 << 20


def sizes(monkeypatch, kind, method) -> list[int]:
    """Sizes of what a method returns, in the order of its calls."""
    found, original = [], getattr(kind, method)

    def noted(*arguments):
        result = original(*arguments)
        found.append(len(result))
        return result

    monkeypatch.setattr(kind, method, noted)
    return found


def test_endless_tables_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_tables, "MAX_LINES", 100)
    assert "more than 100 lines" in ozone_error(table(tmp_path / "a.csv", *[""] * 200))


def test_repeated_columns_are_refused(tmp_path):
    """The last of two columns was taken for the first."""
    head = HEAD_20 + ",Date"
    text = ozone_error(table(tmp_path / "a.csv", row(HEAD_20) + ",01/09/2020", head=head))
    assert "line 1: column 'date' appears 2 times" in text
    (tmp_path / "speed.csv").write_text("a,b\n1,2\n3,4\n")
    places = tmp_path / "places.csv"
    places.write_text("sensor_id,latitude,longitude,latitude\na,1,2,3\nb,1,2,3\n")
    text = freeway_error(tmp_path / "speed.csv", places, **SMALL)
    assert "places.csv, line 1: column 'latitude' appears 2 times" in text


def test_parts_per_million_under_the_name_of_billion(tmp_path):
    """0.04 ppb was taken for a value; there is none below 1."""
    bad = row(HEAD_20, units="ppb", value="0.040")
    assert "line 2: ozone value 0.040 ppb is not plausible" in ozone_error(table(tmp_path / "a.csv", bad))


@pytest.mark.parametrize("factor", [1.609, 0.447, 0.01])
def test_speeds_in_other_units(tmp_path, factor):
    speeds = [f"{(55 + n % 15) * factor:.3f},{(60 + n % 9) * factor:.3f}" for n in range(1440)]
    path = tmp_path / "speed.csv"
    path.write_text("a,b\n" + "\n".join(speeds) + "\n")
    text = freeway_error(path, **SMALL | {"interval_minutes": 1})
    assert "expected miles per hour on a freeway" in text


@pytest.mark.parametrize("cell", ["4_0", "\u0664\u0660"])
def test_numbers_that_only_python_reads(tmp_path, cell):
    path = tmp_path / "speed.csv"
    path.write_text(f"a,b\n30,{cell}\n3,4\n", encoding="utf-8")
    assert "line 2: " in freeway_error(path, **SMALL)
    good = ["19"] * 48
    files = matrices(tmp_path, [[cell, *good[1:]]], [good])
    assert f"line 1: temperature '{cell}', expected 0 to 50" in intel_error(files)
    text = intel_error(readings(tmp_path, intel_line(celsius=cell)))
    assert "line 1: " in text and ("is not a number" in text or "binary data" in text)


@pytest.mark.parametrize("cells", ["3,nan", "nan,3", "3,inf", "3,-inf"])
def test_nan_and_infinity_behind_numbers_are_refused(tmp_path, cells):
    """min and max pass over a NaN that is not the first, and it became a gap."""
    path = tmp_path / "speed.csv"
    path.write_text(f"a,b\n30,4\n{cells}\n")
    assert "line 3: " in freeway_error(path, **SMALL)


def readings(tmp_path, *lines):
    (tmp_path / "data.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "mote_locs.txt").write_text("1 21.5 23\n")
    return [tmp_path / "data.txt", tmp_path / "mote_locs.txt"]


def test_a_pin_holds_for_files_that_the_user_dropped(tmp_path):
    """Only downloads were compared with the checksum of the configuration."""
    path = table(tmp_path / "a.csv", row(HEAD_20))
    settings = {"source": "file", "raw": str(tmp_path), "sha256": {"a.csv": "0" * 64}}
    with pytest.raises(ValueError, match="a.csv: its sha256 differs from 0000"):
        raw_files.obtain(settings, ["*.csv"], None, None, None, str)
    settings["sha256"] = {"a.csv": raw_files.entry(path)["sha256"]}
    assert raw_files.obtain(settings, ["*.csv"], None, None, None, str)[0] == "real"


def test_a_byte_order_mark_alone(tmp_path):
    """The message was NumPy's own and did not name the file."""
    path = tmp_path / "speed.csv"
    path.write_bytes(b"\xef\xbb\xbf")
    assert "speed.csv: no speeds" in freeway_error(path, **SMALL)


def test_a_file_of_gaps_alone_is_refused(tmp_path):
    path = tmp_path / "speed.csv"
    path.write_text("a,b\n0,\n,0\n")
    assert "speed.csv: only zeros" in freeway_error(path, **SMALL)


def test_a_period_of_centuries(tmp_path):
    text = intel_error(readings(tmp_path, intel_line()), period=["2004-03-01", "2444-03-02"])
    assert "intel_lab: period 2004-03-01 to 2444-03-02 has" in text


@pytest.mark.parametrize("plausible", [[0], [7, 3, 5], [50, 0]])
def test_plausible_limits_must_be_a_pair(tmp_path, plausible):
    text = intel_error(readings(tmp_path, intel_line()), plausible=plausible)
    assert "intel_lab: plausible is" in text and "expected [lowest, highest]" in text


def test_a_cell_moved_by_a_flipped_bit_is_refused(tmp_path):
    """A flipped bit in an axis put a cell elsewhere."""

    def change(file):
        file["latitude"][134] = file["latitude"][134] + 0.3

    path = write_netcdf(tmp_path / "a.nc", change=change)
    assert "latitude is not a list of equal steps" in berkeley_error(path)


def test_an_axis_in_radians_is_refused(tmp_path):
    """Its cells lie in France, an hour's walk wide."""

    def change(file):
        file["longitude"][:] = np.radians(file["longitude"][:])

    path = write_netcdf(tmp_path / "a.nc", change=change)
    assert "of latitude by 0.0174533 of longitude, expected the same" in berkeley_error(path)


@pytest.mark.parametrize("text", ["[]", "{", '{"a.csv": 5}', "\xff", "[" * 99_999])
def test_a_damaged_download_record_is_refused_until_deleted(tmp_path, text):
    table(tmp_path / "a.csv", row(HEAD_20))
    record = tmp_path / raw_files.RECORD
    record.write_text(text, encoding="latin-1")
    settings = {"raw": tmp_path, "source": "auto"}
    with pytest.raises(ValueError, match=f"{record}: damaged, wrong digest; delete the file"):
        raw_files.obtain(settings, ["*.csv"], None, None, None, print)
    record.unlink()
    source, (entry,), _ = raw_files.obtain(settings, ["*.csv"], None, None, None, print)
    assert source == "real" and entry["path"].endswith("a.csv") and entry["url"] is None


def test_an_error_is_one_line_and_not_endless(capsys, tmp_path):
    with pytest.raises(SystemExit), errors.one_line_errors():
        raise ValueError("x\ny" * 9999)
    log = tmp_path / "rkhs_sine.log"
    with pytest.raises(SystemExit), errors.one_line_errors(log):
        raise MemoryError("Unable to allocate 7 TiB")
    long, memory = capsys.readouterr().err.splitlines()
    assert len(long) < 1100 and long.startswith("ERROR: x yx y")
    assert memory == f"ERROR: not enough memory for the job of {log} (Unable to allocate 7 TiB)"


def test_a_region_upside_down_names_its_dataset(tmp_path):
    with pytest.raises(ValueError, match=r"berkeley_earth: region \[0, 49, 4, 48\] is neither"):
        datasets.make("berkeley_earth", region=[0, 49, 4, 48]).load([tmp_path / "a.nc"])


def test_types_of_unions_and_lists():
    def declared(a: int | None = None, b: list[float] | str = "x", c=3, d: dict | None = None):
        pass

    for good in ({"a": None}, {"a": 3}, {"b": [1, 2.5]}, {"b": "y"}, {"c": object()}, {"d": {}}):
        assert typed.first_fault(declared, good) is None
    for bad in ({"a": 1.0}, {"a": True}, {"b": [1, "y"]}, {"b": 3}, {"b": [float("inf")]}):
        assert typed.first_fault(declared, bad)
