"""Where a result comes from: the code, the versions and the commit behind it.

Snakemake watches scripts, not the modules they import. Each rule therefore takes the
`fingerprint` of the modules it depends on as a param: an edit of one policy reruns that policy,
an edit of a docstring or a comment reruns nothing.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import json
import platform
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

_SOURCE = Path(__file__).resolve().parents[1]
_PACKAGE = _SOURCE.name
_FILE_NAME = re.compile(r"\w+\.(?!py$)\w+")
_FOR_CHECKERS = ("TYPE_CHECKING", "typing.TYPE_CHECKING")


@cache
def fingerprint(*modules: str) -> str:
    """16 hex digits over the code of these modules and of every tvgp module they import.

    `modules` are dotted names ("tvgp.study.run.build", "tvgp.policies.gp_ucb"). What counts is the syntax
    tree without docstrings, and the files beside a module that it names, as a style sheet; imports
    inside functions count. ValueError for an unknown module.
    """
    digest = hashlib.sha256()
    for name in sorted(closure(*modules)):
        digest.update(f"{name}\n{_code(_file(name))}\n".encode())
    return digest.hexdigest()[:16]


def closure(*modules: str) -> set[str]:
    """The modules, their packages, and every tvgp module they import directly or indirectly."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        path = _file(name)
        if path is None:
            raise ValueError(f"no module {name} below {_PACKAGE}")
        found.add(name)
        if "." in name:
            waiting.append(name.rpartition(".")[0])
        waiting.extend(imported(name))
    return found


@cache
def imported(name: str) -> frozenset[str]:
    """tvgp modules that the module `name` names in its import statements.

    Imports under `if TYPE_CHECKING:` do not count: they never run.
    """
    path = _file(name)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    result: set[str] = set()
    for node in _executed(_tree(path)):
        if isinstance(node, ast.Import):
            candidates = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                above = parts[: len(parts) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            candidates = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        else:
            continue
        result.update(c for c in candidates if c.split(".")[0] == _PACKAGE and _file(c))
    return frozenset(result - {name})


def versions() -> dict[str, str]:
    """Versions of what numbers depend on: Python, NumPy, SciPy, netCDF4, BLAS, tvgp."""
    import netCDF4
    import numpy
    import scipy

    blas = numpy.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "netCDF4": netCDF4.__version__,
        "blas": f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip(),
        "tvgp": importlib.metadata.version(_PACKAGE),
    }


@cache
def commit() -> str:
    """Git commit of the checkout this package lies in, "unknown" outside a repository."""
    command = ["git", "-C", str(_SOURCE), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return answer.stdout.strip() or "unknown"


class Recipe(TypedDict):
    """What a file is made from. recipe: digest of job, fingerprint and the recipes of its inputs."""

    job: Mapping[str, Any]
    fingerprint: str
    recipe: str


def recipe(job: Mapping[str, Any], code: str, *inputs: Recipe) -> Recipe:
    """The recipe of a file that `code`, a fingerprint, makes by `job` from files with these recipes."""
    text = json.dumps([job, code, *(each["recipe"] for each in inputs)], sort_keys=True)
    return {"job": job, "fingerprint": code, "recipe": hashlib.sha256(text.encode()).hexdigest()[:16]}


def require(expected: Mapping[str, str]) -> None:
    """ValueError, one line, for the first file whose stored recipe differs from the expected one.

    expected: path to digest. Call it before reading any file that another job wrote.
    """
    for path, digest in expected.items():
        if stored(path) != digest:
            raise ValueError(
                f"{path}: made by another configuration or other code; delete it and repeat the command, "
                "or remake everything with: snakemake --forceall"
            )


def stored(path: str | Path) -> str | None:
    """Digest of the recipe in a result file, None if it has none; ValueError for a damaged file."""
    try:
        if Path(path).suffix == ".nc":
            import netCDF4

            with netCDF4.Dataset(path) as file:
                return getattr(file, "recipe", None)
        return json.loads(Path(path).read_text(encoding="utf-8")).get("recipe")
    except (OSError, ValueError, RuntimeError, RecursionError, AttributeError) as error:
        reason = " ".join(str(error).split())[:120]
        raise ValueError(f"{path}: damaged ({reason}); delete it and repeat the command") from None


def origin(made: Recipe) -> dict[str, Any]:
    """Attributes that say where a result comes from."""
    return {**made, "versions": versions(), "commit": commit()}


def _file(name: str) -> Path | None:
    """Source file of a module by its dotted name, None where there is none."""
    parts = name.split(".")
    if parts[0] != _PACKAGE:
        return None
    stem = _SOURCE.joinpath(*parts[1:])
    for path in (stem / "__init__.py", stem.with_suffix(".py")):
        if path.is_file():
            return path
    return None


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below a node, without the bodies of `if TYPE_CHECKING:`."""
    yield node
    children: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and ast.unparse(node.test) in _FOR_CHECKERS:
        children = node.orelse
    for child in children:
        yield from _executed(child)


@cache
def _code(path: Path) -> str:
    """The syntax tree as text, without docstrings, positions and comments; data files behind it."""
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, holders) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    names = sorted(text for text in texts if isinstance(text, str) and _FILE_NAME.fullmatch(text))
    beside = [path.with_name(name) for name in names if path.with_name(name).is_file()]
    return ast.dump(tree) + "".join(file.read_text(encoding="utf-8") for file in beside)
