"""A policy in a live system: ask for arms, tell rewards, save and resume.

The object keeps a log of all calls. A call for round t sees the calls for rounds up to t, whenever they were
made, and no later ones: data that arrive late count as if they had arrived on time, and a call with a wrong,
far round leaves those before it as they are. Once saved, each call is in the file when it returns
(`tvgp.live.log`). Loading, and a late reward, replay some of the calls (`tvgp.live.replay`).
"""

from __future__ import annotations

import contextlib
import copy
import functools
import json
import numbers
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar, cast

import numpy as np

from tvgp import kernels, policies
from tvgp.contracts import Hindsight, SequentialQueries, summary
from tvgp.kernels import Kernel
from tvgp.live import first_format
from tvgp.live.calls import Calls, Row
from tvgp.live.log import Log
from tvgp.live.replay import Replay, listed
from tvgp.live.state import version
from tvgp.policies.base import checks
from tvgp.policies.base.policy import BasePolicy

FORMAT = "tvgp live 2"
KEYS = {"format", "version", "policy", "parameters", "kernel", "arms", "names", "noise_variance", "seed"}

Method = TypeVar("Method", bound=Callable[..., Any])


def _whole(method: Method) -> Method:
    """A method after which the policy is that of the log, even if Ctrl-C interrupts it during a fit."""

    @functools.wraps(method)
    def guarded(self: Live, *given: Any, **named: Any) -> Any:
        try:
            with self._log.lock:
                return method(self, *given, **named)
        except ValueError:  # of a check, before anything changes
            raise
        except BaseException:
            self._replay.distrust()
            raise

    return cast(Method, guarded)


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
        made = partial(_made, policy, **self._parameters)
        made(arms=arms, kernel=kernel, noise_variance=noise_variance)  # checks the arguments
        # plays with the values that the file will have
        self._arms, self._noise_variance = np.array(arms, dtype=float), float(noise_variance)
        self._arms.flags.writeable = False  # `arms` gives it away
        self._kernel = _known(kernel)
        self._fresh = partial(made, arms=self._arms, kernel=self._kernel, noise_variance=self._noise_variance)
        self._names = None if names is None else list(map(str, names))
        if self._names is not None and not len(set(self._names)) == len(self._names) == len(self._arms):
            raise ValueError(f"names are {len(set(self._names))} different ones, expected {len(self._arms)}")
        self._begin(Log(self._definition()))

    def _begin(self, log: Log) -> None:
        self._log, self._replay = log, Replay(log, self._fresh)

    def __repr__(self) -> str:
        return summary("Live", policy=self._replay.at(last := self.last_round), last_round=last)

    @_whole
    def ask(self, t: int, size: int = 1, available: np.ndarray | None = None) -> np.ndarray:
        """At most `size` distinct arms to play in round t, in the order of choice.

        available: boolean mask (n_arms,), None for all arms. The same call gives the same arms until
        there are new data. ValueError for a round that has been told.
        """
        t = checks.check_round(t, 1)
        policy = self._replay.at(t)
        if t <= policy._over:
            raise ValueError(f"round {t}: has rewards already; ask for the next one, or take_back({t})")
        if (chosen := self._replay.chosen(t, size, available)) is not None:
            return chosen
        arms = self._replay.ask(policy, t, size, available)
        self._replay.record(t, {"ask": int(size), "available": listed(available)}, seen=True)
        return arms

    @_whole
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
        t = checks.check_round(t, 1)
        arms = checks.check_arms(t, _one_or_more(t, arms, "arms"), len(self._arms))
        rewards = _one_or_more(t, rewards, "rewards")
        noise = None if noise_variances is None else _one_or_more(t, noise_variances, "noise variances")
        if noise is not None:
            if noise.size == 1:
                noise = np.full(len(arms), checks.check_value(t, noise.ravel()[0], "the noise variance"))
            noise = checks.check_answers(t, arms, noise, "noise variance")
        if not (key is None or isinstance(key, str)):
            raise ValueError(f"round {t}: key is {key!r:.40}, expected text")
        calls = self._replay.calls(t)
        variances = [None] * len(arms) if noise is None else noise.tolist()
        if key in calls.keys:
            if calls.told(key) != (arms.tolist(), rewards.tolist(), variances):
                raise ValueError(f"round {t}: key {key!r} has been told with other arms or rewards")
            return
        in_time = self._replay.is_at(t) and not (calls.arms or calls.expert)
        # checked on a fresh policy if this one is elsewhere
        (self._replay.at(t) if in_time else self._fresh()).observe_batch(t, arms, rewards, noise)
        told = {"tell": arms.tolist(), "rewards": rewards.astype(float).tolist()}
        self._replay.record(t, {**told, "noise_variances": variances, "key": key}, seen=in_time)

    @_whole
    def queries(self, t: int, available: np.ndarray | None = None) -> np.ndarray:
        """Arms about which to ask an expert in round t, (m,); often none. Before any reward of the round is
        told they are queries before its choice, and `ask` then depends on the answers; afterwards, queries
        after it.

        Those without an answer yet, if any; once all are answered, none, or the next one of a
        policy that asks one by one (`tvgp.contracts.SequentialQueries`), as where those without an answer are
        no longer available.
        """
        t = checks.check_round(t, 1)
        calls = self._replay.calls(t)
        available = checks.check_available(t, available, len(self._arms))
        if calls.asked and not calls.arms and not calls.before:
            self._replay.rewind(t)  # queries come before choices that were made already
            policy = self._replay.at(t - 1)
        else:
            policy = self._replay.at(t)
        waiting = np.array(calls.unanswered, dtype=np.intp)
        waiting = waiting if available is None else waiting[available[waiting]]
        # one by one, an arm that can no longer be read gives way to the next
        if len(waiting) or (calls.now and not isinstance(policy, SequentialQueries)):
            return waiting
        arms = self._replay.queries(policy, t, calls.queries, available)
        self._replay.record(t, {"queries": arms.tolist(), "available": listed(available)}, seen=True)
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

    @_whole
    def tell_expert(
        self, t: int, arms: int | Sequence[int] | np.ndarray, values: float | Sequence[float] | np.ndarray
    ) -> None:
        """Learn the expert's answers, f_t at arms (m,) + noise, values (m,), now or later, all or some.

        As in `tell`, answers of an earlier round count as if they had arrived on time; the same
        answers again change nothing. ValueError as `BasePolicy.observe_expert`, and for arms that
        `queries(t)` did not ask about: a policy may take answers as those to its last query.
        """
        t = checks.check_round(t, 1)
        arms = checks.check_arms(t, _one_or_more(t, arms, "arms"), len(self._arms))
        values = checks.check_answers(t, arms, _one_or_more(t, values, "values"))
        answers, calls = dict(zip(arms.tolist(), values.tolist(), strict=True)), self._replay.calls(t)
        if answers.items() <= calls.answers.items():
            return
        if len(answers) < len(arms) or not answers.keys() <= set(calls.unanswered):
            named, waiting = (", ".join(self.names[arm] for arm in each) for each in (arms, calls.unanswered))
            raise ValueError(
                f"round {t}: answers about {named}; expected each arm once and among those that queries({t})"
                f" asked about and that have no answer: {waiting or 'none'}"
            )
        in_time = self._replay.is_at(t) and "queries" in calls.latest[-1] and calls.latest is calls.now
        (self._replay.at(t) if in_time else self._fresh()).observe_expert(t, arms, values)
        answered = {"expert": arms.tolist(), "values": values.astype(float).tolist()}
        self._replay.record(t, answered, seen=in_time)

    @_whole
    def take_back(self, t: int) -> None:
        """Forget all calls of round t, such as one with a wrong number; the log keeps that they were made.

        ValueError for a round without calls.
        """
        t = checks.check_round(t, 1)
        if self._replay.calls(t) == Calls():
            raise ValueError(f"round {t}: there are no calls to take back")
        self._replay.record(t, {"take_back": True}, seen=False)

    def history(self) -> Iterator[tuple[int, Row]]:
        """Round and content of every call, in the order in which they were made (`tvgp.live.calls`)."""
        yield from self._log.history()

    def rewards(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rounds, arms and rewards told so far, each (n,), in the order of the rounds."""
        told = []
        for t in self._log.rounds(0, 2**53):
            calls = self._replay.calls(t)
            told += [(t, arm, y) for arm, y in zip(calls.arms, calls.rewards, strict=True)]
        rounds, arms, rewards = np.array(told, dtype=float).reshape(-1, 3).T
        return rounds.astype(np.int64), arms.astype(np.intp), rewards

    @property
    def file(self) -> Path | None:
        """Where calls are added; None in memory, also after loading a file of format 1."""
        return self._log.file

    @property
    def arms(self) -> np.ndarray:
        """Coordinates of the arms, (n_arms, d), read-only."""
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
    def parameters(self) -> dict[str, Any]:
        """Of the policy, as they were given."""
        return dict(self._parameters)

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
        while t and self._replay.calls(t) == Calls():
            t = self._log.last(t - 1)
        return t

    @property
    def next_round(self) -> int:
        """The round of the next choice: the last one if it has no reward yet, else the one after it."""
        last = self.last_round
        return last + (not last or bool(self._replay.calls(last).arms))

    @_whole
    def recommend(self, t: int, available: np.ndarray | None = None) -> int:
        """The arm with the largest posterior mean for round t, without exploration."""
        return self._reader(t).recommend(t, available)

    @_whole
    def posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Posterior mean and standard deviation over all arms for round t, both (n_arms,)."""
        return self._reader(t).posterior(t)

    @_whole
    def policy(self, t: int) -> BasePolicy:
        """A copy of the policy as it is for round t, to look into, such as at `PandoraGPUCB.indices`."""
        return copy.deepcopy(self._replay.at(checks.check_round(t, 1)))

    def save(self, path: str | Path) -> None:
        """Write policy, kernel, parameters and log to a new file, whole or not at all. From then on each call
        is in it when it returns, and it is enough to save once; again at the same path changes nothing.

        The file is an SQLite database; copy it after `close`, or in another process with its `-wal` beside
        it. Calls raise OSError, and do not count, while it cannot be written, and once another process has
        added calls or the file was deleted or replaced: load it again. ValueError for a path where there is a
        file.
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
        try:
            try:
                log = Log.open(Path(path).resolve())
            except ValueError:
                # not before: where this process has the file open, reading it ends SQLite's locks
                if (old := first_format.read(Path(path))) is None:
                    raise
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
        live._begin(log)
        return live

    def close(self) -> None:
        """Store the state of the policy, if replaying it would take long, and let go of the file; the object
        is not used afterwards. Nothing is lost without it."""
        self._replay.store()
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

    def _reader(self, t: int) -> BasePolicy:
        """The policy to query for round t: a copy where the query would end rounds that are not over."""
        t = checks.check_round(t, 1)
        policy = self._replay.at(t)
        return policy if t <= policy._over + 1 else copy.deepcopy(policy)


def _made(policy: str, **arguments: Any) -> BasePolicy:
    made = policies.make(policy, **arguments)
    if isinstance(made, Hindsight) or not isinstance(made, BasePolicy):
        raise ValueError(
            f"policy {policy} cannot run live: it needs hindsight or does not derive from BasePolicy"
        )
    return made


def _one_or_more(t: int, numbers: Any, what: str) -> np.ndarray:
    """One number or several as an array. ValueError as `checks.check_array`."""
    return np.atleast_1d(checks.check_array(t, numbers, what))


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Values as they are read back from a file: Python's numbers, text and lists. ValueError for others."""

    def plain(value: object) -> object:
        if isinstance(value, numbers.Real):
            return int(value) if isinstance(value, numbers.Integral) else float(value)
        listed: object = np.asanyarray(value).tolist()
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
