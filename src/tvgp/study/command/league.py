"""`tvgp league`: a policy of the user's own in the environments of the league, beside the published runs."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tvgp import policies
from tvgp.contracts import Moment
from tvgp.study.command import checkout
from tvgp.study.command.checkout import Study
from tvgp.study.command.live import parameter
from tvgp.study.command.progress import Display
from tvgp.study.config import jobs, loading
from tvgp.study.execution import files, processor
from tvgp.study.fit import training
from tvgp.study.results import league, league_runs
from tvgp.study.results.league_runs import LeagueCosts
from tvgp.study.run import blocks
from tvgp.study.run.world import World

STUDY, TABLE = "league", Path("tables", "league_runs.csv")
PUBLISHED = Path("docs", "results", STUDY, TABLE.name)
UNIFORM = "uniform"
_CLOSE = 1e-5  # of numbers in tables, which have six digits
_FACTOR = 1.5


@dataclass(frozen=True)
class Entry:
    """name: in tables; algorithm: the policy; file: its own, None for one that is installed; parameters: its
    values; queries: their moment."""

    name: str
    algorithm: str
    file: str | None
    parameters: Mapping[str, Any]
    queries: Moment

    @classmethod
    def of(cls, given: argparse.Namespace) -> Entry:
        """ValueError for a policy that there is not, and for a parameter that it does not have."""
        file = given.policy if given.policy.endswith(".py") else None
        name = policies.register_file(file) if file else given.policy
        parameters = dict(map(parameter, given.set))
        policies.check(name, parameters)
        return cls(given.name or name, name, file, parameters, given.queries)

    @property
    def variant(self) -> dict[str, Any]:
        """As the configuration has it."""
        named = {"algorithm": self.algorithm, "label": self.name, "group": "control"}
        return {**named, "queries": self.queries, "parameters": dict(self.parameters)}

    @property
    def source(self) -> str:
        """The file and its digest, or the module."""
        if self.file is None:
            return policies.module_of(self.algorithm)
        return f"{Path(self.file).name} {files.digest(self.file)[:12]}"

    @property
    def setting(self) -> str:
        """Its tier."""
        return "printed" if self.queries == "after" else league.ASKS_FIRST

    def register(self) -> None:
        """In a new process."""
        if self.file:
            policies.register_file(self.file)


def main(given: argparse.Namespace) -> int:
    """Play the entry, write its runs and say where it stands."""
    study, entry = checkout.study(STUDY), Entry.of(given)
    known = published(study)
    if entry.name in set(known.method) and (entry.parameters or entry.queries != "after"):
        raise ValueError(f"{entry.name} is a method of the league; give yours another name: --name NAME")
    entered = {"policies": {entry.name: entry.variant}}
    runs, seconds = _played(
        loading.merged(study.config, entered), entry, known, given.cores, Display(sys.stderr)
    )
    output = Path(given.output or f"{entry.name}.csv")
    league_runs.write(output, runs)
    print("\n".join(standing(league_runs.merged([known, league_runs.read(output)]), entry.name, given.price)))
    print(f"{entry.name} takes {1000 * seconds:.2g} ms per round on this machine (median over its runs)")
    print(f"Runs: {output}; compare with: tvgp compare {output} {entry.name} st_gp_ucb")
    return 0


def published(study: Study) -> pd.DataFrame:
    """The runs that entries are compared with: of a league played here, else those in docs/.

    ValueError where there are none.
    """
    for path in (study.results / TABLE, study.source / PUBLISHED):
        if path.is_file():
            return league_runs.read(path)
    raise ValueError(f"{study.source / PUBLISHED}: no such file; play the league first: tvgp run {STUDY}")


def standing(runs: pd.DataFrame, name: str, price: float) -> list[str]:
    """A line per method, best first, and what the order depends on."""
    tier = runs[runs.method == name].setting.iloc[0]
    found = LeagueCosts.of(runs[(runs.setting == tier) | (runs.method == name)], price)
    ranks, close = found.mean_ranks(), found.profile(_FACTOR)
    lines = [
        f"{len(ranks)} methods, {tier}, in {len(found.weights)} environments of"
        f" {found.families.nunique()} families, each family weighing the same; price of a query {price:g} of"
        " the regret of uniform play",
        f"{'method':24} mean rank  within {_FACTOR:g} of the best  {name} costs less in",
    ]
    for method, rank in zip(map(str, ranks.index), ranks, strict=True):
        wins = found.wins(name, method)
        against = "" if method == name else f"{wins.mean:4.0%} [{wins.low:.0%}, {wins.high:.0%}]"
        lines.append(f"{method:24} {rank:9.2f}  {close[method]:22.0%}  {against}".rstrip())
    for family, best in found.changes().items():
        lines.append(f"Without the family {family!r} {best} is first.")
    return lines


def _played(
    config: Mapping[str, Any], entry: Entry, known: pd.DataFrame, cores: int | None, display: Display
) -> tuple[pd.DataFrame, float]:
    """The entry's runs, on the draws and seeds of the study's, one process per environment, and its seconds
    per round. ValueError where uniform play is not what the table has."""
    processor.pin(os.environ)  # before the processes start
    environments = sorted(set(known.environment))
    started, found = time.monotonic(), list[tuple[pd.DataFrame, np.ndarray]]()
    quiet = (signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for this process
    with ProcessPoolExecutor(cores, get_context("spawn"), signal.signal, quiet) as pool:
        waiting = [
            pool.submit(_runs, config, entry, name, known[known.environment == name]) for name in environments
        ]
        try:
            for done in as_completed(waiting):
                found.append(done.result())
                left = (time.monotonic() - started) * (len(environments) / len(found) - 1)
                display.say(f"{len(found)} of {len(environments)} environments, {left:.0f} s left")
        except BaseException:  # the pool would play all other environments before it closes
            for process in active_children():
                process.terminate()
            raise
    runs = pd.concat([table for table, _ in found]).sort_values(list(league_runs.KEY), ignore_index=True)
    return runs, float(np.median(np.concatenate([seconds for _, seconds in found])))


def _runs(
    config: Mapping[str, Any], entry: Entry, experiment: str, known: pd.DataFrame
) -> tuple[pd.DataFrame, np.ndarray]:
    """The runs of an environment, and the seconds per round of each."""
    entry.register()
    seeds = sorted(set(known.seed.tolist()))
    alphas = config["experiments"][experiment]["alphas"]
    alpha = "1" if "1" in alphas else alphas[0]
    fit = training.fit(jobs.fit_job(config, experiment))
    world = World.open(jobs.experiment(config, experiment))

    def play(policy: str, seeds: list[int]) -> tuple[pd.DataFrame, np.ndarray]:
        block = blocks.run_block(jobs.run_job(config, experiment, policy, alpha), world, seeds, fit)
        curves = pd.DataFrame(
            [league_runs.curve(regret) for regret in block.regret], columns=league_runs.CURVE
        )
        queries, places = block.expert_queries.mean(axis=1), block.places.mean(axis=1)
        table = pd.DataFrame({"seed": seeds, "queries": queries, "places": places}).join(curves)
        return table, block.wall_seconds / world.rounds

    given, (again, _) = known[known.method == UNIFORM].set_index("seed").at_100, play(UNIFORM, seeds[:1])
    if not np.isclose(given[seeds[0]], again.at_100[0], rtol=_CLOSE):
        raise ValueError(
            f"{experiment}: uniform play has {again.at_100[0]:.6g} here and {given[seeds[0]]:.6g} in the"
            f" published runs, which are of another version; play them again: tvgp run {STUDY}"
        )
    played = {name: known[name].iloc[0] for name in ("environment", "family", "uniform")}
    own = {"algorithm": entry.algorithm, "setting": entry.setting, "source": entry.source}
    runs, seconds = play(entry.name, seeds)
    return runs.assign(method=entry.name, **played, **own)[list(league_runs.COLUMNS)], seconds
