"""One run of one policy in one environment; policies and environments meet only here."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from tvgp.contracts import (
    Environment,
    Hindsight,
    Moment,
    Policy,
    SequentialQueries,
    require_horizon,
    require_moment,
)
from tvgp.streams import NoiseField, shaped


@dataclass(frozen=True)
class Run:
    """The record of a run, one entry per round.

    arm: index played; reward: y_t as observed; regret: r_t = max f_t - f_t(x_t); expert_queries:
    number of queries in the round; places: number of distinct arms evaluated in it, by queries or by
    playing; squared_error: (n_arms,) mean over rounds of (mu_t - f_t)^2 with
    the posterior mean used to choose for round t, over the rounds in which the arm was available; asked:
    (n_arms,) number of queries about each arm.
    """

    arm: np.ndarray
    reward: np.ndarray
    regret: np.ndarray
    expert_queries: np.ndarray
    places: np.ndarray
    squared_error: np.ndarray | None = None
    asked: np.ndarray | None = None


@dataclass(frozen=True)
class Round:
    """One round: t, the arm played, y_t as observed, and the arms asked about f_t, (m,)."""

    t: int
    arm: int
    reward: float
    queries: np.ndarray


def reward_table(environment: Environment, horizon: int) -> np.ndarray:
    """(last round, n_arms) table of f_t(x) in the first `horizon` rounds, NaN where an arm is unavailable
    and in rounds that are left out.

    ValueError for a table of more than 2 GiB.
    """
    n_arms = len(environment.arms)
    require_horizon("table of all rewards", horizon, 2**28 // n_arms)
    times = environment.times(horizon)
    require_horizon("table of all rewards", int(times[-1]), 2**28 // n_arms)
    table = np.full((times[-1], n_arms), np.nan)
    for t in times:
        table[t - 1] = environment.mean_rewards(t)
    return table


def simulate(
    policy: Policy,
    environment: Environment,
    horizon: int,
    *,
    rng: np.random.Generator,
    noise: NoiseField,
    expert_noise: NoiseField,
    queries: Moment = "after",
    squared_error: bool = False,
    first_arm: int | None = None,
    on_round: Callable[[Round], None] | None = None,
) -> Run:
    """Play `horizon` rounds, at the environment's times.

    rng: the policy's own stream; noise, expert_noise: standard normal fields by (round, arm), the same for
    all policies. Rewards are f_t(x_t) + noise_std z, the expert's answers f_t(x) + expert_noise_std z'. If
    the environment's `noise_law` is uniform, both noises are uniform with the same variance. queries:
    whether the policy asks about f_t "before" it chooses x_t, "after" it observed y_t, as in the SparQ
    papers, or at "both" moments. first_arm: played in round 1 in place of the policy's choice (Bogunovic16,
    section 5.2, averages over "initially activated sensors"), unless the policy has hindsight. on_round:
    called at the end of each round, after the policy's last update, so that its `posterior(t + 1)` and
    `confidence_band(t + 1)` are those of the next choice. ValueError if `queries` is another word, a policy
    plays or asks about an unavailable arm, the first arm is unavailable, or a noise is not a field.

    >>> from tvgp import environments, kernels, policies, streams
    >>> bump, kernel = environments.make("moving_bump", n_arms=11), kernels.make("se", length_scale=3.0)
    >>> policy = policies.make("gp_ucb", arms=bump.arms, kernel=kernel, noise_variance=0.01)
    >>> fields = streams.noise_fields(11, "example", 1)
    >>> run = simulate(policy, bump, 20, rng=streams.generator("example", 1, "policy"), **fields)
    >>> run.arm.shape, bool((run.regret >= 0.0).all())
    ((20,), True)
    """
    for name, given in (("noise", noise), ("expert_noise", expert_noise)):
        if not callable(getattr(given, "at", None)):
            raise ValueError(f"simulate: {name} is {given!r}, expected one of tvgp.streams.noise_fields")
    require_moment(queries)
    if isinstance(policy, Hindsight):
        policy.foresee(reward_table(environment, horizon))
        first_arm = None
    times = environment.times(horizon).tolist()
    if first_arm is not None and np.isnan(environment.mean_rewards(times[0])[first_arm]):
        raise ValueError(f"round {times[0]}: the first arm, {first_arm}, is not available")
    law = environment.noise_law
    one_by_one = isinstance(policy, SequentialQueries)
    n_arms = len(environment.arms)
    arms = np.empty(horizon, dtype=np.int32)
    rewards = np.empty(horizon)
    regret = np.empty(horizon)
    asked, places = np.zeros((2, horizon), dtype=np.int32)
    asked_about = np.zeros(n_arms, dtype=np.int32)
    errors = np.zeros(n_arms)
    rounds = np.zeros(n_arms)
    for index, t in enumerate(times):
        f = environment.mean_rewards(t)
        # f @ f is finite only without NaN
        available = None if math.isfinite(f @ f) else ~np.isnan(f)
        answer = partial(_answers, environment, expert_noise, t, f)
        asked_now = [ask(policy, one_by_one, t, rng, available, answer)] if queries != "after" else []
        if index == 0 and first_arm is not None:
            arm = first_arm
        else:
            arm = policy.choose(t, rng, available)
        if squared_error:
            mean, _ = policy.posterior(t)
            here = True if available is None else available
            errors += np.where(here, (mean - f) ** 2, 0.0)
            rounds += here
        regret[index] = instantaneous_regret(t, f, arm)
        reward = float(f.item(arm) + environment.noise_std * shaped(noise.at(t).item(arm), law))
        policy.observe(t, arm, reward)
        if queries != "before":
            asked_now.append(ask(policy, one_by_one, t, rng, available, answer))
        asked_arms = asked_now[0] if len(asked_now) == 1 else np.concatenate(asked_now)
        arms[index], rewards[index], asked[index] = arm, reward, len(asked_arms)
        places[index] = len({arm, *asked_arms})
        np.add.at(asked_about, asked_arms, 1)
        if on_round is not None:
            on_round(Round(t, arm, reward, asked_arms))
    if squared_error:  # undefined for arms that were never available
        errors[rounds == 0] = np.nan
        errors /= np.maximum(rounds, 1)
    return Run(arms, rewards, regret, asked, places, errors if squared_error else None, asked_about)


def ask(
    policy: Policy,
    one_by_one: bool,
    t: int,
    rng: np.random.Generator,
    available: np.ndarray | None,
    answer: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """Let the policy ask about f_t and learn the answers, once or one by one; the arms asked about, (m,).

    one_by_one: whether it is a `SequentialQueries`; answer: of arms (m,), (m,).
    """
    asked = queries = policy.expert_queries(t, rng, available)
    while len(queries):
        policy.observe_expert(t, queries, answer(queries))
        if not one_by_one:
            break
        queries = policy.expert_queries(t, rng, available)
        asked = np.concatenate([asked, queries])
    return asked


def _answers(
    environment: Environment, noise: NoiseField, t: int, f: np.ndarray, arms: np.ndarray
) -> np.ndarray:
    """f_t at arms with the expert's noise. ValueError for an unavailable arm."""
    answers = f[arms] + environment.expert_noise_std * shaped(noise.at(t)[arms], environment.noise_law)
    if math.isnan(answers.dot(answers)):
        raise ValueError(f"round {t}: the policy asked about an arm that is not available")
    return answers


def instantaneous_regret(t: int, mean_rewards: np.ndarray, arm: int) -> float:
    """r_t = max_x f_t(x) - f_t(x_t) from f_t (n_arms,), NaN where an arm is unavailable.

    ValueError for an arm that there is not, and one that is unavailable.
    """
    if not 0 <= arm < len(mean_rewards):
        raise ValueError(f"round {t}: there is no arm {arm}, expected 0 to {len(mean_rewards) - 1}")
    best = mean_rewards.item(mean_rewards.argmax())  # a NaN if there is one
    if math.isnan(best):
        best = float(np.fmax.reduce(mean_rewards))
    regret = best - mean_rewards.item(arm)
    if math.isnan(regret):
        raise ValueError(f"round {t}: arm {arm} was played but is not available")
    return regret
