"""Files of another configuration are refused where Snakemake itself takes them for up to date."""

import copy
import shutil

import netCDF4
import pytest

from tvgp.study.config import loading
from tvgp.study.execution import netcdf

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def drawn(pristine, tiny, reference, tmp_path_factory):
    """The tiny study with a figure: configuration and folder."""
    config = copy.deepcopy(tiny)
    config["selection"]["figures"] = ["average_regret"]
    folder = shutil.copytree(reference, tmp_path_factory.mktemp("drawn") / "study")
    run = pristine.study(folder, config)
    assert run.returncode == 0, run.stdout
    return config, folder


@pytest.fixture(scope="module")
def copied(pristine, drawn, tmp_path_factory):
    """Configuration and results of `drawn` without Snakemake's records, up to date; for dry runs only."""
    config, folder = drawn
    study = _copied(folder, tmp_path_factory.mktemp("copied") / "study")
    run = pristine.study(study, config, "--dry-run")
    assert "Nothing to be done" in run.stdout, run.stdout
    return config, study


def _copied(folder, to):
    """Results without .snakemake, which holds Snakemake's records of params."""
    return shutil.copytree(folder, to, ignore=shutil.ignore_patterns(".snakemake"))


def _refusals(run):
    """The lines with which a study refuses to start or go on."""
    assert run.returncode != 0, run.stdout
    assert "Traceback" not in run.stdout
    return sorted({text for text in run.stdout.splitlines() if text.startswith("ERROR")})


def _refusal(run):
    """The only such line."""
    (line,) = _refusals(run)
    return line


def test_copied_results_serve_their_own_configuration_only(pristine, tiny, changed, reference, tmp_path):
    copied = _copied(reference, tmp_path / "copied")
    run = pristine.study(copied, tiny, "--dry-run")
    assert "Nothing to be done" in run.stdout, run.stdout
    lines = _refusals(pristine.study(copied, changed))
    made = "runs/run_rkhs_sine/alpha-1/seeds-1-2.json", "collected/rkhs_sine.nc", "records/report.json"
    for name in made:  # all at once
        assert any(line.startswith(f"ERROR: results/tiny/{name}: made by another conf") for line in lines)


@pytest.mark.parametrize(
    ("record", "change"),
    [
        ("figures_rkhs_sine", {"figures": {"average_regret": {"parameters": {"variants": ["oracle"]}}}}),
        ("figures_rkhs_sine", {"tables": {"regret": {"formats": ["csv", "tex"]}}}),
        ("report", {"scale": "another"}),
    ],
)
def test_copied_products_serve_their_own_configuration_only(pristine, copied, record, change):
    config, study = copied
    lines = _refusals(pristine.study(study, loading.merged(copy.deepcopy(config), change), "--dry-run"))
    wanted = f"ERROR: results/tiny/records/{record}.json: made by another configuration"
    assert any(line.startswith(wanted) for line in lines)


def test_a_copied_report_with_other_claims_is_refused(checkout, copied):
    config, study = copied
    with open(checkout.root / "src/tvgp/study/claims/vakili21.py", "a") as file:
        file.write("\nADDED = 1\n")
    line = _refusal(checkout.study(study, config, "--dry-run"))
    assert line.startswith("ERROR: results/tiny/records/report.json: made by another configuration")


def test_the_report_refuses_products_of_other_results(pristine, drawn, tmp_path):
    config, folder = drawn
    study = shutil.copytree(folder, tmp_path / "study")
    results = study / "results/tiny"
    for name in ("figures/rkhs_sine/average_regret.png", "tables/regret.csv"):
        content = (results / name).read_bytes()
        (results / name).write_bytes(content + b"0")
        line = _refusal(pristine.study(study, config))
        assert line.startswith(f"ERROR: results/tiny/{name}: damaged or replaced; delete it and repeat")
        (results / name).write_bytes(content)
    collected = results / "collected/rkhs_sine.nc"
    with netCDF4.Dataset(collected, "a") as file:  # the same recipe, other numbers
        file["reward"][0, 0, 0, 0] += 1
    netcdf.seal(collected)
    line = _refusal(pristine.study(study, config, "--rerun-triggers", "params"))
    replaced = "ERROR: results/tiny/collected/rkhs_sine.nc: damaged or replaced; delete it and repeat"
    assert line.startswith(replaced)
    assert not (results / "report.html").exists()


def test_blocks_of_two_configurations_are_not_collected(pristine, changed, finished):
    """A block of the tuned variant is remade, those of the changed policy are not."""
    (block,) = finished.glob("results/tiny/runs/rkhs_sine/sw_gp_ucb_tuned/alpha-1/seeds-1-2.*.nc")
    block.unlink()
    run = pristine.study(finished, changed, "--rerun-triggers", "mtime")
    assert run.returncode != 0, run.stdout
    assert block.exists()
    others = "results/tiny/runs/run_rkhs_sine/alpha-1/seeds-1-2.json"
    assert f"ERROR: {others}: made by another configuration" in run.stdout, run.stdout
