"""The same fit and the same runs on x86-64 processors of different makes, imitated by what libraries read."""

import json
import os
import platform
import signal
import subprocess
import sys

import numpy as np
import pytest

from tvgp.study.execution import processor

# A fit and a run of several engines, small enough for a test: fitted numbers, arms, a digest of regrets.
WORK = """
import hashlib, json
import numpy as np
from example_jobs import SINE, run_job
from tvgp.study.execution import processor
from tvgp.study.fit import training
from tvgp.study.fit.job import FitJob
from tvgp.study.run import blocks
from tvgp.study.run.world import World

given = {"noise_variance": 0.01, "norm_bound": 5.0, "prior_mean": 0.0}
model = {"variance": "fit", "length_scale": "fit", **given}
fit = training.fit(FitJob(SINE, "se", model, {"queries": 40, "starts": 1}, "1", "round"))
world, arms, regrets = World.open(SINE), [], hashlib.sha256()
for algorithm in ("gp_ucb", "tv_gp_ucb", "w_gp_ucb", "sparq_gp_ucb", "w_sparq_gp_ucb"):
    block = blocks.run_block(run_job(algorithm), world, range(1, 4), fit)
    arms.append(block.arm.tolist())
    regrets.update(block.regret.tobytes())
fitted = {**fit["kernel"], **{key: fit[key] for key in ("epsilon", "alpha", "gamma")}}
answer = {"fit": fitted, "arms": arms, "regrets": regrets.hexdigest(), "as": processor.described()}
print(json.dumps(answer))
"""
# What the libraries choose on a processor without AVX-512, the C library included, and on one from before
# 2013.
ZEN = {
    "OPENBLAS_CORETYPE": "Zen",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW",
}
OLD = {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"}


@pytest.fixture(scope="module")
def work(project):
    """A function that does the work in a process of its own, on the imitated processor."""
    features = np.show_config("dicts").get("SIMD Extensions", {})
    if platform.machine() not in ("x86_64", "AMD64") or "X86_V3" not in features.get("found", ()):
        pytest.skip("imitates x86-64 processors on one with AVX2")

    def on(imitated):
        environment = {name: value for name, value in os.environ.items() if name not in processor._PIN}
        environment |= {"PYTHONPATH": f"{project / 'src'}:{project / 'tests' / 'unit'}"} | imitated
        processor.pin(environment)
        done = subprocess.run([sys.executable, "-c", WORK], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return on


def test_confined_processors_give_the_same_bytes(work):
    common, zen, old = work({}), work(ZEN), work(OLD)
    assert (common.pop("as"), zen.pop("as")) == ("x86-64, common", "x86-64, Zen")
    assert zen == common
    assert old.pop("as") == "x86-64, Prescott"
    assert old["arms"] == common["arms"]
    for name, value in common["fit"].items():
        assert old["fit"][name] == (pytest.approx(value, rel=1e-6) if name != "name" else value), name


def test_variables_that_are_set_stay():
    environment = {"OPENBLAS_CORETYPE": "Prescott"}  # which every x86-64 processor can run
    processor.pin(environment)
    assert environment["OPENBLAS_CORETYPE"] == "Prescott"


@pytest.fixture
def x86_64(monkeypatch):
    """As on x86-64, and the environment of this test alone."""
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    for variable in (*processor._PIN, processor._TRIED):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize("core", ["Haswell", "Zen"])
def test_a_core_type_that_crashes_its_trial_is_left_out(x86_64, monkeypatch, core):
    monkeypatch.setattr(processor, "_TRIAL", "import os; os.abort()")
    environment = {"OPENBLAS_CORETYPE": core} if core != "Haswell" else {}
    processor.pin(environment)
    assert "OPENBLAS_CORETYPE" not in environment
    assert processor.left_out(environment) == f"OPENBLAS_CORETYPE={core} ends in SIGABRT"
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    assert processor.described() == f"x86-64, native (OPENBLAS_CORETYPE={core} ends in SIGABRT)"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_an_externally_killed_trial_leaves_out_no_core_type(x86_64, monkeypatch, number):
    monkeypatch.setattr(processor, "_TRIAL", f"import os; os.kill(os.getpid(), {int(number)})")
    environment = {}
    processor.pin(environment)
    assert environment["OPENBLAS_CORETYPE"] == "Haswell" and not processor.left_out(environment)


def test_a_processor_is_tried_once_and_another_again(x86_64, monkeypatch):
    environment = {}
    monkeypatch.setattr(processor, "_TRIAL", "pass")
    processor.pin(environment)
    monkeypatch.setattr(processor, "_TRIAL", "import os; os.abort()")
    processor.pin(environment)
    assert environment["OPENBLAS_CORETYPE"] == "Haswell" and not processor.left_out(environment)
    monkeypatch.setattr(processor, "model", lambda: "the processor of another node")
    processor.pin(environment)
    assert "OPENBLAS_CORETYPE" not in environment and processor.left_out(environment)


def test_the_trial_succeeds_without_a_core_type():
    done = subprocess.run([sys.executable, "-c", processor._TRIAL], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_other_architectures_are_left_alone(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    environment = {}
    processor.pin(environment)
    assert environment == dict.fromkeys(processor._THREADS, "1")
    assert processor.described() == "arm64, native"
