"""One set of processor features for the study's jobs, so that they give the same bytes on many machines.

OpenBLAS and NumPy choose their code by the processor. Sums are then taken in another order, and
exponentials rounded otherwise: arms stay the same, but fits and regrets differ in their last digits. Jobs
are confined to what x86-64 processors since Haswell (2013) and Zen (2017) have in common, AVX2 and FMA.
"""

from __future__ import annotations

import os
import platform
from collections.abc import MutableMapping

# OpenBLAS's code for these processors, and NumPy's code that needs more, AVX-512
_PIN = {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


MACHINES = (
    "timings/machines.json"  # below the results: the models of the machines that `tvgp run` was called on
)


def pin(environment: MutableMapping[str, str]) -> None:
    """Set the variables that confine NumPy and SciPy in child processes to one core per job, and to the
    common features except where that is set. Other architectures than x86-64 keep their features."""
    environment.update(dict.fromkeys(_THREADS, "1"))
    if _is_x86_64():
        for variable, value in _PIN.items():
            environment.setdefault(variable, value)


def described() -> str:
    """The code that this process computes with: "x86-64, common", or the architecture and its own code."""
    if not _is_x86_64():
        return f"{platform.machine()}, native"
    if all(os.environ.get(variable) == value for variable, value in _PIN.items()):
        return "x86-64, common"
    return f"x86-64, {os.environ.get('OPENBLAS_CORETYPE') or 'native'}"


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
