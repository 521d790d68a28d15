"""The smoke study, smaller still: every stage, on stand-in data, with its marks.

The whole of it runs in `make smoke`; tests/artefacts checks what it leaves.
"""

import zipfile

import pytest

from tests.torture.running import TINY
from tvgp.study.command import plan
from tvgp.study.config import loading
from tvgp.study.execution import files, netcdf

pytestmark = pytest.mark.slow
CONFIG = ("--configfile", *map(str, TINY))


@pytest.fixture(scope="module")
def smoke(pristine, tmp_path_factory):
    directory = tmp_path_factory.mktemp("smoke")
    run = pristine.snakemake(directory, "--cores", "2", *CONFIG)
    assert run.returncode == 0, run.stdout
    return directory / "results" / "torture"


def test_every_product_is_there(smoke):
    assert {path.stem for path in (smoke / "collected").glob("*.nc")} == {"ozone"}
    for name in ("figures/ozone/average_regret", "figures/across/window_partition"):
        for suffix in ("pdf", "png"):
            assert (smoke / f"{name}.{suffix}").stat().st_size
    assert (smoke / "analyses/window_partition.nc").is_file()
    assert set(files.read_object(smoke / "check.json")) == {"ozone"}


def test_nothing_is_left_to_plan_and_every_job_is_timed(smoke, pristine):
    config = loading.overlaid(loading.read(pristine.root / "config"), CONFIG[1:], {})
    jobs = list(plan.listed(config, smoke))
    assert len(jobs) == 5 and all(job.made.is_file() and job.timing.is_file() for job in jobs)
    assert plan._seconds(jobs, jobs[:1], 1) > 0


def test_stand_in_data_are_marked_everywhere(smoke):
    with netcdf.reading(smoke / "collected/ozone.nc") as file:
        assert file.data == "standin"
    assert "stand-in" in (smoke / "report.html").read_text().lower()
    assert files.read_object(smoke / "fits/ozone.json")["source"] == "standin"


def test_the_report_opens_without_a_network(smoke):
    text = (smoke / "report.html").read_text()
    for loaded in ('src="http', "src='http", '<link rel="stylesheet"', "<script src"):
        assert loaded not in text


def test_snakemake_report_holds_the_page(smoke, pristine):
    """Offline: Snakemake brings the scripts of its report with it."""
    work = smoke.parents[1]
    run = pristine.snakemake(work, *CONFIG, "--report", str(work / "snakemake.zip"))
    assert run.returncode == 0, run.stdout
    with zipfile.ZipFile(work / "snakemake.zip") as archive:
        (held,) = [name for name in archive.namelist() if "/data/" in name and name.endswith("report.html")]
        assert archive.read(held) == (smoke / "report.html").read_bytes()


def test_no_path_of_this_machine_is_in_the_results(smoke, pristine):
    for path in smoke.rglob("*"):
        if path.is_file() and "logs" not in path.parts:
            assert str(pristine.root).encode() not in path.read_bytes(), path
