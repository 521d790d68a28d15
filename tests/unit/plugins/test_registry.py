"""Plug-ins by file name: what a registry finds, and one line for every wrong name."""

import sys

import pytest

from tvgp.plugins import Registry

ALPHA = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Parameters:
    size: int
    scale: float = 1.0

def run(seeds, size, scale=1.0): ...
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "plugs"
    (folder / "base").mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "base" / "__init__.py").touch()
    (folder / "alpha.py").write_text(ALPHA)
    (folder / "beta.py").write_text("from tvgp.plugins import NoParameters as Parameters\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "plugs"
    for name in [name for name in sys.modules if name.split(".")[0] == "plugs"]:
        del sys.modules[name]


def test_plugins_are_modules_not_packages(package):
    registry = Registry(package, "plug")
    assert registry.names() == ["alpha", "beta"]
    assert registry.parameters("alpha") == {"size", "scale"} and registry.required("alpha") == {"size"}
    assert registry.parameters("beta") == set()
    assert registry.fill("alpha", {"size": 3}).scale == 1.0


def test_a_function_declares_parameters_as_well(package):
    registry = Registry(package, "plug", declares="run", given=frozenset({"seeds"}))
    assert registry.parameters("alpha") == {"size", "scale"} and registry.required("alpha") == {"size"}


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("gamma", {}, "^no 'gamma' in plugs; known: alpha, beta$"),
        ("base", {}, r"^no 'base' in plugs \(did you mean beta\?\); known: alpha, beta$"),
        ("alpha", {"size": 1, "colour": 2}, "^plug alpha has no parameter 'colour'; it has: scale, size$"),
        ("beta", {"colour": 2}, "^plug beta has no parameter 'colour'; it has: none$"),
        ("alpha", {"scale": 1.0}, "^plug alpha: parameter 'size' is missing; it has no default$"),
    ],
)
def test_wrong_names_give_one_line_errors(package, name, values, message):
    with pytest.raises(ValueError, match=message):
        Registry(package, "plug").fill(name, values)
