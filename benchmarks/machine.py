"""Machine and software of the measurements."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path

from benchmarks.digest import architecture
from tvgp.study.execution import provenance

PEERS = ("scikit-learn", "torch", "gpytorch", "botorch", "dppy")


def describe() -> dict[str, str]:
    """Processor, cores, BLAS, versions and commit. RuntimeError with more than one BLAS thread."""
    check_threads()
    found = {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "load at the start": f"{os.getloadavg()[0]:.1f}",
        "BLAS kernel": architecture(),
        "BLAS threads": "1",
    }
    found |= provenance.versions()
    for name in PEERS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found | {"commit": provenance.commit()}


def check_threads() -> None:
    """RuntimeError unless every BLAS and OpenMP pool has one thread."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return
    busy = [pool for pool in threadpool_info() if pool["num_threads"] != 1]
    if busy:
        raise RuntimeError(f"{busy[0]['internal_api']} runs {busy[0]['num_threads']} threads, not 1")


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
