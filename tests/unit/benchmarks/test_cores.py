"""Finished studies played on more cores."""

import itertools
import json
from base64 import urlsafe_b64encode

import numpy as np
import pytest

from benchmarks import cores
from benchmarks.cores import Job

# a chain of 5 s beside three jobs of 1 s
FORK = {
    "a": Job(2.0, frozenset()),
    "b": Job(3.0, frozenset("a")),
    **{name: Job(1.0, frozenset()) for name in "cde"},
}


def test_one_core_takes_the_sum_and_many_cores_the_longest_chain():
    assert cores.played(FORK, 1) == 8.0
    assert cores.played(FORK, 2) == 5.0
    assert cores.played(FORK, 16) == 5.0
    assert {row["cores"]: row["efficiency"] for row in cores.rows("fork", FORK)}[2] == 0.8
    assert {row["longest_chain"] for row in cores.rows("fork", FORK)} == {5.0}


@pytest.mark.parametrize("seed", range(5))
def test_schedules_keep_the_bounds_and_twice_the_best_order(seed):
    rng = np.random.default_rng(seed)
    jobs = {
        str(i): Job(float(rng.integers(1, 9)), frozenset(map(str, np.flatnonzero(rng.random(i) < 0.4))))
        for i in range(6)
    }
    found, chain = cores.played(jobs, 2), max(cores.chains(jobs).values())
    total = sum(job.seconds for job in jobs.values())
    best = min(_in_order(jobs, order) for order in itertools.permutations(jobs))
    assert max(chain, total / 2) <= best <= found <= 1.5 * best  # Graham's bound: 2 - 1/2


def _in_order(jobs, order):
    """Two cores take the jobs in a given order, each when its inputs are there; infinite if they cannot."""
    free, ends = [0.0, 0.0], {}
    for name in order:
        if not jobs[name].needs <= ends.keys():
            return np.inf
        core = int(np.argmin(free))
        start = max([free[core], *(ends[need] for need in jobs[name].needs)])
        free[core] = ends[name] = start + jobs[name].seconds
    return max(free)


def test_jobs_are_read_from_the_records_of_one_study(tmp_path):
    def record(output, log, inputs, start, end):
        content = {"log": [log], "input": inputs, "starttime": start, "endtime": end}
        (tmp_path / output).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / output).touch()
        name = urlsafe_b64encode(output.encode()).decode()
        path = tmp_path / ".snakemake/metadata" / f"@{name[:20]}" / name[20:]  # as a long name is cut
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))

    record("resources/quick/o/raw.json", "results/quick/logs/download/o.log", [], 0.0, 1.0)
    for part in ("train", "test"):
        inputs = ["resources/quick/o/raw.json", "no job made it"]
        record(f"resources/quick/o/{part}.nc", "results/quick/logs/split/o.log", inputs, 1.0, 3.5)
    record(
        "results/quick/report.html", "results/quick/logs/report.log", ["resources/quick/o/test.nc"], 4.0, 5
    )
    record("results/other/report.html", "results/other/logs/report.log", [], 0.0, 9.0)
    study = tmp_path / "results/quick"
    assert study in cores.studies(tmp_path)
    assert cores.read(tmp_path, study) == {
        "download/o": Job(1.0, frozenset()),
        "split/o": Job(2.5, frozenset({"download/o"})),
        "report": Job(1.0, frozenset({"split/o"})),
    }
