"""What is recommended on the user's own data, ready for use: files of `tvgp.live.Live`, and lines of Python.

A file holds the policy with all its numbers, and no rewards yet: its round 1 is the first one after the
training part, and in any round it plays what the study's policy plays after the same rewards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import xarray as xr

from tvgp.live import Live
from tvgp.study import results
from tvgp.study.data.field import Field
from tvgp.study.results import advice, readings
from tvgp.study.run import build
from tvgp.study.run.job import RunJob
from tvgp.study.run.world import World


def write(
    products: Sequence[str | Path], collected: xr.Dataset, data: Field, jobs: Mapping[str, RunJob]
) -> None:
    """Write what is recommended, and what reads before it chooses (the same, if nothing played does).

    data: the test part; jobs: of the variants that were played. ValueError where no method was.
    """
    policy, reading = products
    part = results.at_alpha(collected)
    chosen = advice.recommended(part)
    if chosen is None:
        raise ValueError(f"{results.name(part)}: no method was played; expected one to recommend")
    fit, tuned = results.fit(collected), results.tuned(collected)
    for path, name in ((policy, chosen), (reading, readings.index(part) or chosen)):
        Path(path).unlink(missing_ok=True)  # Live replaces no file
        with start(jobs[name], data, fit, tuned.get(name, {}).get("value")) as started:
            started.save(path)


def start(job: RunJob, data: Field, fit: Mapping, tuned: object = None) -> Live:
    """The policy of a job before its first round, with the numbers of a fit."""
    world = World.open(job.experiment, data)
    environment = world.environment(job.alpha, 1)
    given = build.arguments(job, environment, world.rounds, fit, tuned)
    return Live(job.algorithm, **given, names=data.site.tolist())


def lines(folder: str, round_label: str, maximise: bool, anomaly: str) -> str:
    """Python that plays the files of a folder; `value` is the user's function of a round and a site."""
    sign = "" if maximise else "-"
    notes = [*([] if maximise else ["minus the value: small ones are good"])]
    notes += [f"less what was subtracted in training ({anomaly})"] if anomaly else []
    told = f"  # {', '.join(notes)}" if notes else ""
    return f"""\
from tvgp.live import Live

live = Live.load("{folder}/policy.db")  # reading.db: it reads sites before it chooses
live.save("live.db")  # from now on each call is there when it returns; Live.load("live.db") goes on
for t in rounds:  # 1, 2, ...: the number of the {round_label}; some may be left out
    here = available(t)  # mask of the sites that can be read, None for all
    while (arm := live.next_query(t, here)) is not None:
        live.tell_expert(t, arm, {sign}value(t, live.names[arm])){told}
    arm = int(live.ask(t, available=here)[0])
    live.tell(t, arm, {sign}value(t, live.names[arm]))
"""
