"""The contracts of the library: what a policy does and what an environment offers.

Policies and environments never import each other; `tvgp.simulate` alone brings them together.
Rounds are numbered t = 1, 2, ..., T; where time passes without a round, some numbers are left out.
Arms are indices into an (n_arms, d) array of coordinates.
On a continuous domain arms are points of a box instead, played in batches, see `tvgp.continuous.simulate`,
which also lets policies written for arms play there.
"""

from __future__ import annotations

from typing import Literal, Protocol, get_args, runtime_checkable

import numpy as np

NoiseLaw = Literal["gaussian", "uniform"]
Moment = Literal["before", "after", "both"]  # of the queries about f_t: before x_t is chosen, after y_t


@runtime_checkable
class Policy(Protocol):
    """A bandit algorithm. One round calls, in this order:

    `choose` (from data up to t-1), `observe`, `expert_queries` and, if it returns arms,
    `observe_expert`; see `SequentialQueries` for policies that ask again. That is the order of the SparQ
    papers. Queries about f_t may come before `choose` instead, whose arm then depends on the answers, or
    both before it and after `observe`.

    t is time: rounds may be skipped, and old data age through them; t never goes back. Invalid
    arguments raise ValueError.
    """

    @property
    def engine(self) -> str:
        """Name of the posterior engine in use; "none" for a policy without a model of f."""

    def choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None = None) -> int:
        """Arm for round t. `available` is an (n_arms,) boolean mask; None means all arms."""

    def observe(self, t: int, arm: int, reward: float) -> None:
        """Learn from y_t = f_t(x_t) + noise."""

    def expert_queries(
        self, t: int, rng: np.random.Generator, available: np.ndarray | None = None
    ) -> np.ndarray:
        """Arms at which to ask the expert for f_t, after y_t or before the choice of x_t; empty for most
        policies.

        Each of them counts as one evaluation.
        """

    def observe_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        """Learn from the expert's answers, f_t(arms) + noise."""

    def posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Posterior mean and standard deviation over all arms, from the data used to choose for round t.

        NaN arrays for policies without a model of f.
        """

    def confidence_band(self, t: int) -> tuple[np.ndarray, np.ndarray, float]:
        """mu and width_t sigma over all arms, and width_t, as used to choose for round t.

        ValueError if the policy does not choose by mu + width_t sigma.
        """


@runtime_checkable
class SequentialQueries(Protocol):
    """A policy whose next query depends on the last answer: in each round `expert_queries` is called again
    after every `observe_expert`, until it returns no arms."""

    queries_left: int  # most arms that it will still ask about in this round


@runtime_checkable
class Hindsight(Protocol):
    """A reference policy that uses the true mean rewards: the oracle, the best fixed arm."""

    def foresee(self, mean_rewards: np.ndarray) -> None:
        """Receive the (last round, n_arms) table of f_t(x), NaN where an arm is unavailable and in
        rounds that are left out."""


@runtime_checkable
class Environment(Protocol):
    """A family of reward functions f_1, f_2, ... over a finite set of arms.

    Subclasses set the first three attributes, implement `mean_rewards` and override other defaults.
    """

    arms: np.ndarray  # (n_arms, d) coordinates
    noise_std: float  # standard deviation of the observation noise
    expert_noise_std: float  # standard deviation of the noise in an expert answer
    noise_law: NoiseLaw = "gaussian"
    variation_norm: Literal["rkhs", "sup"] = "rkhs"  # norm in which `variation` is measured

    def mean_rewards(self, t: int) -> np.ndarray:
        """f_t over all arms, (n_arms,), NaN for arms that are unavailable in round t."""

    def times(self, rounds: int) -> np.ndarray:
        """t of the first `rounds` rounds, (rounds,), increasing: 1, 2, ... unless time passes between
        rounds."""
        return np.arange(1, rounds + 1)

    def norm(self, t: int) -> float | None:
        """|f_t|_k; None if infinite or unknown."""
        return None

    def variation(self, horizon: int) -> float | None:
        """B_T = sum_t |f_{t+1} - f_t|; None if infinite or unknown."""
        return None

    def variation_budget(self, horizon: int, variance: float) -> float | None:
        """B_T as policies receive it: a path length in the sup norm is divided by M_k = sqrt(k(x, x)), the
        root of the kernel's variance; None if infinite or unknown."""
        budget = self.variation(horizon)
        if budget is None or self.variation_norm == "rkhs":
            return budget
        return float(budget / np.sqrt(variance))

    def __repr__(self) -> str:
        values = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        return summary(type(self).__name__, **values)


@runtime_checkable
class PointPolicy(Protocol):
    """A bandit algorithm on a box. One round calls `propose`, then `observe_points`."""

    def propose(self, t: int, rng: np.random.Generator, batch: int) -> np.ndarray:
        """Points (batch, d) of round t, chosen together from the data up to t-1."""

    def observe_points(self, t: int, points: np.ndarray, rewards: np.ndarray) -> None:
        """Learn from rewards (n,) at points (n, d); the initial points come as round 0."""


@runtime_checkable
class ContinuousEnvironment(Protocol):
    """Reward functions f_1, f_2, ... on a box. Those of this project also offer `arms`, a finite subset of
    the box, so that every policy can play them."""

    domain: np.ndarray  # (2, d): lower and upper corner
    noise_std: float  # standard deviation of the observation noise

    def optimum_at(self, t: int) -> float:
        """The largest f_t on the box."""

    def mean_reward_at(self, points: np.ndarray, t: int) -> np.ndarray:
        """f_t at points (n, d), (n,)."""


def require_moment(queries: str) -> None:
    """ValueError unless `queries` is a `Moment`."""
    if queries not in get_args(Moment):
        raise ValueError(f"simulate: queries is {queries!r}, expected {', '.join(get_args(Moment))}")


def require_horizon(what: str, horizon: int, longest: int) -> None:
    """ValueError for a horizon beyond `longest` rounds, which would exhaust memory or run for hours."""
    if horizon > longest:
        raise ValueError(f"{what}: horizon is {horizon}, must be at most {longest}")


def summary(name: str, **values: object) -> str:
    """`name(key=value, ...)` on one line: arrays by their shape, long sequences by their length."""
    return f"{name}({', '.join(f'{key}={_short(value)}' for key, value in values.items())})"


def _short(value: object) -> str:
    if isinstance(value, np.ndarray) and value.ndim > 1:
        return "x".join(map(str, value.shape))
    if isinstance(value, np.ndarray | tuple) and np.size(value) > 3:
        return f"<{len(value)} values>"
    if isinstance(value, np.generic):
        return repr(value.item())
    return repr(value)
