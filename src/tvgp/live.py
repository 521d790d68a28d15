"""A policy in a live system: ask for arms, tell rewards, save and resume.

The object keeps a log of all calls, in order of rounds. A call for round t sees the calls for rounds up to
t, whenever they were made, and no later ones: data that arrive late count as if they had arrived on time, and
a call with a wrong, far round leaves those before it as they are. A policy follows from its log, as every
call has a random stream of its own: saving writes the log, loading plays it again, and so does a call
for an earlier round. Replaying n calls costs as much as making them. A late reward replays the rounds
since the last earlier late one: the policy as it was before a late round is kept, for the latest `KEPT`.
"""

from __future__ import annotations

import bisect
import contextlib
import copy
import fcntl
import hashlib
import json
import numbers
import os
import stat
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from tvgp import kernels, policies, streams
from tvgp.contracts import Hindsight, SequentialQueries, summary
from tvgp.kernels import Kernel
from tvgp.policies.base import checks
from tvgp.policies.base.policy import BasePolicy

FORMAT = "tvgp live 1"
KEYS = {"version", "policy", "parameters", "kernel", "arms", "noise_variance", "seed", "rounds"}
KEPT = 8  # policies


@dataclass
class _Calls:
    """The calls of one round. Masks are lists of the available arms, None for all."""

    asked: list[tuple[int, list[int] | None]] = field(default_factory=list)  # size and mask
    arms: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    noise_variances: list[float | None] = field(default_factory=list)
    keys: dict[str, list[int]] = field(default_factory=dict)  # of `tell`: first and end of its rewards
    # before the choice and after the rewards, each in order: {"available": mask, "arms"} asks about arms,
    # {"arms", "values"} answers
    before: list[dict[str, Any]] = field(default_factory=list)
    expert: list[dict[str, Any]] = field(default_factory=list)

    @property
    def now(self) -> list[dict[str, Any]]:
        """Queries and answers that a query made now joins."""
        return self.expert if self.arms else self.before

    @property
    def latest(self) -> list[dict[str, Any]]:
        """Those of the last query."""
        return self.expert or self.before

    @property
    def queries(self) -> int:
        """Number of calls that asked for queries."""
        return sum("available" in call for call in self.before + self.expert)

    @property
    def unanswered(self) -> list[int]:
        """Arms of the last query without an answer."""
        arms: list[int] = []
        for call in self.before + self.expert:
            asks = "available" in call
            arms = call.get("arms", []) if asks else [arm for arm in arms if arm not in call["arms"]]
        return arms

    @property
    def answers(self) -> dict[int, float]:
        """The expert's answers by arm."""
        told = [call for call in self.before + self.expert if "values" in call]
        return {arm: value for call in told for arm, value in zip(call["arms"], call["values"], strict=True)}

    def told(self, key: str) -> tuple[list[int], list[float], list[float | None]]:
        """Arms, rewards and noise variances told with this key."""
        part = slice(*self.keys[key])
        return self.arms[part], self.rewards[part], self.noise_variances[part]


