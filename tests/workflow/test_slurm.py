"""The smoke study through SLURM, with a crashed node where one may be crashed; the same bytes.

Runs wherever `sbatch` reaches a cluster that sees the temporary directory (`--basetemp` on a shared
file system otherwise) and the plugin is installed. Where TVGP_SLURM names the folder of the cluster's
tools, its slurm-kill-node crashes a node; account and partition come from SBATCH_ACCOUNT and
SBATCH_PARTITION.
"""

import importlib.util
import os
import shutil
import subprocess
import time

import pytest
from torture.running import SMOKE, Run, differences, digests, node_of


def _missing():
    """Why this cannot run here; None where it can."""
    if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        return "the SLURM plugin is not installed: pip install -e '.[slurm]'"
    if shutil.which("sbatch") is None:
        return "no sbatch in PATH; start a cluster of your own with slurm-up of TVGP_SLURM"
    if subprocess.run(["sinfo"], capture_output=True).returncode:
        return "SLURM does not answer; start a cluster of your own with slurm-up of TVGP_SLURM"
    return None


REASON = _missing()
pytestmark = [
    pytest.mark.slurm,
    pytest.mark.skipif(REASON is not None, reason=REASON or "-"),
]


def test_the_smoke_study_through_slurm_gives_the_same_bytes(tmp_path):
    local = Run(tmp_path / "local", configs=[SMOKE], cores=2)
    assert local.end() == 0, local.output
    expected = digests(tmp_path / "local")

    run = Run(tmp_path / "slurm", configs=[SMOKE], profile="slurm")
    tools = os.environ.get("TVGP_SLURM")
    crash, node = tools and os.path.join(tools, "slurm-kill-node"), None
    while crash and node is None and run.process.poll() is None:
        started = [job for job, log in run.submitted.items() if "_run" in log]
        node = node_of(started) if started else None
        time.sleep(0.2)
    if node:
        subprocess.run([crash, node], check=True, capture_output=True)
    assert run.end(timeout=1800) == 0, run.output
    assert differences(tmp_path / "slurm", expected) == []
    if crash:
        assert node is not None, "no run was caught on a node"
        assert "NODE_FAIL" in run.output or "Trying to restart" in run.output, run.output

    accounted = subprocess.run(
        ["sacct", "--noheader", "--allocations", "--format=State", "-j", ",".join(run.submitted)],
        capture_output=True,
        text=True,
    )
    if accounted.returncode == 0 and accounted.stdout.strip():
        assert accounted.stdout.split().count("COMPLETED") >= len(run.submitted) - 1 - bool(crash)
