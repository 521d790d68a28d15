"""`tvgp doctor`: can the study run here? One line per check, with what to do."""

from __future__ import annotations

import argparse
import ctypes
import os
import platform
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from tvgp.study.command import checkout
from tvgp.study.command.run import usable_cores
from tvgp.study.execution import processor

LEAST_GB = 2.0  # free disk space below which the check warns
_LOCKED = re.compile(r"^([A-Za-z0-9_.-]+)==([^\s;]+)", re.M)


@dataclass(frozen=True)
class Check:
    """One line: what was checked, what was found, and what to do if that prevents or changes a study."""

    name: str
    found: str
    remedy: str | None = None
    fatal: bool = True

    def __str__(self) -> str:
        mark = "ok  " if self.remedy is None else ("FIX " if self.fatal else "note")
        return f"{mark}  {self.name}: {self.found}" + (f"; {self.remedy}" if self.remedy else "")


def main(given: argparse.Namespace) -> int:
    """Print all checks; 1 if one of them prevents a study, else 0."""
    code = 0
    for check in checks(given.offline):
        print(check, flush=True)
        code |= check.remedy is not None and check.fatal
    return code


def checks(offline: bool) -> Iterator[Check]:
    """All checks; without the extra `study`, those of data and network are left out. offline: leave out the
    network."""
    root = Path.cwd()
    source = checkout.source(root)
    lock = source / "requirements.lock"  # of a checkout
    yield Check("Python", platform.python_version())
    found = list(packages(lock.read_text(encoding="utf-8") if lock.is_file() else None))
    yield from found
    yield blas()
    yield cores()
    yield disk(root)
    yield from writable(root)
    if any(check.remedy and check.fatal for check in found):
        return
    from tvgp.study.config import loading  # needs the extra

    config = loading.read(source / "config")
    yield from data(root, config["datasets"], (source / "Makefile").is_file())
    if not offline:
        yield from network(config["datasets"])


def packages(lock: str | None) -> Iterator[Check]:
    """The installed packages, and their versions against the text of the lock, which may name one per Python.
    None: there is no lock, as outside a checkout."""
    locked: dict[str, set[str]] = {}
    for name, version in _LOCKED.findall(lock or ""):
        locked.setdefault(_canonical(name), set()).add(version)
    # of two versions the first in the path is imported; what pip left half removed has no name
    known = [each for each in metadata.distributions() if "Name" in each.metadata]
    here = {_canonical(each.metadata["Name"]): each.version for each in reversed(known)}
    study = [text for text in metadata.requires("tvgp") or [] if not re.search("extra == .(?!study)", text)]
    needed = {_canonical(re.split(r"[^\w.-]", text)[0]) for text in study}
    missing = sorted(needed - here.keys())
    other = [
        f"{name} {here[name]} (lock: {' or '.join(sorted(locked[name]))})"
        for name in sorted(here.keys() & locked.keys())
        if here[name] not in locked[name]
    ]
    install = "run make study, or pip install --require-hashes -r requirements.lock"
    if lock is None:
        install = "pip install 'tvgp[study]'"
    if missing:
        yield Check("packages", f"missing: {', '.join(missing)}", install)
    if other:
        yield Check(
            "packages", f"not as locked: {', '.join(other)}", f"for equal bytes {install}", fatal=False
        )
    if not missing and not other:
        as_locked = f"{len(here.keys() & locked.keys())} as in requirements.lock"
        yield Check("packages", f"{len(needed)} of the study" if lock is None else as_locked)


def blas() -> Check:
    """NumPy's BLAS, the code that it takes here, and what the study's jobs take."""
    build: Any = np.show_config(mode="dicts")
    library = build["Build Dependencies"]["blas"]
    kernel, threads = _openblas()
    found = f"{library['name']} {library['version']}, kernel {kernel}, {threads} threads"
    job = dict(os.environ)
    processor.pin(job)
    reason = processor.left_out(job)
    remedy = (
        f"{reason} here and is left out; the NumPy of requirements.lock works with it" if reason else None
    )
    taken = job.get("OPENBLAS_CORETYPE", kernel)
    return Check("BLAS", f"{found}; jobs: {taken}, 1 thread each", remedy, fatal=False)


