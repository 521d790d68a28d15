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
def editable(project, tmp_path_factory):
    """A checkout that may be edited."""
    return copy_of(project, tmp_path_factory.mktemp("reruns") / "checkout")


def _planned(checkout, directory, config) -> dict[str, int]:
    run = checkout.study(directory, config, "--dry-run")
    assert run.returncode == 0, run.stdout
    return {name: int(n) for name, n in re.findall(r"^(\w+) +(\d+)$", run.stdout, re.MULTILINE)}


def _runs(planned) -> tuple[int, ...]:
    """Jobs of each rule of runs."""
    return tuple(planned.get(rule, 0) for rule in RUNS)


@pytest.mark.parametrize(
    ("edits", "runs"),
    [
        (  # a docstring that all use, a policy that none plays, and one that a single rule plays
            [
                ("simulate.py", '"""', '"""Another docstring. '),
                ("policies/uniform.py", "", "ADDED = 1\n"),
                ("policies/oracle.py", "", "ADDED = 1\n"),
            ],
            (BLOCKS, 0),
        ),
        ([("simulate.py", "", "ADDED = 1\n")], (BLOCKS, BLOCKS)),
    ],
)
def test_an_edit_of_the_library(editable, tiny, reference, edits, runs):
    texts = {}
    for name, old, new in edits:
        path = editable.root / "src" / "tvgp" / name
        texts[path] = text = path.read_text()
        path.write_text(text.replace(old, new, 1) if old else f"{text}\n{new}")
    try:
        planned = _planned(editable, reference, tiny)
    finally:
        for path, text in texts.items():
            path.write_text(text)
    assert _runs(planned) == runs, planned


def test_a_change_of_the_configuration(pristine, tiny, reference):
    changed = copy.deepcopy(tiny)
    changed["policies"]["oracle"] = {"label": "an oracle"}
    planned = _planned(pristine, reference, changed)
    assert _runs(planned) == (0, 0) and planned["collect"] == 1
    changed["experiments"]["rkhs_sine"]["seeds"] = 4
    assert _runs(_planned(pristine, reference, changed)) == (1, 1)  # the block of seeds 3 and 4


def test_a_job_plays_only_the_variants_that_changed(pristine, changed, reference, updated, tmp_path):
    """The blocks of the others stay, and are those of a study that plays all of them."""
    before, now = (
        {
            path.relative_to(folder): path.stat().st_mtime_ns
            for path in (folder / "results/tiny/runs/rkhs_sine").rglob("*.nc")
        }
        for folder in (reference, updated)
    )
    assert len(before) == len(now) == 3 * BLOCKS
    new = {path.parts[4] for path, _ in now.items() - before.items()}
    assert new == {"sparq_gp_ucb"}
    directory = shutil.copytree(updated, tmp_path / "study")
    shutil.rmtree(directory / "results/tiny/runs")
    run = pristine.study(directory, changed, "--until", *RUNS)
    assert run.returncode == 0, run.stdout
    played, expected = (
        results_digest(folder / "results/tiny", blocks=True) for folder in (directory, updated)
    )
    assert played == expected
