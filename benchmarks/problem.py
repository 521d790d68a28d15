"""The job of all contenders of a comparison: one run on the same table of rewards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp import environments, policies, streams
from tvgp.contracts import Policy
from tvgp.kernels import Kernel
from tvgp.policies import ui_gp_ucb, w_gp_ucb
from tvgp.policies.base.history import History
from tvgp.posterior import Prior
from tvgp.theory import schedules


@dataclass(frozen=True)
class Problem:
    """arms (G, d); rewards (T, G): reward of arm g in round t, noise included."""

    arms: np.ndarray
    kernel: Kernel
    noise_variance: float
    rewards: np.ndarray

    @property
    def horizon(self) -> int:
        """Number of rounds T."""
        return len(self.rewards)

    def policy(self, algorithm: str, **parameters) -> Policy:
        """A policy for this problem, as a user makes it."""
        return policies.make(
            algorithm,
            arms=self.arms,
            kernel=self.kernel,
            noise_variance=self.noise_variance,
            **({"horizon": self.horizon} | parameters),
        )


def sine(horizon: int, n_arms: int = 501, seed: int = 1) -> Problem:
    """The environment of Mauduit25b, Fig. 2: kernel 0.5 exp(-r^2/18) on [-50, 50], noise 0.1."""
    environment = environments.make("rkhs_sine", n_arms=n_arms)
    noise = streams.generator("benchmarks", seed, "noise").standard_normal((horizon, n_arms))
    means = np.stack([environment.mean_rewards(t) for t in range(1, horizon + 1)])
    variance = environment.noise_std**2
    rewards = means + environment.noise_std * noise
    return Problem(environment.arms, environment.kernel, variance, rewards)


def play(policy: Policy, rewards: np.ndarray, seed: int = 1) -> np.ndarray:
    """Arms played, (T,), by a bare loop of choosing and observing, the same for every contender."""
    rng = streams.generator("benchmarks", seed, "policy")
    arms = np.empty(len(rewards), dtype=int)
    for t, row in enumerate(rewards, start=1):
        arm = policy.choose(t, rng)
        policy.observe(t, arm, float(row[arm]))
        arms[t - 1] = arm
    return arms


def lend(policy: Policy, engine) -> Policy:
    """The policy on another posterior: same width, same tie rule, same data."""
    if isinstance(policy, w_gp_ucb.WGPUCB):
        return OneByOne(engine, policy._parameters, policy._noise, policy.gamma)
    if isinstance(policy, ui_gp_ucb.UIGPUCB):
        return InjectedOneByOne(engine, policy._parameters, policy._data._fresh)
    policy._engine = engine
    return policy


class OneByOne(w_gp_ucb.WGPUCB):
    """W-GP-UCB on single observations instead of sums by arm, for posteriors without such sums;
    observations with weights below 1e-12 of the newest are omitted."""

    def __init__(self, *arguments) -> None:
        super().__init__(*arguments)
        self._history = History()
        self._memory = None if self.gamma == 1 else 1 + int(np.log(1e-12) / np.log(self.gamma))

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        self._history.append(t, arm, value)

    def _condition(self) -> None:
        n = min(self._history.n, self._memory or self._history.n)
        weights = self.gamma ** np.arange(n - 1, -1, -1.0)
        arms, values = self._history.arms[-n:], self._history.values[-n:]
        self._engine.condition(arms, values, self._noise / weights)
        error, self._log_det = self._engine.mismatch(np.full(n, self._noise))
        self._double_std = np.sqrt(error)


class InjectedOneByOne(ui_gp_ucb.UIGPUCB):
    """UI-GP-UCB on single observations instead of sums by arm, for posteriors without such sums."""

    def _age(self, now: int) -> None:
        data = self._data._history
        lags = (now - data.rounds).astype(float)
        self._engine.condition(data.arms, data.values, self._data._variance(lags))


def forget() -> None:
    """Clear the caches of a process (Gram matrix, factor, noise), so that a run starts cold."""
    Prior._recent = []
    streams._normal.cache_clear()
    schedules.maximum_information_gain.cache_clear()
