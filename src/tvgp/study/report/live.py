"""What is recommended on the user's own data, ready for use: files of `tvgp.live.Live`, and lines of Python.

A file holds the policy with all its numbers, and no rewards yet: its round 1 is the first one after the
training part, and in any round it plays what the study's policy plays after the same rewards.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import xarray as xr

from tvgp.live import Live
from tvgp.study import results
from tvgp.study.data.anomalies import BASELINE
from tvgp.study.data.field import Field
from tvgp.study.execution import files
from tvgp.study.results import advice, readings
from tvgp.study.run import build
from tvgp.study.run.job import RunJob
from tvgp.study.run.world import World

_IMPORTS = {
    "site_mean": "import json\n\n",
    "site_month": "import json\n\n",
    "harmonic": "import json\nfrom datetime import datetime\nfrom math import cos, pi, sin\n\n",
}
# Bodies of a function of site and time, from `tvgp.study.data.anomalies`.
_BASELINES = {
    "site_mean": "return season[site][0]",
    "site_month": "return season[site][time.month - 1]",
    "harmonic": """\
a, b1, c1, b2, c2 = season[site]
    u = 2 * pi * (time - datetime(1970, 1, 1)).total_seconds() / 86400 / 365.2425
    return a + b1 * cos(u) + c1 * sin(u) + b2 * cos(2 * u) + c2 * sin(2 * u)""",
}


def write(
    products: Mapping[str, str | Path], collected: xr.Dataset, data: Field, jobs: Mapping[str, RunJob]
) -> None:
    """Write what is recommended, policy, what reads before it chooses, reading, or after it, reading_after
    (the same as policy if nothing played does, or none pays), and, of anomalies, what was subtracted, season:
    coefficients by site, of values as they were measured.

    products: files by these names; data: the test part; jobs: of the variants that were played. ValueError
    where no method was.
    """
    part = results.at_alpha(collected)
    chosen = advice.recommended(part)
    if chosen is None:
        raise ValueError(f"{results.name(part)}: no method was played; expected one to recommend")
    fit, tuned = results.fit(collected), results.tuned(collected)
    names = {
        "policy": chosen,
        "reading": advice.reader(part, chosen) or readings.index(part) or chosen,
        "reading_after": advice.reader_after(part, chosen) or chosen,
    }
    for product, name in names.items():
        path = products[product]
        for end in ("", "-wal", "-shm"):  # Live replaces no file, nor what SQLite has beside it
            Path(f"{path}{end}").unlink(missing_ok=True)
        with start(jobs[name], data, fit, tuned.get(name, {}).get("value")) as started:
            started.save(path)
    if "season" in products:
        sign = results.sign(data.attrs)
        sites = json.loads(data.attrs[BASELINE])
        subtracted = {site: [sign * each for each in own] for site, own in sites.items()}
        files.write_object(products["season"], subtracted)


def start(job: RunJob, data: Field, fit: Mapping, tuned: object = None) -> Live:
    """The policy of a job before its first round, with the numbers of a fit."""
    world = World.open(job.experiment, data)
    environment = world.environment(job.alpha, 1)
    given = build.arguments(job, environment, world.rounds, fit, tuned)
    return Live(job.algorithm, **given, names=data.site.tolist())


def lines(folder: str, round_label: str, maximise: bool, anomaly: str) -> str:
    """Python that plays the files of a folder; `rounds`, `available` and `value` are the user's, and, of
    anomalies, `when`, the datetime of a round."""
    sign = "" if maximise else "-"
    note = "" if maximise else "  # minus the value: small ones are good"
    season, told = "", f"{sign}value(t, live.names[arm])"
    if anomaly:
        told = "value(t, live.names[arm]) - usual(live.names[arm], when(t))"
        told = told if maximise else f"-({told})"
        season = f"""
season = json.load(open("{folder}/season.json"))


def usual(site, time):  # what was subtracted ({anomaly}); add it to what is believed about a site
    {_BASELINES[anomaly]}

"""
    return f"""\
{_IMPORTS.get(anomaly, "")}from tvgp.live import Live
{season}
# reading.db reads sites before it chooses; reading_after.db after it: move its while loop below live.tell
live = Live.load("{folder}/policy.db")
live.save("live.db")  # from now on each call is there when it returns; Live.load("live.db") goes on
for t in rounds:  # 1, 2, ...: the number of the {round_label}; some may be left out
    here = available(t)  # mask of the sites that can be read, None for all
    while (arm := live.next_query(t, here)) is not None:
        live.tell_expert(t, arm, {told}){note}
    arm = int(live.ask(t, available=here)[0])
    live.tell(t, arm, {told})
"""
