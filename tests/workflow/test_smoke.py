"""The smoke study: every stage, on stand-in data, with its marks."""

import csv
import zipfile

import pytest

from tvgp.study import files

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def smoke(pristine, tmp_path_factory):
    directory = tmp_path_factory.mktemp("smoke")
    config = str(pristine.root / "config" / "smoke.yaml")
    run = pristine.snakemake(directory, "--cores", "2", "--configfile", config)
    assert run.returncode == 0, run.stdout
    return directory / "results" / "smoke"


def test_every_product_is_there(smoke):
    experiments = {path.stem for path in (smoke / "collected").glob("*.nc")}
    assert experiments == {"moving_bump", "rkhs_sine", "ozone", "berkeley_france"}
    for experiment in experiments:
        for suffix in ("pdf", "png"):
            assert (smoke / "figures" / experiment / f"average_regret.{suffix}").stat().st_size
    assert (smoke / "figures/berkeley_france/error_maps.png").is_file()
    assert (smoke / "analyses/window_partition.nc").is_file()
    assert (smoke / "figures/across/window_partition.png").is_file()
    assert set(files.read_object(smoke / "check.json")) == experiments


def test_stand_in_data_are_marked_everywhere(smoke):
    with open(smoke / "tables/summary.csv", newline="") as stream:
        data = {row["experiment"]: row["data"] for row in csv.DictReader(stream)}
    assert data == {
        "moving_bump": "synthetic",
        "rkhs_sine": "synthetic",
        "ozone": "standin",
        "berkeley_france": "standin",
    }
    assert "stand-in" in (smoke / "report.html").read_text().lower()
    for experiment in ("ozone", "berkeley_france"):
        assert files.read_object(smoke / f"fits/{experiment}.json")["source"] == "standin"


def test_the_report_opens_without_a_network(smoke):
    text = (smoke / "report.html").read_text()
    for loaded in ('src="http', "src='http", '<link rel="stylesheet"', "<script src"):
        assert loaded not in text


def test_snakemakes_own_report_has_page_figures_and_tables_with_captions(smoke, pristine):
    """Offline: Snakemake brings the scripts of its report with it."""
    config = str(pristine.root / "config" / "smoke.yaml")
    work = smoke.parents[1]
    run = pristine.snakemake(work, "--configfile", config, "--report", str(work / "snakemake.zip"))
    assert run.returncode == 0, run.stdout
    with zipfile.ZipFile(work / "snakemake.zip") as archive:
        held = [name.rpartition("/")[2] for name in archive.namelist() if "/data/" in name]
        main = archive.read("snakemake/report.html").decode()
    figures = sorted(path.name for path in smoke.glob("figures/*/*.png"))
    assert sorted(name for name in held if name.endswith(".png")) == figures
    assert {"report.html", "claims.csv", "verdicts.csv"} <= set(held)
    assert "Drawn by rule" in main and "figures_rkhs_sine" in main


def test_no_path_of_this_machine_is_in_the_results(smoke, pristine):
    for path in smoke.rglob("*"):
        if path.is_file() and "logs" not in path.parts:
            assert str(pristine.root).encode() not in path.read_bytes(), path
