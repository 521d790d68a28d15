"""`tvgp doctor` without a network."""

import sys
from importlib import metadata

import pytest

from tvgp.study.command import doctor, main
from tvgp.study.data import download


def test_the_doctor_needs_no_network(capsys, monkeypatch):
    monkeypatch.setattr(download, "obstacle", lambda url: pytest.fail("the network was tried"))
    code = main(["doctor", "--offline"])
    lines = capsys.readouterr().out.splitlines()
    assert code == any(line.startswith("FIX") for line in lines)
    assert all(line[:4] in ("ok  ", "FIX ", "note") for line in lines)
    for name in ("Python", "packages", "BLAS", "cores", "disk", "write access", "data ozone"):
        assert any(line[6:].startswith(f"{name}: ") for line in lines), name


def test_packages_are_held_against_the_lock():
    here = metadata.version("numpy")
    (good,) = doctor.packages(f"numpy=={here} ; python_full_version < '3.12' \\\nnumpy==99.0 \\\n")
    assert good.remedy is None and good.found == "1 as in requirements.lock"
    (other,) = doctor.packages("NumPy==99.0 \\\n")
    assert other.found == f"not as locked: numpy {here} (lock: 99.0)" and not other.fatal


def test_leftovers_and_a_second_version_do_not_count(tmp_path, monkeypatch):
    for name, text in (("broken-1.0", ""), ("numpy-0.1", "Name: numpy\nVersion: 0.1\n")):
        (tmp_path / f"{name}.dist-info").mkdir()
        (tmp_path / f"{name}.dist-info" / "METADATA").write_text(text)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    (good,) = doctor.packages(f"numpy=={metadata.version('numpy')} \\\n")
    assert good.remedy is None


def test_blas_is_found_in_a_folder_with_a_space(monkeypatch):
    monkeypatch.setattr(doctor.Path, "read_text", lambda path: "7f r--p 0 fe:00 1   /a b/libopenblas.so\n")
    opened = []
    monkeypatch.setattr(doctor.ctypes, "CDLL", opened.append)
    assert doctor._openblas() == ("unknown", "unknown") and opened == ["/a b/libopenblas.so"]


def test_outside_a_checkout_there_is_no_lock(monkeypatch):
    (good,) = doctor.packages(None)
    assert good.remedy is None and good.found.endswith(" of the study")
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: ["absent-a"])
    (missing,) = doctor.packages(None)
    assert missing.found == "missing: absent-a" and missing.remedy == "pip install 'tvgp[study]'"


def test_missing_packages_of_other_extras_are_not_fatal(monkeypatch):
    listed = ["numpy>=1", 'absent-a>=2; extra == "study"', 'absent-b; extra == "slurm"']
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: listed)
    (missing,) = doctor.packages("")
    assert missing.found == "missing: absent-a" and missing.fatal and missing.remedy


def test_a_full_disk_and_a_read_only_folder_are_fatal(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "LEAST_GB", 1e9)
    assert "free space" in doctor.disk(tmp_path).remedy
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: False)
    marks = [str(check)[:4] for check in doctor.writable(tmp_path)]
    assert marks == ["FIX "] * 4 + ["note"]


def test_data_are_found_where_a_study_finds_them(tmp_path):
    own = {"loader": "ozone", "state": "New York", "raw": "raw/mine", "coverage": 0.5, "coordinates": "km"}
    (tmp_path / "raw" / "mine").mkdir(parents=True)
    (tmp_path / "raw" / "mine" / "a.csv").touch()
    settings = {
        "mine": own,
        "boxed": own | {"raw": "raw/none", "extract": "ozone"},
        "other": own
        | {"raw": "raw/none", "extract": "ozone", "extract_as": {"loader": "ozone", "title": "Ohio's"}},
        "none": own | {"raw": "raw/none"},
        "far": own | {"raw": "raw/none", "url": "https://a.invalid/b.csv"},
    }
    found = [str(check) for check in doctor.data(tmp_path, settings, True)]
    assert found[0] == "ok    data mine: 1 raw file(s) in raw/mine/"
    assert found[1] == "ok    data boxed: real data in the package"
    assert found[2] == "ok    data other: real data in the package: Ohio's"
    assert found[3].startswith("note  data none: no raw files here; for real data drop files into raw/none/")
    assert "make data, or drop" in found[4]
    assert "make data" not in "".join(map(str, doctor.data(tmp_path, settings, False)))


def test_each_address_is_tried_once_and_a_dead_one_is_no_fault(monkeypatch):
    tried = []
    monkeypatch.setattr(
        download, "obstacle", lambda url: tried.append(url) or ("no connection" if "dead" in url else None)
    )
    settings = {
        "a": {"url": "https://dead.invalid/{year}.csv", "years": [2001, 2002]},
        "b": {"url": "https://dead.invalid/2001.csv"},
        "c": {"url": "https://alive.invalid/c.csv"},
        "d": {},
    }
    dead, alive = doctor.network(settings)
    assert sorted(tried) == ["https://alive.invalid/c.csv", "https://dead.invalid/2001.csv"]
    assert dead.name == "network a, b" and dead.remedy and not dead.fatal
    assert str(alive) == "ok    network c: https://alive.invalid/c.csv answers"


def test_an_unreachable_server_is_an_obstacle():
    assert download.obstacle("http://127.0.0.1:9/none").startswith("no connection")
