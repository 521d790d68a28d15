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
    (folder / "beta.py").write_text("")
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
    assert registry.arguments("alpha", {"size": 3}) == (registry.fill("alpha", {"size": 3}),)
    assert registry.arguments("beta", {}) == ()


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


OWN = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Parameters:
    size: int = 3

def make(prior, noise_variance, parameters): return parameters.size
"""


def test_a_file_is_a_plugin_under_its_name(package, tmp_path):
    registry = Registry(package, "plug")
    path = tmp_path / "gamma_one.py"
    path.write_text(OWN)
    assert registry.register_file(path) == "gamma_one"
    assert registry.names() == ["alpha", "beta", "gamma_one"]
    assert registry.fill("gamma_one", {"size": 5}).size == 5
    assert registry.module_of("gamma_one") == "gamma_one"
    assert Registry(package, "plug").names() == ["alpha", "beta"]


def test_an_entry_point_is_a_plugin(package, tmp_path, monkeypatch):
    group = "plugs_with_entry"
    (tmp_path / group).mkdir()
    (tmp_path / group / "__init__.py").touch()
    (tmp_path / "elsewhere_delta.py").write_text(OWN)
    info = tmp_path / "elsewhere-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: elsewhere\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[{group}]\ndelta = elsewhere_delta\n")
    registry = Registry(group, "plug")
    assert registry.names() == ["delta"]
    assert registry.module_of("delta") == "elsewhere_delta" not in sys.modules
    assert registry.load("delta").make(None, 0.1, registry.fill("delta", {})) == 3


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("alpha.py", OWN, "plug alpha: the name is taken; choose another"),
        ("My-Policy.py", OWN, "plug 'My-Policy': expected a name of a-z, 0-9 and _"),
        ("empty.py", "", "plug empty: empty has no function make"),
        ("random.py", OWN, "random.py: a module random is loaded already; rename the file"),
        ("broken.py", "1/0", "broken.py: ZeroDivisionError: division by zero"),
        ("none.py", None, "none.py: expected a Python file of a plug"),
        ("none.txt", OWN, "none.txt: expected a Python file of a plug"),
    ],
)
def test_files_that_are_no_plugins_give_one_line(package, tmp_path, name, text, message):
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    loaded = sys.modules.get(path.stem)
    with pytest.raises(ValueError, match=f"{message}$"):
        Registry(package, "plug").register_file(path)
    assert sys.modules.get(path.stem) is loaded


@pytest.mark.parametrize("given", [object, 3, None])
def test_what_is_no_name_is_refused_in_a_line(given):
    with pytest.raises(ValueError, match="^policy is .*, expected a name"):
        Registry("tvgp.policies", "policy").parameters(given)
