"""Paired measurements: contenders take turns (A B C A B C ...) and are compared round by round.

Times are processor times of the single working thread, which hardly depend on the machine's load.
Remaining drift (clock, caches) affects all contenders of a round alike and cancels in their ratio.
A ratio is the median over rounds of time / time.

`python -m benchmarks` runs each contender in its own process (`benchmarks.process`): in a shared
process, the state of the heap that one contender leaves changes the time of the next.
"""

from __future__ import annotations

import gc
import importlib.util
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

# A faster contender is called several times per round.
_SHORTEST = 0.25  # seconds


@dataclass(frozen=True)
class Contender:
    """One way of doing the job. run() returns its choices; missing: why it cannot run here;
    floor(choices): seconds that the machine would need for the arithmetic alone, or None
    (`benchmarks.floors`)."""

    name: str
    run: Callable[[], object] | None
    missing: str | None = None
    floor: Callable[[object], float | None] | None = None


@dataclass(frozen=True)
class Target:
    """`fast` is to be `at_least` times as fast as `slow`."""

    slow: str
    fast: str
    at_least: float | None = None


@dataclass(frozen=True)
class Comparison:
    """Contenders for one job. check(reference answer, answer) returns how two answers differ, or
    None; the first contender that runs is the reference. rounds: of a full run, more for jobs that
    are fast or near their target."""

    name: str
    title: str
    job: str
    contenders: Sequence[Contender]
    targets: Sequence[Target] = ()
    rounds: int = 5
    check: Callable[[object, object], str | None] = field(
        default=lambda expected, actual: _same_arms(expected, actual)
    )

    def contender(self, name: str) -> Contender:
        """A contender by name."""
        return next(c for c in self.contenders if c.name == name)


def needs(module: str) -> str | None:
    """Reason to skip a contender, None where its module can be imported."""
    return None if importlib.util.find_spec(module) else f"{module} is not installed"


@dataclass(frozen=True)
class Turn:
    """Processor seconds per call, mean over the calls of one turn, and the answer of the last."""

    seconds: float
    answer: object


def take_turn(contender: Contender, calls: int) -> Turn:
    """Several calls in a row, in this process."""
    gc.collect()
    started = time.process_time()
    for _ in range(calls):
        answer = contender.run()
    return Turn((time.process_time() - started) / calls, answer)


def measure(
    comparison: Comparison,
    rounds: int,
    turns: Mapping[str, Callable[[int], Turn]] | None = None,
) -> dict[str, list[float]]:
    """Seconds per call in each round, by contender.

    turns: name -> function of the number of calls; by default all contenders that can run, in this
    process. Names that are not contenders, those of an earlier commit, are timed but not checked.
    The first call of each is not timed: it warms caches and gives the answer to check. ValueError
    when a contender does not do the same job.
    """
    if turns is None:
        able = [c for c in comparison.contenders if not c.missing]
        turns = {c.name: partial(take_turn, c) for c in able}
    names = {c.name for c in comparison.contenders}
    calls, expected = {}, None
    for name, turn in turns.items():
        first = turn(1)
        calls[name] = max(1, round(_SHORTEST / first.seconds))
        if name not in names:
            continue
        expected = first.answer if expected is None else expected
        difference = comparison.check(expected, first.answer)
        if difference:
            raise ValueError(f"{comparison.name}: {name}: {difference}")
    spent: dict[str, list[float]] = {name: [] for name in turns}
    for _ in range(rounds):
        for name, turn in turns.items():
            spent[name].append(turn(calls[name]).seconds)
    return spent


def ratio(spent: dict[str, list[float]], slow: str, fast: str) -> tuple[float, float, float]:
    """Median, least and largest over rounds of time(slow) / time(fast)."""
    values = [a / b for a, b in zip(spent[slow], spent[fast], strict=True)]
    return statistics.median(values), min(values), max(values)


def _same_arms(expected: np.ndarray, actual: np.ndarray) -> str | None:
    if np.array_equal(expected, actual):
        return None
    first = int(np.flatnonzero(np.asarray(expected) != np.asarray(actual))[0])
    return f"other arms from round {first + 1} on"
