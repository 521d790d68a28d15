"""Provenance of a result: its code, versions and commit.

Snakemake watches scripts, not the modules they import. Each rule therefore takes the
`fingerprint` of the modules it depends on as a param: an edit of one policy reruns that policy,
an edit of a docstring or a comment reruns nothing.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypedDict

from tvgp.study.execution import answer_cache, files, netcdf, pieces, processor

_SOURCE = Path(__file__).resolve().parents[2]
_PACKAGE = _SOURCE.name
PAGES = ("README.md", "docs", "paper")  # where a publication writes
_FILE_NAME = re.compile(r"Constant\(value='(\w+\.(?!py')\w+)'")  # in the text of a syntax tree
_REMEDY = "delete it and repeat the command, or remake everything with: snakemake --forceall"
_HOLDERS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# below a study's results: what has its files in them, beside check.json
FOLDERS = ("analyses", "checks", "collected", "fits", "live", "records", "runs", "timings", "tuned")
_UNKNOWN: Mapping[str, str] = MappingProxyType({})
_FOR_CHECKERS = ("TYPE_CHECKING", "typing.TYPE_CHECKING")


@cache
def fingerprint(*modules: str) -> str:
    """16 hex digits over the code of these modules and of every tvgp module they import.

    `modules` are dotted names ("tvgp.study.run.build", "tvgp.policies.gp_ucb"). The digest covers the
    syntax tree without docstrings and any data file in the same folder that the module names, such
    as a style sheet. Imports inside functions count. ValueError for an unknown module.
    """

    def answer() -> str:
        digest = hashlib.sha256()
        for name in sorted(closure(*modules)):
            digest.update(f"{name}\n{_code(name)}\n".encode())
        return digest.hexdigest()[:16]

    return answer_cache.remembered(f"fingerprint {modules}", answer)


def closure(*modules: str) -> set[str]:
    """The modules, their packages, and every tvgp module they import directly or indirectly."""
    result: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in result:
            continue
        imports = imported(name)
        result.add(name)
        if _file(above := name.rpartition(".")[0]):  # a namespace has none
            waiting.append(above)
        waiting.extend(imports)
    return result


@cache
def imported(name: str) -> frozenset[str]:
    """Modules of tvgp, and of a plug-in's own package, in the import statements of the module `name`.

    Imports under `if TYPE_CHECKING:` do not count: they never run.
    """
    path, packages = _path(name), {_PACKAGE, name.partition(".")[0]}
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    result: set[str] = set()
    for node in _statements(_tree(path).body):
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
        result.update(c for c in candidates if c.partition(".")[0] in packages and _file(c))
    return frozenset(result - {name})


def versions() -> dict[str, str]:
    """Versions that numbers depend on: Python, NumPy, SciPy, netCDF4, BLAS, processor features, tvgp."""
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
        "processor": processor.described(),
        "tvgp": importlib.metadata.version(_PACKAGE),
    }


@cache
def commit() -> str:
    """Git commit of the checkout this package lies in, "unknown (reason)" where git names none.

    It ends in "-dirty" where a file of the checkout is not as committed, other than the `PAGES` that a
    publication has written: a part is run while those of the part before it wait for their commit.
    """
    if (_SOURCE / "study" / "packaged").is_dir():  # a repository around it is another project's
        return "unknown (tvgp is installed from a wheel)"
    try:
        answer = _git("describe", "--always", "--abbrev=12")
        changed = _git("diff", "--quiet", "HEAD", "--", ":/", *(f":(top,exclude){page}" for page in PAGES))
    except FileNotFoundError:
        return "unknown (git is not installed)"
    except (OSError, subprocess.SubprocessError) as error:
        return f"unknown (git does not run: {type(error).__name__})"
    if answer.returncode == 0:
        return answer.stdout.strip() + "-dirty" * bool(changed.returncode)
    for reason in ("not a git repository", "dubious ownership"):
        if reason in answer.stderr:
            return f"unknown ({reason})"
    return f"unknown (git describe fails with exit code {answer.returncode})"


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What git answers about the checkout, in English."""
    command, plain = ["git", "-C", str(_SOURCE), *arguments], {**os.environ, "LC_ALL": "C"}
    return subprocess.run(command, env=plain, capture_output=True, text=True, timeout=60)


