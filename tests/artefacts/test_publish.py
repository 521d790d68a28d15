"""Publishing a finished study that was made here: `results/smoke`, which has stand-in data in part."""

from pathlib import Path

import pytest
from PIL import Image

from tvgp.study.config import loading
from tvgp.study.execution import files
from tvgp.study.publish import results
from tvgp.study.report import pictures

ROOT = Path(__file__).resolve().parents[2]
OVERLAY = ROOT / "config" / "smoke.yaml"


def finished(**changes) -> results.Finished:
    if not (ROOT / "results" / "smoke" / "report.html").is_file():
        pytest.skip("no smoke study was run here (make smoke)")
    config = loading.overlaid(loading.read(ROOT / "config"), [OVERLAY], {}) | changes
    study = results.Finished(config, ROOT / config["results"], ROOT / config["resources"])
    try:
        results.refuse(study)
    except ValueError as stopped:
        if "other code" in str(stopped):
            pytest.skip("results/smoke was made by other code (make smoke)")
    return study


def test_standin_data_are_not_published(tmp_path):
    with pytest.raises(ValueError, match="ozone/raw.json: stand-in data, which are not published"):
        results.refuse(finished())


def test_published_tables_and_figures_carry_their_captions(tmp_path):
    study = finished(leave_out={"experiments": ["ozone", "berkeley_france"]})
    (tmp_path / "smoke.zip").write_bytes(b"packed")
    record = results.write(tmp_path, study, tmp_path / "smoke.zip")
    assert files.read_object(tmp_path / "study.json") == record
    assert record["hours"] >= 0 and record["jobs"] > 0
    assert record["archive"] == {
        "name": "smoke.zip",
        "bytes": 6,
        "sha256": files.digest(tmp_path / "smoke.zip"),
    }
    table = tmp_path / "tables" / "regret.csv"
    assert table.read_bytes() == (study.results / "tables" / "regret.csv").read_bytes()
    drawn = [(entry["experiment"], entry["name"]) for entry in record["figures"]]
    assert [name for experiment, name in drawn if experiment == "moving_bump"] == ["average_regret"]
    assert not any(experiment in ("ozone", "berkeley_france") for experiment, _ in drawn)
    for entry in record["figures"]:
        assert entry["caption"]
        with Image.open(tmp_path / entry["png"]) as image:
            assert len(image.convert("RGB").getcolors(1 << 20)) <= pictures.COLOURS


def test_an_unfinished_study_is_not_published(tmp_path):
    study = finished(leave_out={"experiments": ["ozone", "berkeley_france"]})
    with pytest.raises(ValueError, match="missing, so the study is not complete"):
        results.refuse(results.Finished(study.config, tmp_path / "none", study.resources))


def test_results_of_another_configuration_are_not_published(tmp_path):
    study = finished(leave_out={"experiments": ["ozone", "berkeley_france"]})
    study.config["experiments"]["moving_bump"]["horizon"] += 1
    with pytest.raises(ValueError, match="moving_bump.nc: made by another configuration or other code"):
        results.refuse(study)
