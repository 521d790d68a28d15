"""Run the benchmark: `python -m benchmarks [--quick] [--only NAME,...] [--before REVISION]`.

A full run writes results/benchmarks and, from it, docs/benchmarks.md; targets are those of a full
run, shorter runs have smaller ratios.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import before, comparisons, cores, harness, machine, memory, page, process, scaling
from tvgp.study.execution import files
from tvgp.study.figures.base import style

RESULTS, DOCS = memory.ROOT / "results" / "benchmarks", memory.ROOT / "docs"
_BEFORE = ", before"  # suffix of the contenders of an earlier commit
KERNELS = ("", "Haswell", "Prescott", "SkylakeX")  # "": OpenBLAS's own choice


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, write tables and figures, print the ratios."""
    options = _options(arguments)
    chosen = options.only.split(",") if options.only else None
    folder = RESULTS / ("quick" if options.quick else "") / (options.only or "")
    found = machine.describe() | ({"before": options.before} if options.before else {})
    _write_json(folder / "machine.json", found)
    earlier = before.sources(options.before) if options.before else contextlib.nullcontext()
    with earlier as sources:
        names = [n for n in comparisons.NAMES if not chosen or n in chosen]
        if names:
            _compare(names, options, sources, folder)
    if not chosen or "identical_arms" in chosen:
        _identical(folder, KERNELS[:2] if options.quick else KERNELS)
    names = [n for n in scaling.NAMES if not chosen or n in chosen]
    names += [n for n in scaling.LONG if chosen and n in chosen]
    _scale(names, options.quick, folder)
    if not chosen or "cores" in chosen:
        _play(folder)
    if not chosen and not options.quick:
        page.write(folder, DOCS)
        _say(f"written: {DOCS / 'benchmarks.md'}")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="2 rounds of shorter runs, no memory, no page: under a minute",
    )
    parser.add_argument("--rounds", type=int, help="rounds of each comparison, else 5 or more")
    known = (*comparisons.NAMES, "identical_arms", "cores", *scaling.NAMES, *scaling.LONG)
    parser.add_argument("--only", help=f"some of: {', '.join(known)}")
    parser.add_argument("--before", help="git revision that also takes part, before and after")
    options = parser.parse_args(arguments)
    unknown = set(options.only.split(",") if options.only else ()) - set(known)
    if unknown:
        parser.error(f"unknown {sorted(unknown)[0]!r}; known: {', '.join(known)}")
    return options


def _compare(names: list[str], options: argparse.Namespace, earlier: Path | None, folder: Path) -> None:
    times, ratios = [], []
    for name in names:
        comparison = comparisons.make(name, options.quick)
        rounds = options.rounds or (2 if options.quick else comparison.rounds)
        started = time.perf_counter()
        with contextlib.ExitStack() as processes:
            players, remarks = _players(comparison, options.quick, earlier, processes)
            spent = harness.measure(comparison, rounds, players)
        _say(f"{comparison.title} ({time.perf_counter() - started:.0f} s)")
        for label, values in spent.items():
            floor = players[label].once.get("floor_seconds")
            if floor:
                least = min(values)
                _say(
                    f"  {label}: {1e3 * least:.3g} ms, floor {1e3 * floor:.3g} ms: {least / floor:.1f} times"
                )
            row = _time_row(comparison, label, values)
            with_once = not options.quick and not label.endswith(_BEFORE)
            times.append(row | (players[label].once if with_once else {}))
        times += [_time_row(comparison, label, (), text) for label, text in remarks.items()]
        targets = list(comparison.targets)
        targets += [
            harness.Target(label, label.removesuffix(_BEFORE)) for label in spent if label.endswith(_BEFORE)
        ]
        for target in targets:
            if target.slow in spent and target.fast in spent:
                ratios.append(_ratio_row(comparison, target, spent, judge=not options.quick))
    page.write_csv(folder / "times.csv", times)
    page.write_csv(folder / "ratios.csv", ratios)


