"""A policy in a live system: ask for arms, tell rewards, save and resume.

The object keeps a log of all calls. A call for round t sees the calls for rounds up to t, whenever they were
made, and no later ones: data that arrive late count as if they had arrived on time, and a call with a wrong,
far round leaves those before it as they are. A policy follows from its log, as every call has a random stream
of its own. Once saved, each call is in the file when it returns (`tvgp.live.log`). Loading replays the calls
since the policy's state was last stored, every `EVERY` rounds. A late reward replays the rounds since the
last earlier late one: the policy as it was before a late round is kept, for the latest `KEPT`.
"""

from __future__ import annotations

import contextlib
import copy
import json
import numbers
import warnings
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import numpy as np

from tvgp import kernels, policies, streams
from tvgp.contracts import Hindsight, SequentialQueries, summary
from tvgp.kernels import Kernel
from tvgp.live import first_format, state
from tvgp.live.calls import Calls, Row
from tvgp.live.log import Log
from tvgp.policies.base import checks
from tvgp.policies.base.policy import BasePolicy

FORMAT = "tvgp live 2"
KEYS = {"format", "version", "policy", "parameters", "kernel", "arms", "names", "noise_variance", "seed"}
KEPT = 8  # policies
EVERY = 200  # rounds that a state in the log saves replaying
LARGEST = 64 * 2**20  # bytes of a state; larger ones are not stored


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
        names: Sequence[str] | None = None,
        **parameters: Any,
    ) -> None:
        """The arguments of `tvgp.policies.make`; seed: of all random choices; names: of the arms, for people.

        ValueError as there, for a policy that needs hindsight, for names that are not one per arm and all
        different, and for a kernel or parameter that `save` could not write."""
        if not isinstance(seed, int | np.integer):
            raise ValueError(f"seed is {seed!r}, expected a whole number")
        self._name, self._seed, self._parameters = policy, int(seed), _plain(parameters)
        self._arms: np.ndarray = arms
        self._kernel, self._noise_variance = kernel, noise_variance
        self._fresh()  # checks the arguments
        # plays with the values that the file will have
        self._arms, self._noise_variance = np.array(arms, dtype=float), float(noise_variance)
        self._kernel = _known(kernel)
        self._names = None if names is None else list(map(str, names))
        if self._names is not None and not len(set(self._names)) == len(self._names) == len(self._arms):
            raise ValueError(f"names are {len(set(self._names))} different ones, expected {len(self._arms)}")
        self._log = Log(self._definition())
        self._restart()

    def _restart(self) -> None:
        """Begin before the first round, or with the last state in the log."""
        self._kept: dict[int, BasePolicy] = {}  # the policy before the calls of a round
        self._unkept = 0  # rounds since a state was stored
        self._late: int | None = None  # the earliest late round that is not replayed yet
        self._back(2**53)
        self._late = None

    def __repr__(self) -> str:
        return summary("Live", policy=self._at(last := self.last_round), last_round=last)

    def ask(self, t: int, size: int = 1, available: np.ndarray | None = None) -> np.ndarray:
        """At most `size` distinct arms to play in round t, in the order of choice.

        available: boolean mask (n_arms,), None for all arms. The same call gives the same arms until
        there are new data. ValueError for a round that has been told.
        """
        t = checks.check_round(t, 1)
        arms = self._ask(self._at(t), t, size, available)
        self._record(t, {"ask": int(size), "available": _listed(available)})
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
        calls = self._calls(t)
        variances = [None] * len(arms) if noise is None else noise.astype(float).tolist()
        if key in calls.keys:
            if calls.told(key) != (arms.tolist(), rewards.tolist(), variances):
                raise ValueError(f"round {t}: key {key!r} has been told with other arms or rewards")
            return
        in_time = self._is_at(t) and not (calls.arms or calls.expert)
        # checked on a fresh policy if this one is elsewhere
        (self._at(t) if in_time else self._fresh()).observe_batch(t, arms, rewards, noise)
        told = {"tell": arms.tolist(), "rewards": rewards.astype(float).tolist()}
        self._record(t, {**told, "noise_variances": variances, "key": key})
        self._let_in(t, in_time)

    def queries(self, t: int, available: np.ndarray | None = None) -> np.ndarray:
        """Arms about which to ask an expert in round t, (m,); often none. Before any reward of the round is
        told they are queries before its choice, and `ask` then depends on the answers; afterwards, queries
        after it.

        Those without an answer yet, if any; once all are answered, none, or the next one of a
        policy that asks one by one (`tvgp.contracts.SequentialQueries`).
        """
        t = checks.check_round(t, 1)
        calls = self._calls(t)
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
        self._record(t, {"queries": arms.tolist(), "available": _listed(available)})
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
        answers, calls = dict(zip(arms.tolist(), values.tolist(), strict=True)), self._calls(t)
        if answers.items() <= calls.answers.items():
            return
        if len(answers) < len(arms) or not answers.keys() <= set(calls.unanswered):
            raise ValueError(
                f"round {t}: answers about arms {arms.tolist()}, expected each once and among"
                f" {calls.unanswered}, which queries({t}) asked about and have no answer"
            )
        in_time = self._is_at(t) and "queries" in calls.latest[-1] and calls.latest is calls.now
        (self._at(t) if in_time else self._fresh()).observe_expert(t, arms, values)
        self._record(t, {"expert": arms.tolist(), "values": values.astype(float).tolist()})
        self._let_in(t, in_time)

    def take_back(self, t: int) -> None:
        """Forget all calls of round t, such as one with a wrong number; the log keeps that they were made.

        ValueError for a round without calls.
        """
        t = checks.check_round(t, 1)
        if self._calls(t) == Calls():
            raise ValueError(f"round {t}: there are no calls to take back")
        self._record(t, {"take_back": True})
        self._let_in(t, False)

    def history(self) -> Iterator[tuple[int, Row]]:
        """Round and content of every call, in the order in which they were made (`tvgp.live.calls`)."""
        yield from self._log.history()

    def rewards(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rounds, arms and rewards told so far, each (n,), in the order of the rounds."""
        told = []
        for t in self._log.rounds(0, 2**53):
            calls = self._calls(t)
            told += [(t, arm, y) for arm, y in zip(calls.arms, calls.rewards, strict=True)]
        rounds, arms, rewards = np.array(told, dtype=float).reshape(-1, 3).T
        return rounds.astype(np.int64), arms.astype(np.intp), rewards

    @property
    def arms(self) -> np.ndarray:
        """Coordinates of the arms, (n_arms, d)."""
        return self._arms

    @property
    def kernel(self) -> Kernel:
        """Of the prior."""
        return self._kernel

    @property
    def noise_variance(self) -> float:
        """Of a reward told without one of its own."""
        return self._noise_variance

    @property
    def prior_mean(self) -> np.ndarray:
        """(n_arms,): the policy's parameter of this name, 0 if it has none."""
        return np.broadcast_to(np.asarray(self._parameters.get("prior_mean", 0.0)), len(self._arms))

    @property
    def names(self) -> list[str]:
        """Names of the arms; their indices where none were given."""
        return list(map(str, range(len(self._arms)))) if self._names is None else list(self._names)

    @property
    def last_round(self) -> int:
        """The last round with a call that was not taken back; 0 without any."""
        t = self._log.last(2**53)
        while t and self._calls(t) == Calls():
            t = self._log.last(t - 1)
        return t

    @property
    def next_round(self) -> int:
        """The round of the next choice: the last one if it has no reward yet, else the one after it."""
        last = self.last_round
        return last + (not last or bool(self._calls(last).arms))

    def recommend(self, t: int, available: np.ndarray | None = None) -> int:
        """The arm with the largest posterior mean for round t, without exploration."""
        return self._reader(t).recommend(t, available)

    def posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Posterior mean and standard deviation over all arms for round t, both (n_arms,)."""
        return self._reader(t).posterior(t)

    def save(self, path: str | Path) -> None:
        """Write policy, kernel, parameters and log to a new file, whole or not at all. From then on each call
        is in it when it returns, and it is enough to save once; again at the same path changes nothing.

        The file is an SQLite database; copy it after `close`, or with its `-wal` beside it. Calls raise
        OSError, and do not count, while it cannot be written, and once another process has added calls: load
        it again. ValueError for a path where there is a file.
        """
        file = Path(path).resolve()
        if file != self._log.file or not file.exists():
            self._log.move_to(file)

    @classmethod
    def load(cls, path: str | Path) -> Live:
        """The object that was saved; its next answers are those that the saved one would have given, and its
        calls are added to the file. A file of format 1, which is JSON, is read, and stays as it is.

        ValueError for a file that is damaged or not of this kind. Warns if another version of tvgp
        saved it: the log is the same, the arms may not be.
        """
        old = first_format.read(Path(path))
        try:
            if old is None:
                log = Log.open(Path(path).resolve())
            else:
                definition, rows = old
                log = Log({"format": FORMAT, "names": None, **definition})
                for t, row in rows:
                    log.add(t, row)
            return cls._of(log, path)
        except (KeyError, AttributeError, TypeError) as error:
            raise ValueError(f"{path}: {error}") from None

    @classmethod
    def _of(cls, log: Log, path: str | Path) -> Live:
        content = log.definition
        if content.get("format") != FORMAT:
            raise ValueError(f"{path}: format is {content.get('format')!r}, expected {FORMAT!r}")
        if content.keys() != KEYS:
            wrong = ", ".join(sorted(content.keys() ^ KEYS))
            raise ValueError(f"{path}: missing or unknown keys: {wrong}; expected {', '.join(sorted(KEYS))}")
        if content["version"] != (ours := version("tvgp")):
            warnings.warn(
                f"{path} was saved by tvgp {content['version']}, this is {ours}: arms may differ",
                stacklevel=3,
            )
        try:
            live = cls(
                content["policy"],
                arms=np.array(content["arms"]),
                kernel=kernels.make(**content["kernel"]),
                noise_variance=content["noise_variance"],
                seed=content["seed"],
                names=content["names"],
                **content["parameters"],
            )
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
        live._log = log
        live._restart()
        return live

    def close(self) -> None:
        """Store the state of the policy, if replaying it would take long, and let go of the file; the object
        is not used afterwards. Nothing is lost without it."""
        self._store_state()
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _definition(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": version("tvgp"),
            "policy": self._name,
            "parameters": self._parameters,
            "kernel": kernels.describe(self._kernel),
            "arms": self._arms.tolist(),
            "names": self._names,
            "noise_variance": self._noise_variance,
            "seed": self._seed,
        }

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
        for each in self._log.rounds(self._now, t):
            if self._late is not None and self._late <= each:
                self._kept[each], self._late = copy.deepcopy(self._policy), None
                self._kept = dict(sorted(self._kept.items())[-KEPT:])
            self._replay(self._policy, each, self._calls(each))
            self._now, self._unkept = each, self._unkept + 1
            self._store_state()
        if t > self._now:  # its last round is over
            self._store_state()
        return self._policy

    def _is_at(self, t: int) -> bool:
        """Whether the policy has seen the calls of all rounds up to t, and no others."""
        return t >= self._now and not self._log.rounds(self._now, t)

    def _record(self, t: int, call: Row) -> None:
        """Add a call to the log. If that fails it does not count: the policy starts from the log again."""
        try:
            self._log.add(t, call)
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                self._restart()
            raise
        self._unkept += t > self._now
        self._kept = {each: policy for each, policy in self._kept.items() if each <= t}

    def _let_in(self, t: int, in_time: bool) -> None:
        """Note that the policy has taken new data of round t, or will take them when it is replayed."""
        if in_time:
            self._now = t
        elif t <= self._now:
            self._back(t)

    def _back(self, t: int) -> None:
        """Restore the policy as it was before round t or earlier, which is after the calls of all rounds up
        to `_now`; the next replay keeps a copy of it."""
        first = max((each for each in self._kept if each <= t), default=0)
        stored = self._log.state(t)
        if stored is not None and stored[0] >= first:
            with contextlib.suppress(ValueError):
                self._policy = state.load(stored[1], self._fresh())
                self._now, self._late = stored[0], min(t, self._late or t)
                return
        self._policy = copy.deepcopy(self._kept[first]) if first else self._fresh()
        self._now, self._late = max(first - 1, 0), min(t, self._late or t)

    def _store_state(self) -> None:
        """Store the state of the policy in the log, after `EVERY` rounds without."""
        if self._unkept < EVERY or self._now == 0 or self._log.file is None:
            return
        self._unkept = 0
        with contextlib.suppress(TypeError, OSError, ValueError):  # it only saves time
            data = state.dump(self._policy, self._fresh())
            if len(data) <= LARGEST:
                self._log.keep_state(self._now, data)

    def _reader(self, t: int) -> BasePolicy:
        """The policy to query for round t: a copy where the query would end rounds that are not over."""
        t = checks.check_round(t, 1)
        policy = self._at(t)
        return policy if t <= policy._over + 1 else copy.deepcopy(policy)

    def _replay(self, policy: BasePolicy, t: int, calls: Calls) -> None:
        # what a call returned is in the log of the calls after it, but it may have changed the policy
        self._replay_queries(policy, t, calls.before, 0)
        for size, available in calls.asked:
            self._ask(policy, t, size, self._mask(available))
        if calls.arms:
            usual = self._noise_variance
            noise = [usual if each is None else each for each in calls.noise_variances]
            given = None if all(each is None for each in calls.noise_variances) else np.array(noise)
            policy.observe_batch(t, np.array(calls.arms), np.array(calls.rewards), given)
        self._replay_queries(policy, t, calls.expert, sum("queries" in call for call in calls.before))

    def _replay_queries(self, policy: BasePolicy, t: int, calls: list[Row], number: int) -> None:
        """number: of queries of the round before these calls."""
        for call in calls:
            if "queries" in call:
                rng = self._stream(t, "queries", number)
                policy.expert_queries(t, rng, self._mask(call["available"]))
                number += 1
            else:
                policy.observe_expert(t, np.array(call["expert"], dtype=np.intp), np.array(call["values"]))

    def _ask(self, policy: BasePolicy, t: int, size: int, available: np.ndarray | None) -> np.ndarray:
        return policy.choose_batch(t, self._stream(t, "choose", 0), size, available)

    def _stream(self, t: int, purpose: str, number: int) -> np.random.Generator:
        return streams.generator("live", self._seed, t, purpose, number)

    def _calls(self, t: int) -> Calls:
        """The calls of round t so far."""
        return Calls.of(self._log.calls(t))

    def _mask(self, available: list[int] | None) -> np.ndarray | None:
        if available is None:
            return None
        mask = np.zeros(len(self._arms), dtype=bool)
        mask[available] = True
        return mask


def _listed(available: np.ndarray | None) -> list[int] | None:
    return None if available is None else np.flatnonzero(available).tolist()


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
