"""docs/benchmarks.md, generated from the result files of a benchmark."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.comparisons import methods
from benchmarks.scaling import LONG
from tvgp.study.execution import files

_FIGURE_SECONDS = 12  # of Mauduit25b, Fig. 2, on one core

_INTRODUCTION = """\
# Benchmarks

`make bench` (`python -m benchmarks`) writes this page from its own results; edits are lost. For all
parts run `.venv/bin/python -m benchmarks --only long`, the same with `many_arms`, then
`.venv/bin/python -m benchmarks --before REVISION`.

All contenders do the same job: whole runs of one policy on the same rewards, with the same width
and the same tie rule, from cold (nothing kept from an earlier run) unless the name says otherwise.
Only the posterior differs, and the benchmark stops if a contender plays a different arm from the
reference. Contenders take turns, round by round, each in its own process with one BLAS thread; times
are processor times of that thread. A ratio is the median over rounds of the ratio of times, with the
smallest and the largest round in brackets. On a shared machine ratios are more reliable than absolute
times. Memory is the peak of the process after its first run, with the part added by that run,
including the peer's own library, in brackets. The floor of a run is the time that its arithmetic takes
at the rate of large matrix products, or its memory traffic at the rate of a matrix-vector product, and
its eigenproblems at LAPACK's, all measured by the same process (`benchmarks/floors.py`). Runs of one
policy only choose and observe; Fig. 2 runs the study's code, and its loop of scikit-learn and DPPy draws
different subsets.
How accurate the engines are after 50,000 rounds: [accuracy](accuracy.md).
"""


def write_csv(path: Path, rows: Sequence[Mapping]) -> None:
    """Rows as CSV, columns in order of first appearance."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    files.write_text(path, text.getvalue())


def write(results: Path, docs: Path) -> None:
    """docs/benchmarks.md and copies of the figures in docs/benchmarks/."""
    times, ratios = _read(results / "times.csv"), _read(results / "ratios.csv")
    scaling, arms = _read(results / "scaling.csv"), _read(results / "identical_arms.csv")
    machine = json.loads((results / "machine.json").read_text(encoding="utf-8"))
    for name in LONG:  # runs of their own, in folders of these names
        if (results / name / "scaling.csv").exists():
            scaling += _read(results / name / "scaling.csv")
    parts = [
        _INTRODUCTION,
        _machine(machine),
        _targets(times, ratios, scaling),
        _times(times),
        _ratios(times, ratios),
        _changes(times, ratios, machine),
        _identical(arms),
        _scaling(scaling),
        _long(scaling),
    ]
    figures = docs / "benchmarks"
    figures.mkdir(parents=True, exist_ok=True)
    for name in dict.fromkeys(row["plot"] for row in scaling):
        drawn = next(f for f in (results, results / name) if (f / f"{name}.png").exists())
        shutil.copyfile(drawn / f"{name}.png", figures / f"{name}.png")
    files.write_text(docs / "benchmarks.md", "\n".join(part for part in parts if part))


def flatness(scaling: Iterable[Mapping], plot: str, line: str, with_weights: bool = True) -> float | None:
    """Time per step at t = 100,000 relative to t = 1,000, None if either is missing."""
    at = {}
    for row in scaling:
        if row["plot"] == plot and row["line"] == line:
            weights = 0.0 if with_weights else float(row["weights"])
            at[int(row["size"])] = float(row["seconds"]) - weights
    return at[100_000] / at[1_000] if {1_000, 100_000} <= set(at) else None


def _read(path: Path) -> list[dict]:
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def _machine(machine: Mapping[str, str]) -> str:
    return "## Machine\n\n" + _table(("what", "value"), machine.items())


