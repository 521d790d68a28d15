"""
Rewards of your own
===================

A source drifts along a line, and each round allows one reading. Which method keeps finding the strongest
place? An environment is a class with places and, in each round, a reward for each place; every method of
the library can play it.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from tvgp import kernels, policies
from tvgp.contracts import Environment
from tvgp.simulate import simulate
from tvgp.streams import NoiseField, generator


# %%
# The reward functions
# --------------------
# ``mean_rewards(t)`` is f_t at all arms. Here a bump wanders slowly over 101 places and turns back at
# both ends.
class Plume(Environment):
    arms = np.linspace(0.0, 10.0, 101)[:, None]
    noise_std = 0.1
    expert_noise_std = 0.1

    def mean_rewards(self, t):
        centre = 5.0 + 4.0 * np.sin(0.02 * t)
        return np.exp(-0.5 * (self.arms[:, 0] - centre) ** 2)


# %%
# Methods
# -------
# A static method, two that forget, and one that asks an expert to measure old places again.
# ``tvgp explain sw_gp_ucb`` describes the parameters of a method.
kernel = kernels.make("se", variance=1.0, length_scale=1.0)
common = {"arms": Plume.arms, "kernel": kernel, "noise_variance": 0.01, "width": 2.0}
ROUNDS = 400
METHODS = {
    "GP-UCB, never forgets": ("gp_ucb", {}),
    "SW-GP-UCB, last 30 rounds": ("sw_gp_ucb", {"window": 30}),
    "TV-GP-UCB, epsilon = 0.03": ("tv_gp_ucb", {"epsilon": 0.03}),
    "W-SparQ-GP-UCB, asks an expert": ("w_sparq_gp_ucb", {"alpha": 1.0}),
}

# %%
# The game
# --------
# Noise belongs to a round and an arm, so that all methods see the same noise.
figure, axes = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
for label, (name, parameters) in METHODS.items():
    environment = Plume()
    run = simulate(
        policies.make(name, **common, **parameters),
        environment,
        ROUNDS,
        rng=generator("plume", name),
        noise=NoiseField(len(environment.arms), "plume", "noise"),
        expert_noise=NoiseField(len(environment.arms), "plume", "expert"),
    )
    average = np.cumsum(run.regret) / np.arange(1, ROUNDS + 1)
    axes.plot(average, label=f"{label} ({run.expert_queries.sum() / ROUNDS:.1f} queries per round)")
    print(f"{label:32s} average regret {average[-1]:.3f}")

axes.set(xlabel="round t", ylabel="average regret $R_t / t$", ylim=(0, None), xlim=(0, ROUNDS))
axes.legend(frameon=False, fontsize="small")
if len(sys.argv) > 1:  # python examples/own_rewards.py picture.png
    figure.savefig(sys.argv[1], dpi=150)
plt.show()
