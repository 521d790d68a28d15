"""The calls of one round, folded from the rows of the log in the order in which they were made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

# A row of the log is one of:
#   {"ask": size, "available": mask}                          a choice
#   {"tell": arms, "rewards": .., "noise_variances": .., "key": ..}
#   {"queries": arms, "available": mask}                      asks about arms
#   {"expert": arms, "values": ..}                            answers
#   {"take_back": true}                                       forgets all calls of the round before it
# Masks are lists of the available arms, None for all.
Row = dict[str, Any]


@dataclass
class Calls:
    """The calls of one round."""

    # size and mask of the choices that were not followed by the first query before the choice
    asked: list[tuple[int, list[int] | None]] = field(default_factory=list)
    arms: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    noise_variances: list[float | None] = field(default_factory=list)
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)  # of `tell`: first, end of rewards
    # before the choice and after the rewards, each in order
    before: list[Row] = field(default_factory=list)
    expert: list[Row] = field(default_factory=list)

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Calls:
        """The calls of a round. ValueError for an invalid row."""
        calls = cls()
        for row in rows:
            calls.add(row)
        return calls

    def add(self, row: Row) -> None:
        """Take in the next row."""
        match row:
            case {"ask": size, "available": mask}:
                self.asked.append((size, mask))
            case {"tell": arms, "rewards": rewards, "noise_variances": variances, "key": key}:
                self.arms += arms
                self.rewards += rewards
                self.noise_variances += variances
                if key is not None:
                    self.keys[key] = (len(self.arms) - len(arms), len(self.arms))
            case {"queries": arms, "available": mask}:
                if not (self.arms or self.before):
                    self.asked = []  # void, as the policy is taken back to before them
                self.now.append({"queries": arms, "available": mask})
            case {"expert": arms, "values": values} if self.latest:
                if "queries" in self.latest[-1]:
                    self.latest.append({"expert": [], "values": []})
                self.latest[-1]["expert"] += arms
                self.latest[-1]["values"] += values
            case {"take_back": True}:
                vars(self).update(vars(Calls()))
            case _:
                raise ValueError(f"{row!r:.60} is not a call")

    @property
    def now(self) -> list[Row]:
        """Queries and answers that a query made now joins."""
        return self.expert if self.arms else self.before

    @property
    def latest(self) -> list[Row]:
        """Those of the last query."""
        return self.expert or self.before

    @property
    def queries(self) -> int:
        """Number of calls that asked for queries."""
        return sum("queries" in call for call in self.before + self.expert)

    @property
    def unanswered(self) -> list[int]:
        """Arms of the last query without an answer."""
        arms: list[int] = []
        for call in self.before + self.expert:
            arms = call["queries"] if "queries" in call else [a for a in arms if a not in call["expert"]]
        return arms

    @property
    def answers(self) -> dict[int, float]:
        """The expert's answers by arm."""
        told = [call for call in self.before + self.expert if "expert" in call]
        return {
            arm: value for call in told for arm, value in zip(call["expert"], call["values"], strict=True)
        }

    def told(self, key: str) -> tuple[list[int], list[float], list[float | None]]:
        """Arms, rewards and noise variances told with this key."""
        part = slice(*self.keys[key])
        return self.arms[part], self.rewards[part], self.noise_variances[part]
