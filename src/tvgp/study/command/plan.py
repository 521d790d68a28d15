"""What a study still has to compute, and about how long that takes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from tvgp.study.command.checkout import Study
from tvgp.study.command.progress import duration
from tvgp.study.config import jobs

# Seconds of one core per round of a run, all other jobs included: the parts of the papers and the league took
# 7.28 hours (docs/results/*/study.json) for 56,013,800 rounds. Methods differ by factors: it is a mean.
PACE = 7.28 * 3600 / 56_013_800
LEAST = 2.2  # seconds of one core per job, however short, with all that follows: of the smoke study


@dataclass(frozen=True)
class Job:
    """A job that computes; the others, which collect and draw, take seconds.

    rule: as in Snakemake; made: its manifest or file; timing: where Snakemake notes its seconds; rounds: of
    its runs, 0 for another job and where the data tell the horizon.
    """

    rule: str
    made: Path
    timing: Path
    rounds: int


@dataclass(frozen=True)
class Plan:
    """jobs: all that compute; left: those whose result is missing; seconds: about how long these take, None
    where nothing tells."""

    experiments: int
    analyses: int
    jobs: int
    left: int
    seconds: float | None

    @classmethod
    def of(cls, study: Study, cores: int) -> Plan:
        """The plan of a study on some cores."""
        every = list(listed(study.config, study.results))
        left = [job for job in every if not job.made.is_file()]
        experiments, analyses = (
            len(jobs.selected(study.config, kind)) for kind in ("experiments", "analyses")
        )
        return cls(experiments, analyses, len(every), len(left), _seconds(every, left, cores))

    def line(self, cores: int) -> str:
        """In one line."""
        kinds = ((self.experiments, "experiment", "experiments"), (self.analyses, "analysis", "analyses"))
        what = (
            " and ".join(f"{n} {one if n == 1 else many}" for n, one, many in kinds if n)
            or "nothing selected"
        )
        if not self.left:
            done = f"{what}, all {self.jobs} jobs are done"
            return f"{done}; checking what has changed since, then tables, figures and report"
        of = "" if self.left == self.jobs else f" of {self.jobs}"
        plural, long = "s" * (self.jobs > 1), ", how long is seen when the first have ended"
        if self.seconds is not None:
            long = f", about {duration(self.seconds)} on {cores} core{'s' * (cores > 1)}"
        # which these are is known when Snakemake has compared all recipes
        more = ", and any that have changed since" if of else ""
        return f"{what}, {self.left}{of} job{plural} to compute{long}{more}, then tables, figures and report"


def listed(config: Mapping[str, Any], results: Path) -> Iterator[Job]:
    """The jobs that compute, as workflow/rules/ names their files."""
    times = results / "timings" / "jobs"
    for name in jobs.selected(config, "experiments"):
        yield Job("fit", results / "fits" / f"{name}.json", times / "fit" / f"{name}.tsv", 0)
        if jobs.tuned_variants(config, name):
            made, timing = results / "tuned" / f"{name}.json", times / "tune" / f"{name}.tsv"
            yield Job(f"tune_{name}", made, timing, 0)
        definition = config["experiments"][name]
        for rule, policies in jobs.run_groups(config, name).items():
            for alpha in definition["alphas"]:
                for first, last in jobs.seed_blocks(config, name):
                    block = f"{rule}/alpha-{alpha}/seeds-{first}-{last}"
                    rounds = (definition["horizon"] or 0) * len(policies) * (last - first + 1)
                    yield Job(
                        rule, results / "runs" / f"{block}.json", times / "run" / f"{block}.tsv", rounds
                    )
    for name in jobs.selected(config, "analyses"):
        folder = "timings/analyses" if jobs.is_timed(config, name) else "analyses"
        for dataset in jobs.analysis_groups(config, name):
            for first, last in jobs.analysis_blocks(config, name):
                block = f"{folder}/{jobs.analysis_stem(name, dataset)}-{first}-{last}"
                rule = jobs.analysis_rule(name, dataset)
                yield Job(rule, results / f"{block}.json", times / f"{block}.tsv", 0)


def _seconds(every: list[Job], left: list[Job], cores: int) -> float | None:
    """The mean before of each job's rule, if all have one, else rounds times `PACE`; None without rounds."""
    before: dict[str, list[float]] = {}
    for job in every:
        if job.timing.is_file() and (seconds := _recorded(job.timing)) is not None:
            before.setdefault(job.rule, []).append(seconds)
    rounds = sum(job.rounds for job in left)
    if all(job.rule in before for job in left):
        total = sum(mean(before[job.rule]) for job in left)
    elif rounds:
        total = max(rounds * PACE, len(left) * LEAST)
    else:
        return None
    return total / max(1, min(cores, len(left)))


def _recorded(path: Path) -> float | None:
    """The seconds in a benchmark file of Snakemake, None in a damaged one."""
    try:
        names, values = path.read_text(encoding="utf-8").splitlines()[:2]
        seconds = float(dict(zip(names.split("\t"), values.split("\t"), strict=True))["s"])
    except (KeyError, ValueError):
        return None
    return seconds if math.isfinite(seconds) else None
