"""
A live system
=============

``Live`` is a policy with a log of all calls. It may skip rounds and propose several arms at once; rewards may
arrive late, each with its own noise; and its state survives a restart, because loading replays the log.
``examples/live_service.py`` puts it behind a port.
"""

import tempfile
from pathlib import Path

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
# The restored system proposes the same arms as the first.
with tempfile.TemporaryDirectory() as folder:
    state = Path(folder) / "state.json"
    live.save(state)
    restored = Live.load(state)
    print(f"{state.stat().st_size} bytes; next arms {live.ask(21, size=2)} and {restored.ask(21, size=2)}")

# %%
# The best guess, without exploring
# ---------------------------------
arm = restored.recommend(21)
mean, std = restored.posterior(21)
truth = np.argmax(np.sin(places[:, 0] - 0.05 * 21))
print(f"measure at x = {places[arm, 0]:.2f}, expecting {mean[arm]:.2f} +- {std[arm]:.2f}")
print(f"the best place is x = {places[truth, 0]:.2f}")
