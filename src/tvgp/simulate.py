"""One run of one policy in one environment: the only place where the two meet."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tvgp.contracts import Environment, Hindsight, Policy
from tvgp.streams import NoiseField, shaped


@dataclass(frozen=True)
class Run:
    """What happened: one entry per round.

    arm: index played; reward: y_t as observed; regret: r_t = max f_t - f_t(x_t); expert_queries:
    arms asked after the round; squared_error: (n_arms,) mean over rounds of (mu_t - f_t)^2 with
    the posterior mean used to choose for round t, over the rounds in which the arm was available.
    """

    arm: np.ndarray
    reward: np.ndarray
    regret: np.ndarray
    expert_queries: np.ndarray
    squared_error: np.ndarray | None = None


def reward_table(environment: Environment, horizon: int) -> np.ndarray:
    """(horizon, n_arms) table of f_t(x), NaN where an arm is not available."""
    return np.stack([environment.mean_rewards(t) for t in range(1, horizon + 1)])


def simulate(
    policy: Policy,
    environment: Environment,
    horizon: int,
    *,
    rng: np.random.Generator,
    noise: NoiseField,
    expert_noise: NoiseField,
    squared_error: bool = False,
    first_arm: int | None = None,
) -> Run:
    """Play `horizon` rounds.

    rng: the policy's own stream; noise, expert_noise: standard normal fields by (round, arm), the
    same for every policy. Rewards are f_t(x_t) + noise_std z, the expert's answers
    f_t(x) + expert_noise_std z'. An environment with `noise_law` "uniform" has both laws replaced
    by the uniform one of the same variance. first_arm: played in round 1 whatever the policy
    would (Bogunovic16, section 5.2, averages over "initially activated sensors"), except by one
    with hindsight. ValueError when a policy asks about an arm that is not available, or the first
    arm is not.
    """
    if isinstance(policy, Hindsight):
        policy.foresee(reward_table(environment, horizon))
        first_arm = None
    if first_arm is not None and np.isnan(environment.mean_rewards(1)[first_arm]):
        raise ValueError(f"round 1: the first arm, {first_arm}, is not available")
    law = getattr(environment, "noise_law", "gaussian")
    n_arms = len(environment.arms)
    arms = np.empty(horizon, dtype=np.int32)
    rewards = np.empty(horizon)
    regret = np.empty(horizon)
    asked = np.zeros(horizon, dtype=np.int32)
    errors = np.zeros(n_arms)
    rounds = np.zeros(n_arms)
    for t in range(1, horizon + 1):
        f = environment.mean_rewards(t)
        available = None if math.isfinite(f @ f) else ~np.isnan(f)
        if t == 1 and first_arm is not None:
            arm = first_arm
        else:
            arm = policy.choose(t, rng, available)
        if squared_error:
            mean, _ = policy.posterior(t)
            here = True if available is None else available
            errors += np.where(here, (mean - f) ** 2, 0.0)
            rounds += here
        reward = f[arm] + environment.noise_std * shaped(noise.at(t)[arm], law)
        policy.observe(t, arm, float(reward))
        queries = policy.expert_queries(t, rng, available)
        if len(queries):
            z = shaped(expert_noise.at(t)[queries], law)
            answers = f[queries] + environment.expert_noise_std * z
            if not math.isfinite(answers @ answers) and np.isnan(answers).any():
                raise ValueError(f"round {t}: the policy asked about an arm that is not available")
            policy.observe_expert(t, queries, answers)
        arms[t - 1], rewards[t - 1], asked[t - 1] = arm, reward, len(queries)
        if available is None:  # the same number, without looking for gaps
            regret[t - 1] = f[f.argmax()] - f[arm]
        else:
            regret[t - 1] = instantaneous_regret(f[None, :], np.array([arm]))[0]
    if squared_error:  # an arm that was never available has none
        errors[rounds == 0] = np.nan
        errors /= np.maximum(rounds, 1)
    return Run(arms, rewards, regret, asked, errors if squared_error else None)


def instantaneous_regret(mean_rewards: np.ndarray, arms: np.ndarray) -> np.ndarray:
    """r_t = max_x f_t(x) - f_t(x_t), (T,), from the (T, n_arms) table and the arms played (T,).

    NaN entries of the table are arms that were not available: they do not count for the maximum.
    ValueError if such an arm was played or a round has no arm.
    """
    played = mean_rewards[np.arange(len(arms)), arms]
    if np.isnan(played).any():
        t = int(np.flatnonzero(np.isnan(played))[0]) + 1
        raise ValueError(f"round {t}: arm {arms[t - 1]} was played but is not available")
    return np.nanmax(mean_rewards, axis=1) - played
