"""Mutate raw files and configurations, and see that each is refused in one line or read correctly.

    python -m tests.mutations [FOLDER]        MUTATIONS=200 SEED=1 JOBS=2 ONLY=raw,config PART=0/1

Every mutation runs in a process of its own, through the scripts of the workflow (raw files) or
`snakemake -n` (configurations), in at most 10 seconds and 2 GiB, and may write inside its own
project folder only. Exit code 1 when one ends in anything but one clear line or a correct result.
"""

import os
import shutil
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

from tests.mutations import configs, raws
from tests.mutations.arena import BYTES, ROOT, SECONDS, Run


def main():
    base = Path(sys.argv[1] if len(sys.argv) > 1 else "build/mutations").resolve()
    shutil.rmtree(base, ignore_errors=True)
    base.mkdir(parents=True)
    count, seed = int(os.environ.get("MUTATIONS", 200)), int(os.environ.get("SEED", 1))
    only = os.environ.get("ONLY", "raw,config").split(",")
    part, parts = map(int, os.environ.get("PART", "0/1").split("/"))
    wanted = [int(n) for n in os.environ.get("NUMBERS", "").split(",") if n]
    sources = {"raw": raws.cases, "config": configs.cases}
    share = {"raw": 0.6, "config": 0.4} if len(only) == 2 else {only[0]: 1.0}
    waiting = []
    for name in only:
        prepared = sources[name](base / "made" / name, ROOT.parent / "shared" / "data", seed)
        numbers = wanted or range(round(share[name] * count))
        waiting += [partial(prepared, number) for number in numbers]
    waiting = waiting[part::parts][::-1]
    started, rows = time.monotonic(), []
    jobs, running = int(os.environ.get("JOBS", 2)), []
    while waiting or running:
        while waiting and len(running) < jobs:
            case = waiting.pop()()
            folder = base / f"{case.family}-{case.number}"
            running.append((case, folder, Run(folder, case.prepare(folder / "project"))))
        for item in list(running):
            case, folder, run = item
            outcome = run.ended()
            if outcome is None:
                continue
            running.remove(item)
            verdict = judge(case, outcome, folder / "project")
            rows.append((case, verdict, outcome))
            if verdict.startswith("FAULT"):
                print(f"{case.family} {case.number}: {case.about}\n    {verdict}", flush=True)
            else:
                shutil.rmtree(folder)
        time.sleep(0.005)
    return table(rows, time.monotonic() - started)


def judge(case, outcome, project):
    """ "refused", "correct", or what is wrong."""
    errors, text = outcome.errors, outcome.output
    if outcome.code is None:
        return f"FAULT: still running after {SECONDS:g} s"
    if outcome.bytes > BYTES:
        return f"FAULT: {outcome.bytes / 2**30:.1f} GiB of memory"
    if outcome.outside:
        return f"FAULT: outside its folder: {'; '.join(outcome.outside[:3])}"
    if "Traceback" in text or outcome.code not in (0, 1):
        return f"FAULT: code {outcome.code}: {' | '.join(text.splitlines()[-3:])[:400]}"
    if outcome.code == 1:
        if len(errors) != 1:
            return f"FAULT: {len(errors)} lines of error: {' | '.join(text.splitlines())[-300:]}"
        if not any(name in errors[0] for name in case.names) or case.place not in errors[0]:
            return f"FAULT: names neither file nor {case.place or 'place'}: {errors[0]}"
        if case.oracle == "same":
            return f"FAULT: refused without need: {errors[0]}"
        return "refused"
    if case.oracle == "refused":
        return "FAULT: taken though it must be refused"
    try:
        wrong = case.compare(project)
    except Exception as error:
        wrong = f"no simple reader can read what was taken: {error!r}"
    return f"FAULT: {wrong}" if wrong else "correct"


def table(rows, seconds):
    print(f"\n{'kind':34s} count refused correct fault")
    verdicts = {"refused": 0, "correct": 1}
    counts = Counter((case.kind, verdicts.get(verdict, 2)) for case, verdict, _ in rows)
    for kind in sorted({kind for kind, _ in counts}):
        own = [counts[kind, i] for i in range(3)]
        print(f"{kind:34s} {sum(own):5d} {own[0]:7d} {own[1]:7d} {own[2]:5d}")
    total = [sum(counts[k, i] for k, j in counts if j == i) for i in range(3)]
    longest = max(outcome.seconds for _, _, outcome in rows)
    most = max(outcome.bytes for _, _, outcome in rows) / 2**30
    print(f"{'all':34s} {sum(total):5d} {total[0]:7d} {total[1]:7d} {total[2]:5d}")
    print(f"longest {longest:.1f} s, most memory {most:.2f} GiB, {seconds:.0f} s in all")
    good = total[0] + total[1]
    print(f"{good} of {len(rows)} mutations were refused in one line or read correctly")
    return 1 if total[2] else 0


if __name__ == "__main__":
    sys.exit(main())
