"""docs/benchmarks.md, from the rows of a benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchmarks import scaling

INTRODUCTION = """\
# Benchmarks

`make bench` (`python -m benchmarks`) writes this page; edits are lost. Rows of GPyTorch and BoTorch need
`.venv/bin/pip install -e '.[peers]'` first.

All contenders do the same job: whole runs of one policy on the same rewards, with the same width
and the same tie rule, from cold (nothing kept from an earlier run) unless the name says otherwise.
Only the posterior differs, and the benchmark stops if a contender plays a different arm from the
reference. Contenders take turns, round by round, each in its own process with one BLAS thread; times
are processor times of that thread. A ratio is the median over rounds of the ratio of times, with the
smallest and the largest round in brackets. On a shared machine ratios are more reliable than absolute
times. Memory is the peak of the process after its first run, including the peer's own library. Runs of
one policy only choose and observe; Fig. 2 runs the study's code, and its loop of scikit-learn and DPPy
draws different subsets.

How accurate the engines are after 50,000 rounds: [accuracy](accuracy.md).
"""
GROWTH = """\
The slope is that of log time on log size, over all columns and over the last two (at the end). Along a run
times are means over the latter half of the rounds so far, but over the last nine tenths for R-PERP, which
plans a batch in its first round; the slope is 0 at the end where what a policy keeps is bounded, and
positive before, while that fills up. With more arms it grows where arrays no longer fit into the
processor's caches.
"""


def text(
    machine: Mapping[str, str],
    times: Sequence[Mapping],
    ratios: Sequence[Mapping],
    arms: Sequence[Mapping],
    series: Sequence[Mapping],
) -> str:
    """The page."""
    parts = [
        INTRODUCTION,
        "## Machine\n",
        table(("what", "value"), machine.items()),
        _ratios(ratios),
        _times(times),
        _identical(arms),
        _scaling(series),
    ]
    return "\n".join(parts)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _ratios(ratios: Sequence[Mapping]) -> str:
    rows = []
    for r in ratios:
        value = f"{r['ratio']:.3g} [{r['least']:.3g}, {r['largest']:.3g}]"
        target = f"at least {r['at_least']}: {r['reached']}" if r["reached"] else ""
        rows.append((r["title"], r["slow"], r["fast"], value, target))
    return "## Ratios\n\n" + table(("comparison", "slow", "fast", "ratio", "target"), rows)


def _times(times: Sequence[Mapping]) -> str:
    parts = ["## Times and memory\n"]
    for title in dict.fromkeys(row["title"] for row in times):
        own = [row for row in times if row["title"] == title]
        job = own[0]["job"]
        rows = [
            (r["contender"], _span(r), str(r["rounds"]), f"{r['peak_mb']:.0f}")
            for r in sorted(own, key=lambda r: r.get("median", 0.0))
            if not r["remark"]
        ]
        rows += [(r["contender"], r["remark"], "", "") for r in own if r["remark"]]
        head = ("contender", "median", "rounds", "peak memory, MB")
        parts.append(f"### {title}\n\n{job[0].upper()}{job[1:]}.\n\n{table(head, rows)}")
    return "\n".join(parts)


def _span(row: Mapping) -> str:
    unit, factor = ("s", 1.0) if row["median"] >= 1.0 else ("ms", 1e3)
    median, least, largest = (factor * row[key] for key in ("median", "least", "largest"))
    return f"{median:.3g} {unit} [{least:.3g}, {largest:.3g}]"


def _identical(arms: Sequence[Mapping]) -> str:
    rows = []
    for name in dict.fromkeys(row["algorithm"] for row in arms):
        own = [row for row in arms if row["algorithm"] == name]
        distinct = len({row["sha256"] for row in own})
        engines = ", ".join(dict.fromkeys(row["engine"] for row in own))
        rows.append((name, engines, "identical" if distinct == 1 else f"{distinct} different"))
    kernels = ", ".join(dict.fromkeys(row["kernel"] for row in arms))
    head = f"## Arms played\n\nWhole runs, 10 seeds, on the BLAS kernels {kernels}.\n\n"
    return head + table(("algorithm", "engines", "arms"), rows)


def _scaling(series: Sequence[Mapping]) -> str:
    parts = [f"## Scaling, in milliseconds\n\n{GROWTH}"]
    for plot in dict.fromkeys(row["table"] for row in series):
        own = [row for row in series if row["table"] == plot]
        sizes, rows = sorted({row["size"] for row in own}), []
        for line in dict.fromkeys(row["line"] for row in own):
            at = {r["size"]: r for r in own if r["line"] == line}
            cells = (f"{1e3 * at[size]['seconds']:.3g}" if size in at else "" for size in sizes)
            points = [at[size] for size in sorted(at)]
            slopes = (f"{scaling.slope(each):z.2f}" if len(at) > 1 else "" for each in (points, points[-2:]))
            rows.append((line, *cells, *slopes, f"{points[0]['peak_mb']:.0f}"))
        axis, title = scaling.TITLES[plot]
        head = (axis, *(f"{size:,}" for size in sizes), "slope", "at the end", "peak memory, MB")
        parts.append(f"### {title}\n\n{table(head, rows)}")
    return "\n".join(parts)