class Recipe(TypedDict):
    """What a file is made from. recipe: digest of job, fingerprint and the recipes of its inputs."""

    job: Mapping[str, Any]
    fingerprint: str
    recipe: str


def recipe(job: Mapping[str, Any], code: str, *inputs: Recipe) -> Recipe:
    """The recipe of a file that `code`, a fingerprint, makes by `job` from files with these recipes."""
    text = json.dumps([job, code, *(each["recipe"] for each in inputs)], sort_keys=True)
    return {"job": job, "fingerprint": code, "recipe": hashlib.sha256(text.encode()).hexdigest()[:16]}


def joint(recipes: Iterable[Recipe]) -> Recipe:
    """The recipe of the manifest of pieces that are made by these."""
    return recipe({}, "", *recipes)


def record_pieces(path: str | Path, recipes: Iterable[Recipe], made: Sequence[Path]) -> None:
    """Write the manifest of pieces made by these recipes, then remove those that others left beside them."""
    record(path, joint(recipes), [], made)
    pieces.keep_only(made)


def record(
    path: str | Path, made: Recipe, inputs: Iterable[str | Path], products: Iterable[str | Path]
) -> None:
    """Write the record of files that hold no recipe themselves: images, CSV, HTML.

    It names them and what they were made from, each with its sha256, by paths relative to its folder.
    """
    folder = Path(path).parent

    def digests(paths: Iterable[str | Path]) -> dict[str, str]:
        return {Path(os.path.relpath(each, folder)).as_posix(): files.digest(each) for each in paths}

    files.write_object(path, {**made, "inputs": digests(inputs), "products": digests(products)})


def require(expected: Mapping[str, str]) -> None:
    """ValueError, one line, for the first file that `faults` finds behind these recipes.

    expected: path to digest. Call it before reading any file that another job wrote.
    """
    for fault in faults(expected, expected).values():
        raise ValueError(fault)


def faults(paths: Iterable[str], recipes: Mapping[str, str] = _UNKNOWN) -> dict[str, str]:
    """What to delete so that it is made again, each with the reason in one line.

    paths: files that hold a digest of their own; recipes: what they must be made by, where that is known.
    What a record names, its products and what they were made from, must be those files, byte by byte. Of
    raw files that have changed it is the manifest that is made again.
    """
    found, records = _opened(paths, recipes)
    digest = cache(files.digest)
    for role in ("products", "files", "inputs"):  # faults of what comes first are named first
        for path, content in records.items():
            for file, known in _named(path, content, role):
                if file not in found and not (os.path.isfile(file) and digest(file) == known):
                    found |= _fault(path, role, file)
    return found


def damaged(paths: Iterable[str]) -> dict[str, str]:
    """The files among these, which hold a digest of their own, that contradict it, with the reason."""
    return _opened(paths, _UNKNOWN)[0]


def incomplete(paths: Iterable[str]) -> set[str]:
    """The records among these files, which hold a digest of their own, whose products are not all there."""
    records = _opened((path for path in paths if path.endswith(".json")), _UNKNOWN)[1]
    return {
        path
        for path, content in records.items()
        if not all(os.path.isfile(file) for file, _ in _named(path, content, "products"))
    }


def _opened(
    paths: Iterable[str], recipes: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, Mapping[str, Any]]]:
    """The faults of these files by themselves, and the records in those that have one or a recipe."""
    found: dict[str, str] = {}
    records: dict[str, Mapping[str, Any]] = {}
    for path in paths:
        try:
            if Path(path).suffix == ".json" or path in recipes:
                records[path] = stored(path)
            else:
                netcdf.check(path)
        except ValueError as error:
            found[path] = str(error)
            continue
        if path in recipes and records[path].get("recipe") != recipes[path]:
            found[path] = f"{path}: made by another configuration or other code; {_REMEDY}"
    return found, records


