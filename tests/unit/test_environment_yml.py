"""The conda files list the same dependencies as pyproject.toml, with the same ranges."""

import re
import tomllib

import pytest
import yaml

EXTRAS = ("study", "fast", "test", "lint")


def _normal(requirement: str) -> tuple[str, str]:
    plain = requirement.partition(";")[0].replace(" ", "")
    name, limits = re.fullmatch(r"([A-Za-z0-9_.-]+)(.*)", plain).groups()
    return name.lower(), limits


@pytest.mark.parametrize(
    ("path", "extras", "more"),
    [
        ("environment.yml", EXTRAS, {"pip": ""}),  # to install this package itself
        ("workflow/envs/study.yaml", ("study",), {"pip": "", "setuptools": ">=77"}),
    ],
)
def test_environment_agrees_with_pyproject(project, path, extras, more):
    declared = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    expected = dict(map(_normal, declared["dependencies"]))
    for extra in extras:
        expected |= dict(map(_normal, declared["optional-dependencies"][extra]))
    expected["python"] = declared["requires-python"]

    environment = yaml.safe_load((project / path).read_text())
    assert dict(map(_normal, environment["dependencies"])) == expected | more


def test_lock_covers_pyproject_and_names_no_host(project):
    lock = (project / "requirements.lock").read_text()
    locked = {line.split("==")[0].lower() for line in lock.splitlines() if "==" in line}
    declared = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    wanted = [*declared["dependencies"], "setuptools"]  # pip builds tvgp without isolation
    for extra in EXTRAS:
        wanted += declared["optional-dependencies"][extra]
    assert {_normal(requirement)[0] for requirement in wanted} <= locked
    assert "://" not in lock


def test_every_python_has_the_same_numpy_and_scipy(project):
    """Their BLAS decides the last digits, and whether it bears the processor features of the jobs."""
    lock = (project / "requirements.lock").read_text()
    for name in ("numpy", "scipy"):
        assert len(re.findall(rf"(?m)^{name}==", lock)) == 1
