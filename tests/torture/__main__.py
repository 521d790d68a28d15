"""Attack the study at seeded moments, resume it, and compare with an undisturbed run.

    python -m tests.torture [FOLDER]        KILLS=50 CALLS=200 SEED=1 KINDS=tree,job,update,flip,...

Attack number i is the same for the same SEED: its kind, after how many finished steps, and how long
after. FOLDER/kills.jsonl lists the finished attacks on studies; the same command continues after an
interruption. A table closes the run; exit code 1 unless every attack was survived or refused by name.

KILLS attacks on studies, in turn: `tree`, `job` and `sigint` end processes of a fresh study, `memory` and
`disk` leave it without; `update` kills a job while a finished study is updated to another configuration;
`damage` deletes or truncates a file between raw data and products of a finished study; `stale` removes
Snakemake's records of a finished study and then changes its configuration; what the study refuses is
removed as its message says. `node` (a crashed SLURM node) is one of the kinds where SLURM is up and
TVGP_SLURM names the folder of slurm-kill-node, which crashes the node it is given, and slurm-up, which
brings them all back. CALLS attacks of each kind in `calls.py`, which need no running study. `files` damages
every kind of file of a finished study in three ways (`kinds.py`): "survived" was named and then made again.
"""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from tvgp.study.execution import provenance

from . import calls
from . import kinds as files
from .running import (
    TINY,
    UPDATE,
    Run,
    descendants,
    differences,
    digests,
    kill,
    middle_files,
    node_of,
    resume,
)

SLURM = Path(os.environ.get("TVGP_SLURM") or "no-slurm")
KINDS = ("tree", "job", "sigint", "update", "damage", "stale", "disk", "memory", "node")
VERDICTS = ("survived", "refused", "unnoticed", "traceback")


def hurt(run, kind, draw):
    """Attack the running study; whether there was anything to attack."""
    if kind == "tree":
        kill([run.process.pid, *descendants(run.process.pid)])
    elif kind == "sigint":
        run.process.send_signal(signal.SIGINT)
    elif kind in ("job", "memory", "update"):
        for _ in range(500):  # between two jobs: wait for the next
            jobs = descendants(run.process.pid)
            if jobs or run.process.poll() is not None:
                break
            time.sleep(0.01)
        if not jobs:
            return False
        victim = draw.choice(jobs)
        if kind in ("job", "update"):
            kill([victim])
        else:  # from now on this process and its children get 8 MB more, then no memory
            try:
                used = int(Path(f"/proc/{victim}/statm").read_text().split()[0])
                limit = used * resource.getpagesize() + (8 << 20)
                resource.prlimit(victim, resource.RLIMIT_AS, (limit, limit))
            except (OSError, ValueError):
                return False
    return True


def damage(folder, draw):
    """Delete or truncate one file of a finished study; the file and how much is left, in bytes."""
    path = draw.choice(middle_files(folder))
    content = path.read_bytes()
    if draw.random() < 0.5:
        path.unlink()
        return path, None
    path.write_bytes(content[: draw.randrange(len(content))])
    return path, path.stat().st_size


def mistreat(number, seed, attempt, kind, folder, expected, finished):
    """One attack on a copy of a finished study, by `update`, `damage` or `stale`: a row of the table."""
    draw = random.Random(f"{seed}-{number}-{attempt}")
    row = {"kill": number, "kind": kind, "after": draw.randrange(4), "delay": round(draw.uniform(0, 1), 2)}
    row |= {"space": None, "half": []}
    started = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(finished, folder)
    reference, configs, remedy = expected["updated"], UPDATE, ()
    if kind == "update":
        run = Run(folder, configs=configs)
        hit = run.wait_for(row["after"], row["delay"]) and hurt(run, kind, draw)
        row["ended"] = run.end()
        row["hit"] = bool(hit) and row["ended"] != 0
    elif kind == "stale":
        shutil.rmtree(folder / ".snakemake")
        for path in draw.sample(middle_files(folder), draw.randrange(4)):
            path.unlink()
        row["hit"], remedy = True, ("--forceall",)
        run = Run(folder, configs=configs)
        row["ended"] = run.end()
    else:
        reference, configs = expected["files"], TINY
        path, left = damage(folder, draw)
        row |= {"hit": True, "file": path.relative_to(folder).as_posix(), "left": left}
        run = Run(folder, configs=configs)
        row["ended"] = run.end()
        if row["ended"] != 0 and left is not None:  # refused, by a message that says to delete it
            path.unlink(missing_ok=True)
    row["steps"] = run.finished
    row["refused"] = kind != "update" and row["ended"] != 0 and "\nERROR: " in "\n" + run.output
    row["traceback"] = kind != "update" and "Traceback" in run.output
    passed = row["ended"] == 0 and differences(folder, reference)  # reported as if nothing had happened
    again = resume(folder, *remedy, configs=configs)
    row["traceback"] |= "Traceback" in again.output
    row["resumed"] = again.process.returncode
    row["different"] = sorted({*(passed or ()), *differences(folder, reference)})
    row["equal"] = again.process.returncode == 0 and not row["different"]
    if not row["equal"]:
        folder.with_suffix(".log").write_text(run.output + "\n=== resumed\n" + again.output)
    shutil.rmtree(folder, ignore_errors=True)
    row["seconds"] = round(time.monotonic() - started, 1)
    return row


