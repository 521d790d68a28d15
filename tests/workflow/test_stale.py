"""Files of another configuration are refused where Snakemake itself takes them for up to date."""

import copy
import shutil

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def changed(tiny):
    """The tiny study with another parameter of one policy."""
    config = copy.deepcopy(tiny)
    config["policies"]["sparq_gp_ucb"] = {"parameters": {"delta": 0.9}}
    return config


def test_copied_results_serve_their_own_configuration_only(pristine, tiny, changed, reference, tmp_path):
    """Copied without .snakemake, which holds Snakemake's records of params."""
    copied = shutil.copytree(reference, tmp_path / "copied", ignore=shutil.ignore_patterns(".snakemake"))
    run = pristine.study(copied, tiny, "--dry-run")
    assert "Nothing to be done" in run.stdout, run.stdout
    run = pristine.study(copied, changed)
    assert run.returncode != 0, run.stdout
    (line,) = [text for text in run.stdout.splitlines() if text.startswith("ERROR")]
    assert line.startswith("ERROR: results/tiny/") and "made by another configuration" in line
    assert "Traceback" not in run.stdout


def test_blocks_of_two_configurations_are_not_collected(pristine, changed, reference, tmp_path):
    """One block is remade, those of the changed policy are not."""
    study = shutil.copytree(reference, tmp_path / "study")
    (study / "results/tiny/runs/rkhs_sine/oracle/alpha-1/seeds-1-2.nc").unlink()
    run = pristine.study(study, changed, "--rerun-triggers", "mtime")
    assert run.returncode != 0, run.stdout
    block = "results/tiny/runs/rkhs_sine/sparq_gp_ucb/alpha-1/seeds-1-2.nc"
    assert f"ERROR: {block}: made by another configuration" in run.stdout, run.stdout
