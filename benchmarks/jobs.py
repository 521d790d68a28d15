"""What a job costs beside its work, locally and through SLURM.

    python -m benchmarks.jobs [--slurm ACCOUNT PARTITION]

Thirty runs of one variant, in blocks of 1, 5 and 30 seeds, with 1, 2 and 4 jobs at a time, and once
in bundles of single seeds. The price of a job is all CPU time, Snakemake's included, less that of
the runs themselves, over the number of jobs. Writes results/benchmarks/jobs.csv and,
between its markers, the table of docs/cluster.md, with what jobs cost of the papers' own scale.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import yaml

from tvgp.study import files as atomic
from tvgp.study.config import costs, jobs, reading

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "cluster.md"
BEGIN, END = "<!-- jobs: begin -->\n", "<!-- jobs: end -->\n"
SEEDS, BLOCKS, WIDTHS = 30, (1, 5, 30), (1, 2, 4)
COLUMNS = ("where", "jobs", "seeds_per_job", "at_once", "wall_seconds", "price_cpu_seconds")
STUDY = {
    "scale": "jobs",
    "results": "results/jobs",
    "resources": "resources/jobs",
    "data": "standin",
    "selection": {
        "experiments": ["moving_bump"],
        "policies": ["w_gp_ucb"],
        "figures": [],
        "tables": [],
        "analyses": [],
    },
    "experiments": {"moving_bump": {"seeds": SEEDS, "training": {"queries": 100, "starts": 1}}},
}


def main() -> None:
    """Run every row, write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.jobs", description=__doc__)
    parser.add_argument("--slurm", nargs=2, metavar=("ACCOUNT", "PARTITION"))
    site = parser.parse_args().slurm
    folder = ROOT / "build" / "jobs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # One run: a job of thirty takes 29 of them longer than a job of one
    one, many = (_measure(folder, "local", size, 1, None)["run_seconds"] for size in (1, SEEDS))
    run = (many - one) / (SEEDS - 1)
    rows = []

    def row(*how) -> None:
        found = _measure(folder, *how, site)
        found["price_cpu_seconds"] = round(
            found["cpu_seconds"] / found["jobs"] - found["seeds_per_job"] * run, 2
        )
        rows.append({key: found[key] for key in COLUMNS})
        print(",".join(map(str, rows[-1].values())), flush=True)

    for place in ("local", "slurm") if site else ("local",):
        for size in BLOCKS:
            for width in WIDTHS:
                if SEEDS // size >= width or width == 1:
                    row(place, size, width)
    if site:
        row("slurm, in bundles of 10", 1, 3)
    table = ROOT / "results" / "benchmarks" / "jobs.csv"
    table.parent.mkdir(parents=True, exist_ok=True)
    lines = [",".join(COLUMNS), *(",".join(str(row[key]) for key in COLUMNS) for row in rows)]
    atomic.write_text(table, "\n".join([*lines, ""]))
    head, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    atomic.write_text(PAGE, head + BEGIN + _page(rows) + _share(rows) + END + rest.split(END)[1])


