"""Real EPA files go through the same rules as stand-ins: New York State and North Carolina."""

import copy
import hashlib
import os
import shutil

import pytest

from tvgp.study.execution import files, netcdf

pytestmark = pytest.mark.slow

FILES = {
    "ozone": ["ozone_NY_2023.csv"],
    "ozone_nc": ["ozone_NC_2019.csv", "ozone_NC_2020.csv"],
}
MESSAGE = "Locating the raw files of ozone"  # of rule download


def test_real_ozone_files_end_to_end(pristine, tiny, real_data, tmp_path):
    for dataset, names in FILES.items():
        folder = tmp_path / "data" / "raw" / dataset
        folder.mkdir(parents=True)
        for name in names:
            shutil.copy2(real_data / "epa_daily" / "download_daily" / name, folder)
    config = copy.deepcopy(tiny) | {"data": "auto"}
    config["selection"] |= {
        "experiments": list(FILES),
        "policies": ["sparq_gp_ucb", "yesterdays_best", "oracle"],
        "figures": ["average_regret"],
    }
    for experiment in FILES:
        config["experiments"][experiment] = {
            "horizon": 40,
            "seeds": 1,
            "training": {"queries": 60, "starts": 1},
        }
    run = pristine.study(tmp_path, config)
    assert run.returncode == 0, run.stdout

    results = tmp_path / "results" / "tiny"
    for experiment in FILES:
        with netcdf.reading(results / f"collected/{experiment}.nc") as file:
            assert file.data == "real" and file["regret"].shape[0] == 3
    check = files.read_object(results / "check.json")
    assert set(check) == set(FILES)


def test_a_raw_file_replaced_by_an_older_one_is_noticed(pristine, tiny, real_data, tmp_path):
    """As unzip and cp -p leave it: same name, older time, and here the same size as well."""
    raw = tmp_path / "data/raw/ozone/ozone_NY_2023.csv"
    raw.parent.mkdir(parents=True)
    shutil.copy2(real_data / "epa_daily/download_daily/ozone_NY_2023.csv", raw)
    config = copy.deepcopy(tiny) | {"data": "auto"}
    config["selection"] |= {"experiments": ["ozone"], "policies": ["uniform"]}
    run = pristine.study(tmp_path, config, "--until", "download")
    assert run.returncode == 0, run.stdout
    planned = pristine.study(tmp_path, config, "--until", "download", "-n")
    assert planned.returncode == 0 and MESSAGE not in planned.stdout
    content = raw.read_bytes()
    raw.unlink()
    raw.write_bytes(content.replace(b"0.041", b"0.014"))
    os.utime(raw, (1e9, 1e9))
    assert MESSAGE in pristine.study(tmp_path, config, "--until", "download", "-n").stdout
    run = pristine.study(tmp_path, config, "--until", "download")
    manifest = files.read_object(tmp_path / "resources/tiny/ozone/raw.json")
    assert manifest["files"][0]["sha256"] == hashlib.sha256(raw.read_bytes()).hexdigest()


def test_a_broken_raw_file_is_named_in_one_line(pristine, tiny, tmp_path):
    folder = tmp_path / "data" / "raw" / "ozone"
    folder.mkdir(parents=True)
    (folder / "ozone_2021.csv").write_text("<!DOCTYPE html>\n<html><body>Not found</body></html>\n")
    config = copy.deepcopy(tiny) | {"data": "auto"}
    config["selection"] |= {"experiments": ["ozone"], "policies": ["uniform"]}
    run = pristine.study(tmp_path, config)
    assert run.returncode != 0
    lines = {text for text in run.stdout.splitlines() if text.startswith("ERROR: ")}
    assert len(lines) == 1 and "ozone_2021.csv" in next(iter(lines)), run.stdout
    assert "Traceback" not in run.stdout
    assert not list((tmp_path / "resources").rglob("*.nc"))
