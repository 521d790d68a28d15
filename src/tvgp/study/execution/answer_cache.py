"""Answers that follow from the question and the code alone, remembered between the runs of a checkout.

They lie in `.snakemake/tvgp.json` beside the digest of the code that gave them: all files of the package and
of those that its plug-ins lie in, Python and the packages installed. Of other code, or damaged, they are left
aside and computed again.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tvgp.study.execution import files

_PACKAGE = Path(__file__).resolve().parents[2]


@dataclass
class _Cache:
    """Answers by the digest of their question, of one state of the code."""

    path: Path
    code: str
    answers: dict[str, str]
    new: bool = False


_open: list[_Cache] = []


def use(folder: str | Path) -> None:
    """Remember in this folder, until `keep`."""
    path, code = Path(folder, "tvgp.json").absolute(), _code()  # a process may leave its folder
    known: dict = {}
    with suppress(ValueError):
        known = files.read_object(path)
    _open[:] = [_Cache(path, code, dict(known["answers"]) if known.get("code") == code else {})]


def keep() -> None:
    """Write what is new and remember no more; nothing is written where the code has changed meanwhile."""
    for book in _open:
        if book.new and book.code == _code():
            with suppress(OSError):  # such as a folder that is read-only
                book.path.parent.mkdir(exist_ok=True)
                files.write_object(book.path, {"code": book.code, "answers": book.answers})
    _open.clear()


def remembered(question: str, answer: Callable[[], str]) -> str:
    """What `answer` returns, or returned when the same code was asked this before; its errors are raised."""
    if not _open:
        return answer()
    book, key = _open[0], hashlib.sha256(question.encode()).hexdigest()
    if key not in book.answers:
        book.answers[key], book.new = answer(), True
    return book.answers[key]


def folders(package: str) -> list[Path]:
    """Where the modules of a top-level package lie; the path without suffix of one that is a single file."""
    if package == _PACKAGE.name:
        return [_PACKAGE]
    if (spec := importlib.util.find_spec(package)) is None:
        return []
    alone = [Path(spec.origin).with_suffix("")] if spec.origin else []
    return [Path(each) for each in spec.submodule_search_locations or ()] or alone


def _sources() -> Iterator[Path]:
    """Files of the package and of those that its plug-ins lie in, which can be edited without installing."""
    named = (each for installed in importlib.metadata.distributions() for each in installed.entry_points)
    plugged = {each.module.partition(".")[0] for each in named if each.group.startswith("tvgp.")}
    names = {_PACKAGE.name, *plugged}
    for folder in (each for name in sorted(names) for each in folders(name)):
        yield from sorted(folder.rglob("*")) if folder.is_dir() else [folder.with_suffix(".py")]


def _code() -> str:
    """Digest of the files of package and plug-ins, of Python and of when packages were last installed."""
    installed = Path(sysconfig.get_path("purelib")).stat().st_mtime_ns
    digest = hashlib.sha256(f"{sys.version} {installed}".encode())
    for path in _sources():
        if path.is_file() and path.parent.name != "__pycache__":
            digest.update(f"{path} {files.digest(path)}".encode())
    return digest.hexdigest()