def _players(
    comparison: harness.Comparison,
    quick: bool,
    earlier: Path | None,
    processes: contextlib.ExitStack,
) -> tuple[dict[str, process.Player], dict[str, str]]:
    """Contenders that can run, by name, and the reasons why others cannot."""
    players, remarks = {}, {}
    for contender in comparison.contenders:
        if contender.missing:
            remarks[contender.name] = f"skipped: {contender.missing}"
            continue
        player = process.Player(comparison.name, contender.name, quick)
        players[contender.name] = processes.enter_context(player)
        if earlier and contender.name.startswith("tvgp"):
            label = contender.name + _BEFORE
            player = process.Player(comparison.name, contender.name, quick, earlier)
            try:
                processes.enter_context(player)(1)
            except RuntimeError:  # that commit lacks what the contender needs
                remarks[label] = "skipped: the earlier commit cannot do it"
            else:
                players[label] = player
    return players, remarks


def _time_row(comparison: harness.Comparison, label: str, values: Sequence[float], remark: str = "") -> dict:
    row = {"comparison": comparison.name, "title": comparison.title, "job": comparison.job}
    row |= {"contender": label, "rounds": len(values), "remark": remark}
    if values:
        row |= {"median_seconds": statistics.median(values), "least_seconds": min(values)}
        row |= {"largest_seconds": max(values)}
    return row


def _ratio_row(
    comparison: harness.Comparison,
    target: harness.Target,
    spent: dict[str, list[float]],
    judge: bool,
) -> dict:
    median, least, largest = harness.ratio(spent, target.slow, target.fast)
    wanted = target.at_least if judge else None
    reached = "" if wanted is None else "yes" if median >= wanted else "no"
    _say(
        f"  {target.slow} / {target.fast}: {median:.1f} [{least:.1f}, {largest:.1f}]"
        + (f", at least {wanted}: {reached}" if reached else "")
    )
    return {
        "comparison": comparison.name,
        "slow": target.slow,
        "fast": target.fast,
        "ratio": median,
        "least": least,
        "largest": largest,
        "at_least": "" if wanted is None else wanted,
        "reached": reached,
    }


def _identical(folder: Path, kernels: Sequence[str]) -> None:
    rows = []
    for kernel in kernels:
        environment = os.environ | ({"OPENBLAS_CORETYPE": kernel} if kernel else {})
        try:
            report = process.answer("digests", environment=environment)
        except RuntimeError as error:
            _say(f"  BLAS kernel {kernel}: {error}")  # a processor without its instructions
            continue
        for name, fingerprint in report["arms"].items():
            algorithm, _, engine = name.partition("/")
            row = {"algorithm": algorithm, "engine": engine, "asked": kernel or "automatic"}
            rows.append(row | {"kernel": report["architecture"], "sha256": fingerprint})
    page.write_csv(folder / "identical_arms.csv", rows)
    fingerprints: dict[str, set[str]] = {}
    for row in rows:
        fingerprints.setdefault(row["algorithm"], set()).add(row["sha256"])
    different = [name for name, found in fingerprints.items() if len(found) > 1]
    found = sorted({row["kernel"] for row in rows})
    _say(
        f"Arms over engines and BLAS kernels ({', '.join(found)}): "
        + (f"DIFFERENT for {', '.join(different)}" if different else "identical")
    )


def _scale(names: list[str], quick: bool, folder: Path) -> None:
    rows = []
    for name in names:
        module, own = scaling.load(name), []
        for label in module.LABELS:
            answer = process.answer("series", name, label, "quick" if quick else "full")
            extra = {"plot": name, "peak_mb": answer["peak_mb"]}
            own += [row | extra for row in answer["rows"]]
        with style.context():
            style.save(module.draw(own), folder / name)
        _say(f"Scaling: {name}")
        rows += own
    if rows:
        page.write_csv(folder / "scaling.csv", rows)


def _play(folder: Path) -> None:
    rows = []
    for study in cores.studies(memory.ROOT):
        jobs = cores.read(memory.ROOT, study)
        if not jobs:  # a copy, without Snakemake's records
            continue
        own = cores.rows(study.name, jobs)
        _say("\n".join(cores.sentences(study.name, jobs, own)))
        rows += own
    if rows:
        page.write_csv(folder / "cores.csv", rows)


def _write_json(path: Path, content: dict) -> None:
    files.write_text(path, json.dumps(content, indent=2) + "\n")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
