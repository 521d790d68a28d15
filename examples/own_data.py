"""
Data of your own, from Python
=============================

A table of readings, with one row per time and one column per site, becomes an environment: each round reads
one site, and the best site has the largest reading. ``tvgp add-data`` does this for tables on disk, with all
methods and without Python; this page does it step by step, for the temperatures of the Intel lab that come
with the package.
"""

import csv
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import tvgp
from tvgp import environments, fitting, kernels, policies
from tvgp.simulate import simulate
from tvgp.streams import NoiseField, generator

# %%
# Read a table
# ------------
# Half-hourly means of 50 sensors: the first part of the record for the fit, the second for play.
folder = Path(tvgp.__file__).parent / "study" / "datasets" / "extracts" / "intel_lab"


def table(name):
    with (folder / name).open() as lines:
        return np.array([[float(cell or "nan") for cell in row] for row in csv.reader(lines)])


train, test = table("intelTemperatureTrain.csv").T, table("intelTemperatureTest.csv").T
print(f"{train.shape[1]} sensors; {len(train)} half-hours to fit, {len(test)} to play")

# %%
# Fit the model
# -------------
# Without coordinates, the covariance between sites is that of the training readings. epsilon, the share of
# the variance that is new in each round, maximises the likelihood under TV-GP-UCB's model. The days are not
# independent, so the record is one stretch.
means, covariance = fitting.empirical_covariance(train)
noise_variance = 0.05 * float(np.diagonal(covariance).mean())
drift = fitting.fit_epsilon(covariance, train - means, [slice(0, len(train))], noise_variance)
halved = np.log(0.25) / np.log1p(-drift.epsilon)
print(f"epsilon = {drift.epsilon:.3f}: after {halved:.1f} rounds half of the correlation is left")

# %%
# Play the record
# ---------------
# Regret is how much warmer the warmest sensor was than the one read.
sites = np.arange(train.shape[1], dtype=float)[:, None]
environment = environments.make("field", arms=sites, values=test)
model = {
    "arms": sites,
    "kernel": kernels.make("empirical", covariance=covariance),
    "noise_variance": noise_variance,
}
methods = {
    "GP-UCB": policies.make("gp_ucb", **model, prior_mean=means, width="logarithmic"),
    "TV-GP-UCB": policies.make(
        "tv_gp_ucb", **model, prior_mean=means, width="logarithmic", epsilon=drift.epsilon
    ),
    "uniform": policies.make("uniform", **model),
    "best fixed sensor, in hindsight": policies.make("best_fixed_arm", **model),
}
figure, axes = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
for label, policy in methods.items():
    run = simulate(
        policy,
        environment,
        len(test),
        rng=generator("own data", label),
        noise=NoiseField(len(sites), "own data", "noise"),
        expert_noise=NoiseField(len(sites), "own data", "expert"),
    )
    print(f"{label:32s} average regret {run.regret.mean():.2f} degC")
    axes.plot(np.cumsum(run.regret) / np.arange(1, len(test) + 1), label=label)

axes.set(xlabel="round t", ylabel="average regret $R_t / t$, degC", ylim=(0, None), xlim=(0, len(test)))
axes.legend(frameon=False)
plt.show()
