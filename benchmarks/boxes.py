"""tvgp and other optimisers on boxes whose rewards move: `python -m benchmarks.boxes [--help]`.

Plays the parts of the analysis `drifting_boxes` (config/questions/drifting_boxes.yaml): its own contenders
and those of `benchmarks.optimisers` that are installed, on the same draws and noise, each in its own process
with one BLAS thread. Writes results/benchmarks/boxes.csv, one row per part and contender: the columns of the
study's table, the processor time of choosing and learning, and the peak memory of the process.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import harness
from benchmarks import optimisers as others
from tvgp import streams
from tvgp.contracts import PointPolicy
from tvgp.environments.base.moving_box import MovingBox
from tvgp.study.analyses import drifting_boxes
from tvgp.study.config import jobs, loading
from tvgp.study.execution import files
from tvgp.study.tables.drifting_boxes import row

ANALYSIS = "drifting_boxes"
RESULTS = harness.ROOT / "results" / "benchmarks" / "boxes.csv"
PEERS = {  # and the module that each needs
    "optuna_tpe": "optuna",
    "cma_es": "cmaes",
    "botorch_gp": "botorch",
    "botorch_time": "botorch",
    "wdbo": "wdbo_algo",
}
_OWN = ("contenders", "environment", "horizon")


def main(arguments: Sequence[str] | None = None) -> None:
    """Play, print and write the table."""
    parts = problems()
    options = _options(arguments, parts)
    rows: list[dict] = []
    for name in options.parts:
        rows += _part(name, dict(parts[name]), options)
        files.write_text(options.output, pd.DataFrame(rows).to_csv(index=False))


def problems() -> dict[str, dict[str, Any]]:
    """The parameters of the analysis, by part."""
    config = loading.read(harness.ROOT / "config")
    return {
        name: dict(jobs.analysis_job(config, ANALYSIS, name).parameters)
        for name in config["analyses"][ANALYSIS]["parts"]
    }


def _options(arguments: Sequence[str] | None, parts: Mapping) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.boxes", description=__doc__)
    parser.add_argument("--parts", nargs="+", default=list(parts), help="default: all")
    parser.add_argument(
        "--contenders", nargs="+", help="default: all of the part, and all that are installed"
    )
    parser.add_argument("--rounds", type=int, help="in place of each part's own")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    known = {*drifting_boxes.CONTENDERS, *PEERS}
    for what, chosen, expected in (("part", options.parts, parts), ("contender", options.contenders, known)):
        if unknown := set(chosen or ()) - set(expected):
            parser.error(f"unknown {what} {sorted(unknown)[0]!r}; known: {', '.join(sorted(expected))}")
    return options


def _part(name: str, values: dict[str, Any], options: argparse.Namespace) -> Iterator[dict]:
    """A row per contender."""
    horizon = options.rounds or values["horizon"]
    seeds = range(1, options.seeds + 1)
    own = {key: value for key, value in values.items() if key not in _OWN}
    boxes = {s: drifting_boxes.opened(values["environment"], horizon, s, own) for s in seeds}
    optima = {s: [box.optimum_at(t) for t in range(1, horizon + 1)] for s, box in boxes.items()}
    for contender in options.contenders or [*values["contenders"], *PEERS]:
        if contender in PEERS and (missing := harness.needs(PEERS[contender])):
            _say(f"{name} {contender}: {missing}")
            continue
        with harness.process() as call:
            runs = [call(_play, contender, values["environment"], horizon, s, own, optima[s]) for s in seeds]
            found = row(name, contender, np.stack([regret for regret, _ in runs]))
            found["seconds"] = float(np.mean([seconds for _, seconds in runs])) / horizon
            found["peak_mb"] = call(harness.peak_mb)
        _say(
            "{problem} {contender}: regret {regret:.4g}, {ms:.3g} ms per round".format(
                ms=1e3 * found["seconds"], **found
            )
        )
        yield found


def _play(
    contender: str, environment: str, horizon: int, seed: int, own: Mapping[str, Any], optima: list[float]
) -> tuple[np.ndarray, float]:
    """Regret of each round, and the processor seconds of the contender."""
    box = _Known(drifting_boxes.opened(environment, horizon, seed, own), optima)
    if contender in PEERS:
        module = importlib.import_module(f"{others.__name__}.{contender}")
        rng = streams.generator("drifting_boxes", seed, "policy", contender)
        policy: PointPolicy = module.make(box.domain, horizon, rng)
    else:
        policy = drifting_boxes.player(contender, box.inner)
    timed = _Timed(policy)
    run = drifting_boxes.played(timed, contender, box, horizon, seed)
    return run.regret, timed.seconds


class _Known:
    """An environment whose maxima are known, so that no process searches for them again."""

    def __init__(self, inner: MovingBox, optima: list[float]) -> None:
        self.inner, self._optima = inner, optima
        self.domain, self.noise_std = inner.domain, inner.noise_std

    def optimum_at(self, t: int) -> float:
        return self._optima[t - 1]

    def mean_reward_at(self, points: np.ndarray, t: int) -> np.ndarray:
        return self.inner.mean_reward_at(points, t)


class _Timed:
    """Counts the processor time of a policy."""

    def __init__(self, inner: PointPolicy) -> None:
        self._inner, self.seconds = inner, 0.0

    def propose(self, t: int, rng: np.random.Generator, batch: int) -> np.ndarray:
        started = time.process_time()
        points = self._inner.propose(t, rng, batch)
        self.seconds += time.process_time() - started
        return points

    def observe_points(self, t: int, points: np.ndarray, rewards: np.ndarray) -> None:
        started = time.process_time()
        self._inner.observe_points(t, points, rewards)
        self.seconds += time.process_time() - started


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # of the processes that play
    main()
