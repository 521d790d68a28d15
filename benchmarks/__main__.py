"""Run the benchmark: `python -m benchmarks [--quick] [--only NAME,...]`.

Writes results/benchmarks and, after a full run, docs/benchmarks.md. Targets are those of a full run:
shorter runs have smaller ratios.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import json
import os
import platform
import re
import statistics
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from benchmarks import comparisons, harness, page, scaling
from tvgp.study.execution import files, provenance

RESULTS = harness.ROOT / "results" / "benchmarks"
PEERS = ("scikit-learn", "torch", "gpytorch", "botorch", "dppy")
KERNELS = ("", "Haswell", "Prescott", "SkylakeX")  # "": OpenBLAS's own choice
PARTS = (*comparisons.NAMES, "identical_arms", *scaling.LINES)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, write tables, print the ratios."""
    options = _options(arguments)
    chosen = options.only.split(",") if options.only else PARTS
    times, ratios, quick = [], [], options.quick
    for name in (n for n in comparisons.NAMES if n in chosen):
        found = _compare(name, quick)
        times += found[0]
        ratios += found[1]
    arms = _digests(KERNELS[:2] if quick else KERNELS) if "identical_arms" in chosen else []
    series = [row for name in scaling.LINES if name in chosen for row in _scale(name, quick)]
    folder = RESULTS / ("quick" if quick else "") / (options.only or "")
    tables = {"times": times, "ratios": ratios, "identical_arms": arms, "scaling": series}
    for name, rows in tables.items():
        if rows:
            files.write_text(folder / f"{name}.csv", pd.DataFrame(rows).to_csv(index=False))
    files.write_text(folder / "machine.json", json.dumps(_machine(), indent=2) + "\n")
    if not options.only and not quick:
        target = harness.ROOT / "docs" / "benchmarks.md"
        files.write_text(target, page.text(_machine(), times, ratios, arms, series))
        _say(f"written: {target}")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="2 rounds of shorter runs, no page")
    parser.add_argument("--only", help=f"some of: {', '.join(PARTS)}")
    options = parser.parse_args(arguments)
    if unknown := set(options.only.split(",") if options.only else ()) - set(PARTS):
        parser.error(f"unknown {sorted(unknown)[0]!r}; known: {', '.join(PARTS)}")
    return options


def _compare(name: str, quick: bool) -> tuple[list[dict], list[dict]]:
    """Rows of times, one per contender, and of ratios."""
    horizon = comparisons.QUICK_HORIZON if quick else comparisons.HORIZON
    comparison = comparisons.make(name, horizon)
    with contextlib.ExitStack() as processes:
        turns = {
            each.name: partial(
                processes.enter_context(harness.process()), comparisons.turn, name, each.name, horizon
            )
            for each in comparison.able()
        }
        spent, memory = harness.measure(comparison, 2 if quick else comparison.rounds, turns)
    _say(comparison.title)
    times, ratios = [], []
    for each in comparison.contenders:
        row = {"title": comparison.title, "job": comparison.job, "contender": each.name}
        row["remark"] = f"skipped: {each.missing}" if each.missing else ""
        if seconds := spent.get(each.name):
            row |= {"median": statistics.median(seconds), "least": min(seconds), "largest": max(seconds)}
            row |= {"rounds": len(seconds), "peak_mb": memory[each.name]}
        times.append(row)
    for target in comparison.targets:
        if {target.slow, target.fast} <= set(spent):
            median, least, largest = harness.ratio(spent, target.slow, target.fast)
            limit = None if quick else target.at_least
            reached = "" if limit is None else "yes" if median >= limit else "no"
            _say(
                f"  {target.slow} / {target.fast}: {median:.1f} [{least:.1f}, {largest:.1f}]"
                + (f", at least {limit}: {reached}" if reached else "")
            )
            row = {"title": comparison.title, "slow": target.slow, "fast": target.fast, "ratio": median}
            row |= {"least": least, "largest": largest, "at_least": limit, "reached": reached}
            ratios.append(row)
    return times, ratios


def _digests(kernels: Sequence[str]) -> list[dict]:
    rows = []
    for kernel in kernels:
        environment = os.environ | ({"OPENBLAS_CORETYPE": kernel} if kernel else {})
        command = [sys.executable, "-m", "benchmarks.digest"]
        done = subprocess.run(command, cwd=harness.ROOT, env=environment, capture_output=True, text=True)
        if done.returncode:  # a processor without its instructions
            _say(f"  BLAS kernel {kernel} fails: {done.stderr.strip().splitlines()[-1:]}")
            continue
        report = json.loads(done.stdout)
        for name, fingerprint in report["arms"].items():
            algorithm, _, engine = name.partition("/")
            row = {"algorithm": algorithm, "engine": engine, "kernel": report["architecture"]}
            rows.append(row | {"sha256": fingerprint})
    fingerprints = {(row["algorithm"], row["sha256"]) for row in rows}
    different = len(fingerprints) - len({row["algorithm"] for row in rows})
    found = ", ".join(sorted({row["kernel"] for row in rows}))
    _say(f"Arms over engines and BLAS kernels ({found}): {'DIFFERENT' if different else 'identical'}")
    return rows


def _scale(name: str, quick: bool) -> list[dict]:
    _say(f"Scaling: {name}")
    rows = []
    for line in scaling.LINES[name]:
        with harness.process() as call:
            own = call(scaling.measure, name, line, quick)
            rows += [{"table": name} | row | {"peak_mb": call(harness.peak_mb)} for row in own]
        times = ", ".join(f"{1e3 * row['seconds']:.3g} ms at {row['size']:,}" for row in own)
        _say(f"  {line}: {times}; slope {scaling.slope(own):.2f}, {rows[-1]['peak_mb']:.0f} MB")
    return rows


def _machine() -> dict[str, str]:
    information = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.*)", information.read_text()) if information.exists() else None
    installed = {each.name: each.version for each in importlib.metadata.distributions()}
    return {
        "processor": model[1] if model else platform.processor(),
        "cores": str(os.cpu_count()),
        **provenance.versions(),
        **{name: installed.get(name, "not installed") for name in PEERS},
        "commit": provenance.commit(),
    }


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