def sealed(results: str | Path, resources: str | Path) -> list[str]:
    """The files of a study that hold a digest of their own: all NetCDF and JSON files that it writes.

    Files that its user has put beside them do not count.
    """
    inside = [each for folder in FOLDERS for each in Path(results, folder).rglob("*")]
    present = [*Path(results).glob("check.json"), *inside, *Path(resources).glob("*/*")]
    chosen = (path for path in present if path.suffix in (".json", ".nc") and path.name[0] != ".")
    return sorted(map(str, chosen))


def stored(path: str | Path) -> Mapping[str, Any]:
    """The recipe in a result file, under "recipe", and all else that a JSON file holds.

    ValueError for a damaged file.
    """
    if Path(path).suffix == ".nc":
        with netcdf.reading(path) as file:
            return {"recipe": getattr(file, "recipe", None)}
    return files.read_object(path)


def origin(made: Recipe) -> dict[str, Any]:
    """Attributes that record the provenance of a result."""
    return {**made, "versions": versions(), "commit": commit()}


def merged(origins: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Distinct commits, fingerprints and versions in the attributes of several results."""
    attributes = list(origins)
    return {
        name: sorted({str(origin[name]) for origin in attributes if name in origin})
        for name in ("commit", "fingerprint", "versions")
    }


def described(merged_texts: Iterable[str]) -> tuple[str, dict[str, str]]:
    """Commits, and versions by name, of results whose `merged` origins are given as JSON.

    Several values are separated by commas.
    """
    origins = [json.loads(text) for text in merged_texts]
    commits = sorted({commit for origin in origins for commit in origin["commit"]})
    values: dict[str, set[str]] = {}
    for text in sorted({text for origin in origins for text in origin["versions"]}):
        for name, version in json.loads(text).items():
            values.setdefault(name, set()).add(version)
    return ", ".join(commits), {name: ", ".join(sorted(values[name])) for name in sorted(values)}


def _fault(path: str, role: str, file: str) -> dict[str, str]:
    """What to delete where a file is not the one that a record names in this role, and why."""
    if role != "files" and not os.path.isfile(file):
        return {file: f"{file}: no such file"}
    if role == "products":
        return {file: f"{file}: damaged or replaced; {_REMEDY}"}
    return {path: f"{path}: made from another {file}; {_REMEDY}"}


def _named(path: str, content: Mapping[str, Any], role: str) -> list[tuple[str, str]]:
    """The files that a record, or in the role "files" a manifest, names, each with its sha256."""
    if role == "files":
        return [(each["path"], each["sha256"]) for each in content.get(role, ())]
    folder = Path(path).parent
    return [(os.path.normpath(folder / name), known) for name, known in content.get(role, {}).items()]


def _path(name: str) -> Path:
    """Source file of a module, a plug-in's of another distribution too. ValueError for an unknown module."""
    path = _file(name)
    if path is None:
        raise ValueError(f"no module {name}: it has no source file")
    return path


def _file(name: str) -> Path | None:
    """Source file of a module by its dotted name, None for an unknown module."""
    package, *inner = name.split(".")
    for folder in answer_cache.folders(package) if package else ():
        stem = folder.joinpath(*inner)
        for path in (stem / "__init__.py", stem.with_suffix(".py")):
            if path.is_file():
                return path
    return None


@cache
def _tree(path: Path) -> ast.Module:
    """The syntax tree without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    for node in [tree, *_statements(tree.body)]:
        if isinstance(node, _HOLDERS) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree


def _statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The statements below a list of them, without the bodies of `if TYPE_CHECKING:`."""
    for node in body:
        yield node
        checked = isinstance(node, ast.If) and ast.unparse(node.test) in _FOR_CHECKERS
        for part in ("orelse",) if checked else ("body", "orelse", "handlers", "finalbody", "cases"):
            yield from _statements(getattr(node, part, ()))


@cache
def _code(name: str) -> str:
    """The syntax tree as text, without docstrings, positions and comments, and the module's data files."""
    path = _path(name)
    text = ast.dump(_tree(path))
    data = [path.with_name(file) for file in sorted(set(_FILE_NAME.findall(text)))]
    return text + "".join(file.read_text(encoding="utf-8") for file in data if file.is_file())