def cores() -> Check:
    """Cores of this process, and the load."""
    n = usable_cores()
    load = os.getloadavg()[0]
    remedy = "others compute here, expect longer times" if load > n else None
    return Check("cores", f"{n}, load {load:.1f}", remedy, fatal=False)


def disk(folder: Path) -> Check:
    """Free space where results go."""
    free = shutil.disk_usage(folder).free / 1e9
    remedy = None if free >= LEAST_GB else f"free space until {LEAST_GB:g} GB are left"
    return Check("disk", f"{free:.1f} GB free in {folder}", remedy)


def writable(root: Path) -> Iterator[Check]:
    """Where a study writes; Snakemake and matplotlib also keep caches, which make moves if need be."""
    for name in ("results", "resources", ".snakemake", "data/raw"):
        folder = root / name
        while not folder.exists():
            folder = folder.parent
        good = os.access(folder, os.W_OK | os.X_OK)
        yield Check("write access", f"{name}/", None if good else f"make {folder} writable for you")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    while not cache.exists():
        cache = cache.parent
    remedy = None if os.access(cache, os.W_OK) else "set XDG_CACHE_HOME to a writable folder (make does)"
    yield Check("write access", f"cache in {cache}", remedy, fatal=False)


def data(root: Path, configured: dict[str, Any], has_make: bool) -> Iterator[Check]:
    """What `source: auto` finds for each dataset before it tries a download."""
    from tvgp.study import datasets
    from tvgp.study.data import raw_files

    for name, settings in configured.items():
        folder = root / settings["raw"]
        patterns = datasets.patterns(settings)
        files = raw_files.present(folder, patterns)
        if files:
            yield Check(f"data {name}", f"{len(files)} raw file(s) in {settings['raw']}/")
        elif settings.get("extract"):
            other = settings.get("extract_as", {}).get("title")
            yield Check(f"data {name}", f"real data in the package{f': {other}' if other else ''}")
        else:
            hint = "make data, or " if settings.get("url") and has_make else ""
            remedy = f"for real data {hint}drop files into {settings['raw']}/ (data/raw/README.md)"
            yield Check(f"data {name}", "no raw files here", remedy, fatal=False)


def network(configured: dict[str, Any]) -> Iterator[Check]:
    """Whether the address of each dataset answers."""
    from tvgp.study.data import download, raw_files

    users: dict[str, list[str]] = {}
    for name, settings in configured.items():
        for url in raw_files.urls_of(settings)[:1]:
            users.setdefault(url, []).append(name)
    with ThreadPoolExecutor() as pool:
        answers = list(pool.map(download.obstacle, users))
    for (url, names), obstacle in zip(users.items(), answers, strict=True):
        remedy = "a study uses what is here instead (lines `data`)" if obstacle else None
        yield Check(f"network {', '.join(names)}", f"{url} {obstacle or 'answers'}", remedy, fatal=False)


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _openblas() -> tuple[str, str]:
    """Name of OpenBLAS's kernel and its number of threads, "unknown" for another library."""
    try:
        loaded = sorted(set(re.findall("/.*openblas.*", Path("/proc/self/maps").read_text())))
    except OSError:
        loaded = []
    for path in loaded:
        library = ctypes.CDLL(path)
        for prefix, suffix in (("scipy_", "64_"), ("scipy_", ""), ("", "64_"), ("", "")):
            core = getattr(library, f"{prefix}openblas_get_corename{suffix}", None)
            threads = getattr(library, f"{prefix}openblas_get_num_threads{suffix}", None)
            if core and threads:
                core.restype = ctypes.c_char_p
                return core().decode(), str(threads())
    return "unknown", "unknown"
