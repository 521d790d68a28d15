"""
A policy of your own
====================

A policy chooses an arm and learns from its reward. The base classes check every call and keep the time; an
engine holds the posterior. This policy plays the arm with the best posterior mean, but in one round of ten
a random arm.

To run it in the study, put the class into a file in ``src/tvgp/policies`` with a dataclass ``Parameters`` and
a function ``make``, and name it in the configuration: CONTRIBUTING.md has an example.
"""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np

from tvgp import environments, kernels, policies, posterior
from tvgp.policies.base.policy import BasePolicy
from tvgp.posterior import Prior
from tvgp.simulate import simulate
from tvgp.streams import NoiseField, generator


# %%
# The class
# ---------
# A policy without queries needs only ``_choose``, ``_observe`` and ``_posterior``. Ties go to the lowest
# index, as in the engines' ``best_arm``.
class EpsilonGreedy(BasePolicy):
    def __init__(self, prior, noise_variance, horizon, exploration):
        super().__init__(prior, SimpleNamespace(exploration=exploration))
        self._engine = posterior.make(prior, noise_variance, horizon=horizon)
        self._exploration = exploration

    @property
    def engine(self):
        return self._engine.name

    def _choose(self, t, rng, available):
        if rng.random() < self._exploration:
            free = np.arange(self._n_arms) if available is None else np.flatnonzero(available)
            return int(rng.choice(free))
        return self._engine.best_arm(width=0.0, available=available)

    def _observe(self, t, arm, reward, noise_variance):
        self._engine.observe(arm, reward, noise_variance)

    def _posterior(self, t):
        return self._engine.mean, np.sqrt(self._engine.variance)


# %%
# On a published function
# -----------------------
# The moving bump of Mauduit25a, compared with SW-GP-UCB and with policies that need no model.
ROUNDS = 300
environment = environments.make("moving_bump", n_arms=101)
kernel = kernels.make("se", variance=1.0, length_scale=10.0)
prior = Prior.of(environment.arms, kernel)
model = {"arms": environment.arms, "kernel": kernel, "noise_variance": 0.01}
contenders = {
    "epsilon-greedy": EpsilonGreedy(prior, 0.01, ROUNDS, exploration=0.1),
    "SW-GP-UCB": policies.make("sw_gp_ucb", **model, window=30, width=2.0),
    "uniform": policies.make("uniform", **model),
    "oracle": policies.make("oracle", **model),
}
figure, axes = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
for label, policy in contenders.items():
    run = simulate(
        policy,
        environment,
        ROUNDS,
        rng=generator("own policy", label),
        noise=NoiseField(len(environment.arms), "own policy", "noise"),
        expert_noise=NoiseField(len(environment.arms), "own policy", "expert"),
    )
    print(f"{label:16s} average regret {run.regret.mean():.3f}")
    axes.plot(np.cumsum(run.regret) / np.arange(1, ROUNDS + 1), label=label)

axes.set(xlabel="round t", ylabel="average regret $R_t / t$", ylim=(0, None), xlim=(0, ROUNDS))
axes.legend(frameon=False)
plt.show()
