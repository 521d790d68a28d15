"""Attacks that need no running study: damaged files, threads, and calls with wrong arguments.

Each attack runs in a child process with a limit of time and ends in one word:

    survived   as if nothing had happened,
    refused    ValueError in one line that names the file or the argument,
    unnoticed  another answer without a word,
    traceback  anything else: another exception, a crash, a hang.
"""

import os
import random
import shutil
import signal
import threading
import traceback
from pathlib import Path

import numpy as np

from tvgp import kernels, policies
from tvgp.study.data import raw_files
from tvgp.study.execution import files, netcdf

from .running import middle_files

SECONDS = 60  # of processor time per attack
ARMS = np.linspace(-5.0, 5.0, 12)[:, None]
KERNEL = kernels.make("se", variance=0.5, length_scale=1.0)
ROUNDS = 10


def flip(draw, study):
    """A bit of a middle file is flipped."""
    path = draw.choice(middle_files(study))
    content = bytearray(path.read_bytes())
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    return _reread(path, bytes(content))


def cut(draw, study):
    """The end of a middle file is missing."""
    path = draw.choice(middle_files(study))
    content = path.read_bytes()
    return _reread(path, content[: draw.randrange(len(content))])


def record(draw, study):
    """The record of downloads is damaged."""
    folder = study / "attacked"
    _raw_file(folder, "1,2\n")
    record = {"url": "https://example.org/a.csv", **_entry(folder), "kept": True}
    files.write_object(folder / raw_files.RECORD, {"a.csv": record})

    def read():
        settings = {"raw": folder, "source": "auto"}
        return raw_files.obtain(settings, ["*.csv"], None, None, None, lambda text: None)

    expected, path = read(), folder / raw_files.RECORD
    content = bytearray(path.read_bytes())
    if draw.random() < 0.5:
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    else:
        content = content[: draw.randrange(len(content))]
    path.write_bytes(content)
    return read, expected, [str(path)]


def raw(draw, study):
    """A raw file gives way to another of the same name, size and time, or of an older time."""
    folder = study / "attacked"
    path = _raw_file(folder, f"{draw.randrange(10**6):06d}\n")
    raw_files.write_manifest(folder / "raw.json", "toy", ("real", [raw_files.entry(path)], "found"))
    before = path.stat().st_mtime_ns
    _raw_file(folder, f"{draw.randrange(10**6):06d}\n")
    os.utime(path, ns=2 * (before - draw.randrange(2) * draw.randrange(10**18),))
    raw_files._digest.cache_clear()  # it is another process that reads
    return lambda: raw_files.read_manifest(folder / "raw.json"), None, [str(path)]


def threads(draw, study):
    """Policies in four threads share a prior that is not yet computed."""
    names = [draw.choice(policies.names()) for _ in range(4)]
    arms = ARMS + draw.random()

    def play(name, results, place, start=None):
        if start:
            start.wait()
        policy = policies.make(name, arms=arms, kernel=KERNEL, noise_variance=0.01)
        results[place] = _played(policy, ROUNDS)

    def together():
        results, start = [None] * 4, threading.Barrier(4)
        tasks = [
            threading.Thread(target=play, args=(name, results, place, start))
            for place, name in enumerate(names)
        ]
        for task in tasks:
            task.start()
        for task in tasks:
            task.join()
        return results

    found, alone = together(), [None] * 4
    for place, name in enumerate(names):
        play(name, alone, place)
    return lambda: found, alone, []


N = len(ARMS)
WRONG = {
    "t": [0, -1, 1.0, 2.5, True, "1", None, [1], np.array([1]), 2**60, np.nan, 1j],
    "arm": [-1, N, 1.0, True, "1", None, [1], np.array([1]), np.nan],
    "reward": [np.nan, np.inf, "1", None, [1.0], np.array([1.0]), 1j],
    "available": [np.arange(N), np.ones(N), [True] * N, np.ones(N + 1, bool), np.zeros(N, bool), "all", 1],
    "rng": [0, None, np.random.RandomState(0), "rng"],  # noqa: NPY002
    "arms": [[0.5], [-1], [N], ["0"], None, 0, [[0]], [True]],
    "values": [[np.nan], [], [1.0, 2.0], ["1"], None, 1.0, [[1.0]]],
}
METHODS = {
    "choose": ("t", "rng", "available"),
    "observe": ("t", "arm", "reward"),
    "expert_queries": ("t", "rng", "available"),
    "observe_expert": ("t", "arms", "values"),
    "posterior": ("t",),
}


