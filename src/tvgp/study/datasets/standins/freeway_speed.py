"""Stand-in for the Los Angeles loop data: one synthetic freeway of 80 sensors, seven days.

Speed of sensor s at time t, in mph, between 3 and 75:

    v = free(s) - c(t, s) - |n(t, s)|

free(s): 62 to 69, correlated along the road; c: congestion that grows at a few bottlenecks in the
rush hours, spreads upstream over some miles and shrinks again, weaker at the weekend, with a
different size and hour each day; n: noise, AR(1) with phi = .7. Like the real
data, the 7 days begin on a Thursday. Every sensor id begins with the mark.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tvgp import streams
from tvgp.study.execution import files

MARK = "STAND-IN"
SENSORS, DAYS, MILES = 80, 7, 30.0
BOTTLENECKS = (6.0, 13.0, 21.0, 27.0)


def write(folder: Path, interval_minutes: int, seed: int) -> list[Path]:
    """Write los_speed.csv and graph_sensor_locations.csv; the same seed gives the same bytes."""
    rng = streams.generator("freeway_speed stand-in", seed)
    miles = np.sort(rng.uniform(0.0, MILES, SENSORS))
    speed = _speeds(miles, interval_minutes, rng)
    ids = [f"{MARK} {number}" for number in range(1, SENSORS + 1)]
    lines = [",".join(ids), *(",".join(f"{v:.6g}" for v in row) for row in speed)]
    locations = ["index,sensor_id,latitude,longitude"]
    for index, (name, mile) in enumerate(zip(ids, miles, strict=True)):
        locations.append(f"{index},{name},{34.0 + mile / 69.0:.5f},-118.30000")
    written = []
    for name, text in (("los_speed.csv", lines), ("graph_sensor_locations.csv", locations)):
        written.append(Path(folder) / name)
        files.write_text(written[-1], "\n".join(text) + "\n")
    return written


def _speeds(miles: np.ndarray, interval_minutes: int, rng: np.random.Generator) -> np.ndarray:
    """(times, sensors) in mph."""
    steps = 24 * 60 // interval_minutes
    clock = np.arange(steps) * interval_minutes / 60.0
    gaps = np.abs(miles[:, None] - miles[None])
    root = np.linalg.cholesky(np.exp(-gaps / 2.0) + 1e-9 * np.eye(SENSORS))
    free = np.clip(66.0 + 1.5 * (root @ rng.standard_normal(SENSORS)), 62.0, 69.0)
    noise = 2.0 * rng.standard_normal((DAYS * steps, SENSORS)) @ root.T
    for t in range(1, len(noise)):
        noise[t] = 0.7 * noise[t - 1] + np.sqrt(1 - 0.7**2) * noise[t]
    days = []
    for day in range(DAYS):
        weekend = day in (2, 3)  # Thursday first
        congestion = np.zeros((steps, SENSORS))
        for mile in BOTTLENECKS:
            for hour, width in ((8.0, 1.2), (17.5, 1.6)):
                size = rng.gamma(4.0, 10.0) * (0.2 if weekend else 1.0)
                level = np.exp(-0.5 * ((clock - hour - rng.normal(0.0, 0.5)) / width) ** 2)
                reach = 0.3 + 4.0 * level  # miles of queue
                behind = (mile - miles)[None, :]
                queue = np.where(behind >= 0, np.exp(-behind / reach[:, None]), 0.0)
                congestion += size * level[:, None] * queue
        days.append(free - congestion)
    return np.clip(np.concatenate(days) - np.abs(noise), 3.0, 75.0)
