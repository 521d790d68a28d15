"""
A live system
=============

``Live`` is a policy with a log of all calls. It may skip rounds and propose several arms at once; rewards may
arrive late, each with its own noise; and its state survives a restart, because its file has every call.
``examples/live_service.py`` puts it behind a port.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from tvgp import kernels
from tvgp.live import Live

places = np.linspace(0.0, 10.0, 41)[:, None]
live = Live(
    "tv_gp_ucb",
    arms=places,
    kernel=kernels.make("matern52", variance=1.0, length_scale=1.5),
    noise_variance=0.01,
    epsilon=0.02,
    width="logarithmic",
)
rng = np.random.default_rng(0)


def measure(t, arm):
    """Stands in for the real system."""
    return float(np.sin(places[arm, 0] - 0.05 * t) + 0.1 * rng.standard_normal())


# %%
# Two arms per round; the second sensor answers one round late
# ------------------------------------------------------------
late = None
for t in range(1, 21):
    first, second = live.ask(t, size=2)
    if late is not None:
        live.tell(late[0], arms=late[1], rewards=measure(*late))
    live.tell(t, arms=first, rewards=measure(t, first))
    late = t, second

# %%
# A restart
# ---------
# From `save` on, each call is in the file when it returns. What is loaded proposes the arms that the first
# system would have proposed.
folder = tempfile.TemporaryDirectory()
state = Path(folder.name) / "state.db"
live.save(state)
arms = live.ask(21, size=2)
live.close()
live = Live.load(state)
print(f"{state.stat().st_size} bytes; next arms {arms} and {live.ask(21, size=2)}")

# %%
# The best guess, without exploring
# ---------------------------------
arm = live.recommend(21)
mean, std = live.posterior(21)
truth = np.argmax(np.sin(places[:, 0] - 0.05 * 21))
print(f"measure at x = {places[arm, 0]:.2f}, expecting {mean[arm]:.2f} +- {std[arm]:.2f}")
print(f"the best place is x = {places[truth, 0]:.2f}")

figure, axes = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
axes.fill_between(places[:, 0], mean - 2 * std, mean + 2 * std, alpha=0.2, lw=0)
axes.plot(places[:, 0], mean, label="belief")
axes.plot(places[:, 0], np.sin(places[:, 0] - 0.05 * 21), color="black", label="the system now")
axes.plot(places[arm, 0], mean[arm], "o", label="best guess")
axes.set(xlabel="place", ylabel="reward")
axes.legend(frameon=False, loc="lower left")
plt.show()
