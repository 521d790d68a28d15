"""Raw files that are not what they should be: one clear line, and nothing written."""

import io
import os
import zipfile

import netCDF4
import numpy as np
import pytest
from test_berkeley_earth import write as write_netcdf
from test_ozone import HEAD_20, row

from tvgp.study import datasets
from tvgp.study.data import csv_tables, raw_files


def ozone_error(path, state="Alabama") -> str:
    return one_line(path, datasets.make("ozone", state=state, coverage=0.5))


def berkeley_error(path) -> str:
    return one_line(path, datasets.make("berkeley_earth", region=[0, 44, 4, 48]))


def one_line(path, loader) -> str:
    with pytest.raises(ValueError) as error:
        loader.load([path])
    text = str(error.value)
    assert "\n" not in text and path.name in text
    return text


def table(path, *lines, head=HEAD_20):
    path.write_text("\n".join([head, *lines]) + "\n")
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": "-0.01"}, "line 3: negative ozone value -0.01"),
        ({"value": "n/a"}, "line 3: the ozone value 'n/a' is not a number"),
        ({"value": "nan"}, "line 3: the ozone value 'nan' is not a number"),
        ({"value": "inf"}, "line 3: the ozone value 'inf' is not a number"),
        ({"value": "4_0"}, "line 3: the ozone value '4_0' is not a number"),
        ({"value": "41"}, "line 3: ozone value 41 ppm is not plausible"),
        ({"units": "ug/m3"}, "line 3: units 'ug/m3', expected ppm or ppb"),
        ({"day": "31/12/2020"}, "line 3: date '31/12/2020' is neither"),
        ({"day": "01/01/1492"}, "line 3: date 01/01/1492 lies outside"),
        ({"day": ""}, "line 3: date '' is neither"),
        ({"site": "AL-1"}, "line 3: site id 'AL-1' is not a code of 9 digits"),
        ({"poc": "one"}, "line 3: POC 'one' is not a code"),
        ({"site_latitude": "341"}, "line 3: latitude 341, longitude -86.2 is not in North America"),
        ({"site_longitude": ""}, "line 3: the longitude '' is not a number"),
        ({"aqs_parameter_code": "88101"}, "line 3: parameter code '88101' is not ozone"),
    ],
)
def test_bad_cells_name_file_and_line(tmp_path, change, message):
    bad = row(HEAD_20, **({"day": "01/02/2020"} | change))
    path = table(tmp_path / "bad.csv", row(HEAD_20), bad)
    assert f"bad.csv, {message}" in ozone_error(path)


def test_missing_column_is_named(tmp_path):
    for name in ("Site ID", "Daily Max 8-hour Ozone Concentration", "SITE_LATITUDE", "Date"):
        text = ozone_error(table(tmp_path / "bad.csv", head=HEAD_20.replace(name, "Other")))
        plain = name.lower().replace("_", " ").replace("site id", "aqs site id")
        assert f"line 1: no column '{plain}'" in text


def test_shifted_cut_and_unclosed_rows(tmp_path):
    good = row(HEAD_20)
    assert "line 2: 21 fields, the header has 20" in ozone_error(table(tmp_path / "a.csv", good + ",x"))
    assert "line 3: 4 fields" in ozone_error(table(tmp_path / "a.csv", good, "01/02/2020,AQS,1,1"))
    assert "line 2: not a CSV row" in ozone_error(table(tmp_path / "a.csv", '"' + good))


def test_empty_files_and_selections(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"")
    assert "the file is empty" in ozone_error(path)
    assert "no value of state 'Alabama'" in ozone_error(table(path))
    assert "(Alabama)" in ozone_error(table(path, row(HEAD_20)), state="Ohio")
    days = [row(HEAD_20, day=f"01/0{d}/2020", site=f"01001000{d}") for d in range(1, 5)]
    assert "none of 4 sites in a.csv has a value on 50% of 4" in ozone_error(table(path, *days))


@pytest.mark.parametrize("name", ["page.csv", "page.zip", "page.nc"])
def test_web_pages(tmp_path, name):
    (tmp_path / name).write_text("\n<!DOCTYPE html><html><body>404</body></html>")
    error = berkeley_error if name.endswith("nc") else ozone_error
    assert "this is a web page" in error(tmp_path / name)


def test_binary_and_endless_lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(bytes(range(256)) * 1000)
    ozone_error(path)
    path.write_text(HEAD_20 + "\n" + "x" * 10_000_000)
    assert "line 2: longer than" in ozone_error(path)


