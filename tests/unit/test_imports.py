"""What the two wings may import from outside; test_architecture.py checks the layers inside.

Read from the syntax trees, so that imports inside functions count too.
"""

import ast
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tvgp.study.execution import provenance

SOURCE = Path(__file__).parents[2] / "src"
NETWORK = {"pooch", "requests", "urllib3", "http", "socket", "ftplib"}
HEAVY = {"pandas", "xarray", "matplotlib", "sklearn", "jsonschema", "pooch", "jinja2"}
DISTRIBUTIONS = {"PIL": "pillow", "yaml": "pyyaml", "netCDF4": "netcdf4"}


def _module(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_module(path): path for path in sorted((SOURCE / "tvgp").rglob("*.py"))}
LIBRARY = [name for name in MODULES if not name.startswith(("tvgp.study", "tvgp.__main__"))]
STUDY = [name for name in MODULES if name.startswith("tvgp.study")]


@cache
def _imports(path: Path) -> frozenset[str]:
    """Dotted names that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


def _roots(path: Path) -> set[str]:
    """Top-level packages outside tvgp and the standard library that a file imports."""
    return {name.split(".")[0] for name in _imports(path)} - {"tvgp"} - set(sys.stdlib_module_names)


@pytest.mark.parametrize("module", LIBRARY)
def test_the_library_imports_numpy_scipy_and_itself_only(module):
    optional = {"tvgp.dpp.compiled": {"numba"}, "tvgp.integrations.optuna": {"optuna"}}.get(module, set())
    assert _roots(MODULES[module]) <= {"numpy", "scipy"} | optional
    assert not [name for name in _imports(MODULES[module]) if name.startswith("tvgp.study")]


def test_the_study_imports_what_its_extra_declares(project):
    declared = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    wanted = declared["dependencies"] + declared["optional-dependencies"]["study"]
    for extra in ("zarr", "completion"):  # imported where a file or a shell needs it
        wanted += declared["optional-dependencies"][extra]
    names = {"".join(c for c in one.split(">")[0] if c not in " =<").lower() for one in wanted}
    for module in STUDY:
        for root in _roots(MODULES[module]) - {"urllib3", "markupsafe"}:  # come with requests and jinja2
            assert DISTRIBUTIONS.get(root, root).lower() in names, f"{module} imports {root}"


def test_only_figures_import_matplotlib_and_nothing_snakemake():
    for module, path in MODULES.items():
        assert "snakemake" not in _roots(path), module
        assert module.startswith("tvgp.study.figures") or "matplotlib" not in _roots(path), module


def test_only_the_download_touches_the_network(project):
    scripts = {path.stem: path for path in (project / "workflow" / "scripts").glob("*.py")}
    for name, path in {**MODULES, **scripts}.items():
        names = {imported.split(".")[0] for imported in _imports(path)}
        if name == "tvgp.study.execution.forkserver":  # sockets within the machine alone
            assert path.read_text().count("socket.socket(") == path.read_text().count("socket.AF_UNIX)") == 2
            names.remove("socket")
        assert name == "tvgp.study.data.download" or not names & NETWORK, name


def test_runs_load_one_policy_and_one_environment():
    closure = provenance.closure("tvgp.study.run.build")
    for package in ("tvgp.policies", "tvgp.environments"):
        plugins = [name for name in closure if name.startswith(f"{package}.") and ".base" not in name]
        assert not plugins


def test_the_run_path_imports_nothing_heavy():
    plugins = [name for name in LIBRARY if name.startswith(("tvgp.policies", "tvgp.environments"))]
    run = ("tvgp.study.run.build", "tvgp.study.run.blocks", "tvgp.study.data.field")
    for module in sorted(provenance.closure(*run, *plugins)):
        assert not _roots(MODULES[module]) & HEAVY, module


def test_a_list_loads_no_plug_in_and_nothing_slow(project):
    code = (
        "import sys; from tvgp.study.command import main; main(['list']);"
        "print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    loaded, registries = set(ended.stderr.split()), ("tvgp.policies.", "tvgp.environments.")
    assert {"numpy", "tvgp.kernels"} <= loaded
    assert not loaded & {"scipy.signal", "scipy.stats", "scipy.optimize", "scipy.spatial"}
    assert not loaded & HEAVY
    assert not [name for name in loaded if name.startswith(registries)]


def test_scripts_are_thin(project):
    scripts = (project / "workflow" / "scripts").glob("*.py")
    lengths = sorted(len(path.read_text().splitlines()) for path in scripts)
    assert lengths[len(lengths) // 2] <= 20
    assert lengths[-1] <= 50
