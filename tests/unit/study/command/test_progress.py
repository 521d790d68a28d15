"""The line of progress, from recorded output of Snakemake: two jobs, of which one fails with a log, in the
oldest version that the study allows and in the one of the lock."""

import io
from pathlib import Path

import pytest

from tvgp.study.command.progress import PATIENCE, Display, Progress, duration

RECORDED = Path(__file__).parent / "recorded"
VERSIONS = ("9.12.0", "9.27.1")
LOG = ["rule x:", "1 of 2 steps (50%) done", "ValueError: no"]  # what the failed job wrote


def read(text: str) -> tuple[Progress, list[str]]:
    """The progress after all lines, one a second, and the lines that are shown."""
    progress = Progress()
    shown = [progress.read(line, float(now)) for now, line in enumerate(text.splitlines())]
    return progress, [line for line in shown if line is not None]


def recorded(version: str) -> str:
    return (RECORDED / f"snakemake-{version}.txt").read_text()


def steps(count: int, total: int, seconds: int) -> str:
    """Output of a study on one core whose jobs take a number of lines, and thus of seconds, each."""
    done = (
        [
            f"Job {n}: Part {n}",
            *["Select jobs to execute..."] * (seconds - 2),
            f"{n} of {total} steps (9%) done",
        ]
        for n in range(1, count + 1)
    )
    return "\n".join(line for lines in done for line in lines)


def test_a_study_of_many_jobs_says_how_to_have_fewer():
    table = "Job stats:\njob      count\n-----  -------\nrun       {0}\ntotal     {0}\n\n"
    assert read(table.format(5000))[1] == []
    progress, shown = read(table.format(5001))
    assert (progress.total, shown) == (
        5001,
        ["5,001 jobs: a larger seeds_per_job makes fewer (docs/cluster.md)"],
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_errors_are_shown_in_full_and_routine_is_not(version):
    _, shown = read(recorded(version))
    for start in (
        "RuleException:",
        "CalledProcessError",
        "Error in rule bad:",
        "    log: bad.log",
        "WorkflowError:",
    ):
        assert any(line.startswith(start) for line in shown), start
    at = shown.index("Logfile bad.log:")
    assert shown[at + 2 : at + 5] == LOG and set(shown[at + 1]) == set(shown[at + 5]) == {"="}
    for start in (
        "Job",
        "[",
        "Select",
        "Execute",
        "localrule",
        "Building",
        "Provided",
        "total",
        "    resources",
    ):
        assert not any(line.startswith(start) for line in shown), start
    assert "    input: a.txt" in shown  # of the failed job


@pytest.mark.parametrize("version", VERSIONS)
def test_finished_jobs_are_counted(version):
    progress, _ = read(recorded(version))
    assert (progress.done, progress.total) == (1, 3)


def test_the_job_that_started_last_is_named():
    progress, _ = read(steps(3, 9, 4))
    assert progress.job == "Part 3"


@pytest.mark.parametrize(("done", "left"), [(1, 9 * 29), (5, 5 * 29.8)])
def test_time_left_extrapolates_the_pace_so_far(done, left):
    progress, _ = read("total  10\n" + steps(done, 10, 30))
    assert progress.seconds_left(30.0 * done) == pytest.approx(left)
    assert progress.seconds_left(30.0 * done + 20) == pytest.approx(left - 20)
    assert progress.seconds_left(30.0 * done + left + 1) == 0
    assert progress.seconds_left(30.0 * done + left + PATIENCE) is None  # one job outlasts the others' pace
    assert progress.line(1e6).endswith("%)")


def test_no_time_left_is_named_before_the_first_job_has_finished():
    progress, _ = read("total  10\nJob 1: Part 1")
    assert progress.seconds_left(100.0) is None
    assert progress.line(100.0) == "0 of 10 steps (0 %)"
    assert Progress().line(0.0) == "Planning the jobs"


def test_the_last_step_names_no_time():
    assert read("total  3\n" + steps(3, 3, 4))[0].line(99.0) == "3 of 3 steps (100 %)"


@pytest.mark.parametrize(
    "line",
    [
        "ERROR: config: unknown key 'x'",
        "ozone: downloading https://example.org/a.zip",
        "Error: Directory cannot be locked. Please make sure that no other Snakemake process ...",
        "Nothing to be done (all requested files are present and up to date).",
        "something that no version has said yet",
        "    at the start with spaces",
    ],
)
def test_every_line_that_is_not_routine_is_shown(line):
    assert read(line)[1] == [line]


def test_groups_of_jobs_on_a_cluster_are_routine():
    lines = ["[Sun Nov 22 10:53:12 2026] Group job short_run (jobs in lexicogr. order):"]
    lines += ["Job 8da645ef-303f-50c0 has been submitted with SLURM jobid 30 (log: /study/30.log)."]
    for number in (3, 4):
        lines += ["", "    [Sun Nov 22 10:53:12 2026]", f"    Job {number}: Running part {number}"]
    progress, shown = read("\n".join(lines))
    assert not shown and progress.job == "Running part 4"


def test_a_repeated_warning_is_shown_once():
    warning = "Will exit after finishing currently running jobs (scheduler)."
    assert read(f"{warning}\n{warning}\n{warning}")[1] == [warning]


def test_without_a_terminal_there_is_a_line_per_tenth():
    stream, progress = io.StringIO(), Progress()
    display = Display(stream)
    for now, line in enumerate(("total  200\n" + steps(200, 200, 2)).splitlines()):
        progress.read(line, float(now))
        display.update(progress, float(now))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 10 and lines[0].startswith("20 of 200 steps (10 %), ")
    assert lines[-1] == "200 of 200 steps (100 %)" and "\r" not in stream.getvalue()


def test_on_a_terminal_one_line_is_rewritten_and_fits(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    display = Display(stream)
    progress, _ = read("total  9\n" + steps(2, 9, 30))
    display.update(progress, 60.0)
    display.update(progress, 60.0)
    assert stream.getvalue() == "\r\x1b[K2 of 9 steps (22 %), 3 min left: Part 2"
    display.say("ERROR: no")
    display.close()
    assert stream.getvalue().endswith("\r\x1b[KERROR: no\n")
    assert max(map(len, stream.getvalue().replace("\x1b[K", "\r").split("\r"))) < 40


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "10 s"), (44, "40 s"), (58, "1 min"), (250, "4 min"), (3599, "1 h 0 min"), (8000, "2 h 13 min")],
)
def test_durations_are_rounded_for_reading(seconds, text):
    assert duration(seconds) == text
