"""Updates with a killed worker, and missing or truncated files between raw data and products."""

import os
import re
import shutil

import pytest

from tests.torture import kinds
from tvgp.study.execution import files

from .conftest import results_digest

pytestmark = pytest.mark.slow

MIDDLE = {  # a file of each kind, the rule that makes it
    "block": ("runs/rkhs_sine/oracle/alpha-1/seeds-1-2.*.nc", "run_rkhs_sine"),
    "runs": ("runs/run_rkhs_sine/alpha-1/seeds-1-2.json", "run_rkhs_sine"),
    "wall times": ("timings/runs/rkhs_sine/oracle/alpha-1/seeds-1-2.*.json", "run_rkhs_sine"),
    "parameter": ("tuned/rkhs_sine/sw_gp_ucb_tuned.*.json", "tune_rkhs_sine"),
    "tuned": ("tuned/rkhs_sine.json", "tune_rkhs_sine"),
    "fits": ("fits/rkhs_sine.json", "fit"),
    "collected": ("collected/rkhs_sine.nc", "collect"),
}
PIECES = ("block", "wall times", "parameter")  # which are in manifests, not among Snakemake's outputs


def _path(study, kind):
    """The file of a kind in a study."""
    (path,) = (study / "results/tiny").glob(MIDDLE[kind][0])
    return path


def test_an_update_with_a_killed_worker(pristine, changed, updated, finished):
    """Snakemake deletes the outputs of the killed job but records its new params."""
    assert pristine.kill_worker(finished, changed, ".run.py") != 0
    run = pristine.study(finished, changed)
    assert run.returncode == 0, run.stdout
    expected = results_digest(updated / "results/tiny", blocks=True)
    assert results_digest(finished / "results/tiny", blocks=True) == expected


@pytest.mark.parametrize("kind", MIDDLE)
def test_a_deleted_file_is_missed(pristine, tiny, finished, kind):
    """Although nothing that is still to be made needs it; `make torture` lets the study remake it."""
    _path(finished, kind).unlink()
    run = pristine.study(finished, tiny, "--dry-run")
    reason = "forced" if kind in PIECES else "output files have to be generated"
    assert re.search(rf"{reason}:\n\s+{MIDDLE[kind][1]}\n", run.stdout), run.stdout


def test_truncated_files_are_refused_until_they_are_deleted(pristine, tiny, reference, finished):
    paths = [_path(finished, kind) for kind in MIDDLE]
    for path in paths:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    for _ in range(2):  # a second start must not pass over the gaps that the first one leaves
        run = pristine.study(finished, tiny)
        assert run.returncode != 0, run.stdout
        missed = [path for path in paths if f"ERROR: {path.relative_to(finished)}: " not in run.stdout]
        assert not missed and "Traceback" not in run.stdout, run.stdout
    for path in paths:  # all are made again: make torture
        path.unlink()
    run = pristine.study(finished, tiny, "--until", "fit")
    assert run.returncode == 0, run.stdout
    assert files.digest(_path(finished, "fits")) == files.digest(_path(reference, "fits"))


def test_one_command_names_and_repairs_all_damaged_files(pristine, tiny, reference, finished):
    """With their times kept, so that Snakemake does not notice."""
    found = kinds.first_files(finished)
    assert len(found) == 15 and not kinds.named(finished)
    for way in kinds.WAYS:
        assert not kinds.unnamed(finished, way), way
    for number, path in enumerate(found.values()):
        kinds.damage(path, list(kinds.WAYS)[number % 3])
    run = pristine.study(finished, tiny, "--config", "repair=1")
    assert run.returncode == 0, run.stdout
    assert not kinds.named(finished)
    expected = results_digest(reference / "results/tiny", blocks=True)
    assert results_digest(finished / "results/tiny", blocks=True) == expected


def test_files_of_another_configuration_are_made_again(pristine, changed, updated, finished):
    """With an input from the future, which Snakemake would refuse."""
    shutil.rmtree(finished / ".snakemake")
    os.utime(finished / "results/tiny/fits/rkhs_sine.json", (2**33, 2**33))
    run = pristine.study(finished, changed, "--config", "repair=1")
    assert run.returncode == 0, run.stdout
    expected = results_digest(updated / "results/tiny", blocks=True)
    assert results_digest(finished / "results/tiny", blocks=True) == expected
