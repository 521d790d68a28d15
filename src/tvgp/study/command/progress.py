"""One line of progress out of Snakemake's output.

Routine lines are known and hidden. Every other line is shown, whatever it is: a line that a new version of
Snakemake adds is a nuisance on the screen, a hidden error would be a fault.
"""

from __future__ import annotations

import re
import shutil
from typing import TextIO

MANY = 5_000  # jobs; each costs a start, and on a cluster a submission
PATIENCE = 60.0  # seconds
_STEPS = re.compile(r"(\d+) of (\d+) steps \(.*\) done")
_JOB = re.compile(r"(?:\s*Job \d+|localrule \w+|rule \w+|checkpoint \w+): ?(.*)")
_TOTAL = re.compile(r"total +(\d+)$")
_BLOCK = re.compile(r"(local)?(rule|checkpoint) \w+:$|\[.*\] Group job |Job stats:")
_ROUTINE = re.compile(
    r"$|\s*\[\w{3} \w{3} .*\d{4}\]$|Finished job|Select jobs to execute|Execute \d+ jobs?\.\.\."
    r"|Building DAG of jobs|Assuming unrestricted shared filesystem|Using shell: |Provided (cores|resources)"
    r"|Rules claiming more threads|host: |Using workflow specific profile|Using profile|job +count|-+ +-+"
    r"|Provided remote nodes|Reason: |Job [\w-]+ has been submitted|Submitted job \d+ "
    r"|Removing temporary output|Elapsed time: |Complete log"
    r"|Conda environments: ignored|Storing output in storage|Config file "
)
_TABLE_ROW = re.compile(r"\S+ +\d+$")


class Progress:
    """What Snakemake has said so far.

    done, total: jobs; job: the message of the job that started last.
    """

    def __init__(self) -> None:
        self.done, self.total, self.job = 0, 0, ""
        self._started: float | None = None
        self._stepped = 0.0
        self._block = False  # inside the description of a job or the table of jobs
        self._last = self._fence = ""  # the last line shown; what ends the log of a failed job

    def read(self, line: str, now: float) -> str | None:
        """Take a line; the line itself if the user should see it, else None. now: seconds of a clock."""
        line = line.rstrip()
        if self._in_log(line):
            return line
        if total := _TOTAL.match(line):
            self.total = int(total[1])
            if self.total > MANY:
                return f"{self.total:,} jobs: a larger seeds_per_job makes fewer (docs/cluster.md)"
        if self._in_block(line):
            return None
        if steps := _STEPS.match(line):
            self.done, self._stepped = int(steps[1]), now
        elif job := _JOB.match(line):
            self.job = job[1] or line.rstrip(":")
            self._started = now if self._started is None else self._started
        elif not (self._block or _ROUTINE.match(line) or line == self._last):
            self._last = line
            return line
        return None

    def _in_log(self, line: str) -> bool:
        """Whether a line is of the log of a failed job, which stands between two lines of = signs."""
        if self._fence:
            self._fence = "" if line == self._fence else self._fence
            return True
        if line and not line.strip("=") and self._last.startswith("Logfile "):
            self._fence = line
        return bool(self._fence)

    def _in_block(self, line: str) -> bool:
        """Whether a line follows the first one of a block, up to an empty line."""
        indented = line.startswith(" ") or _TABLE_ROW.match(line) or _ROUTINE.match(line)
        inside = self._block and bool(indented)
        self._block = bool(line) if inside else bool(_BLOCK.match(line))
        return inside

    def seconds_left(self, now: float) -> float | None:
        """Remaining jobs at the mean pace so far; None before the first job has finished, and where none has
        for a minute longer than all of them would take, as when one analysis outlasts many runs."""
        if self._started is None or not self.done:
            return None
        pace = (self._stepped - self._started) / self.done
        left = pace * (self.total - self.done) - (now - self._stepped)
        return max(0.0, left) if left > -PATIENCE else None

    def line(self, now: float) -> str:
        """The line of progress."""
        if not self.total:
            return "Planning the jobs"
        left = self.seconds_left(now)
        share = f"{self.done} of {self.total} steps ({100 * self.done // self.total} %)"
        return share if left is None or self.done == self.total else f"{share}, {duration(left)} left"


class Display:
    """Progress on a terminal, where the line is rewritten, or elsewhere, a line per 10 %."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._terminal = stream, stream.isatty()
        self._tenth, self._shown = 0, ""

    def update(self, progress: Progress, now: float) -> None:
        """Show the present state, if it says something new."""
        line = progress.line(now)
        if self._terminal:
            width = shutil.get_terminal_size().columns - 1
            line = (f"{line}: {progress.job}" if progress.total and progress.job else line)[:width]
            if line != self._shown:
                self._write(f"\r\x1b[K{line}")
                self._shown = line
        elif progress.total and (tenth := 10 * progress.done // progress.total) > self._tenth:
            self._tenth = tenth
            self._write(line + "\n")

    def say(self, line: str) -> None:
        """A line that stays."""
        self.close()
        self._write(line + "\n")

    def close(self) -> None:
        """Remove the line of progress."""
        if self._shown:
            self._write("\r\x1b[K")
            self._shown = ""

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def duration(seconds: float) -> str:
    """1 h 20 min, 4 min, 50 s: rounded, as an estimate deserves."""
    if seconds < 55:
        return f"{max(10 * round(seconds / 10), 10)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
