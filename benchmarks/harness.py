"""Paired measurements: contenders take turns (A B C A B C ...) and are compared round by round.

Time is processor time of the one thread that works, which is the wall time of a core with nothing
else to do; a busy machine hardly changes it. What still drifts (clock, caches) happens to all
contenders within one round and does not touch their ratio. A ratio is the median over rounds of
time / time.
"""

from __future__ import annotations

import gc
import importlib.util
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from benchmarks.before import Earlier

# A contender that is faster than this is called several times a round.
_SHORTEST = 0.05  # seconds


@dataclass(frozen=True)
class Contender:
    """One way of doing the job. run() returns what it chose; missing: why it cannot run here."""

    name: str
    run: Callable[[], object] | None
    missing: str | None = None


@dataclass(frozen=True)
class Target:
    """`fast` is to be `at_least` times as fast as `slow`."""

    slow: str
    fast: str
    at_least: float | None = None


@dataclass(frozen=True)
class Comparison:
    """Contenders for one job. check(reference answer, answer) says why two answers differ, or
    None; the first contender that runs is the reference."""

    name: str
    title: str
    job: str
    contenders: Sequence[Contender]
    targets: Sequence[Target] = ()
    check: Callable[[object, object], str | None] = field(
        default=lambda expected, found: _same_arms(expected, found)
    )

    def contender(self, name: str) -> Contender:
        """A contender by name."""
        return next(c for c in self.contenders if c.name == name)


def needs(module: str) -> str | None:
    """Reason to skip a contender, None where its module can be imported."""
    return None if importlib.util.find_spec(module) else f"{module} is not installed"


def measure(
    comparison: Comparison, rounds: int, earlier: Earlier | None = None
) -> tuple[dict[str, list[float]], dict[str, str]]:
    """Seconds per call in each round, and remarks, by contender.

    The first call of each is not timed: it warms caches and gives the answer that is checked.
    With `earlier`, each contender of ours also runs on that commit, as "<name>, before".
    ValueError when a contender does not do the same job.
    """
    remarks = {c.name: f"skipped: {c.missing}" for c in comparison.contenders if c.missing}
    turns: dict[str, Callable[[], float]] = {}
    expected = None
    for contender in comparison.contenders:
        if contender.missing:
            continue
        started = time.process_time()
        answer = contender.run()
        calls = max(1, round(_SHORTEST / (time.process_time() - started)))
        expected = answer if expected is None else expected
        difference = comparison.check(expected, answer)
        if difference:
            raise ValueError(f"{comparison.name}: {contender.name}: {difference}")
        turns[contender.name] = partial(seconds, contender, calls)
        if earlier and contender.name.startswith("tvgp"):
            label = f"{contender.name}, before"
            if earlier.seconds(comparison.name, contender.name, 1) is None:
                remarks[label] = f"skipped: {earlier.revision} cannot do it"
            else:
                turns[label] = partial(earlier.seconds, comparison.name, contender.name, calls)
    spent: dict[str, list[float]] = {name: [] for name in turns}
    for _ in range(rounds):
        for name, turn in turns.items():
            spent[name].append(turn())
    return spent, remarks


def seconds(contender: Contender, calls: int) -> float:
    """Processor seconds per call, mean over so many calls in a row."""
    gc.collect()
    started = time.process_time()
    for _ in range(calls):
        contender.run()
    return (time.process_time() - started) / calls


def ratio(spent: dict[str, list[float]], slow: str, fast: str) -> tuple[float, float, float]:
    """Median, least and largest over rounds of time(slow) / time(fast)."""
    values = [a / b for a, b in zip(spent[slow], spent[fast], strict=True)]
    return statistics.median(values), min(values), max(values)


def _same_arms(expected: np.ndarray, found: np.ndarray) -> str | None:
    if np.array_equal(expected, found):
        return None
    first = int(np.flatnonzero(np.asarray(expected) != np.asarray(found))[0])
    return f"other arms from round {first + 1} on"
