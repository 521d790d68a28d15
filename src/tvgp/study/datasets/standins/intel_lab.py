"""Stand-in for the Intel lab's data.txt.gz and mote_locs.txt: a synthetic office floor.

Temperature of mote s at time t, in degree C:

    v = 21 + a(s) + day(t) (2 + 3 sun(s, t)) + g(t, s) + e(t, s)

a(s): a fixed difference between rooms; day(t): warm from the morning on, less at the weekend;
sun(s, t): morning sun on the east side, afternoon sun on the west side, so that the warmest mote
changes; g: Gaussian with squared-exponential correlation over 9 m, AR(1) over 10 minutes with
phi = .98, sd 0.8; e: 0.1 degree of noise. The 54 positions lie on a jittered grid of
41 x 31 m and are not the lab's.

It has the quirks of the real file: three epochs in four missing, mote 5 absent, motes 15 and
18 failing (122 degrees at low voltage, silence), truncated lines, unknown ids, blocks out of
time order, days before and after the period. The first line of both files carries the mark.
"""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np

from tvgp import streams
from tvgp.study.execution import files

MARK = b"# STAND-IN"
MOTES = 54
ABSENT, DYING, SILENT = 5, 15, 18
EPOCH_SECONDS = 31
RECEIVED = 0.25  # share of the epochs that reach the base station
STRANGERS = (55, 65407)


def write(folder: Path, first: np.datetime64, last: np.datetime64, seed: int) -> list[Path]:
    """Write data.txt.gz and mote_locs.txt for whole days; the same arguments give the same bytes."""
    rng = streams.generator("intel_lab stand-in", seed)
    note = MARK.decode() + f": made-up data, seed {seed}; not measurements\n"
    positions = _positions(rng)
    lines = (f"{mote} {x:g} {y:g}\n" for mote, (x, y) in enumerate(positions, start=1))
    locations = Path(folder) / "mote_locs.txt"
    files.write_text(locations, note + "".join(lines))
    readings = Path(folder) / "data.txt.gz"
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=6, mtime=0) as file:
        file.write((note + "\n".join(_lines(positions, first, last, rng)) + "\n").encode())
    with files.replacing(readings) as temporary:
        temporary.write_bytes(packed.getvalue())
    return [readings, locations]


def _positions(rng: np.random.Generator) -> np.ndarray:
    """(54, 2) positions in metres, to half a metre."""
    x, y = np.meshgrid(np.linspace(2, 38, 9), np.linspace(3, 28, 6))
    grid = np.column_stack([x.ravel(), y.ravel()])
    return np.round(2 * (grid + rng.uniform(-1.5, 1.5, grid.shape))) / 2


def _lines(positions: np.ndarray, first, last, rng: np.random.Generator) -> list[str]:
    # the reader must leave out a quarter of a day before and after
    begin = first.astype("datetime64[s]") - np.timedelta64(6, "h")
    end = (last + np.timedelta64(1, "D")).astype("datetime64[s]") + np.timedelta64(6, "h")
    epochs = int((end - begin).astype(int)) // EPOCH_SECONDS
    mean, minutes = _temperatures(positions, begin, epochs, rng)
    received = rng.random((epochs, MOTES)) < RECEIVED
    received[:, ABSENT - 1] = False
    received[epochs * 2 // 5 :, SILENT - 1] = False
    epoch, mote = np.nonzero(received)
    n = len(epoch)
    order = np.arange(n)
    for start in rng.integers(0, n - 400, size=20):  # delayed packets
        order[start : start + 400] = np.roll(order[start : start + 400], 200)
    epoch, mote = epoch[order], mote[order]
    celsius = mean[epoch * EPOCH_SECONDS // 600, mote] + rng.normal(0.0, 0.1, n)
    volts = 2.75 - 0.1 * epoch / epochs + rng.normal(0.0, 0.004, n)
    dying = (mote == DYING - 1) & (epoch > epochs // 2)
    celsius[dying], volts[dying] = 122.153, 2.03
    humidity = np.clip(75.0 - 1.7 * celsius + rng.normal(0.0, 0.5, n), -4.0, 95.0)
    light = np.where((minutes[epoch] > 480) & (minutes[epoch] < 1140), 250.0, 4.0)
    light *= rng.uniform(0.5, 1.5, n)
    micro = rng.integers(0, 10**6, n)
    stamp = begin + np.timedelta64(1, "s") * (epoch * EPOCH_SECONDS + rng.integers(0, 9, n))
    texts = np.datetime_as_string(stamp, unit="s")
    ids = mote + 1
    for stranger in STRANGERS:
        ids[rng.integers(0, n, size=40)] = stranger
    cut = np.zeros(n, dtype=int)
    cut[rng.integers(0, n, size=n // 1000)] = 4  # lines that end after 3 or 4 fields
    cut[rng.integers(0, n, size=n // 1000)] = 3
    columns = zip(texts, micro, epoch + 1, ids, celsius, humidity, light, volts, cut, strict=True)
    return [
        " ".join(line.split(" ")[:end]) if end else line
        for text, us, ep, who, c, h, lux, v, end in columns
        for line in (f"{text[:10]} {text[11:]}.{us:06d} {ep} {who} {c:.4f} {h:.4f} {lux:.2f} {v:.5f}",)
    ]


def _temperatures(positions: np.ndarray, begin, epochs: int, rng: np.random.Generator):
    """(10-minute steps, 54) mean temperatures, and the minute of the day of each epoch."""
    steps = epochs * EPOCH_SECONDS // 600 + 1
    today = begin.astype("datetime64[D]")
    start = int((begin - today).astype(int)) // 60
    minute = start + 10 * np.arange(steps)
    clock = minute % 1440 / 60.0
    weekday = (today.astype(int) + 3 + minute // 1440) % 7  # 0 = Monday
    work = np.where(weekday < 5, 1.0, 0.5)
    day = work / (1 + np.exp(-(clock - 7.5) / 0.6)) / (1 + np.exp((clock - 19.0) / 1.2))
    east = positions[:, 0] / 40.0
    morning = np.exp(-((clock - 10.0) ** 2) / 8.0)[:, None] * east**2
    evening = np.exp(-((clock - 15.5) ** 2) / 8.0)[:, None] * (1 - east) ** 2
    room = rng.normal(0.0, 0.6, MOTES)
    distance = np.linalg.norm(positions[:, None] - positions[None], axis=-1)
    root = np.linalg.cholesky(np.exp(-0.5 * (distance / 9.0) ** 2) + 1e-9 * np.eye(MOTES))
    g = 0.8 * rng.standard_normal((steps, MOTES)) @ root.T
    for t in range(1, steps):
        g[t] = 0.98 * g[t - 1] + np.sqrt(1 - 0.98**2) * g[t]
    mean = 21.0 + room + day[:, None] * (2.0 + 3.0 * (morning + evening)) + g
    minutes = (start + np.arange(epochs) * EPOCH_SECONDS // 60) % 1440
    return mean, minutes
