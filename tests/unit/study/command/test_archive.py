"""`tvgp archive` packs what a reader needs, with metadata that name and describe every file."""

import json
import zipfile

import pytest

from tvgp.study.command import archive, main
from tvgp.study.execution import files, netcdf, provenance

PRODUCTS = ("report.html", "tables/regret.csv")


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with a complete study of a table and a report, which have a record."""
    (tmp_path / "Snakefile").touch()
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "default.yaml").write_text(
        "{scale: paper, results: results/paper, resources: resources/paper}\n"
    )
    results = tmp_path / "results" / "paper"
    for name in PRODUCTS:
        files.write_text(results / name, f"content of {name}\n")
    for name in ("runs/a.nc", "analyses/b/part.nc"):
        with netcdf.writing(results / name):
            pass
    files.write_object(results / "check.json", {"a": {}})
    made = provenance.recipe({}, "code")
    provenance.record(results / "records/report.json", made, [], [results / name for name in PRODUCTS])
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
    assert parts == {"configuration.json", *PRODUCTS, "check.json", "records/report.json"}
    for part in parts:
        assert graph[part]["sha256"] == files.digest(report.parent / part)
    assert graph["#run"]["instrument"] == [{"@id": "#tvgp"}]
    assert json.loads((report.parent / "configuration.json").read_text())["scale"] == "paper"


def test_the_same_results_give_the_same_bytes(checkout):
    for name in ("one.zip", "two.zip"):
        assert main(["archive", "paper", "--output", name]) == 0
    assert (checkout / "one.zip").read_bytes() == (checkout / "two.zip").read_bytes()


def test_a_report_can_be_packed_without_its_runs(checkout):
    assert main(["archive", "paper", "--report"]) == 0
    packed = checkout / "results" / "paper-report.zip"
    with zipfile.ZipFile(packed) as opened:
        names = {*opened.namelist()} - {archive.METADATA, "configuration.json", "check.json"}
    assert names == {*PRODUCTS} and archive.faults(packed) == []


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


def test_damaged_files_are_named_all_at_once_and_not_packed(checkout, capsys):
    results = checkout / "results" / "paper"
    assert main(["verify", "paper"]) == 0
    (results / "tables" / "regret.csv").write_text("")
    (results / "runs" / "a.nc").write_bytes((results / "runs" / "a.nc").read_bytes()[:-1])
    (results / "report.html").unlink()
    assert main(["verify", "paper"]) == 1
    shown = capsys.readouterr().out.splitlines()[1:]
    assert shown == [
        "results/paper/runs/a.nc: damaged, wrong digest",
        "results/paper/report.html: no such file",
        "results/paper/tables/regret.csv: damaged or replaced",
        "Not as recorded: 3; to make them again run: tvgp run paper",
    ]
    (results / "report.html").write_text("content of report.html\n")
    with pytest.raises(SystemExit):
        main(["archive", "paper"])
    error = capsys.readouterr().err
    assert "runs/a.nc: damaged" in error and "regret.csv: damaged or replaced" in error
    assert not list(checkout.glob("results/*.zip"))


def _metadata(members):
    members[archive.METADATA] = b"{}"


def _longer(members):
    members["tables/regret.csv"] += b"1"


def _flipped(members):
    members["tables/regret.csv"] = members["tables/regret.csv"].replace(b"t", b"u", 1)


def _missing(members):
    del members["tables/regret.csv"]


def _added(members):
    members["more.html"] = bytes(10**6)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_metadata, "packed.zip: damaged"),
        (_longer, "packed.zip: tables/regret.csv: 30 bytes, expected 29"),
        (_flipped, "packed.zip: tables/regret.csv: damaged, wrong digest"),
        (_missing, "packed.zip: tables/regret.csv: no such file"),
        (_added, "packed.zip: more.html: not described"),
    ],
)
def test_an_archive_unlike_its_metadata_is_not_unpacked(checkout, change, reason, capsys):
    assert main(["archive", "paper", "-o", "whole.zip"]) == 0
    with zipfile.ZipFile("whole.zip") as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    change(members)
    with zipfile.ZipFile("packed.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    for command in (["report", "packed.zip"], ["verify", "packed.zip"]):
        with pytest.raises(SystemExit):
            raise SystemExit(main(command))
        captured = capsys.readouterr()
        assert reason in captured.out + captured.err
    assert not (checkout / "packed").exists()
    assert main(["verify", "whole.zip"]) == 0


def test_flipped_bytes_of_an_archive_are_found(checkout):
    assert main(["archive", "paper", "-o", "whole.zip"]) == 0
    whole = (checkout / "whole.zip").read_bytes()
    packed, expected = checkout / "packed.zip", checkout / "packed"
    for place in range(0, len(whole), 7):
        packed.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            found = archive.faults(packed)
        except ValueError as error:
            found = [str(error)]
        if not found:  # such as a date in the list of members
            archive.opened(packed)
            assert (expected / "tables/regret.csv").read_text() == "content of tables/regret.csv\n"