def disturb(number, seed, attempt, kind, folder, steps, reference):
    """One kill and its resumption: a row of the table."""
    draw = random.Random(f"{seed}-{number}-{attempt}")
    after, delay = draw.randrange(steps), draw.uniform(0.0, 2.0)
    space = draw.randint(50, 900)  # kB on the small disk
    row = {"kill": number, "kind": kind, "after": after, "delay": round(delay, 2)}
    row["space"] = space if kind == "disk" else None
    started = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    profile = "slurm" if kind == "node" else None
    mounted = False
    try:
        hit = True
        if kind == "disk":
            size = f"size={space}k,nr_inodes=100000"
            subprocess.run(["mount", "-t", "tmpfs", "-o", size, "none", folder], check=True)
            mounted = True
        run = Run(folder, profile=profile)
        if kind == "node":
            node = None
            while not node and run.process.poll() is None:  # the node of the k-th job or a later one
                time.sleep(0.1)
                later = list(run.submitted)[after % 4 :]
                node = node_of(later) if later else None
            time.sleep(delay)
            row["node"], hit = node, bool(node)
            if node:
                subprocess.run([SLURM / "slurm-kill-node", node], check=True, capture_output=True)
        elif kind != "disk":
            hit = run.wait_for(after, delay) and hurt(run, kind, draw)
        code = run.end()
        row["ended"] = code
        row["steps"] = run.finished
        # Only a study that loses a node goes on by itself; another that ended well was not attacked
        row["hit"] = bool(hit) and (code != 0 or kind == "node")
        row["half"] = [  # a file under its final name is complete
            name
            for name, digest in digests(folder).items()
            if name in reference and digest != reference[name]
        ]
        if kind == "disk":
            subprocess.run(["mount", "-o", "remount,size=200m", folder], check=True)
        again = resume(folder, profile=profile)
        row["refused"], row["traceback"] = False, "Traceback" in again.output
        row["resumed"] = again.process.returncode
        row["different"] = differences(folder, reference)
        row["equal"] = again.process.returncode == 0 and not row["different"]
        if not row["equal"]:
            folder.with_suffix(".log").write_text(run.output + "\n=== resumed\n" + again.output)
    finally:
        if mounted:
            subprocess.run(["umount", "-l", folder], check=False)
        if kind == "node":
            subprocess.run([SLURM / "slurm-up"], check=True, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)
    row["seconds"] = round(time.monotonic() - started, 1)
    return row


def undisturbed(base):
    """Files of an undisturbed run and of its undisturbed update, and the number of steps."""
    known = base / "reference.json"
    code = provenance.commit()  # part of every result: files of another commit never compare
    if not known.exists() or json.loads(known.read_text())["commit"] != code:
        (base / "kills.jsonl").unlink(missing_ok=True)
        folder = base / "reference"
        shutil.rmtree(folder, ignore_errors=True)
        started = time.monotonic()
        run = Run(folder)
        if run.end() != 0:
            sys.exit(f"the undisturbed run failed:\n{run.output}")
        print(f"undisturbed: {run.finished} steps in {time.monotonic() - started:.0f} s")
        found = {"commit": code, "steps": run.finished, "files": digests(folder)}
        shutil.rmtree(base / "updated", ignore_errors=True)
        updated = Run(shutil.copytree(folder, base / "updated"), configs=UPDATE)
        if updated.end() != 0:
            sys.exit(f"the undisturbed update failed:\n{updated.output}")
        known.write_text(json.dumps(found | {"updated": digests(base / "updated")}))
    return json.loads(known.read_text())


