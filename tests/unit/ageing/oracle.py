"""What each method keeps and assumes, from the papers' definitions and the history of a run alone."""

from dataclasses import dataclass, field

import numpy as np

from tvgp.ageing.noise_growth import NoiseGrowth
from tvgp.posterior import Merged
from tvgp.theory import schedules


@dataclass
class History:
    """Arms played in rounds 1, 2, ..., queries with their rounds, and the last round with one."""

    played: list
    asked_in: int = 0
    queries: list = field(default_factory=list)

    def kept(self, method: str, growth: NoiseGrowth, policy) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Arms (n,), assumed and true noise variances (n,) in use after the last round."""
        t = len(self.played)
        arms, lags = np.array(self.played, dtype=int), t - np.arange(1.0, t + 1)
        true, fresh = growth.variance(lags), np.full(t, growth.noise_variance)
        if method == "gp_ucb":
            return arms, fresh, true
        if method == "ui_gp_ucb":
            return arms, true, true
        if method == "w_gp_ucb":
            return arms, growth.noise_variance * policy.gamma**-lags, true
        if method == "sw_gp_ucb":
            return arms[-policy.window :], fresh[-policy.window :], true[-policy.window :]
        first = 0 if method.startswith("ui_sparq") else self.asked_in if method.startswith("w_sparq") else t
        queries = self.queries if method == "ui_sparq_gp_ucb" else self.queries[-1:]
        asked = np.concatenate([np.empty(0, dtype=int), *(queried for _, queried in queries)])
        age = np.concatenate([np.full(len(queried), float(t - s)) for s, queried in queries])
        variances = np.concatenate([growth.variance(age), true[first:]])
        return np.concatenate([asked, arms[first:]]), variances, variances


class Direct(Merged):
    """Every past observation is drawn anew in every round: what the test bed's draws stand for."""

    def __init__(self, prior, growth, f, rng, method):
        super().__init__(prior)
        self._growth, self.f, self._rng, self._method = growth, f, rng, method

    def observe(self, arm, value, noise_variance=None):
        pass

    def see(self, history, policy):
        arms, assumed, true = history.kept(self._method, self._growth, policy)
        values = self.f[arms] + np.sqrt(true) * self._rng.standard_normal(len(arms))
        self.condition(arms, values, assumed)


def play(policy, horizon, rng, begin_round=lambda arm: None, see=lambda history: None, arms=None):
    """(arms, expert sets, history) of a run; the arms are those given or the policy's choice."""
    history, sets = History([]), {}
    for t in range(1, horizon + 1):
        arm = policy.choose(t, rng) if arms is None else int(arms[t - 1])
        begin_round(arm)
        policy.observe(t, arm, 0.0)
        history.played.append(arm)
        asked = policy.expert_queries(t, rng)
        if len(asked):
            policy.observe_expert(t, asked, np.zeros(len(asked)))
            sets[t] = np.array(asked)
            history.asked_in = t
            history.queries.append((t, sets[t]))
        see(history)
    return np.array(history.played), sets, history


def window_starts(method: str, horizon: int, alpha: float) -> np.ndarray:
    """Rounds at which a method asks."""
    if method.startswith("w_sparq"):
        return schedules.window_starts(horizon, alpha)
    return np.arange(1, horizon + 1)
