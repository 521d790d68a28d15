"""An edit reruns what depends on it, and nothing else."""

import copy
import re
import shutil

import pytest

from .conftest import copy_of, results_digest

pytestmark = pytest.mark.slow

BLOCKS = 2
RUNS = ("run_rkhs_sine", "tuned_rkhs_sine")  # the rules: their jobs play two variants, and one


@pytest.fixture(scope="module")
def study(pristine, reference, tmp_path_factory):
    """A checkout that may be edited, beside a copy of the finished tiny study."""
    folder = tmp_path_factory.mktemp("reruns")
    shutil.copytree(reference, folder / "work")
    return copy_of(pristine.root, folder / "checkout"), folder / "work"


def _planned(study, config) -> dict[str, int]:
    checkout, directory = study
    run = checkout.study(directory, config, "--dry-run")
    assert run.returncode == 0, run.stdout
    return {name: int(n) for name, n in re.findall(r"^(\w+) +(\d+)$", run.stdout, re.MULTILINE)}


def _runs(planned) -> tuple[int, ...]:
    """Jobs of each rule of runs."""
    return tuple(planned.get(rule, 0) for rule in RUNS)


@pytest.mark.parametrize(
    ("name", "old", "new", "runs"),
    [
        ("policies/oracle.py", '"""', '"""Another docstring. ', (0, 0)),
        ("policies/oracle.py", "", "\nADDED = 1\n", (BLOCKS, 0)),
        ("policies/uniform.py", "", "\nADDED = 1\n", (0, 0)),
        ("simulate.py", "", "\nADDED = 1\n", (BLOCKS, BLOCKS)),
    ],
)
def test_an_edit_of_the_library(study, tiny, name, old, new, runs):
    path = study[0].root / "src" / "tvgp" / name
    text = path.read_text()
    path.write_text(text.replace(old, new, 1) if old else text + new)
    try:
        planned = _planned(study, tiny)
    finally:
        path.write_text(text)
    assert _runs(planned) == runs, planned


def test_a_change_of_the_configuration(study, tiny):
    changed = copy.deepcopy(tiny)
    changed["policies"]["oracle"] = {"label": "an oracle"}
    planned = _planned(study, changed)
    assert _runs(planned) == (0, 0) and planned["collect"] == 1
    changed["experiments"]["rkhs_sine"]["seeds"] = 4
    assert _runs(_planned(study, changed)) == (1, 1)  # the block of seeds 3 and 4


def test_a_job_plays_only_the_variants_that_changed(study, tiny):
    """The blocks of the others come from `kept`, and are those of a study without it."""
    checkout, directory = study
    results = directory / "results/tiny"
    kept = sorted((results / "kept").rglob("*.nc"))
    before = {path: path.stat().st_mtime_ns for path in kept}
    assert len(before) == 3 * BLOCKS
    changed = copy.deepcopy(tiny)
    changed["policies"]["sparq_gp_ucb"] = {"parameters": {"delta": 0.9}}
    run = checkout.study(directory, changed)
    assert run.returncode == 0, run.stdout
    now = {path: path.stat().st_mtime_ns for path in (results / "kept").rglob("*.nc")}
    new = {path.relative_to(results / "kept/rkhs_sine").parts[0] for path, _ in now.items() - before.items()}
    assert new == {"sparq_gp_ucb"} and len(now) == len(before)
    with_kept = results_digest(results, blocks=True)
    shutil.rmtree(results / "kept")
    run = checkout.study(directory, changed, "--forcerun", *RUNS)
    assert run.returncode == 0, run.stdout
    assert results_digest(results, blocks=True) == with_kept
