"""Finished studies played on more cores, by the times that their jobs took: list scheduling.

Snakemake's records of a checkout (`.snakemake/metadata`, one per file that a job made) have the job's log,
by which it is named here, its inputs, start and end. A job starts once its inputs are there and a core is
free, first the job whose longest chain to the end of the study takes most time.
"""

from __future__ import annotations

import heapq
import json
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

COUNTS = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Job:
    """seconds: from start to end; needs: names of the jobs that made its inputs."""

    seconds: float
    needs: frozenset[str]


def studies(root: Path) -> list[Path]:
    """The folders of the finished studies in a checkout."""
    return [page.parent for page in sorted(root.glob("results/*/report.html"))]


def read(root: Path, study: Path) -> dict[str, Job]:
    """The jobs of a finished study, by their logs without folder and suffix."""
    folder = root / ".snakemake" / "metadata"
    logs = f"{study.relative_to(root).as_posix()}/logs/"
    makers: dict[str, str] = {}
    records = {}
    for path in folder.rglob("*"):
        # names longer than a file's may be are cut, all parts but the last with an @
        made = path.relative_to(folder).as_posix().replace("@", "").replace("/", "")
        if path.is_file() and (root / (output := urlsafe_b64decode(made).decode())).exists():
            record = json.loads(path.read_text(encoding="utf-8"))
            if record["log"] and record["log"][0].startswith(logs):
                makers[output] = record["log"][0].removeprefix(logs).removesuffix(".log")
                records[makers[output]] = record
    return {
        name: Job(
            record["endtime"] - record["starttime"],
            frozenset(makers[file] for file in record["input"] if file in makers),
        )
        for name, record in records.items()
    }


def chains(jobs: Mapping[str, Job]) -> dict[str, float]:
    """Seconds from the start of each job to the end of the study on any number of cores."""
    after: dict[str, list[str]] = {name: [] for name in jobs}
    for name, job in jobs.items():
        for need in job.needs:
            after[need].append(name)
    known: dict[str, float] = {}

    def chain(name: str) -> float:
        if name not in known:
            known[name] = jobs[name].seconds + max(map(chain, after[name]), default=0.0)
        return known[name]

    return {name: chain(name) for name in jobs}


def played(jobs: Mapping[str, Job], cores: int) -> float:
    """Seconds of all jobs on some cores, each job on one."""
    length, done = chains(jobs), set[str]()
    waiting = {name for name, job in jobs.items() if job.needs}
    ready = [(-length[name], name) for name in jobs if name not in waiting]
    heapq.heapify(ready)
    running: list[tuple[float, str]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < cores:
            name = heapq.heappop(ready)[1]
            heapq.heappush(running, (now + jobs[name].seconds, name))
        now, ended = heapq.heappop(running)
        done.add(ended)
        for name in [name for name in waiting if jobs[name].needs <= done]:
            waiting.remove(name)
            heapq.heappush(ready, (-length[name], name))
    return now


def rows(name: str, jobs: Mapping[str, Job]) -> list[dict]:
    """Seconds and efficiency, the time of all jobs over that of all cores, by number of cores, and the
    longest chain of jobs, which no number of cores shortens."""
    total, chain = sum(job.seconds for job in jobs.values()), max(chains(jobs).values())
    times = {cores: played(jobs, cores) for cores in COUNTS}
    return [
        {"study": name, "cores": cores, "seconds": seconds, "efficiency": total / (cores * seconds)}
        | {"longest_chain": chain}
        for cores, seconds in times.items()
    ]
