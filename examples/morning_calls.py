"""
A morning's round of calls
==========================

Each morning, one ozone monitor of North Carolina is chosen; the more ozone the better. Before the choice, any
monitor may be called for its reading, at 0.3 ppb of the day's result per call, or 1.5 ppb in the mountains.
Which to call next, and when to stop, is Pandora's problem: see ``docs/asking.md``.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import tvgp
from tvgp import fitting, kernels
from tvgp.live import Live
from tvgp.study import datasets

# %%
# The record, and a model of it
# -----------------------------
# Real readings that come with the package. Those of 2019 give the mean of each site, the covariance between
# sites, and how fast their weather and their levels move.
folder = Path(tvgp.__file__).parent / "study" / "datasets" / "extracts" / "ozone_nc"
ozone, _ = datasets.make("ozone", state="North Carolina", coverage=0.6).load(sorted(folder.glob("*.zip")))
past = ozone.time < np.datetime64("2020-01-01")
train, test, days = ozone.value[past], ozone.value[~past], ozone.time[~past]
means = fitting.shrunk_means(train)
covariance = fitting.shrunk_covariance(train - means.mean).covariance
fit = fitting.fit_field(train, means.common, covariance)
print(f"{len(ozone.site)} monitors; {len(train)} days to fit, {len(test)} mornings")

# %%
# The mornings
# ------------
# ``next_query`` names the monitor to call, or None once no further call is worth its price. A choice follows,
# and its reading is told as well. A day's cost is its regret plus the calls.
price = np.where(ozone.lon < -81.5, 1.5, 0.3)
live = Live(
    "pandora_gp_ucb",
    arms=np.arange(len(price), dtype=float)[:, None],
    kernel=kernels.make("empirical", covariance=fit.covariance),
    noise_variance=fit.noise_variance,
    model="field",
    prior_mean=tuple(means.mean),
    price=tuple(price),
    price_share=1.0,
    learn_scale=False,
    learn_gain=False,
    **fit.parameters(),
)


def believed(t, there):
    """Mean and standard deviation of each monitor, and its index."""
    return (*live.posterior(t), live.policy(t).indices(t, there))


def morning(t, readings):
    """Calls in their order, belief and indices before each and after the last, and the choice."""
    there = np.isfinite(readings)
    calls, beliefs = [], [believed(t, there)]
    while (monitor := live.next_query(t, there)) is not None:
        live.tell_expert(t, monitor, readings[monitor])
        calls.append(monitor)
        beliefs.append(believed(t, there))
    choice = int(live.ask(t, available=there)[0])
    live.tell(t, choice, readings[choice])
    return calls, beliefs, choice


rounds = [morning(t, readings) for t, readings in enumerate(test[:90], start=1)]
regret = np.array([np.nanmax(y) - y[choice] for y, (_, _, choice) in zip(test, rounds, strict=False)])
counts = np.array([len(calls) for calls, _, _ in rounds])
paid = np.array([price[calls].sum() for calls, _, _ in rounds])
print(f"{counts.mean():.1f} calls a morning, from {counts.min()} to {counts.max()}")
print(
    f"a day costs {regret.mean() + paid.mean():.2f} ppb: regret {regret.mean():.2f}, calls {paid.mean():.2f}"
)
away = np.nanmax(test[:90], axis=1) - np.nanmean(test[:90], axis=1)
print(f"a monitor at random: regret {away.mean():.2f}")

# %%
# One morning
# -----------
# The index of a monitor is high where its mean is, its doubt is large or its call is cheap. The largest index
# is called next; the monitor of the largest mean has none where no other comes near: it needs no call. Calls
# end once no index exceeds the largest mean, and the monitor of that mean is chosen.
there = np.isfinite(test[:90])
full = there.sum(axis=1) > 30  # some report in summer only
t = 1 + int(np.where(full, np.abs(counts - 6), np.inf).argmin())
there = there[t - 1]
calls, beliefs, choice = rounds[t - 1]
order = np.argsort(ozone.lon)
place = np.empty(len(order), dtype=int)  # of each monitor, from west to east
place[order] = np.arange(len(order))
figure, panels = plt.subplots(2, 1, figsize=(7.5, 6), sharex=True, sharey=True, layout="constrained")
titles = (f"{days[t - 1]}, before any call", f"after {len(calls)} calls: no index exceeds the largest mean")
for axes, (mean, std, index), title in zip(panels, (beliefs[0], beliefs[-1]), titles, strict=True):
    mean, std, index = np.where(there, (mean, std, index), np.nan)
    index[calls if axes is panels[1] else []] = np.nan  # called once per morning
    axes.axvspan(-0.5, (price > 1).sum() - 0.5, color="0.93", label="mountains, 1.5 ppb per call")
    axes.errorbar(place, mean, 2 * std, fmt="o", color="0.5", ms=3, label="mean, two standard deviations")
    axes.plot(place, index, "_", color="#d55e00", ms=9, mew=2, label="index")
    axes.axhline(np.nanmax(mean), color="0.2", lw=0.8, ls="--", label="largest mean")
    axes.set_title(title, loc="left", fontsize="medium")
    axes.set_ylabel("ozone (ppb)")
panels[1].plot(place[calls], test[t - 1, calls], "o", color="#0072b2", ms=5, label="calls, in their order")
for number, site in enumerate(calls, start=1):
    panels[1].annotate(str(number), (place[site], test[t - 1, site]), (4, 4), textcoords="offset points")
panels[1].plot(place[choice], test[t - 1, choice], "*", color="#009e73", ms=13, label="choice", zorder=1)
panels[1].set(xlabel="monitors, from west to east", xlim=(-0.5, len(order) + 0.3), xticks=[])
figure.legend(*panels[1].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize="small")
if len(sys.argv) > 1:  # python examples/morning_calls.py picture.png
    figure.savefig(sys.argv[1], dpi=150)
plt.show()
