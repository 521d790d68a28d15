"""A policy in a live system: ask for arms, tell rewards, save and resume.

The object keeps a log of all calls. A policy follows from its log, as every call has a random stream
of its own: saving writes the log, loading plays it again, and so does a reward that arrives late or
in parts. Replaying n calls costs as much as making them. A late reward replays the rounds since the last
earlier late one: the policy as it was before a late round is kept, for the latest `KEPT` of them.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import tvgp
from tvgp import kernels, policies, streams
from tvgp.contracts import Hindsight, summary
from tvgp.kernels import Kernel
from tvgp.policies.base.policy import BasePolicy

FORMAT = "tvgp live 1"
KEPT = 8  # policies


@dataclass
class _Calls:
    """The calls of one round. Masks are lists of the available arms, None for all."""

    asked: list[tuple[int, list[int] | None]] = field(default_factory=list)  # size and mask
    arms: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    noise_variances: list[float | None] = field(default_factory=list)
    # after the rewards, in order: {"available": mask} asks for queries, {"arms", "values"} are answers
    expert: list[dict[str, Any]] = field(default_factory=list)

    @property
    def queries(self) -> int:
        """Number of calls that asked for queries."""
        return sum("available" in call for call in self.expert)


class Live:
    """Ask and tell. Rounds are integers t = 1, 2, ...; any may be skipped.

    A call that cannot be carried out raises ValueError and leaves no trace.
    """

    def __init__(
        self,
        policy: str,
        *,
        arms: np.ndarray,
        kernel: Kernel,
        noise_variance: float,
        seed: int = 0,
        **parameters: Any,
    ) -> None:
        """The arguments of `tvgp.policies.make`; seed: of all random choices. ValueError as there,
        and for a policy that needs hindsight."""
        if not isinstance(seed, int | np.integer):
            raise ValueError(f"seed is {seed!r}, expected a whole number")
        self._name, self._seed, self._parameters = policy, int(seed), parameters
        self._arms: np.ndarray = arms
        self._kernel, self._noise_variance = kernel, noise_variance
        self._rounds: dict[int, _Calls] = {}
        self._policy: BasePolicy | None = self._fresh()  # checks the arguments
        self._arms, self._noise_variance = np.array(arms, dtype=float), float(noise_variance)
        self._late: int | None = None  # the earliest round with late rewards that are not replayed yet
        self._kept: list[tuple[int, BasePolicy]] = []  # rounds, and the policy before their calls

    def __repr__(self) -> str:
        return summary("Live", policy=self._current(), rounds=len(self._rounds))

    def ask(self, t: int, size: int = 1, available: np.ndarray | None = None) -> np.ndarray:
        """At most `size` distinct arms to play in round t, in the order of choice.

        available: boolean mask (n_arms,), None for all arms. The same call gives the same arms until
        there are new data. ValueError for a round that has been told, or is before one that has.
        """
        arms = self._ask(self._current(), t, size, available)
        self._calls(t).asked.append((size, _listed(available)))
        return arms

    def tell(
        self,
        t: int,
        arms: int | Sequence[int] | np.ndarray,
        rewards: float | Sequence[float] | np.ndarray,
        noise_variances: float | Sequence[float] | np.ndarray | None = None,
    ) -> None:
        """Learn rewards of round t, one or several, now or later.

        noise_variances: of these observations, None for the usual one. Rewards of an earlier round,
        and those of a round that has some already, enter as if they had come in time: all calls are
        then replayed before the next answer. ValueError as `BasePolicy.observe_batch`.
        """
        arms, rewards = np.atleast_1d(arms), np.atleast_1d(rewards)
        noise = None if noise_variances is None else np.broadcast_to(noise_variances, arms.shape).copy()
        calls = self._rounds.get(t)
        in_time = t >= max(self._rounds, default=0) and not (calls and (calls.arms or calls.expert))
        # checked on a fresh policy if this one is past round t
        (self._current() if in_time else self._fresh()).observe_batch(t, arms, rewards, noise)
        calls = self._calls(t)
        calls.arms += arms.tolist()
        calls.rewards += rewards.tolist()
        calls.noise_variances += [None] * len(arms) if noise is None else noise.tolist()
        if not in_time:
            self._policy, self._late = None, min(t, self._late or t)

    def queries(self, t: int, available: np.ndarray | None = None) -> np.ndarray:
        """Arms about which to ask an expert after the rewards of round t, (m,); often none.

        A policy that asks one by one (`tvgp.contracts.Sequential`) is called again after each answer.
        """
        rng = self._stream(t, "queries", self._rounds[t].queries if t in self._rounds else 0)
        arms = self._current().expert_queries(t, rng, available)
        self._calls(t).expert.append({"available": _listed(available)})
        return arms

    def tell_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        """Learn the expert's answers, f_t at arms (m,) + noise, values (m,)."""
        self._current().observe_expert(t, arms, values)
        answers = {"arms": np.asarray(arms).tolist(), "values": np.asarray(values, float).tolist()}
        self._calls(t).expert.append(answers)

    def recommend(self, t: int, available: np.ndarray | None = None) -> int:
        """The arm with the largest posterior mean for round t, without exploration."""
        return self._current().recommend(t, available)

    def posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Posterior mean and standard deviation over all arms for round t, both (n_arms,)."""
        return self._current().posterior(t)

    def save(self, path: str | Path) -> None:
        """Write policy, kernel, parameters and log; the file is complete or as it was before."""
        content = {
            "version": tvgp.__version__,
            "policy": self._name,
            "parameters": self._parameters,
            "kernel": kernels.describe(self._kernel),
            "arms": self._arms.tolist(),
            "noise_variance": self._noise_variance,
            "seed": self._seed,
            "rounds": {str(t): asdict(self._rounds[t]) for t in sorted(self._rounds)},
        }
        text = json.dumps({"format": FORMAT, "sha256": _digest(content), **content})
        temporary = Path(f"{path}.{os.getpid()}.tmp")
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)

    @classmethod
    def load(cls, path: str | Path) -> Live:
        """The object that was saved; its next answers are those that the saved one would have given.

        ValueError for a file that is damaged or not of this kind. Warns if another version of tvgp
        saved it: the log is the same, the arms may not be.
        """
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            form, digest = content.pop("format"), content.pop("sha256")
        except (ValueError, KeyError, AttributeError, TypeError):
            raise ValueError(f"{path}: not a file of tvgp.live.Live.save") from None
        if form != FORMAT:
            raise ValueError(f"{path}: format is {form!r}, expected {FORMAT!r}")
        if digest != _digest(content):
            raise ValueError(f"{path}: damaged, wrong digest; take an older copy")
        if content["version"] != tvgp.__version__:
            warnings.warn(
                f"{path} was saved by tvgp {content['version']}, this is {tvgp.__version__}: arms may differ",
                stacklevel=2,
            )
        live = cls(
            content["policy"],
            arms=np.array(content["arms"]),
            kernel=kernels.make(**content["kernel"]),
            noise_variance=content["noise_variance"],
            seed=content["seed"],
            **content["parameters"],
        )
        live._rounds = {int(t): _Calls(**calls) for t, calls in content["rounds"].items()}
        live._policy = None
        return live

    def _fresh(self) -> BasePolicy:
        policy = policies.make(
            self._name,
            arms=self._arms,
            kernel=self._kernel,
            noise_variance=self._noise_variance,
            **self._parameters,
        )
        if isinstance(policy, Hindsight) or not isinstance(policy, BasePolicy):
            raise ValueError(f"policy {self._name} cannot run live: it needs hindsight, or is no BasePolicy")
        return policy

    def _current(self) -> BasePolicy:
        """The policy after all calls so far."""
        if self._policy is None:
            first, policy = copy.deepcopy(self._kept[-1]) if self._kept else (0, self._fresh())
            for t in sorted(t for t in self._rounds if t >= first):
                if t == self._late and t > first:
                    self._kept = [*self._kept, (t, copy.deepcopy(policy))][-KEPT:]
                self._replay(policy, t, self._rounds[t])
            self._policy, self._late = policy, None
        return self._policy

    def _replay(self, policy: BasePolicy, t: int, calls: _Calls) -> None:
        # what a call returned is in the log of the calls after it, but it may have changed the policy
        for size, available in calls.asked:
            self._ask(policy, t, size, self._mask(available))
        if calls.arms:
            usual = self._noise_variance
            noise = [usual if each is None else each for each in calls.noise_variances]
            given = None if all(each is None for each in calls.noise_variances) else np.array(noise)
            policy.observe_batch(t, np.array(calls.arms), np.array(calls.rewards), given)
        number = 0
        for call in calls.expert:
            if "available" in call:
                rng = self._stream(t, "queries", number)
                policy.expert_queries(t, rng, self._mask(call["available"]))
                number += 1
            else:
                policy.observe_expert(t, np.array(call["arms"], dtype=np.intp), np.array(call["values"]))

    def _ask(self, policy: BasePolicy, t: int, size: int, available: np.ndarray | None) -> np.ndarray:
        return policy.choose_batch(t, self._stream(t, "choose", 0), size, available)

    def _stream(self, t: int, purpose: str, number: int) -> np.random.Generator:
        return streams.generator("live", self._seed, t, purpose, number)

    def _calls(self, t: int) -> _Calls:
        self._kept = [each for each in self._kept if each[0] <= t]
        return self._rounds.setdefault(int(t), _Calls())

    def _mask(self, available: list[int] | None) -> np.ndarray | None:
        if available is None:
            return None
        mask = np.zeros(len(self._arms), dtype=bool)
        mask[available] = True
        return mask


def _listed(available: np.ndarray | None) -> list[int] | None:
    return None if available is None else np.flatnonzero(available).tolist()


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
