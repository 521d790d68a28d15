"""Several runs of one policy at once: `tvgp.simulate` with an axis of runs.

A round of one run over some dozens of arms is mostly calls; here each of them serves all runs. Every run has
its own random streams and plays the arms that `tvgp.simulate` gives it. Posteriors agree to rounding, which
may depend on the number of runs; regret and numbers of queries follow from the arms alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tvgp.environments.drift import Drift
from tvgp.policies.base.together import Together
from tvgp.simulate import Run
from tvgp.streams import NoiseField

# Rounds whose mean rewards are computed at once.
_BLOCK = 64


class Fields:
    """The noise fields of several runs side by side."""

    def __init__(self, fields: Sequence[NoiseField]) -> None:
        self._fields = fields
        self._rounds = range(0)
        self._slabs: list[np.ndarray] = []

    def at(self, t: int) -> np.ndarray:
        """Noise of round t at every arm of every run, (B n_arms,)."""
        if t not in self._rounds:
            slabs = [field.slab(t) for field in self._fields]
            self._rounds, self._slabs = slabs[0][0], [numbers for _, numbers in slabs]
        row = t - self._rounds.start
        return np.concatenate([numbers[row] for numbers in self._slabs])


class Asked:
    """Numbers of arms asked about, (rounds, B)."""

    def __init__(self, horizon: int, runs: int, n_arms: int) -> None:
        """n_arms: of each run."""
        self.numbers = np.zeros((horizon, runs), dtype=np.int32)
        self._n_arms = n_arms
        self._last: np.ndarray | None = None
        self._row = self.numbers[0]

    def add(self, t: int, arms: np.ndarray) -> None:
        """The arms of all runs in round t, (m,)."""
        if arms is not self._last:
            self._last = arms
            self._row = np.bincount(arms // self._n_arms, minlength=self.numbers.shape[1])
        self.numbers[t - 1] = self._row


def simulate(
    policy: Any,
    environments: Sequence[Drift],
    horizon: int,
    *,
    rngs: Sequence[np.random.Generator],
    noise: Sequence[NoiseField],
    expert_noise: Sequence[NoiseField],
) -> list[Run]:
    """Play `horizon` rounds of a policy from `tvgp.policies.make_together`, one run in each environment.

    rngs, noise, expert_noise: as in `tvgp.simulate.simulate`, one per run. ValueError for a policy that has
    played already, or was made for a single run.
    """
    n_runs, n_arms = len(environments), len(environments[0].arms)
    together, fields, expert_fields = Together(policy), Fields(noise), Fields(expert_noise)
    noise_std, expert_noise_std = environments[0].noise_std, environments[0].expert_noise_std
    arms = np.empty((horizon, n_runs), dtype=np.int32)
    rewards, regret = np.empty((2, horizon, n_runs))
    asked = Asked(horizon, n_runs, n_arms)
    for t in range(1, horizon + 1):
        row = (t - 1) % _BLOCK
        if row == 0:
            last = min(t - 1 + _BLOCK, horizon)
            table = np.stack([each.mean_rewards_of(t, last) for each in environments], axis=1)
            best = table.max(axis=2)
            table = table.reshape(len(table), -1)
        f = table[row]
        chosen = together.choose(t, rngs)
        at_arms = f[chosen]
        regret[t - 1] = best[row] - at_arms
        reward = at_arms + noise_std * fields.at(t)[chosen]
        together.observe(t, chosen, reward)
        queries = together.expert_queries(t, rngs)
        if len(queries):
            answers = f[queries] + expert_noise_std * expert_fields.at(t)[queries]
            together.observe_expert(t, queries, answers)
            asked.add(t, queries)
        arms[t - 1], rewards[t - 1] = chosen, reward
    arms -= np.arange(0, n_runs * n_arms, n_arms, dtype=np.int32)
    return [Run(arms[:, i], rewards[:, i], regret[:, i], asked.numbers[:, i]) for i in range(n_runs)]
