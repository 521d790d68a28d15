"""Base of all policies: it checks every call, tracks time, and by default makes no queries."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from tvgp import acquisition
from tvgp.contracts import summary
from tvgp.log_scale import LogScale
from tvgp.policies.base import checks
from tvgp.posterior import Prior

Rewards = TypeVar("Rewards", float, np.ndarray)
NO_ARMS = np.empty(0, dtype=np.intp)


def require(holds: bool, name: str, value: object, expected: str) -> None:
    """ValueError with the parameter, its value and the expected one, unless `holds`."""
    if not holds:
        raise ValueError(f"policy parameter {name} is {value!r}, expected {expected}")


def prior_means(prior_mean: float | Sequence[float], n_arms: int) -> np.ndarray:
    """The prior mean as an array of shape () or (n_arms,). ValueError for another shape."""
    means = np.asarray(prior_mean, dtype=float)
    if means.shape not in ((), (n_arms,)) or not np.isfinite(means).all():
        given = f"{len(means)} numbers" if means.ndim else f"{prior_mean!r}"
        raise ValueError(
            f"policy parameter prior_mean is {given}, expected one number or one for each of {n_arms} arms,"
            " all finite"
        )
    return means


class BasePolicy:
    """Base of all policies. Its public methods raise ValueError for invalid arguments.

    Time is t, not the number of calls: rounds may be skipped, and data age through them. Time never
    goes back: t increases from `observe` to `observe`, `choose` takes rounds that are not over yet,
    and no call names a round before that of an earlier call. `posterior` and `confidence_band` of
    the round just observed are those of the round after it.

    Queries about f_t may come before `choose` for round t as well as after `observe`. Before it, `_prepare`
    brings the data to their age in round t itself, so that `posterior(t)` is then that of f_t given the
    answers; an observation of round s has lag t - s there. After it, the answers serve round t + 1.

    On a `log_scale`, which `policies.make` sets, public methods receive and give rewards, and those of
    subclasses values on that scale.

    Subclasses implement `_choose`, `_observe` and `_posterior`, if needed also `_queries`,
    `_observe_expert`, `_confidence_band`, `_age`, `_prepare` and `_close`. These receive valid arguments, and
    data whose age is right.
    """

    log_scale: LogScale | None = None

    def __init__(self, prior: Prior, parameters: object) -> None:
        """parameters: the dataclass of the algorithm's own parameters."""
        self._n_arms, self._unit = prior.n_arms, prior.unit
        self._least_noise = prior.least_noise
        self._shown = {**vars(parameters), "arms": prior.arms}
        self._over = 0  # the last round that is over
        self._prepared = 0  # the last round whose queries came before its choice
        self._asked = NO_ARMS  # the last query

    def __repr__(self) -> str:
        scale = {} if self.log_scale is None else {"log_scale": (self.log_scale.c, self.log_scale.origin)}
        return summary(type(self).__name__, **self._shown | scale | {"engine": self.engine})

    @property
    def engine(self) -> str:
        """Name of the posterior engine in use, recorded in the results."""
        return "none"

    @property
    def asks(self) -> bool:
        """Whether the policy makes queries at all."""
        return type(self)._queries is not BasePolicy._queries

    def choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None = None) -> int:
        """Arm for round t, from the data of earlier rounds.

        rng: the policy's own stream; available: boolean mask (n_arms,), None for all arms. ValueError
        for a round that is over.
        """
        t = checks.check_round(t, self._earliest())
        available = checks.check_available(t, available, self._n_arms)
        checks.check_generator(t, rng)
        self._advance(t - 1)
        return self._choose(t, rng, available)

    def choose_batch(
        self, t: int, rng: np.random.Generator, size: int, available: np.ndarray | None = None
    ) -> np.ndarray:
        """At most `size` distinct arms for round t, in the order of choice; fewer only where fewer are
        available.

        Each choice after the first assumes that the arms before it paid their posterior mean: the
        mean stays, the uncertainty falls (GP-BUCB, Desautels et al. 2014, section 4.1). Where a policy
        drops its own rewards (SparQ 2025b, yesterday's best) the assumption changes nothing: the batch is the
        top of one ranking, often neighbours. ValueError as `choose`, and for a size below 1.
        """
        if not (isinstance(size, int | np.integer) and 1 <= size):
            raise ValueError(f"round {t}: size of the batch is {size!r}, expected a whole number, 1 or more")
        chosen = [self.choose(t, rng, available)]
        free = np.ones(self._n_arms, dtype=bool) if available is None else available.copy()
        free[chosen] = False
        believer = copy.deepcopy(self) if size > 1 and free.any() else self
        now = max(int(t) - 1, self._prepared)
        while len(chosen) < size and free.any():
            mean = believer._posterior(believer._coming(t))[0][chosen[-1]]
            if np.isfinite(mean):
                # as the newest data of the round for whose end posteriors are
                believer._observe(now, chosen[-1], float(mean), None)
                believer._age(now)
            chosen.append(believer._choose(t, rng, free))
            free[chosen] = False
        return np.array(chosen)

    def recommend(self, t: int, available: np.ndarray | None = None) -> int:
        """The arm with the largest posterior mean for round t: the best guess, without exploration.

        ValueError as `posterior` and `choose`, and for a policy without a model of f.
        """
        available = checks.check_available(t, available, self._n_arms)
        mean, _ = self.posterior(t)
        if np.isnan(mean).any():
            raise ValueError(f"{type(self).__name__} has no model of f, so it recommends no arm")
        return acquisition.best_arm(mean, available, self._unit)

    def observe(self, t: int, arm: int, reward: float, noise_variance: float | None = None) -> None:
        """Learn from y_t = f_t(x_t) + noise; round t is then over.

        noise_variance: of this observation, None for that of the policy. ValueError for a round that
        is over, an arm out of range, a reward that is not finite or a noise variance that is not positive.
        """
        t = checks.check_round(t, self._earliest())
        arm = checks.check_arm(t, arm, self._n_arms)
        reward = self._scaled(checks.check_reward(t, arm, reward))
        noise_variance = checks.check_noise(t, arm, noise_variance, self._least_noise)
        self._advance(t - 1)
        self._observe(t, arm, reward, noise_variance)
        self._close(t)
        self._over = t

    def observe_batch(
        self,
        t: int,
        arms: np.ndarray,
        rewards: np.ndarray,
        noise_variances: Sequence[float | None] | np.ndarray | None = None,
    ) -> None:
        """Learn from several observations of round t, arms (m,) and rewards (m,); round t is then over.

        noise_variances: (m,), None, or a list with None among them, for that of the policy. ValueError as
        `observe`, and for an empty batch or shapes that differ.
        """
        t = checks.check_round(t, self._earliest())
        arms = checks.check_arms(t, arms, self._n_arms)
        rewards = checks.check_answers(t, arms, rewards)
        noise = checks.check_noises(t, arms, noise_variances, self._least_noise)
        if not len(arms):
            raise ValueError(f"round {t}: the batch is empty, expected one arm or more")
        self._advance(t - 1)
        rewards = self._scaled(rewards)
        for arm, reward, variance in zip(arms.tolist(), rewards.tolist(), noise, strict=True):
            self._observe(t, arm, reward, variance)
        self._close(t)
        self._over = t

    def expert_queries(
        self, t: int, rng: np.random.Generator, available: np.ndarray | None = None
    ) -> np.ndarray:
        """Arms at which to ask the expert for f_t, (m,), read-only: before round t is chosen, or once it
        is over.

        ValueError as `choose`, for a round before the last one observed.
        """
        t = checks.check_round(t, self._latest())
        available = checks.check_available(t, available, self._n_arms)
        checks.check_generator(t, rng)
        self._prepare_before(t)
        asked = self._queries(t, rng, available)
        if len(asked):
            asked.flags.writeable = False  # as `observe_expert` relies on it
            self._asked = asked
        return asked

    def observe_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        """Learn from the expert's answers, f_t at arms (m,) + noise, values (m,): all to a query in one call,
        as they may replace earlier ones; nothing from none.

        ValueError for a round before the last one observed, arms out of range, or answers that are
        not one finite number per arm.
        """
        t = checks.check_round(t, self._latest())
        if arms is not self._asked:
            arms = checks.check_arms(t, arms, self._n_arms)
        values = checks.check_answers(t, arms, values)
        if len(arms):  # an empty answer replaces nothing
            self._prepare_before(t)
            self._observe_expert(t, arms, self._scaled(values))

    def posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Posterior mean and standard deviation over all arms, from the data used to choose for round t; a
        `confidence_band` may have another deviation (w_gp_ucb, w_dbo).

        NaN for policies without a model of f. ValueError for a round before the last one observed.
        """
        mean, std = self._posterior(self._coming(t))
        return (mean, std) if self.log_scale is None else self.log_scale.moments(mean, std)

    def confidence_band(self, t: int) -> tuple[np.ndarray, np.ndarray, float]:
        """mu, width_t sigma over all arms and width_t, as used to choose for round t.

        ValueError as `posterior`, and for a policy that does not choose by mu + width_t sigma of rewards.
        """
        if self.log_scale is not None:
            raise ValueError(f"{type(self).__name__} has a confidence band on its log scale, not of rewards")
        return self._confidence_band(self._coming(t))

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        raise NotImplementedError

    def _observe(self, t: int, arm: int, reward: float, noise_variance: float | None) -> None:
        """One observation of round t, of which there may be several; noise_variance: None for the usual."""
        raise NotImplementedError

    def _prepare(self, t: int) -> None:
        """Bring the data to their age in round t, whose queries come before its choice."""
        self._age(t)

    def _close(self, t: int) -> None:
        """Bring the posterior up to date after the last observation of round t."""

    def _queries(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> np.ndarray:
        """No arms."""
        return NO_ARMS

    def _observe_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        """Learn nothing: this policy makes no queries."""

    def _posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError

    def _confidence_band(self, t: int) -> tuple[np.ndarray, np.ndarray, float]:
        """ValueError: this policy has no confidence band."""
        raise ValueError(f"{type(self).__name__} has no confidence band")

    def _age(self, now: int) -> None:
        """Bring the data to their age at the end of round `now`, after rounds without an observation
        since `self._over`. Nothing to do if they do not age."""

    def _advance(self, now: int) -> None:
        """Advance to the end of round `now`."""
        if now > self._over:
            self._age(now)
            self._over = now

    def _prepare_before(self, t: int) -> None:
        """Prepare round t if it is queried before its choice. What makes no queries stays as it is."""
        if t > self._over:
            self._advance(t - 1)
            if self.asks and t > self._prepared:
                self._prepare(t)
                self._prepared = t

    def _scaled(self, rewards: Rewards) -> Rewards:
        """Rewards, one or several, on the scale of subclasses."""
        if self.log_scale is None:
            return rewards
        scaled = self.log_scale.of(rewards)
        return scaled if isinstance(rewards, np.ndarray) else scaled.item()

    def _latest(self) -> int:
        """The latest round that is over or prepared."""
        return max(self._over, self._prepared)

    def _earliest(self) -> int:
        """The earliest round that may be played."""
        return max(self._over + 1, self._prepared)

    def _coming(self, t: int) -> int:
        """A round of which the posterior is asked, the next one for the round just observed."""
        t = max(checks.check_round(t, self._latest()), self._over + 1)
        self._advance(t - 1)
        return t
