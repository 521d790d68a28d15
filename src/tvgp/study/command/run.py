"""`tvgp run`: a study through Snakemake, with one line of progress."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TextIO

from tvgp.study.command import checkout
from tvgp.study.command.checkout import Study
from tvgp.study.command.progress import Display, Progress
from tvgp.study.execution import answer_cache, files, forkserver, processor

SNAKEMAKE = Path("workflow") / "unlimited.py"
LOCKS = Path(".snakemake") / "locks"  # Snakemake's, which outlive a kill
ASKED = 600  # seconds above which, or not known, a study on a terminal asks before it starts
POLL = 0.2  # seconds between two looks at the output


def main(given: argparse.Namespace) -> int:
    """Run the study; Snakemake's exit code."""
    if given.cores is not None and given.cores < 1:
        raise ValueError(f"--cores {given.cores}: expected 1 or more")
    study = checkout.study(*given.study)
    if not (_told(study, given.cores or usable_cores()) or given.yes or _agreed()):
        print("Not started", file=sys.stderr)
        return 1
    _note_machine(study)
    code = snakemake(study, [], given.cores, given.verbose, given.unlock)
    if code == 0:
        if standin := _standins(study):
            hint = "make data, or " if (study.source / "Makefile").is_file() else ""
            print(
                f"Stand-in data, and marked as such: {', '.join(standin)}. For real data: {hint}drop files"
                f" into data/raw/ ({study.source / 'data/raw/README.md'}), then run this again."
            )
        for line in _answer(study):
            print(line)
        print(f"Report: {study.report}")
    elif any((study.root / LOCKS).glob("*")):
        again = " ".join(["tvgp run", *given.study, "--unlock"])
        print(f"{study.root} is locked. If no run is going on there: {again}", file=sys.stderr)
    return code


def _told(study: Study, cores: int) -> bool:
    """Say what will run; whether that is known to be short, or nobody is there to be asked."""
    from tvgp.study.command.plan import Plan  # slow to import

    try:
        plan = Plan.of(study, cores)
    except (AttributeError, LookupError, TypeError, ValueError):  # the workflow's own check says more
        return True
    print(f"{study.config['scale']}: {plan.line(cores)}", file=sys.stderr, flush=True)
    short = not plan.left or (plan.seconds is not None and plan.seconds <= ASKED)
    return short or not (sys.stdin.isatty() and sys.stderr.isatty())


