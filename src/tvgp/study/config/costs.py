"""What jobs cost, as measured: how many seeds one job takes, how long and how much memory it needs.

`config/costs.csv` has one row for each kind of job (`rule`, `name`, `part`): the seeds and rounds
of the measured jobs, their CPU seconds and their peak memory in MB. It decides how work is cut into
jobs and what a cluster is asked for; no result depends on it.
"""

from __future__ import annotations

import csv
import io
import math
import resource
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tvgp.study import files

COLUMNS = ("rule", "name", "part", "seeds", "rounds", "seconds", "megabytes")
UNKNOWN_SEEDS = 10  # a job of something that was never measured
UNKNOWN_MINUTES = 60
UNKNOWN_MEGABYTES = 1500
FLOOR_MEGABYTES = 1000  # below 700 the Snakemakes inside a SLURM job die at random
NESTED_MEGABYTES = 300  # those Snakemakes, beside the job itself
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes in a unit of ru_maxrss


@dataclass(frozen=True)
class Cost:
    """One row: CPU seconds and peak megabytes of a job of `seeds` seeds and `rounds` rounds."""

    seeds: int
    rounds: int
    seconds: float
    megabytes: float


class Costs:
    """The measured costs, by (rule, name, part)."""

    def __init__(self, rows: Mapping[tuple[str, str, str], Cost]) -> None:
        self.rows = dict(rows)
        # What every job spends before its work: imports, reading, writing
        self.start = min((row.seconds for row in self.rows.values()), default=0.0)

    def seed_seconds(self, rule: str, name: str, part: str, rounds: int | None) -> float | None:
        """CPU seconds of one seed; None where nothing was measured.

        A shorter horizon is taken to cost in proportion, a longer one as its square, the worst of
        our engines per round being linear in t.
        """
        row = self.rows.get((rule, name, part))
        if row is None:
            return None
        ratio = rounds / row.rounds if rounds and row.rounds else 1.0
        return max(row.seconds - self.start, 0.001) / row.seeds * ratio ** (1 if ratio <= 1 else 2)

    def block_size(self, rule: str, name: str, part: str, rounds: int | None, seconds_per_job: float) -> int:
        """Seeds of a job that takes about `seconds_per_job` CPU seconds, at least 1."""
        each = self.seed_seconds(rule, name, part, rounds)
        return UNKNOWN_SEEDS if each is None else max(1, int(seconds_per_job / each))

    def job_seconds(self, rule: str, name: str, part: str, seeds: int, rounds: int | None) -> float | None:
        """CPU seconds of a whole job; None where nothing was measured."""
        each = self.seed_seconds(rule, name, part, rounds)
        return None if each is None else self.start + seeds * each

    def minutes(self, rule: str, name: str, part: str, seeds: int, rounds: int | None) -> int:
        """Time limit of a job: five minutes and four times what was measured."""
        seconds = self.job_seconds(rule, name, part, seeds, rounds)
        return UNKNOWN_MINUTES if seconds is None else 5 + math.ceil(4 * seconds / 60)

    def memory_mb(self, rule: str, name: str, part: str) -> int:
        """Memory limit of a job: 1.3 times what was measured, and room for its Snakemakes."""
        row = self.rows.get((rule, name, part))
        if row is None:
            return UNKNOWN_MEGABYTES
        needed = NESTED_MEGABYTES + 1.3 * row.megabytes
        return max(FLOOR_MEGABYTES, 100 * math.ceil(needed / 100))


def read(path: str | Path) -> Costs:
    """The table of costs; ValueError naming file and line for a row that is none."""
    rows = {}
    with open(path, newline="", encoding="utf-8") as stream:
        table = csv.DictReader(stream)
        if tuple(table.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path}: line 1: expected the columns {','.join(COLUMNS)}")
        for row in table:
            try:
                cost = Cost(
                    int(row["seeds"]),
                    int(row["rounds"]),
                    float(row["seconds"]),
                    float(row["megabytes"]),
                )
            except (TypeError, ValueError):
                cost = None
            if cost is None or cost.seeds < 1 or not 0 <= cost.seconds < math.inf:
                raise ValueError(f"{path}: line {table.line_num}: expected four numbers, seeds > 0")
            rows[row["rule"], row["name"], row["part"]] = cost
    return Costs(rows)


def write_job(path: str | Path) -> None:
    """Write what this process has used so far: CPU seconds and peak memory in MB."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss * _RSS_UNIT / 1e6
    files.write_text(path, f"seconds,megabytes\n{seconds:.3f},{megabytes:.0f}\n")


def read_job(path: str | Path) -> tuple[float, float]:
    """What `write_job` wrote."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    if len(lines) != 2 or lines[0] != "seconds,megabytes":
        raise ValueError(f"{path}: expected the cost of one job: seconds,megabytes")
    seconds, megabytes = map(float, lines[1].split(","))
    return seconds, megabytes


def write(path: str | Path, jobs: Iterable[tuple[str, str, str, int, int, str]]) -> None:
    """Write the table from measured jobs (rule, name, part, seeds, rounds, file of `write_job`).

    Several jobs of one kind: their mean seconds and largest memory.
    """
    found: dict[tuple, list] = {}
    for rule, name, part, seeds, rounds, file in jobs:
        found.setdefault((rule, name, part), []).append((seeds, rounds, *read_job(file)))
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for key, kinds in sorted(found.items()):
        seeds = sum(kind[0] for kind in kinds) / len(kinds)
        seconds = sum(kind[2] for kind in kinds) / len(kinds)
        table.writerow((*key, round(seeds), kinds[0][1], f"{seconds:.2f}", f"{max(k[3] for k in kinds):.0f}"))
    files.write_text(path, text.getvalue())