def _targets(times: list[dict], ratios: list[dict], scaling: list[dict]) -> str:
    titles = {row["comparison"]: row["title"] for row in times}
    rows = [
        (
            titles[r["comparison"]],
            f"{r['slow']} / {r['fast']}",
            f"at least {r['at_least']}",
            _ratio(r),
            r["reached"],
        )
        for r in ratios
        if r["at_least"]
    ]
    whole = next((r for r in times if r["contender"] == "tvgp study"), None)
    if whole:
        seconds = 30 * float(whole["median_seconds"])
        found = f"{seconds:.0f} s (30 x one seed)"
        rows.append(
            (
                "Mauduit25b, Fig. 2, 7 methods x 30 runs",
                "tvgp study",
                f"at most {_FIGURE_SECONDS} s",
                found,
                "yes" if seconds <= _FIGURE_SECONDS else "no",
            )
        )
    for row in times:
        if row["comparison"] == "methods" and row.get("floor_seconds"):
            limit = methods.MOST_FLOORS[row["contender"]]
            times_floor = float(row["median_seconds"]) / float(row["floor_seconds"])
            judged = "yes" if times_floor <= limit else "no"
            rows.append(
                (row["title"], row["contender"], f"at most {limit} floors", f"{times_floor:.1f}", judged)
            )
    for line in ("GP-UCB", "TV-GP-UCB", "UI-GP-UCB, weights apart", "UI-GP-UCB"):
        value = flatness(scaling, "rounds", line)
        if value is not None:
            judged = "" if line == "UI-GP-UCB" else "yes" if value <= 1.5 else "no"
            limit = "reported" if line == "UI-GP-UCB" else "at most 1.5"
            rows.append(("Time per step, t = 100,000 / 1,000", line, limit, f"{value:.2f}", judged))
    for line in _lines(scaling, "long"):
        value = flatness(scaling, "long", line, with_weights=False)
        if value is not None:
            what, judged = "whole runs, weights apart", "yes" if value <= 1.5 else "no"
            rows.append(
                (f"Time per step, t = 100,000 / 1,000, {what}", line, "at most 1.5", f"{value:.2f}", judged)
            )
    many = {row["line"]: float(row["peak_mb"]) / 1e3 for row in scaling if row["plot"] == "many_arms"}
    for line, peak in many.items():
        rows.append(
            (
                "27,000 arms, Matern 3/2, T = 10,000, peak memory",
                line,
                "at most 3 GB",
                f"{peak:.2f} GB",
                "yes" if peak <= 3 else "no",
            )
        )
    head = ("what", "quantity", "target", "measured", "reached")
    return "## Targets\n\n" + _table(head, rows)


def _times(times: list[dict]) -> str:
    parts = ["## Times and memory\n"]
    for name in dict.fromkeys(row["comparison"] for row in times):
        own = [row for row in times if row["comparison"] == name and not _old(row["contender"])]
        parts.append(f"### {own[0]['title']}\n\n{_sentence(own[0]['job'])}.\n")
        rows = [
            (row["contender"], _seconds(row), *_floor(row), row["rounds"], _memory(row))
            for row in sorted(own, key=lambda row: float(row["median_seconds"] or "inf"))
        ]
        head = ("contender", "median", "floor", "median / floor", "rounds", "peak memory, MB")
        parts.append(_table(head, rows))
    return "\n".join(parts)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _seconds(row: Mapping[str, str]) -> str:
    if row["remark"]:
        return row["remark"]
    median, least, largest = (
        float(row[key]) for key in ("median_seconds", "least_seconds", "largest_seconds")
    )
    unit, factor = ("ms", 1e3) if median < 1 else ("s", 1.0)
    return f"{factor * median:.3g} {unit} [{factor * least:.3g}, {factor * largest:.3g}]"


def _floor(row: Mapping[str, str]) -> tuple[str, str]:
    """The floor, and the median as a multiple of it."""
    if row["remark"] or not row.get("floor_seconds"):
        return "", ""
    floor = float(row["floor_seconds"])
    return f"{1e3 * floor:.3g} ms", f"{float(row['median_seconds']) / floor:.1f}"


def _memory(row: Mapping[str, str]) -> str:
    if not row.get("peak_mb"):
        return ""
    peak, start = float(row["peak_mb"]), float(row["before_mb"])
    return f"{peak:.0f} (+{peak - start:.0f})"


def _ratio(row: Mapping[str, str]) -> str:
    values = (float(row[key]) for key in ("ratio", "least", "largest"))
    return "{:.3g} [{:.3g}, {:.3g}]".format(*values)


def _ratios(times: list[dict], ratios: list[dict]) -> str:
    titles = {row["comparison"]: row["title"] for row in times}
    rows = [(titles[r["comparison"]], r["slow"], r["fast"], _ratio(r)) for r in ratios if not _old(r["slow"])]
    return "## Ratios\n\n" + _table(("comparison", "slow", "fast", "ratio"), rows)


