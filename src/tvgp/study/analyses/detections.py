"""When the policies that restart find a change, one policy per part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from tvgp import environments, kernels, policies, streams
from tvgp.contracts import Environment
from tvgp.study.run.simulate_named import simulate_named

# Names and parameters of the environments: no change, one of sign, four independent draws, and a change in
# every round.
CHANGES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "none": ("abrupt", {"changes": 0}),
    "sign": ("abrupt", {"change": "sign", "changes": 1}),
    "draws": ("abrupt", {"change": "draw", "changes": 4}),
    "walk": ("wiener", {"q": 0.03}),
}
_KERNEL = {"variance": 0.5, "length_scale": 3.0}
_NOISE_VARIANCE = 0.01


def uses(algorithm: str, **_) -> tuple[str, ...]:
    """The policy's module and those of the environments."""
    return (f"tvgp.policies.{algorithm}", "tvgp.environments.abrupt", "tvgp.environments.wiener")


def run(
    seeds: Sequence[int],
    algorithm: str = "et_gp_ucb",
    test: str | None = None,
    scale: float | None = None,
    width: float | None = None,
    horizon: int = 500,
    within: int = 50,
) -> xr.Dataset:
    """detections, found, delay, false_alarms (seed, change): number of detections in a run; share of the
    changes with a detection less than `within` rounds after them, and the mean number of rounds until
    then; number of detections that are further from every change before them. The last three are NaN
    where every round changes, the second and third where none does, the third where nothing is found.

    test, scale, width: parameters of the policy, None for its default.
    """
    given = {"test": test, "scale": scale, "width": width}
    values = {name: value for name, value in given.items() if value is not None}
    found = np.full((4, len(seeds), len(CHANGES)), np.nan)
    for i, seed in enumerate(seeds):
        for j, change in enumerate(CHANGES):
            events, changes = play(seed, change, algorithm, values, horizon)
            found[0, i, j] = len(events)
            if change != "walk":
                found[1:, i, j] = judged(events, changes, within)
    dims = ("seed", "change")
    variables = zip(("detections", "found", "delay", "false_alarms"), found, strict=True)
    return xr.Dataset({name: (dims, array) for name, array in variables}, {"change": list(CHANGES)})


def play(
    seed: int, change: str, algorithm: str, values: Mapping[str, Any], horizon: int
) -> tuple[np.ndarray, np.ndarray]:
    """The rounds of detections (m,) in a run of a policy with these parameters, and of changes (n,)."""
    family, settings = CHANGES[change]
    names = ("detections", change, seed)
    rng = streams.generator(*names, "environment")
    environment = environments.make(family, horizon=horizon, rng=rng, **settings)
    policy = policies.make(
        algorithm,
        arms=environment.arms,
        kernel=kernels.make("se", **_KERNEL),
        noise_variance=_NOISE_VARIANCE,
        horizon=horizon,
        **values,
    )
    simulate_named(policy, environment, horizon, names, algorithm)
    events = np.array(getattr(policy, "events"), dtype=np.int64)  # noqa: B009
    return events, change_points(environment, horizon)


def change_points(environment: Environment, horizon: int) -> np.ndarray:
    """The rounds t with f_t other than f_{t-1}, (n,)."""
    table = np.array([environment.mean_rewards(t) for t in range(1, horizon + 1)])
    return np.flatnonzero((table[1:] != table[:-1]).any(axis=1)) + 2


def judged(events: np.ndarray, changes: np.ndarray, within: int) -> tuple[float, float, float]:
    """found, delay and false_alarms of `run`, for rounds of detections (m,) and of changes (n,)."""
    since = events[:, None] - changes
    near = (since >= 0) & (since < within)
    delays = np.where(near, since, within).min(axis=0, initial=within)
    hits = delays < within
    share = float(hits.mean()) if len(changes) else np.nan
    delay = float(delays[hits].mean()) if hits.any() else np.nan
    return share, delay, float((~near.any(axis=1)).sum())
