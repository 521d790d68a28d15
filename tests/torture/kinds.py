"""Every kind of file of a finished study, damaged with its time kept: named, then made again."""

import os
import time
from contextlib import chdir

from tvgp.study.execution import provenance

from .running import Run, differences

KINDS = {
    "stand-in": "resources/*/*/standin/*",
    "manifest": "resources/*/*/raw.json",
    "field": "resources/*/*/field.nc",
    "training part": "resources/*/*/train.nc",
    "test part": "resources/*/*/test.nc",
    "quality": "resources/*/*/quality.csv",
    "quality record": "resources/*/*/quality.json",
    "fit": "results/*/fits/*.json",
    "tuned parameter": "results/*/tuned/*/*.json",
    "tuned parameters": "results/*/tuned/*.json",
    "block of runs": "results/*/runs/**/*.nc",
    "blocks of a job": "results/*/runs/*/alpha-*/*.json",
    "wall times": "results/*/timings/runs/*/*/alpha-*/*.json",
    "wall times of a job": "results/*/timings/runs/*/alpha-*/*.json",
    "collected runs": "results/*/collected/*.nc",
    "checks": "results/*/checks/*.json",
    "part of analysis": "results/*/analyses/*/**/*.nc",
    "parts of a job": "results/*/analyses/*/*.json",
    "analysis": "results/*/analyses/*.nc",
    "figure, PNG": "results/*/figures/**/*.png",
    "figure, PDF": "results/*/figures/**/*.pdf",
    "table": "results/*/tables/regret.csv",
    "times": "results/*/tables/timing.csv",
    "record": "results/*/records/*.json",
    "record of times": "results/*/timings/records/*.json",
    "all checks": "results/*/check.json",
    "report": "results/*/report.html",
}
WAYS = {
    "flipped": lambda content: content[:40] + bytes([content[40] ^ 1]) + content[41:],
    "emptied": lambda content: b"",
    "truncated": lambda content: content[: len(content) // 2],
}


def first_files(folder):
    """A file of each kind that the study has."""
    found = {kind: sorted(folder.glob(pattern)) for kind, pattern in KINDS.items()}
    return {kind: paths[0] for kind, paths in found.items() if paths}


def damage(path, way):
    """Change the content of a file, not its time; the content before."""
    content = path.read_bytes()
    _write(path, WAYS[way](content))
    return content


def named(folder):
    """What `tvgp verify` says of a study, in one text; empty if all is well."""
    (results,), (resources,) = (
        list(folder.glob(f"{each}/*")) or [folder] for each in ("results", "resources")
    )
    with chdir(folder):
        sealed = provenance.sealed(results.relative_to(folder), resources.relative_to(folder))
        return "\n".join(provenance.faults(sealed).values())


def unnamed(folder, way):
    """The kinds of which a file that is damaged alone is not named."""
    found = []
    for kind, path in first_files(folder).items():
        content = damage(path, way)
        found += [] if str(path.relative_to(folder)) in named(folder) else [kind]
        _write(path, content)
    return found


def attacks(folder, expected):
    """(kind, verdict, seconds) of each kind damaged in each way: alone, to be named, then all at once.

    folder: a finished study, which one command makes right again; expected: its files.
    """
    found = []
    for way in WAYS:
        begun, kinds, missed = time.monotonic(), first_files(folder), unnamed(folder, way)
        for path in kinds.values():
            damage(path, way)
        run = Run(folder, "--config", "repair=1")
        mended = run.end() == 0 and not named(folder) and not differences(folder, expected)
        if not mended:
            print(f"all kinds {way}: {differences(folder, expected)}\n{named(folder)}\n{run.output}")
        seconds = (time.monotonic() - begun) / len(kinds)
        verdicts = {kind: "survived" if mended and kind not in missed else "unnoticed" for kind in kinds}
        found += [(f"{kind}, {way}", verdict, seconds) for kind, verdict in verdicts.items()]
    return found


def _write(path, content):
    status = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