def call(draw, study):
    """One argument of a call to a policy is wrong; the policy then plays on as if it had not been."""
    name, method = draw.choice(policies.names()), draw.choice(sorted(METHODS))
    argument = draw.choice(METHODS[method])
    wrong = draw.choice(WRONG[argument])
    rng = np.random.default_rng(0)
    good = {"t": 4, "arm": 1, "reward": 0.5, "available": None, "rng": rng, "arms": np.array([0])}
    good |= {"values": np.array([0.5]), argument: wrong}
    make = {"name": name, "arms": ARMS, "kernel": KERNEL, "noise_variance": 0.01}
    policy, other = policies.make(**make), policies.make(**make)

    def work():
        first = _played(policy, 3)
        try:
            getattr(policy, method)(*(good[key] for key in METHODS[method]))
        finally:
            assert (first, _played(policy, ROUNDS, 4)) == (_played(other, 3), _played(other, ROUNDS, 4))
        return f"{name}.{method}: {argument} = {wrong!r} was taken"

    words = ["round", "t is", "arm", argument] if argument in ("t", "arms", "values") else ["arm", argument]
    return work, None, words


ATTACKS = {attack.__name__: attack for attack in (flip, cut, record, raw, threads, call)}


def attack(kind, number, seed, study):
    """One attack of a kind in a child process: (one word, what happened)."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reading)
        answer = "traceback, lost"
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            os.chdir(study)
            answer = ", ".join(_outcome(*ATTACKS[kind](random.Random(f"{seed}-{kind}-{number}"), study)))
        except BaseException:
            answer = f"traceback, {traceback.format_exc()}"
        finally:
            os.write(writing, answer.encode()[:4000])
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as stream:
        answer = stream.read().decode(errors="replace")
    os.waitpid(pid, 0)
    shutil.rmtree(study / "attacked", ignore_errors=True)
    word, _, detail = (answer or "traceback, the process was lost").partition(", ")
    return word, detail


def _outcome(work, expected, names):
    try:
        found = work()
    except ValueError as error:
        text = str(error)
        named = not names or any(name in text for name in names)
        return ("refused" if named and "\n" not in text else "traceback"), text
    except Exception:
        return "traceback", traceback.format_exc()
    try:
        np.testing.assert_equal(found, expected)
    except AssertionError as error:
        return "unnoticed", f"{found if isinstance(found, str) else error}"
    return "survived", ""


def _reread(path, content):
    """Reading a copy of a file with other content, its own content, and its name."""
    copy = Path("attacked") / path.name
    copy.parent.mkdir(exist_ok=True)
    expected = _values(path)
    copy.write_bytes(content)
    return lambda: _values(copy), expected, [str(copy)]


def _values(path):
    if path.suffix == ".json":
        return files.read_object(path)
    with netcdf.reading(path) as file:
        return {name: np.asarray(each[:]) for name, each in file.variables.items()} | dict(file.__dict__)


def _raw_file(folder, text):
    folder.mkdir(exist_ok=True)
    (folder / "a.csv").write_text(text)
    return folder / "a.csv"


def _entry(folder):
    listed = raw_files.entry(folder / "a.csv")
    return {key: listed[key] for key in ("sha256", "bytes")}


def _played(policy, last, first=1):
    """Arms of the rounds first to last."""
    rng, noise = np.random.default_rng(first), np.random.default_rng(7)
    if hasattr(policy, "foresee"):
        policy.foresee(np.sin(ARMS[:, 0] + 0.1 * np.arange(1, ROUNDS + 2)[:, None]))
    arms = []
    for t in range(first, last + 1):
        arm = policy.choose(t, rng)
        policy.observe(t, arm, float(np.sin(ARMS[arm, 0] + 0.1 * t) + 0.1 * noise.standard_normal()))
        asked = policy.expert_queries(t, rng)
        if len(asked):
            policy.observe_expert(t, asked, np.sin(ARMS[asked, 0] + 0.1 * t))
        arms.append(arm)
    return arms