def _changes(times: list[dict], ratios: list[dict], machine: Mapping[str, str]) -> str:
    titles = {row["comparison"]: row["title"] for row in times}
    at = {(row["comparison"], row["contender"]): row for row in times}
    rows = [
        (
            titles[r["comparison"]],
            r["fast"],
            _seconds(at[r["comparison"], r["slow"]]),
            _seconds(at[r["comparison"], r["fast"]]),
            _ratio(r),
        )
        for r in ratios
        if _old(r["slow"])
    ]
    if not rows:
        return ""
    text = f"Before is commit {machine['before']}; a ratio above 1 means faster now.\n\n"
    head = ("comparison", "contender", "before", "now", "before / now")
    return "## Before and after\n\n" + text + _table(head, rows)


def _old(contender: str) -> bool:
    return contender.endswith(", before")


def _identical(arms: list[dict]) -> str:
    kernels = ", ".join(dict.fromkeys(row["kernel"] for row in arms))
    rows = []
    for name in dict.fromkeys(row["algorithm"] for row in arms):
        own = [row for row in arms if row["algorithm"] == name]
        engines = ", ".join(dict.fromkeys(row["engine"] for row in own))
        distinct = len({row["sha256"] for row in own})
        rows.append((name, engines, "identical" if distinct == 1 else f"{distinct} different"))
    text = f"Whole runs, 10 seeds, on the BLAS kernels {kernels}.\n\n"
    return "## Arms played\n\n" + text + _table(("algorithm", "engines", "arms"), rows)


def _lines(scaling: Iterable[Mapping], plot: str) -> list[str]:
    return list(dict.fromkeys(row["line"] for row in scaling if row["plot"] == plot))


def _long(scaling: list[dict]) -> str:
    rows = []
    for plot, what in (("long", "501 arms, SE"), ("many_arms", "27,000 arms, Matern 3/2")):
        for line in _lines(scaling, plot):
            own = [row for row in scaling if row["plot"] == plot and row["line"] == line]
            at = {int(row["size"]): row for row in own}
            last = max(at)
            early, late = (1e3 * float(at[t]["seconds"]) for t in (1_000, last))
            apart = [1e3 * float(at[t].get("weights") or 0.0) for t in (1_000, last)]
            engine = own[0]["engine"].replace("_", " ")
            rows.append(
                (
                    what,
                    line,
                    engine,
                    f"{last:,}",
                    f"{float(own[0]['run']):.3g} s",
                    f"{early:.3g} ({apart[0]:.2g})",
                    f"{late:.3g} ({apart[1]:.2g})",
                    f"{late / early:.2f}",
                    f"{(late - apart[1]) / (early - apart[0]):.2f}",
                    f"{float(own[0]['peak_mb']):.0f}",
                )
            )
    if not rows:
        return ""
    text = (
        "Measured on request by `python -m benchmarks --only long` and `--only many_arms`, which"
        " take minutes each and precede the run that writes this page. A whole run is the processor"
        " time of the policy from its first round to its last. In brackets: the part of the time"
        " per step that a merged engine's policy spends on sums over its observations instead of the"
        " posterior; the last ratio excludes it.\n\n"
    )
    head = (
        "arms",
        "policy",
        "engine",
        "rounds",
        "whole run",
        "ms per step at t = 1,000",
        "at the last t",
        "ratio",
        "weights apart",
        "peak memory, MB",
    )
    return "## Long runs\n\n" + text + _table(head, rows)


def _scaling(scaling: list[dict]) -> str:
    parts = ["## Scaling\n"]
    for plot in dict.fromkeys(row["plot"] for row in scaling):
        own = [row for row in scaling if row["plot"] == plot]
        sizes = sorted({int(row["size"]) for row in own})
        rows = []
        for line in dict.fromkeys(row["line"] for row in own):
            at = {int(r["size"]): float(r["seconds"]) for r in own if r["line"] == line}
            peak = next(float(row["peak_mb"]) for row in own if row["line"] == line)
            cells = (f"{1e3 * at[size]:.3g}" if size in at else "" for size in sizes)
            rows.append((line, *cells, f"{peak:.0f}"))
        head = (plot, *(f"{size:,}" for size in sizes), "peak memory, MB")
        parts.append(f"![{plot}](benchmarks/{plot}.png)\n\nMilliseconds:\n\n{_table(head, rows)}")
    return "\n".join(parts)