def main():
    started = time.monotonic()
    base = Path(sys.argv[1] if len(sys.argv) > 1 else "build/torture").resolve()
    base.mkdir(parents=True, exist_ok=True)
    kills, seed = int(os.environ.get("KILLS", 50)), os.environ.get("SEED", "1")
    number_of_calls = int(os.environ.get("CALLS", 200))
    kinds = os.environ.get("KINDS", ",".join([*KINDS, *calls.ATTACKS, "files"])).split(",")
    called = [kind for kind in kinds if kind in calls.ATTACKS]
    by_kind = "files" in kinds
    kinds = [kind for kind in kinds if kind not in (*called, "files")]
    if "disk" in kinds and os.geteuid() != 0:
        print("full disk: left out, mounting a small tmpfs needs root")
        kinds.remove("disk")
    if "node" in kinds and not (shutil.which("sbatch") and (SLURM / "slurm-up").exists()):
        print("crashed node: left out, needs sbatch in PATH, and slurm-up in TVGP_SLURM")
        kinds.remove("node")
    expected = undisturbed(base)
    journal = base / "kills.jsonl"
    known = journal.read_text().splitlines() if journal.exists() else []
    rows = [json.loads(text) for text in known]
    done = {(row["seed"], row["kill"]) for row in rows}
    part, parts = map(int, os.environ.get("PART", "0/1").split("/"))
    deadline = time.monotonic() + float(os.environ.get("SECONDS_LEFT", 1e9))
    for number in range(kills) if kinds else ():
        if (seed, number) in done or number % parts != part or time.monotonic() > deadline:
            continue
        folder = base / f"kill-{number}"
        for attempt in range(5):  # a moment at which the run had ended is drawn again
            kind = kinds[number % len(kinds)]
            if kind in ("update", "damage", "stale"):
                row = mistreat(number, seed, attempt, kind, folder, expected, base / "reference")
            else:
                row = disturb(number, seed, attempt, kind, folder, expected["steps"], expected["files"])
            if row["hit"] or not row["equal"]:
                break
        rows.append({"seed": seed, **row})
        with open(journal, "a") as stream:
            stream.write(json.dumps(rows[-1]) + "\n")
        print(line(row), flush=True)
    rows = [row for row in rows if row["seed"] == seed and row["kill"] < kills]
    found = [
        (row["kind"], verdict(row), row["seconds"])
        for row in rows
        if row["hit"] or verdict(row) != "survived"  # not those that found nothing left to attack
    ]
    for kind in called if part == 0 else ():
        for number in range(number_of_calls):
            begun = time.monotonic()
            word, detail = calls.attack(kind, number, seed, base / "reference")
            found.append((kind, word, time.monotonic() - begun))
            if word in ("unnoticed", "traceback"):
                print(f"{kind} {number}: {word}: {detail}", flush=True)
    if by_kind and part == 0:
        copy = base / "files"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(base / "reference", copy)
        found += files.attacks(copy, expected["files"])
    return table(found, time.monotonic() - started)


def line(row):
    verdict = "equal" if row["equal"] else f"DIFFERENT {row['different'][:3]}"
    verdict += f" HALF-WRITTEN {row['half']}" if row["half"] else ""
    moment = f"step {row['after']} + {row['delay']} s"
    moment = f"{row['space']} kB" if row["kind"] == "disk" else moment
    if row["kind"] == "damage":
        moment = f"{row['file']}, {'deleted' if row['left'] is None else row['left']}"
    hit = "" if row["hit"] else " (nothing left to attack)"
    return (
        f"{row['kill']:3d}  {row['kind']:7s} {moment:18s} ended {row['ended']:4d} at step"
        f" {row['steps']:2d}, {row['seconds']:5.1f} s  {verdict}{hit}"
    )


def verdict(row):
    """How an attack on a study ended, in one word."""
    if row["traceback"]:
        return "traceback"
    if row["half"] or not row["equal"]:
        return "unnoticed"
    return "refused" if row["refused"] else "survived"


def table(found, seconds):
    """Print (kind, verdict, seconds) by kind; exit code."""
    print(f"\n{'kind':27s} attacks " + " ".join(f"{name:>9s}" for name in VERDICTS) + "  seconds")
    total = [*found, *(("all", word, time_) for _, word, time_ in found)]
    for kind in dict.fromkeys(kind for kind, _, _ in total):
        words = [word for name, word, _ in total if name == kind]
        counts = " ".join(f"{words.count(name):9d}" for name in VERDICTS)
        spent = sum(time_ for name, _, time_ in total if name == kind)
        print(f"{kind:27s} {len(words):7d} {counts} {spent:8.0f}")
    print(f"this run took {seconds:.0f} s")
    return int(any(word in ("unnoticed", "traceback") for _, word, _ in found))


if __name__ == "__main__":
    sys.exit(main())
