"""`tvgp archive` packs what a reader needs, with metadata that name and describe every file."""

import json
import zipfile

import pytest

from tvgp.study import files
from tvgp.study.command import archive, main


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with a complete study of two files."""
    (tmp_path / "Snakefile").touch()
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "default.yaml").write_text(
        "{scale: paper, results: results/paper, resources: resources/paper}\n"
    )
    results = tmp_path / "results" / "paper"
    for name in ("report.html", "check.json", "tables/regret.csv", "runs/a.nc", "analyses/b/part.nc"):
        files.write_text(results / name, f"content of {name}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_file_is_described_and_can_be_opened_elsewhere(checkout, tmp_path_factory, capsys):
    assert main(["archive", "paper"]) == 0
    packed = checkout / "results" / "paper.zip"
    assert files.digest(packed) in capsys.readouterr().out
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "copy.zip"
    packed.rename(elsewhere)
    assert main(["report", str(elsewhere)]) == 0
    report = elsewhere.with_suffix("") / "report.html"
    assert capsys.readouterr().out.strip() == str(report)
    assert report.read_text() == "content of report.html\n"

    metadata = json.loads(report.with_name(archive.METADATA).read_text())
    graph = {each["@id"]: each for each in metadata["@graph"]}
    parts = {part["@id"] for part in graph["./"]["hasPart"]}
    assert parts == {"configuration.json", "report.html", "check.json", "tables/regret.csv"}
    for part in parts - {"configuration.json"}:
        assert graph[part]["sha256"] == files.digest(report.parent / part)
    assert graph["#run"]["instrument"] == [{"@id": "#tvgp"}]
    assert json.loads((report.parent / "configuration.json").read_text())["scale"] == "paper"


def test_the_same_results_give_the_same_bytes(checkout):
    for name in ("one.zip", "two.zip"):
        assert main(["archive", "paper", "--output", name]) == 0
    assert (checkout / "one.zip").read_bytes() == (checkout / "two.zip").read_bytes()


def test_an_incomplete_study_is_not_packed(checkout):
    (checkout / "results" / "paper" / "report.html").unlink()
    with pytest.raises(SystemExit) as stopped:
        main(["archive", "paper"])
    assert stopped.value.code == 1 and not list(checkout.glob("results/*.zip"))


def test_another_file_is_refused_in_one_line(checkout, capsys):
    (checkout / "broken.zip").write_bytes(b"PK")
    with zipfile.ZipFile(checkout / "other.zip", "w") as other:
        other.writestr("a", "b")
    for name, reason in (("broken.zip", "copy or download it again"), ("other.zip", "tvgp archive")):
        with pytest.raises(SystemExit):
            main(["report", name])
        assert reason in capsys.readouterr().err


def test_results_of_a_study_are_never_overwritten(checkout, capsys):
    assert main(["archive", "paper"]) == 0
    report = checkout / "results" / "paper" / "report.html"
    report.write_text("newer than the archive")
    with pytest.raises(SystemExit):
        main(["report", "results/paper.zip"])
    assert "move paper.zip to another folder" in capsys.readouterr().err
    assert report.read_text() == "newer than the archive"