def _measure(folder: Path, place: str, size: int, width: int, site: list[str] | None) -> dict:
    """One row: the same thirty runs, cut in one way."""
    bundled = "bundles" in place
    config = STUDY | {"seeds_per_job": size, "seconds_bundled": 1e9 if bundled else 0}
    overlay = folder / "overlay.yaml"
    overlay.write_text(yaml.safe_dump(config))
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--snakefile",
        str(ROOT / "Snakefile"),
        "--directory",
        str(folder),
        "--configfile",
        str(overlay),
    ]
    plain = ["--workflow-profile", str(ROOT / "profiles" / "default")]
    fit = [*command, *plain, "--cores", "1", "--", "results/jobs/fits/moving_bump.json"]
    subprocess.run(fit, check=True, capture_output=True)
    for part in ("runs", "timings/runs", "timings/jobs/run", "collected"):
        shutil.rmtree(folder / "results" / "jobs" / part, ignore_errors=True)
    if place == "local":
        command += [*plain, "--cores", str(width)]
    else:
        command += [
            *plain,
            "--profile",
            str(ROOT / "profiles" / "slurm"),
            "--jobs",
            str(width),
            "--slurm-init-seconds-before-status-checks",
            "5",
            "--group-components",
            "short_run=10",
            "--default-resources",
            "mem_mb=1500",
            "runtime=10",
            f"slurm_account={site[0]}",
            f"slurm_partition={site[1]}",
        ]
    before, started = _children(), time.perf_counter()
    done = subprocess.run(
        [*command, "--", "results/jobs/collected/moving_bump.nc"],
        capture_output=True,
        text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )
    wall, spent = time.perf_counter() - started, _children() - before
    if done.returncode:
        sys.exit(f"{place}, {size} seeds a job: the study failed\n{done.stdout}{done.stderr}")
    submitted = [
        line.split("SLURM jobid ")[1].split()[0]
        for line in (done.stdout + done.stderr).splitlines()
        if "has been submitted with SLURM jobid" in line
    ]
    return {
        "where": place,
        "jobs": SEEDS // size,
        "seeds_per_job": size,
        "at_once": width,
        "wall_seconds": round(wall, 1),
        "cpu_seconds": spent + _in_slurm(submitted),
        "run_seconds": _run_seconds(folder, size),
    }


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run_seconds(folder: Path, size: int) -> float:
    """CPU seconds of the jobs of a row, by their own account, over their number."""
    files = (folder / "results" / "jobs" / "timings" / "jobs" / "run").rglob("*.csv")
    found = [costs.read_job(path)[0] for path in files]
    if len(found) != SEEDS // size:
        raise RuntimeError(f"{len(found)} jobs wrote what they took, expected {SEEDS // size}")
    return sum(found) / len(found)


def _in_slurm(jobs: list[str]) -> float:
    """CPU seconds that SLURM's accounting knows of, over all steps of these jobs."""
    if not jobs:
        return 0.0
    time.sleep(5)  # the database hears of the last step a moment later
    told = subprocess.run(
        ["sacct", "--noheader", "--parsable2", "--format=JobID,TotalCPU", "-j", ",".join(jobs)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    steps = (line.split("|") for line in told.splitlines())
    return sum(_clock(text) for job, text in steps if "." in job)


def _clock(text: str) -> float:
    """Seconds of sacct's [DD-[HH:]]MM:SS[.mmm]."""
    days, _, rest = text.rpartition("-")
    seconds = 0.0
    for part in rest.split(":"):
        seconds = 60 * seconds + float(part)
    return seconds + 86400 * int(days or 0)


def _share(rows: list[dict]) -> str:
    """What jobs cost beside their work at the papers' own scale, as Markdown; needs SLURM's rows.

    A job's work is its seeds' CPU seconds; its price that of the row nearest to how it is sent: one
    SLURM job of many seeds, or one member of a bundle.
    """
    alone = [r["price_cpu_seconds"] for r in rows if r["where"] == "slurm" and r["jobs"] > 1]
    bundled = [r["price_cpu_seconds"] for r in rows if "bundles" in r["where"]]
    if not alone or not bundled:
        return ""
    config, table = reading.read(ROOT / "config"), costs.read(ROOT / "config" / "costs.csv")
    long, short, unknown, work = 0, 0, 0, 0.0
    for rule, name, part, seeds, rounds, _ in jobs.measured_jobs(config, table):
        each = table.seed_seconds(rule, name, part, rounds)
        if each is None:
            unknown += 1
            continue
        work += seeds * each
        if table.job_seconds(rule, name, part, seeds, rounds) < config["seconds_bundled"]:
            short += 1
        else:
            long += 1
    price = long * max(alone) + short * max(bundled)
    return (
        f"\nAt the papers' own scale the study has {long} single jobs, {short} jobs in bundles"
        f"{f' and {unknown} jobs without a measurement' if unknown else ''}. Their work is "
        f"{work / 3600:.1f} CPU hours (`config/costs.csv`); their overhead, by the most expensive rows "
        f"above ({max(alone):.1f} s per job, {max(bundled):.1f} s per job in a bundle), is "
        f"{price / 60:.0f} CPU minutes: {100 * price / work:.1f} % of the work. "
        f"This determines the size of blocks.\n"
    )


def _page(rows: list[dict]) -> str:
    """The table as Markdown."""
    lines = [
        "| where | seeds per job | jobs | in parallel | wall, s | CPU per job outside its runs, s |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row['where']} | {row['seeds_per_job']} | {row['jobs']} | {row['at_once']} "
            f"| {row['wall_seconds']:.0f} | {row['price_cpu_seconds']:.1f} |"
        )
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
