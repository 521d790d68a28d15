"""Identical arms for all engines and on different BLAS kernels, whole runs, 10 seeds."""

import json
import os
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

# An old and a new kernel that any x86-64 processor of the last ten years can run.
KERNELS = ("Prescott", "Haswell")


@pytest.fixture(scope="module")
def reports(project):
    """Fingerprints of the arms played in one process per BLAS kernel."""
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("OPENBLAS_CORETYPE is tried on x86-64 only")

    def report(kernel):
        command = [sys.executable, "-m", "benchmarks.digest"]
        done = subprocess.run(
            command,
            cwd=project,
            env=os.environ | {"OPENBLAS_CORETYPE": kernel},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{kernel}: {done.stderr}"
        return json.loads(done.stdout.splitlines()[-1])

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(report, KERNELS))


def test_all_engines_play_the_same_arms(reports):
    for report in reports:
        by_algorithm = {}
        for name, fingerprint in report["arms"].items():
            by_algorithm.setdefault(name.split("/")[0], set()).add(fingerprint)
        assert len(by_algorithm) >= 8
        for algorithm, fingerprints in by_algorithm.items():
            assert len(fingerprints) == 1, algorithm


def test_all_blas_kernels_lead_to_the_same_arms(reports):
    kinds = {report["architecture"] for report in reports}
    if len(kinds) == 1 and kinds != {"unknown"}:
        pytest.skip(f"this BLAS cannot be told its kernel (OPENBLAS_CORETYPE): {kinds.pop()}")
    assert reports[0]["arms"] == reports[1]["arms"]
