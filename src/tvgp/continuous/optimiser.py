"""Ask and tell on a box: `tvgp.live.Live` for values of named sides instead of arms."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tvgp import streams
from tvgp.continuous import policies
from tvgp.continuous.box import Box
from tvgp.continuous.policies.base.exact import Model
from tvgp.continuous.policies.base.policy import ModelPolicy
from tvgp.contracts import summary
from tvgp.kernels import Kernel
from tvgp.policies.base import checks

Point = Mapping[str, Any]

STRETCH = 64  # calls between two states that are kept


@dataclass
class _Stretch:
    """Calls in their order, and the state before them. A call: its round, and what was told, if it told
    something, coordinates (d,) and value."""

    policy: ModelPolicy
    told: int
    latest: int
    calls: list[tuple[int, np.ndarray | None, float]] = field(default_factory=list)


class Optimiser:
    """A policy on a box. Rounds are integers t = 1, 2, ...; any may be skipped, and data age through them.

    All random choices follow from the seed, the round and the data told so far: the same calls give the same
    points, to the byte, and a call repeated its answer.

    >>> from tvgp import kernels
    >>> box = Box({"x": (0.0, 1.0)})
    >>> kernel = kernels.make("se", length_scale=0.2)
    >>> optimiser = Optimiser("tv_gp_ucb", box=box, kernel=kernel, noise_variance=0.01, epsilon=0.01)
    >>> for t in range(1, 21):
    ...     point = optimiser.ask(t)
    ...     optimiser.tell(t, point, np.sin(6 * point["x"] - 0.02 * t))
    >>> round(optimiser.recommend(21)["x"], 1)
    0.3
    """

    def __init__(
        self,
        policy: str,
        *,
        box: Box,
        kernel: Kernel | None = None,
        noise_variance: float | None = None,
        parameters: str = "given",
        seed: int = 0,
        **values: Any,
    ) -> None:
        """policy: of `tvgp.continuous.policies`, with a model; kernel: on the box's coordinates, which lie in
        [0, 1]; noise_variance: of an observation; parameters: given, or learn: kernel, noise and drift are
        learnt while playing, and need not be given; seed: of all random choices; values: the policy's own
        parameters. ValueError as `tvgp.continuous.policies.make`."""
        if not isinstance(box, Box):
            raise ValueError(f"box is {box!r:.40}, expected a Box")
        if not isinstance(seed, int | np.integer):
            raise ValueError(f"seed is {seed!r}, expected a whole number")
        made = policies.make(
            policy,
            domain=box.domain,
            kernel=kernel,
            noise_variance=noise_variance,
            parameters=parameters,
            **values,
        )
        if not isinstance(made, ModelPolicy):
            raise ValueError(f"policy {policy} has no model of f_t, so it cannot ask and tell on a box")
        self._name, self._box, self._seed, self._policy = policy, box, int(seed), made
        self._told = 0
        self._latest = 1  # round
        self._stretches: deque[_Stretch] = deque(maxlen=2)

    def __repr__(self) -> str:
        return summary("Optimiser", policy=self._name, told=self._told, latest=self._latest)

    @property
    def model(self) -> Model:
        """Kernel, noise variance and prior mean in use, learnt ones after a fit."""
        return self._policy.model

    @property
    def latest(self) -> int:
        """The latest round that was asked for or told, 1 before any; none before it can be asked for, unless
        it is taken back."""
        return self._latest

    def ask(
        self,
        t: int,
        context: Point | None = None,
        pending: Sequence[Point] = (),
        rounds: Sequence[int] | None = None,
    ) -> dict[str, Any]:
        """The point to play in round t, with the context in it.

        context: values of the box's context, seen before the choice; pending: points whose values are to
        come, such as those of other workers, which the choice assumes to be the posterior mean; rounds: of
        which these values will be, None for t. ValueError for a round before that of an earlier call, a
        context that is not the box's, a value outside the box, and rounds that are not one per pending point,
        up to t.
        """
        t = self._round(t)
        rounds = [t] * len(pending) if rounds is None else [checks.check_round(s, 1) for s in rounds]
        if len(rounds) != len(pending):
            raise ValueError(f"rounds are {len(rounds)}, expected one per pending point, {len(pending)}")
        if late := [s for s in rounds if s > t]:
            raise ValueError(f"a pending point is of round {late[0]}, expected up to round {t}")
        given = self._box.encode_context(context)
        waiting = np.array([self._box.encode(point) for point in pending]).reshape(-1, self._box.domain.d)
        point = self._policy.propose(t, self._stream(t, "ask"), 1, given, waiting, np.array(rounds))[0]
        if t > self._latest:
            self._carry_out(t, None, 0.0)
        return self._named(point, context)

    def tell(self, t: int, point: Point, value: float) -> None:
        """Learn the value of a point, context included, in round t, which may be an earlier one.

        ValueError for a value that is not a finite number, and a point outside the box.
        """
        t = checks.check_round(t, 1)
        u = self._box.encode(point)
        self._carry_out(t, u, checks.check_value(t, value, "the value"))

    def tell_all(self, rounds: Sequence[int], points: Sequence[Point], values: Sequence[float]) -> None:
        """Learn values of many rounds at once, such as those of an earlier run: parameters are learnt once,
        from all of them, and they cannot be taken back. ValueError as `tell`, and unless there is one
        round and one value per point."""
        if not len(rounds) == len(points) == len(values):
            raise ValueError(
                f"{len(rounds)} rounds, {len(points)} points, {len(values)} values; expected as many of each"
            )
        if not len(points):
            return
        told = [checks.check_round(t, 1) for t in rounds]
        u = np.array([self._box.encode(point) for point in points])
        y = [checks.check_value(t, value, "the value") for t, value in zip(told, values, strict=True)]
        policy = copy.deepcopy(self._policy)  # so that an interrupted fit leaves no trace
        policy.observe_points(np.array(told), u, np.array(y))
        self._policy, self._told = policy, self._told + len(y)
        self._latest = max(self._latest, *told)
        self._stretches.clear()

    def take_back(self, t: int) -> None:
        """Forget all calls of round t, such as one with a wrong number: the answers are from now on those
        without these calls, to the byte.

        ValueError for a round without calls among the latest 64 to 128, those that can be taken back, or with
        data from before them.
        """
        t = checks.check_round(t, 1)
        kept = [call for stretch in self._stretches for call in stretch.calls]
        left = [call for call in kept if call[0] != t]
        if len(left) == len(kept) or t in self._stretches[0].policy.data.rounds:
            raise ValueError(
                f"round {t}: its calls are not among the latest {len(kept)}, which can be taken back"
            )
        made, first = copy.copy(self), self._stretches[0]  # an interruption leaves this one as it is
        made._policy, made._told, made._latest = first.policy, first.told, first.latest
        made._stretches = deque(maxlen=2)
        for call in left:
            made._carry_out(*call)
        vars(self).update(vars(made))

    def recommend(self, t: int, context: Point | None = None) -> dict[str, Any]:
        """The point with the largest posterior mean for round t, without exploration. ValueError as `ask`,
        and without any data."""
        t = self._round(t)
        given = self._box.encode_context(context)
        if not self._told:
            raise ValueError(f"round {t}: nothing has been told, so there is no point to recommend")
        return self._named(self._policy.recommend(t, self._stream(t, "recommend"), given), context)

    def posterior(self, t: int, points: Sequence[Point]) -> tuple[np.ndarray, np.ndarray]:
        """Posterior mean and standard deviation for round t at points, both (n,); of W-GP-UCB with
        double weights, the deviation is theirs. ValueError as `ask`."""
        t = self._round(t)
        u = np.array([self._box.encode(point) for point in points]).reshape(-1, self._box.domain.d)
        mean, variance = self._policy.posterior(t).moments(u)
        return mean, np.sqrt(variance)

    def _carry_out(self, t: int, u: np.ndarray | None, y: float) -> None:
        """Make a call of round t: learn y at u, unless it is None."""
        policy = copy.deepcopy(self._policy)  # so that an interrupted fit leaves no trace
        if u is not None:
            policy.observe_points(t, u[None], np.array([y]))
        if not self._stretches or len(self._stretches[-1].calls) == STRETCH:
            self._stretches.append(_Stretch(self._policy, self._told, self._latest))
        self._policy, self._told = policy, self._told + (u is not None)
        self._latest = max(self._latest, t)
        self._stretches[-1].calls.append((t, u, y))

    def _named(self, u: np.ndarray, context: Point | None) -> dict[str, Any]:
        return self._box.decode(u) | dict(context or {})

    def _round(self, t: int) -> int:
        t, now = checks.check_round(t, 1), self._latest
        if t < now:
            raise ValueError(
                f"round {t}: time is at round {now} already and does not go back; if {now} is wrong,"
                f" take_back({now})"
            )
        return t

    def _stream(self, t: int, purpose: str) -> np.random.Generator:
        return streams.generator("box", self._seed, t, self._told, purpose)
