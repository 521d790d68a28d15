"""Imports point one way: kernels <- posterior <- policies; kernels <- environments; and so on.

Read from the syntax trees, so that imports inside functions count too.
"""

import ast
import sys

import pytest

from tvgp.study import provenance

BELOW_FIGURES = ("matplotlib",)
ALLOWED_FOR_MATPLOTLIB = ("tvgp.study.figures", "tvgp.study.figures.base.style")
NETWORK = ("pooch", "requests", "urllib.request", "urllib3", "http.client", "socket", "ftplib")
LIGHT = ("pandas", "xarray", "matplotlib", "sklearn", "jsonschema", "pooch", "jinja2")

# package or module: what it must not import, directly or through others
FORBIDDEN = {
    "tvgp.kernels": ("tvgp.posterior", "tvgp.policies", "tvgp.environments"),
    "tvgp.posterior": ("tvgp.policies", "tvgp.environments", "tvgp.simulate"),
    "tvgp.policies": ("tvgp.environments", "tvgp.simulate", "tvgp.study.datasets", "tvgp.study.data.field"),
    "tvgp.environments": ("tvgp.policies", "tvgp.posterior", "tvgp.simulate", "tvgp.study.datasets"),
    "tvgp.simulate": ("tvgp.policies", "tvgp.environments"),
    "tvgp.study.datasets": ("tvgp.policies", "tvgp.environments", "tvgp.posterior", "tvgp.fitting"),
    "tvgp.study.figures": ("tvgp.policies", "tvgp.environments", "tvgp.simulate", "tvgp.study.run.build"),
    "tvgp.study.tables": (
        "tvgp.policies",
        "tvgp.environments",
        "tvgp.simulate",
        "tvgp.study.run.build",
        "tvgp.study.figures",
    ),
    "tvgp.study.run.build": (
        "tvgp.study.datasets",
        "tvgp.fitting",
        "tvgp.study.figures",
        "tvgp.study.tables",
    ),
}


def _modules(project, package: str = "tvgp") -> list[str]:
    source = project / "src"
    names = []
    for path in sorted((source / "tvgp").rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return [name for name in names if name == package or name.startswith(package + ".")]


def _outside(project, module: str) -> set[str]:
    """Dotted names outside tvgp that a module imports."""
    stem = project.joinpath("src", *module.split("."))
    path = stem / "__init__.py" if stem.is_dir() else stem.with_suffix(".py")
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if not name.startswith("tvgp")}


def _touches(names: set[str], forbidden: tuple[str, ...]) -> set[str]:
    return {n for n in names for f in forbidden if n == f or n.startswith(f + ".")}


@pytest.mark.parametrize("package", FORBIDDEN)
def test_layers(project, package):
    for module in _modules(project, package):
        bad = _touches(provenance.closure(module) - {module}, FORBIDDEN[package])
        assert not bad, f"{module} reaches {sorted(bad)}"


def test_policies_do_not_see_one_another_through_the_package():
    closure = provenance.closure("tvgp.study.run.build")
    assert not _touches(closure, ("tvgp.policies",)) - {"tvgp.policies"}
    assert not _touches(closure, ("tvgp.environments",)) - {"tvgp.environments"}


def test_no_snakemake_no_network_no_stray_matplotlib(project):
    for module in _modules(project):
        outside = _outside(project, module)
        assert not _touches(outside, ("snakemake",)), module
        assert module == "tvgp.study.data.download" or not _touches(outside, NETWORK), module
        if not module.startswith(ALLOWED_FOR_MATPLOTLIB):
            assert not _touches(outside, BELOW_FIGURES), module


def test_no_script_touches_the_network(project):
    for path in sorted((project / "workflow" / "scripts").glob("*.py")):
        names = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module)
        assert not _touches(names, NETWORK), path.name


def test_the_run_path_imports_nothing_heavy(project):
    modules = provenance.closure(
        "tvgp.study.run.build",
        "tvgp.study.run.blocks",
        "tvgp.study.data.field",
        *_modules(project, "tvgp.policies"),
        *_modules(project, "tvgp.environments"),
    )
    for module in sorted(modules):
        assert not _touches(_outside(project, module), LIGHT), module


def test_scripts_are_thin(project):
    lengths = sorted(
        len(path.read_text().splitlines()) for path in (project / "workflow" / "scripts").glob("*.py")
    )
    assert lengths[len(lengths) // 2] <= 20
    assert lengths[-1] <= 50


def test_every_import_is_declared(project):
    """A module that only happens to be installed is no dependency."""
    declared = {
        "numpy",
        "scipy",
        "pandas",
        "xarray",
        "netCDF4",
        "pooch",
        "requests",
        "urllib3",
        "matplotlib",
        "PIL",
        "jsonschema",
        "jinja2",
        "yaml",
    }
    for module in _modules(project):
        roots = {name.split(".")[0] for name in _outside(project, module)}
        assert roots <= declared | set(sys.stdlib_module_names), module