class Live:
    """Ask and tell. Rounds are integers t = 1, 2, ...; any may be skipped.

    A call that cannot be carried out raises ValueError and leaves no trace.

    >>> from tvgp import kernels
    >>> arms, kernel = np.arange(11.0)[:, None], kernels.make("se", length_scale=3.0)
    >>> live = Live("tv_gp_ucb", arms=arms, kernel=kernel, noise_variance=0.01, epsilon=0.01)
    >>> len(live.ask(t=1, size=3))
    3
    >>> live.tell(t=1, arms=[2, 5], rewards=[0.2, 0.4])
    >>> live.recommend(2)
    5
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
        for a policy that needs hindsight, and for a kernel or parameter that `save` could not write."""
        if not isinstance(seed, int | np.integer):
            raise ValueError(f"seed is {seed!r}, expected a whole number")
        self._name, self._seed, self._parameters = policy, int(seed), _plain(parameters)
        self._arms: np.ndarray = arms
        self._kernel, self._noise_variance = kernel, noise_variance
        self._fresh()  # checks the arguments
        # plays with the values that the file will have
        self._arms, self._noise_variance = np.array(arms, dtype=float), float(noise_variance)
        self._kernel = _known(kernel)
        self._rounds: dict[int, _Calls] = {}
        self._order: list[int] = []  # the rounds, sorted
        self._policy, self._now = self._fresh(), 0  # after the calls of all rounds up to `_now`
        self._late: int | None = None  # the earliest late round that is not replayed yet
        self._kept: dict[int, BasePolicy] = {}  # the policy before the calls of a round
        self._files: dict[Path, str] = {}  # digest of what was saved there or loaded from there

    def __repr__(self) -> str:
        return summary("Live", policy=self._at(max(self._order, default=0)), rounds=len(self._rounds))

    def ask(self, t: int, size: int = 1, available: np.ndarray | None = None) -> np.ndarray:
        """At most `size` distinct arms to play in round t, in the order of choice.

        available: boolean mask (n_arms,), None for all arms. The same call gives the same arms until
        there are new data. ValueError for a round that has been told.
        """
        t = checks.check_round(t, 1)
        arms = self._ask(self._at(t), t, size, available)
        self._calls(t).asked.append((int(size), _listed(available)))
        self._now = t
        return arms

    def tell(
        self,
        t: int,
        arms: int | Sequence[int] | np.ndarray,
        rewards: float | Sequence[float] | np.ndarray,
        noise_variances: float | Sequence[float] | np.ndarray | None = None,
        *,
        key: str | None = None,
    ) -> None:
        """Learn rewards of round t, one or several, now or later.

        noise_variances: of these observations, None for the usual one. Rewards of an earlier round,
        and those of a round that has some already, count as if they had arrived on time: all calls are
        then replayed before the next answer. key: a name of this call; a call repeated with its key, as by
        a client that received no answer, counts once. ValueError as `BasePolicy.observe_batch`, and for a
        key that other rewards of the round have.
        """
        t, arms, rewards = checks.check_round(t, 1), np.atleast_1d(arms), np.atleast_1d(rewards)
        noise = None if noise_variances is None else np.broadcast_to(noise_variances, arms.shape).copy()
        if not (key is None or isinstance(key, str)):
            raise ValueError(f"round {t}: key is {key!r:.40}, expected text")
        calls = self._rounds.get(t, _Calls())
        variances = [None] * len(arms) if noise is None else noise.tolist()
        if key in calls.keys:
            if calls.told(key) != (arms.tolist(), rewards.tolist(), variances):
                raise ValueError(f"round {t}: key {key!r} has been told with other arms or rewards")
            return
        in_time = self._is_at(t) and not (calls.arms or calls.expert)
        # checked on a fresh policy if this one is elsewhere
        (self._at(t) if in_time else self._fresh()).observe_batch(t, arms, rewards, noise)
        calls = self._calls(t)
        calls.arms += arms.tolist()
        calls.rewards += rewards.astype(float).tolist()
        calls.noise_variances += variances
        if key is not None:
            calls.keys[key] = [len(calls.arms) - len(arms), len(calls.arms)]
        self._let_in(t, in_time)

    def queries(self, t: int, available: np.ndarray | None = None) -> np.ndarray:
        """Arms about which to ask an expert in round t, (m,); often none. Before any reward of the round is
        told they are queries before its choice, and `ask` then depends on the answers; afterwards, queries
        after it.

        Those without an answer yet, if any; once all are answered, none, or the next one of a
        policy that asks one by one (`tvgp.contracts.SequentialQueries`).
        """
        t = checks.check_round(t, 1)
        calls = self._rounds.get(t, _Calls())
        available = checks.check_available(t, available, len(self._arms))
        if calls.asked and not calls.arms and not calls.before:
            self._let_in(t, False)  # queries come before choices that were made already
            policy = self._at(t - 1)
        else:
            policy = self._at(t)
        if calls.unanswered or (calls.now and not isinstance(policy, SequentialQueries)):
            arms = np.array(calls.unanswered, dtype=np.intp)
            return arms if available is None else arms[available[arms]]
        arms = policy.expert_queries(t, self._stream(t, "queries", calls.queries), available)
        self._calls(t).now.append({"available": _listed(available), "arms": arms.tolist()})
        self._now = t
        return arms

    def next_query(self, t: int, available: np.ndarray | None = None) -> int | None:
        """The arm of which to read f_t next, for a policy that asks one by one; None: no further reading
        pays.

        After an arm, `tell_expert` its reading and call again; after None, `ask`. ValueError as `queries`,
        and if several arms are asked about at once.
        """
        arms = self.queries(t, available)
        if len(arms) > 1:
            raise ValueError(f"round {t}: the policy asks about {len(arms)} arms at once; call queries({t})")
        return int(arms[0]) if len(arms) else None

    def tell_expert(
        self, t: int, arms: int | Sequence[int] | np.ndarray, values: float | Sequence[float] | np.ndarray
    ) -> None:
        """Learn the expert's answers, f_t at arms (m,) + noise, values (m,), now or later, all or some.

        As in `tell`, answers of an earlier round count as if they had arrived on time; the same
        answers again change nothing. ValueError as `BasePolicy.observe_expert`, and for arms that
        `queries(t)` did not ask about: a policy may take answers as those to its last query.
        """
        t = checks.check_round(t, 1)
        arms = checks.check_arms(t, np.atleast_1d(arms), len(self._arms))
        values = checks.check_answers(t, arms, np.atleast_1d(values))
        answers, calls = dict(zip(arms.tolist(), values.tolist(), strict=True)), self._rounds.get(t, _Calls())
        if answers.items() <= calls.answers.items():
            return
        if len(answers) < len(arms) or not answers.keys() <= set(calls.unanswered):
            raise ValueError(
                f"round {t}: answers about arms {arms.tolist()}, expected each once and among"
                f" {calls.unanswered}, which queries({t}) asked about and have no answer"
            )
        first = "available" in calls.latest[-1]
        in_time = self._is_at(t) and first and calls.latest is calls.now
        (self._at(t) if in_time else self._fresh()).observe_expert(t, arms, values)
        expert = self._calls(t).latest
        if first:
            expert.append({"arms": [], "values": []})
        expert[-1]["arms"] += arms.tolist()
        expert[-1]["values"] += values.tolist()
        self._let_in(t, in_time)

    def recommend(self, t: int, available: np.ndarray | None = None) -> int:
        """The arm with the largest posterior mean for round t, without exploration."""
        return self._reader(t).recommend(t, available)

    def posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Posterior mean and standard deviation over all arms for round t, both (n_arms,)."""
        return self._reader(t).posterior(t)

    def save(self, path: str | Path) -> None:
        """Write policy, kernel, parameters and log, atomically: the file is complete or unchanged.

        Links are followed, and the file keeps its mode. ValueError if there is a file that holds anything
        but what this object last saved there or loaded from there: another process writes it.
        """
        content = {
            "version": version("tvgp"),
            "policy": self._name,
            "parameters": self._parameters,
            "kernel": kernels.describe(self._kernel),
            "arms": self._arms.tolist(),
            "noise_variance": self._noise_variance,
            "seed": self._seed,
            "rounds": {str(t): asdict(self._rounds[t]) for t in self._order},
        }
        data = json.dumps({"format": FORMAT, "sha256": _digest(content), **content}).encode()
        file = Path(path).resolve()
        with _locked(file.parent):
            self._check_unchanged(file)
            _replace(file, data)
        self._files[file] = hashlib.sha256(data).hexdigest()

    @classmethod
    def load(cls, path: str | Path) -> Live:
        """The object that was saved; its next answers are those that the saved one would have given.

        ValueError for a file that is damaged or not of this kind. Warns if another version of tvgp
        saved it: the log is the same, the arms may not be.
        """
        data = Path(path).read_bytes()
        try:
            content = json.loads(data.decode())
            form, digest = content.pop("format"), content.pop("sha256")
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
            raise ValueError(f"{path}: not a file of tvgp.live.Live.save") from None
        if form != FORMAT:
            raise ValueError(f"{path}: format is {form!r}, expected {FORMAT!r}")
        if digest != _digest(content):
            raise ValueError(f"{path}: damaged, wrong digest; take an older copy")
        if content.keys() != KEYS:
            wrong = ", ".join(sorted(content.keys() ^ KEYS))
            raise ValueError(f"{path}: missing or unknown keys: {wrong}; expected {', '.join(sorted(KEYS))}")
        if content["version"] != (ours := version("tvgp")):
            warnings.warn(
                f"{path} was saved by tvgp {content['version']}, this is {ours}: arms may differ",
                stacklevel=2,
            )
        try:
            live = cls._of(content)
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise ValueError(f"{path}: {error}") from None
        live._files[Path(path).resolve()] = hashlib.sha256(data).hexdigest()
        return live

    @classmethod
    def _of(cls, content: dict[str, Any]) -> Live:
        live = cls(
            content["policy"],
            arms=np.array(content["arms"]),
            kernel=kernels.make(**content["kernel"]),
            noise_variance=content["noise_variance"],
            seed=content["seed"],
            **content["parameters"],
        )
        live._rounds = {int(t): _Calls(**calls) for t, calls in content["rounds"].items()}
        live._order = sorted(live._rounds)
        return live

    def _check_unchanged(self, file: Path) -> None:
        """ValueError if a file is not what this object saved there or loaded from there."""
        if file.exists() and hashlib.sha256(file.read_bytes()).hexdigest() != self._files.get(file):
            raise ValueError(
                f"{file}: another process or system saved to this file, or it is damaged; Live.load it,"
                " save under another name, or delete it"
            )

    def _fresh(self) -> BasePolicy:
        policy = policies.make(
            self._name,
            arms=self._arms,
            kernel=self._kernel,
            noise_variance=self._noise_variance,
            **self._parameters,
        )
        if isinstance(policy, Hindsight) or not isinstance(policy, BasePolicy):
            raise ValueError(
                f"policy {self._name} cannot run live: it needs hindsight or does not derive from BasePolicy"
            )
        return policy

    def _at(self, t: int) -> BasePolicy:
        """The policy after the calls of all rounds up to t, replayed as needed."""
        if t < self._now:
            self._back(t)
        first, end = (bisect.bisect_right(self._order, each) for each in (self._now, t))
        for each in self._order[first:end]:
            if self._late is not None and self._late <= each:
                self._kept[each], self._late = copy.deepcopy(self._policy), None
                self._kept = dict(sorted(self._kept.items())[-KEPT:])
            self._replay(self._policy, each, self._rounds[each])
            self._now = each
        return self._policy

    def _is_at(self, t: int) -> bool:
        """Whether the policy has seen the calls of all rounds up to t, and no others."""
        between = bisect.bisect_right(self._order, t) - bisect.bisect_right(self._order, self._now)
        return t >= self._now and not between

    def _let_in(self, t: int, in_time: bool) -> None:
        """Note that the policy has taken new data of round t, or will take them when it is replayed."""
        if in_time:
            self._now = t
        elif t <= self._now:
            self._back(t)

    def _back(self, t: int) -> None:
        """Restore the policy as it was before round t or earlier; the next replay keeps a copy of it."""
        first = max((each for each in self._kept if each <= t), default=1)
        kept = self._kept.get(first)
        self._policy = self._fresh() if kept is None else copy.deepcopy(kept)
        self._now, self._late = first - 1, min(t, self._late or t)

    def _reader(self, t: int) -> BasePolicy:
        """The policy to query for round t: a copy where the query would end rounds that are not over."""
        t = checks.check_round(t, 1)
        policy = self._at(t)
        return policy if t <= policy._over + 1 else copy.deepcopy(policy)

    def _replay(self, policy: BasePolicy, t: int, calls: _Calls) -> None:
        # what a call returned is in the log of the calls after it, but it may have changed the policy
        self._replay_queries(policy, t, calls.before, 0)
        for size, available in calls.asked:
            self._ask(policy, t, size, self._mask(available))
        if calls.arms:
            usual = self._noise_variance
            noise = [usual if each is None else each for each in calls.noise_variances]
            given = None if all(each is None for each in calls.noise_variances) else np.array(noise)
            policy.observe_batch(t, np.array(calls.arms), np.array(calls.rewards), given)
        self._replay_queries(policy, t, calls.expert, sum("available" in call for call in calls.before))

    def _replay_queries(self, policy: BasePolicy, t: int, calls: list[dict[str, Any]], number: int) -> None:
        """number: of queries of the round before these calls."""
        for call in calls:
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
        """The log of round t, to be written to."""
        self._kept = {each: policy for each, policy in self._kept.items() if each <= t}
        if t not in self._rounds:
            bisect.insort(self._order, t)
        return self._rounds.setdefault(t, _Calls())

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


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Values as they are read back from a file: Python's numbers, text and lists. ValueError for others."""

    def plain(value: object) -> object:
        if isinstance(value, numbers.Real):
            return int(value) if isinstance(value, numbers.Integral) else float(value)
        listed: object = np.asarray(value).tolist()
        if listed is value:
            raise ValueError(f"{value!r:.60} cannot be saved, expected numbers, text or arrays of numbers")
        return listed

    content: dict[str, Any] = json.loads(json.dumps(values, default=plain))
    return content


def _known(kernel: Kernel) -> Kernel:
    """A kernel as it is read back from a file. ValueError unless it consists of kernels of tvgp.kernels."""
    with contextlib.suppress(AttributeError, TypeError, ValueError):
        if (known := kernels.make(**_plain(kernels.describe(kernel)))) == kernel:
            return known
    raise ValueError(f"kernel {kernel!r:.60} cannot be saved, expected one of tvgp.kernels")


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one process at a time save in a folder; the lock ends with its process."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
        os.fsync(handle)
    finally:
        os.close(handle)


def _replace(path: Path, data: bytes) -> None:
    """Write a file whole, with the mode of the one it replaces. A saver that was killed leaves a
    temporary file, which the next one overwrites."""
    temporary = path.with_name(f"{path.name}.tmp")
    with open(temporary, "wb") as file:
        if path.exists():
            os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
