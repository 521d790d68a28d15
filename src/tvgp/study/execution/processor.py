"""One set of processor features for the study's jobs, so that they give the same bytes on many machines.

OpenBLAS and NumPy choose their code by the processor. Sums are then taken in another order, and
exponentials rounded otherwise: arms stay the same, but fits and regrets differ in their last digits. Jobs
are confined to what x86-64 processors since Haswell (2013) and Zen (2017) have in common, AVX2 and FMA,
where the libraries bear it: OpenBLAS 0.3.34 crashes on AMD processors with AVX-512. That is tried first.
"""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
from collections.abc import Mapping, MutableMapping

from tvgp.study.execution import answer_cache

# OpenBLAS's code for these processors, and NumPy's code that needs more, AVX-512
_PIN = {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_TRIED = "TVGP_PROCESSOR"  # in the environment: the processor on which the features were tried, and the end
# How code ends that a processor, or its own fault, cannot run; other signals come from outside
_FATAL = {signal.SIGILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGABRT}
# What a study asks of BLAS and LAPACK, above the block sizes of every core type
_TRIAL = """
import numpy as np
from scipy import linalg
at = np.arange(1000.0)
K = np.exp(-np.abs(at[:, None] - at) / 100)
for n in (330, 600, 1000):
    K[:, :n] @ K[:n]
np.linalg.eigh(K[:400, :400])
linalg.solve_triangular(linalg.cholesky(K, lower=True), K, lower=True)
"""


MACHINES = (
    "timings/machines.json"  # below the results: the models of the machines that `tvgp run` was called on
)


def pin(environment: MutableMapping[str, str]) -> None:
    """Set the variables that confine NumPy and SciPy in child processes to one core per job, and to the
    common features except where that is set. Other architectures than x86-64 keep their features.

    A child process tries them first, once per processor; if it dies, OpenBLAS keeps its own choice.
    """
    environment.update(dict.fromkeys(_THREADS, "1"))
    tried = environment.get(_TRIED, "").partition(": ")[0]
    if not _is_x86_64() or tried == model():
        return
    for variable, value in _PIN.items():
        environment.setdefault(variable, value)
    tried = f"{model()} {_TRIAL} {[environment[variable] for variable in _PIN]}"
    died = answer_cache.remembered(tried, lambda: _trial(environment))
    environment[_TRIED] = f"{model()}: {died}"
    if died:
        del environment["OPENBLAS_CORETYPE"]


def left_out(environment: Mapping[str, str]) -> str:
    """What was tried and left out in a pinned environment, and why; "" where nothing was."""
    return environment.get(_TRIED, "").partition(": ")[2]


def _trial(environment: Mapping[str, str]) -> str:
    """How a process with these variables dies in linear algebra; "" if it does not."""
    command = [sys.executable, "-c", _TRIAL]
    code = subprocess.run(command, env=dict(environment), stderr=subprocess.DEVNULL, check=False).returncode
    core = environment["OPENBLAS_CORETYPE"]
    return f"OPENBLAS_CORETYPE={core} ends in {signal.Signals(-code).name}" if -code in _FATAL else ""


def described() -> str:
    """The code that this process computes with: "x86-64, common", or the architecture and its own code."""
    if not _is_x86_64():
        return f"{platform.machine()}, native"
    if all(os.environ.get(variable) == value for variable, value in _PIN.items()):
        return "x86-64, common"
    reason = left_out(os.environ)
    return f"x86-64, {os.environ.get('OPENBLAS_CORETYPE') or 'native'}" + (f" ({reason})" if reason else "")


def model() -> str:
    """This machine's processor and its number of cores."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as stream:
            named = next(
                (line.partition(":")[2].strip() for line in stream if line.startswith("model name")), ""
            )
    except OSError:
        named = ""
    return f"{named or platform.processor() or platform.machine()}, {os.cpu_count()} cores"


def _is_x86_64() -> bool:
    return platform.machine().lower() in ("x86_64", "amd64")