def _agreed() -> bool:
    print("Start? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _note_machine(study: Study) -> None:
    """Add this machine to those that the study was run on, which its publication names."""
    path = study.results / processor.MACHINES
    known = files.read_object(path)["machines"] if path.is_file() else []
    if processor.model() not in known:
        files.write_object(path, {"machines": [*known, processor.model()]})


def snakemake(
    study: Study, targets: list[str], cores: int | None, verbose: bool, unlock: bool = False
) -> int:
    """Run Snakemake in the working directory; its exit code, 128 + n if signal n ended it.

    unlock: first remove the lock of a Snakemake that was killed.

    Its output goes to a file, not to a pipe: jobs survive the end of this process. Ctrl-C reaches
    Snakemake from the terminal; other signals are passed on to it. What all processes say about Ctrl-C is
    in the file alone.
    """
    paths = [str(path) for path in study.overlays]
    overlay = json.dumps(paths) if len(paths) > 1 else "".join(paths)
    command = [sys.executable, str(study.source / SNAKEMAKE), "--cores", str(cores or usable_cores())]
    command += ["--snakefile", str(study.source / "Snakefile")] if study.source != study.root else []
    command += ["--config", "repair=1", *([f"overlay={overlay}"] if paths else [])]
    environment = dict(os.environ)
    answer_cache.use(study.root / ".snakemake")
    processor.pin(environment)
    answer_cache.keep()
    if reason := processor.left_out(environment):
        print(f"{reason} on this processor: left out, so last digits may differ from other machines'")
    if unlock:
        subprocess.run([*command, "--unlock"], cwd=study.root, env=environment, check=False)
    command += ["--", *targets] if targets else []
    received: list[int] = []
    folder, display = study.results / "logs", Display(sys.stderr)  # as Snakemake itself
    if not verbose:
        folder.mkdir(parents=True, exist_ok=True)
    log = folder / time.strftime(f"snakemake-%Y%m%dT%H%M%S-{os.getpid()}.log")
    with (
        nullcontext() if verbose else open(log, "w") as output,
        forkserver.running(environment) as found,
        _started(command, study.root, output, found, received) as process,
    ):
        if verbose:
            return _code(process.wait())
        _follow(process, log, display, received)
    code = _code(process.returncode)
    ended = f"Failed (exit code {code}). "
    if code and signal.SIGINT in received:
        code, ended = 128 + signal.SIGINT, "Interrupted; the same command resumes. "
    display.say(f"{ended if code else ''}Log: {log}")
    return code


def _follow(process: subprocess.Popen, log: Path, display: Display, received: list[int]) -> None:
    """Show the progress of Snakemake until it ends, or Ctrl-C is among the signals received."""
    progress, rest = Progress(), ""
    with open(log, errors="replace") as stream:
        ended = False
        while not ended:
            ended = process.poll() is not None
            *lines, rest = (rest + stream.read()).split("\n")
            for line in [*lines, rest] if ended else lines:
                shown = progress.read(line, time.monotonic())
                if shown is not None and signal.SIGINT not in received:
                    display.say(shown)
            display.update(progress, time.monotonic())
            time.sleep(0 if ended else POLL)
    display.close()


@contextmanager
def _started(
    command: list[str], root: Path, output: TextIO | None, environment: dict[str, str], received: list[int]
) -> Iterator[subprocess.Popen]:
    """A process that receives the signals to this one, noted in `received`, and does not outlive an error."""
    process: subprocess.Popen | None = None

    def passed(number: int, frame: object) -> None:
        received.append(number)
        if process and number != signal.SIGINT:  # the terminal sends SIGINT to both
            process.send_signal(number)

    # a function, not SIG_IGN, which the child would inherit
    before = {each: signal.signal(each, passed) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        process = subprocess.Popen(command, cwd=root, env=environment, stdout=output, stderr=output)
        yield process
    finally:
        if process and process.poll() is None:  # the reader has left, as in `| head -1`
            process.terminate()
            process.wait()
        for each, handler in before.items():
            signal.signal(each, handler)


def _code(returncode: int) -> int:
    """An exit code as the shell gives it."""
    return returncode if returncode >= 0 else 128 - returncode


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _standins(study: Study) -> list[str]:
    """The datasets that the study uses and that are stand-ins."""
    from tvgp.study.config import jobs  # needs the extra `study`, which `tvgp doctor` does not

    manifests = sorted((study.root / study.config["resources"]).glob("*/raw.json"))
    found = [path.parent.name for path in manifests if files.read_object(path)["source"] == "standin"]
    return [name for name in found if name in jobs.used_datasets(study.config)]


def _answer(study: Study) -> list[str]:
    """What the page says first about the user's own data, a line per question."""
    table = study.results / "tables" / "answer.csv"
    if not table.is_file():
        return []
    from tvgp.study.config import jobs  # slow to import, as is the next
    from tvgp.study.report import answer
    from tvgp.study.results import mathematics

    experiments, datasets = study.config["experiments"], study.config["datasets"]
    lines = []
    for name in jobs.selected(study.config, "experiments"):
        if datasets.get(experiments[name].get("dataset"), {}).get("loader") == "table":
            said = answer.read(table, name, experiments[name]["round_label"])
            lines += [f"{heading}: {mathematics.plain(text)}" for heading, text in said]
            lines.append(f"Take it live: {study.results}/live/{name}/ starts it; the report has the lines.")
    return lines
