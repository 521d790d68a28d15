"""What `tvgp run` says before it starts."""

from pathlib import Path

import pytest

from tvgp.study.command import checkout
from tvgp.study.command.plan import LEAST, PACE, Plan, listed

TIMES = "s\th:m:s\tmax_rss\n{}\t0:00:07\t1\n"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def study(tmp_path, project):
    """The smoke study, without results, in an empty folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        made = checkout.study("smoke")
    return checkout.Study(tmp_path, project, made.overlays, made.config)


def test_a_new_study_takes_what_its_rounds_cost(study):
    every = list(listed(study.config, study.results))
    rounds = sum(job.rounds for job in every)
    assert rounds * PACE < LEAST * len(every)
    plan = Plan.of(study, 2)
    assert plan.seconds == pytest.approx(LEAST * len(every) / 2)
    assert plan.line(2).startswith(f"4 experiments and 1 analysis, {len(every)} jobs to compute, about ")
    long = study.config | {"experiments": dict(study.config["experiments"])}
    bump = long["experiments"]["moving_bump"]
    long["experiments"]["moving_bump"] = bump | {"horizon": 10_000_000}
    played = [job for job in listed(long, study.results) if job.rounds > 1e6]
    assert {job.rule for job in played} == {"run_moving_bump", "tuned_moving_bump"}
    longer = Plan.of(checkout.Study(study.root, study.source, (), long), 1).seconds
    assert longer == pytest.approx(PACE * sum(job.rounds for job in listed(long, study.results)))


def test_recorded_times_count_before_the_mean_pace(study):
    every = list(listed(study.config, study.results))
    for job in every:
        write(job.timing, TIMES.format(7.5))
    for job in every[1:]:
        write(job.made, "{}")
    assert Plan.of(study, 8).seconds == 7.5
    assert (
        f", 1 of {len(every)} jobs to compute, about 10 s on 8 cores, and any that have changed since, then"
        in Plan.of(study, 8).line(8)
    )
    write(every[0].timing, "s\n")  # damaged: that of the other fits counts
    assert Plan.of(study, 8).seconds == 7.5
    write(every[0].made, "{}")
    assert Plan.of(study, 1).line(1).startswith("4 experiments and 1 analysis, all ")


def test_analyses_alone_have_no_estimate(study):
    config = study.config | {"selection": study.config["selection"] | {"experiments": []}}
    plan = Plan.of(checkout.Study(study.root, study.source, (), config), 1)
    assert plan.seconds is None
    assert plan.line(1) == (
        "1 analysis, 1 job to compute, how long is seen when the first have ended,"
        " then tables, figures and report"
    )
