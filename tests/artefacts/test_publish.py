"""Publishing a finished study that was made here: `results/smoke`, which has stand-in data in part."""

from pathlib import Path

import pytest
from PIL import Image

from tvgp.study import files
from tvgp.study.config import reading
from tvgp.study.publish import results

ROOT = Path(__file__).resolve().parents[2]
OVERLAY = ROOT / "config" / "smoke.yaml"


def finished(**changes) -> results.Finished:
    if not (ROOT / "results" / "smoke" / "report.html").is_file():
        pytest.skip("no smoke study was run here (make smoke)")
    config = reading.overlaid(reading.read(ROOT / "config"), [OVERLAY], {}) | changes
    return results.Finished("smoke", config, ROOT / config["results"], ROOT / config["resources"])


def test_standin_data_are_not_published(tmp_path):
    with pytest.raises(ValueError, match="ozone/raw.json: stand-in data, which are not published"):
        results.write(tmp_path, [finished()])
    assert list(tmp_path.iterdir()) == []


def test_tables_and_figures_of_the_rest_are_copied_with_their_captions(tmp_path):
    study = finished(leave_out={"experiments": ["ozone", "berkeley_france"]})
    record = results.write(tmp_path, [study])
    assert files.read_object(tmp_path / "study.json") == record
    assert record["studies"]["smoke"]["hours"] > 0
    table = tmp_path / "tables" / "smoke" / "regret.csv"
    assert table.read_bytes() == (study.results / "tables" / "regret.csv").read_bytes()
    drawn = {(entry["experiment"], entry["name"]) for entry in record["figures"]["smoke"]}
    assert ("moving_bump", "average_regret") in drawn
    assert not any(experiment in ("ozone", "berkeley_france") for experiment, _ in drawn)
    for entry in record["figures"]["smoke"]:
        assert entry["caption"]
        with Image.open(tmp_path / entry["png"]) as image:
            assert len(image.convert("RGB").getcolors(1 << 20)) <= results.COLOURS
        assert (tmp_path / entry["pdf"]).is_file()


def test_an_unfinished_study_is_not_published(tmp_path):
    study = finished(leave_out={"experiments": ["ozone", "berkeley_france"]})
    with pytest.raises(ValueError, match="missing, so the study is not complete"):
        results.write(tmp_path, [results.Finished("smoke", study.config, tmp_path / "none", study.resources)])
