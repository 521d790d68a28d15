"""The policy of a live system after the calls of any round, replayed from the log as needed.

A policy follows from its log, as every call has a random stream of its own. Its state is stored in the log
every `EVERY` rounds; the policy as it was before a late round is kept, for the latest `KEPT`, so that the
next late round replays the rounds since then only.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable

import numpy as np

from tvgp import streams
from tvgp.live import state
from tvgp.live.calls import Calls, Row
from tvgp.live.log import Log
from tvgp.policies.base.policy import BasePolicy

KEPT = 8  # policies
EVERY = 200  # rounds that a state in the log saves replaying
LARGEST = 64 * 2**20  # bytes of a state; larger ones are not stored


def listed(available: np.ndarray | None) -> list[int] | None:
    """A mask as the log has it."""
    return None if available is None else np.flatnonzero(available).tolist()


class Replay:
    """Give the policy after the calls up to a round; add calls to the log."""

    def __init__(self, log: Log, fresh: Callable[[], BasePolicy]) -> None:
        """fresh: makes a policy that has seen nothing."""
        self._log, self._fresh = log, fresh
        definition = log.definition
        self._seed: int = definition["seed"]
        self._n_arms = len(definition["arms"])
        self._restart()

    def _restart(self) -> None:
        """Begin before the first round, or with the last state in the log."""
        self._number = self._log.number()  # of calls that are seen or to be replayed
        self._kept: dict[int, BasePolicy] = {}  # the policy before the calls of a round
        self._late: int | None = None  # the earliest late round that is not replayed yet
        self._unkept = 0  # rounds since the state of the policy was stored
        # choices of a round, while the policy has seen nothing since: round, size, mask and arms
        self._choices: list[tuple[int, int, list[int] | None, np.ndarray]] = []
        self._policy, self._now = self._before(2**53)  # with the last round that it has seen

    def at(self, t: int) -> BasePolicy:
        """The policy after the calls of all rounds up to t."""
        if self._log.number() != self._number:  # another process has added some, of any round
            self._restart()
        if t < self._now:
            self.rewind(t)
        for each in self._log.rounds(self._now, t):
            if self._late is not None and self._late <= each:
                self._kept[each], self._late = copy.deepcopy(self._policy), None
                self._kept = dict(sorted(self._kept.items())[-KEPT:])
            self._replay(each, self.calls(each))
            self._now, self._unkept = each, self._unkept + 1
            self.store()
        if t > self._now:  # its last round is over
            self.store()
        return self._policy

    def is_at(self, t: int) -> bool:
        """Whether the policy has seen the calls of all rounds up to t, and no others."""
        return t >= self._now and not self._log.rounds(self._now, t)

    def calls(self, t: int) -> Calls:
        """The calls of round t so far."""
        return Calls.of(self._log.calls(t))

    def record(self, t: int, call: Row, seen: bool) -> None:
        """Add a call to the log. seen: the policy is that of round t and has carried it out; otherwise the
        call is replayed. If the log fails, the call does not count: the policy starts from the log again."""
        try:
            self._log.add(t, call)
        except (OSError, ValueError):
            self._restart()
            raise
        self._unkept += t > self._now
        self._kept = {each: policy for each, policy in self._kept.items() if each <= t}
        if "ask" not in call:
            self._choices = []
        if seen:
            self._now = t
        elif t <= self._now:
            self.rewind(t)
        self._number += 1  # last: if this is interrupted, `at` starts from the log again

    def distrust(self) -> None:
        """Let the next call replay: the policy may have seen half of one."""
        self._now, self._unkept = 2**53 + 1, 0  # a round after all others; no state to store

    def rewind(self, t: int) -> None:
        """Restore the policy as it was before round t or earlier; the next replay keeps a copy of it."""
        self._policy, self._now = self._before(t)
        self._late, self._choices = min(t, self._late or t), []

    def _before(self, t: int) -> tuple[BasePolicy, int]:
        """The latest policy before round t that is stored or kept, or a fresh one, and its last round."""
        first = max((each for each in self._kept if each <= t), default=0)
        with contextlib.suppress(OSError, ValueError):  # a state only saves time
            stored = self._log.state(t)
            if stored is not None and stored[0] >= first:
                return state.load(stored[1], self._fresh()), stored[0]
        return copy.deepcopy(self._kept[first]) if first else self._fresh(), max(first - 1, 0)

    def store(self) -> None:
        """Store the state of the policy in the log, after `EVERY` rounds without."""
        if self._unkept < EVERY or self._now == 0 or self._log.file is None:
            return
        self._unkept = 0
        with contextlib.suppress(TypeError, OSError, ValueError):  # it only saves time
            data = state.dump(self._policy, self._fresh())
            if len(data) <= LARGEST:
                self._log.keep_state(self._now, data)

    def ask(self, policy: BasePolicy, t: int, size: int, available: np.ndarray | None) -> np.ndarray:
        """Arms that the policy chooses in round t."""
        arms = policy.choose_batch(t, self._stream(t, "choose", 0), size, available)
        self._choices = [each for each in self._choices if each[0] == t]
        self._choices.append((t, int(size), listed(available), arms))
        return arms

    def chosen(self, t: int, size: int, available: np.ndarray | None) -> np.ndarray | None:
        """The same choice, where the policy, which may draw anew, has made it and seen nothing since."""
        wanted = t, size, listed(available)
        return next((arms.copy() for *call, arms in self._choices if tuple(call) == wanted), None)

    def queries(self, policy: BasePolicy, t: int, number: int, available: np.ndarray | None) -> np.ndarray:
        """Arms about which the policy asks; number: of queries in round t before."""
        return policy.expert_queries(t, self._stream(t, "queries", number), available)

    def _stream(self, t: int, purpose: str, number: int) -> np.random.Generator:
        return streams.generator("live", self._seed, t, purpose, number)

    def _replay(self, t: int, calls: Calls) -> None:
        # what a call returned is in the log of the calls after it, but it may have changed the policy
        self._replay_queries(t, calls.before, 0)
        for size, available in calls.asked:
            self.ask(self._policy, t, size, self._mask(available))
        if calls.arms:
            given = np.array(calls.arms), np.array(calls.rewards), calls.noise_variances
            self._policy.observe_batch(t, *given)
        self._replay_queries(t, calls.expert, sum("queries" in call for call in calls.before))
        if calls.arms or calls.expert:
            self._choices = []

    def _replay_queries(self, t: int, calls: list[Row], number: int) -> None:
        """number: of queries of the round before these calls."""
        for call in calls:
            if "queries" in call:
                self.queries(self._policy, t, number, self._mask(call["available"]))
                number += 1
            else:
                arms = np.array(call["expert"], dtype=np.intp)
                self._policy.observe_expert(t, arms, np.array(call["values"]))

    def _mask(self, available: list[int] | None) -> np.ndarray | None:
        if available is None:
            return None
        mask = np.zeros(self._n_arms, dtype=bool)
        mask[available] = True
        return mask
