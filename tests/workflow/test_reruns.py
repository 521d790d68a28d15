"""An edit reruns what depends on it, and nothing else."""

import copy
import re
import shutil

import pytest

from .conftest import copy_of

pytestmark = pytest.mark.slow

VARIANTS = 3
BLOCKS = 2


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


@pytest.mark.parametrize(
    ("name", "old", "new", "runs"),
    [
        ("policies/oracle.py", '"""', '"""Another docstring. ', 0),
        ("policies/oracle.py", "", "\nADDED = 1\n", BLOCKS),
        ("policies/uniform.py", "", "\nADDED = 1\n", 0),
        ("simulate.py", "", "\nADDED = 1\n", VARIANTS * BLOCKS),
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
    assert planned.get("run", 0) == runs, planned


def test_a_change_of_the_configuration(study, tiny):
    changed = copy.deepcopy(tiny)
    changed["policies"]["oracle"] = {"label": "an oracle"}
    planned = _planned(study, changed)
    assert "run" not in planned and planned["collect"] == 1
    changed["experiments"]["rkhs_sine"]["seeds"] = 4
    assert _planned(study, changed)["run"] == VARIANTS  # the block of seeds 3 and 4
