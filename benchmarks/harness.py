"""Paired measurements: contenders take turns (A B C A B C ...) and are compared round by round.

Times are processor times of the single working thread, which hardly depend on the machine's load.
Remaining drift (clock, caches) affects all contenders of a round alike and cancels in their ratio.

Each contender works in its own process: in a shared one, the heap that one contender leaves changes
the time of the next, and peak memory cannot be attributed.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import multiprocessing
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
_SHORTEST = 0.25  # seconds; a faster contender is called several times per round
_STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class Contender:
    """One way of doing the job. run() returns its choices; missing: why it cannot run here."""

    name: str
    run: Callable[[], object]
    missing: str | None = None


@dataclass(frozen=True)
class Target:
    """`fast` is to be `at_least` times as fast as `slow`."""

    slow: str
    fast: str
    at_least: float | None = None


def same_arms(expected: object, actual: object) -> str | None:
    """How two sequences of arms differ, None if they do not."""
    if np.array_equal(expected, actual):
        return None
    first = int(np.flatnonzero(np.asarray(expected) != np.asarray(actual))[0])
    return f"other arms from round {first + 1} on"


@dataclass(frozen=True)
class Comparison:
    """Contenders for one job. check(reference answer, answer) returns how two answers differ, or
    None; the first contender that runs is the reference. rounds: of a full run."""

    title: str
    job: str
    contenders: Sequence[Contender]
    targets: Sequence[Target] = ()
    rounds: int = 5
    check: Callable[[object, object], str | None] = field(default=same_arms)

    def able(self) -> list[Contender]:
        """The contenders that can run here."""
        return [contender for contender in self.contenders if not contender.missing]


def needs(module: str) -> str | None:
    """Reason to skip a contender, None where its module can be imported."""
    return None if importlib.util.find_spec(module) else f"{module} is not installed"


@dataclass(frozen=True)
class Turn:
    """Processor seconds per call, mean over the calls of one turn, the answer of the last call, and
    the peak memory of the process so far, MB."""

    seconds: float
    answer: object
    peak_mb: float


def take_turn(contender: Contender, calls: int) -> Turn:
    """Several calls in a row, in this process."""
    gc.collect()
    started = time.process_time()
    for _ in range(calls):
        answer = contender.run()
    return Turn((time.process_time() - started) / calls, answer, peak_mb())


def measure(
    comparison: Comparison, rounds: int, turns: Mapping[str, Callable[[int], Turn]]
) -> tuple[dict[str, list[float]], dict[str, float]]:
    """Seconds per call in each round and the peak memory of the first call, by contender.

    turns: a function of the number of calls for each contender. The first call of each is not timed:
    it warms caches and gives the answer to check. ValueError when a contender does not do the same
    job as the first.
    """
    first = {name: turn(1) for name, turn in turns.items()}
    expected = next(iter(first.values())).answer
    for name, turn in first.items():
        if difference := comparison.check(expected, turn.answer):
            raise ValueError(f"{comparison.title}: {name}: {difference}")
    spent: dict[str, list[float]] = {name: [] for name in turns}
    for _ in range(rounds):
        for name, turn in turns.items():
            calls = max(1, round(_SHORTEST / first[name].seconds))
            spent[name].append(turn(calls).seconds)
    return spent, {name: turn.peak_mb for name, turn in first.items()}


def ratio(spent: Mapping[str, Sequence[float]], slow: str, fast: str) -> tuple[float, float, float]:
    """Median, least and largest over rounds of time(slow) / time(fast)."""
    values = [a / b for a, b in zip(spent[slow], spent[fast], strict=True)]
    return statistics.median(values), min(values), max(values)


@contextlib.contextmanager
def process() -> Iterator[Callable]:
    """`call(function, *arguments)` in a fresh process, the same for all calls; BrokenProcessPool when it
    dies."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield lambda function, *arguments: pool.submit(function, *arguments).result()


def peak_mb() -> float:
    """Largest resident set of this process so far, in MB (10^6 bytes).

    Linux's VmHWM; ru_maxrss includes the size of the parent process at the fork.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