def zipped(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def test_good_zip_of_an_export(tmp_path):
    text = "\n".join([HEAD_20, row(HEAD_20)])
    path = zipped(tmp_path / "a.zip", **{"inside.csv": text, "readme.txt": "x"})
    assert datasets.make("ozone", state="Alabama").load([path])[0].value.tolist() == [[40.0]]
    bad = zipped(tmp_path / "a.zip", **{"inside.csv": text.replace("0.040", "much")})
    assert "a.zip:inside.csv, line 2" in ozone_error(bad)


def test_damaged_zips(tmp_path):
    path = tmp_path / "a.zip"
    noise = np.random.default_rng(1).integers(0, 10, 40_000).astype(str)
    text = "\n".join([HEAD_20] + [row(HEAD_20, site_name=digit) for digit in noise])
    whole = zipped(path, **{"a.csv": text}).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "not a zip file, or truncated" in ozone_error(path)
    path.write_bytes(whole[:20_000] + bytes(1000) + whole[21_000:])
    ozone_error(path, state="Ohio")
    path.write_bytes(b"PK\x03\x04" + b"x" * 100)
    assert "not a zip file" in ozone_error(path)


def test_dangerous_zips(tmp_path, monkeypatch):
    path = tmp_path / "a.zip"
    for name in ("../evil.csv", "/etc/evil.csv", "C:\\evil.csv", "a/..\\..\\evil.csv"):
        zipped(path, **{name: HEAD_20})
        assert "points outside the archive" in ozone_error(path)
    assert "no CSV file inside" in ozone_error(zipped(path, **{"a.zip": "x"}))
    assert "51 members" in ozone_error(zipped(path, **{f"{i}.csv": "" for i in range(51)}))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("bomb.csv", "w", force_zip64=True) as member:
            for _ in range(60):
                member.write(bytes(1 << 20))
    assert path.stat().st_size < 1e5
    monkeypatch.setattr(csv_tables, "MAX_TABLE_BYTES", 1 << 25)  # instead of 512 MB
    assert "unpacks to 63 MB; the limit is 34 MB" in ozone_error(path)
    monkeypatch.setattr(csv_tables, "MAX_TABLE_BYTES", 1000)
    with pytest.raises(ValueError, match="MB of text"):
        stream = io.StringIO("\n".join([HEAD_20] + [row(HEAD_20)] * 100))
        list(csv_tables.records(stream, "bomb.csv"))


def test_netcdf_without_what_is_needed(tmp_path):
    path = tmp_path / "a.nc"
    for name in ("temperature", "time", "latitude", "longitude"):
        write_netcdf(path, change=lambda file, name=name: file.renameVariable(name, "other"))
        assert f"no variable '{name}'; it has: " in berkeley_error(path)
    write_netcdf(path, change=lambda file: file["temperature"].setncattr("units", "degree F"))
    assert "units 'degree F', expected degree C" in berkeley_error(path)


@pytest.mark.parametrize(
    ("index", "value", "message"),
    [
        (("temperature", 3, 134, 180), np.inf, "infinite value in 2000-04"),
        (("temperature", 3, 134, 180), -80.0, "-80 in 2000-04 is not an anomaly"),
        (("time", 3), 2000.0417, "2000-01, is out of order"),
        (("time", 3), np.nan, r"time[3] is not a number"),
        (("latitude", 3), 0.0, "latitude is neither ascending nor descending"),
        (("longitude", 3), 1e9, "longitude is not a list of degrees"),
        (("land_mask", 134, 180), 7.0, "land_mask has values outside 0..1"),
    ],
)
def test_netcdf_with_bad_numbers(tmp_path, index, value, message):
    def change(file):
        if message.startswith("-80"):
            file["temperature"].delncattr("valid_min")
        file[index[0]][index[1:]] = value

    assert message in berkeley_error(write_netcdf(tmp_path / "a.nc", change=change))


def test_netcdf_with_turned_dimensions_or_integers(tmp_path):
    path = write_netcdf(tmp_path / "a.nc", change=lambda file: file.renameDimension("time", "t"))
    assert "dimensions (t, latitude, longitude), expected" in berkeley_error(path)


def test_damaged_netcdf(tmp_path):
    path = write_netcdf(tmp_path / "a.nc")
    whole = path.read_bytes()
    for size in (len(whole) // 2, 600, 9):
        path.write_bytes(whole[:size])
        assert "truncated" in berkeley_error(path) or "NetCDF" in berkeley_error(path)
    path.write_bytes(b"not a NetCDF file at all")
    assert "wrong first bytes" in berkeley_error(path)
    path.write_bytes(b"")
    assert "the file is empty" in berkeley_error(path)


def test_truncated_classic_netcdf(tmp_path):
    """The C library reads zeros beyond the end of a classic file."""
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.createDimension("time", 5000)
        file.createVariable("time", "f8", ("time",))[:] = 1.0
    path.write_bytes(path.read_bytes()[:20_000])
    assert "truncated NetCDF file" in berkeley_error(path)


def test_manifest_notices_files_that_went_or_changed(tmp_path):
    raw = tmp_path / "a.csv"
    raw.write_text("one")
    manifest = tmp_path / "raw.json"
    raw_files.write_manifest(manifest, "ozone", ("real", [raw_files.entry(raw)], "found"))
    assert raw_files.read_manifest(manifest)["files"][0]["bytes"] == 3
    raw.write_text("two")  # the same size
    os.utime(raw, (1e9, 1e9))
    with pytest.raises(ValueError, match="missing or changed"):
        raw_files.read_manifest(manifest)
    manifest.write_text("[]")
    with pytest.raises(ValueError, match="raw.json: damaged"):
        raw_files.read_manifest(manifest)
