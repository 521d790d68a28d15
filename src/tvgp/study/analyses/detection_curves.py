"""Changes found against false alarms over thresholds, one policy that restarts per part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp.study.analyses import detections

uses = detections.uses

# f stays, changes its sign, or is drawn anew four times.
CHANGES = ("none", "sign", "draws")


def run(
    seeds: Sequence[int],
    algorithm: str,
    threshold: str,
    thresholds: Sequence[float],
    test: str | None = None,
    width: float | None = None,
    horizon: int = 500,
    within: int = 25,
) -> xr.Dataset:
    """found, false_alarms (seed, change, threshold): as in `detections`; within: as given.

    threshold: the policy's parameter that takes the values `thresholds`; test, width: parameters of the
    policy, None for its default.
    """
    given = {"test": test, "width": width}
    fixed = {name: value for name, value in given.items() if value is not None}
    found = np.empty((2, len(seeds), len(CHANGES), len(thresholds)))
    for i, j, k in np.ndindex(found.shape[1:]):
        values = fixed | {threshold: thresholds[k]}
        events, changes = detections.play(seeds[i], CHANGES[j], algorithm, values, horizon)
        share, _, false = detections.judged(events, changes, within)
        found[:, i, j, k] = share, false
    dims = ("seed", "change", "threshold")
    return xr.Dataset(
        {"found": (dims, found[0]), "false_alarms": (dims, found[1]), "within": within, "rounds": horizon},
        {"change": list(CHANGES), "threshold": [float(value) for value in thresholds]},
    )
