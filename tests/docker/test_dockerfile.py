"""The Dockerfile's steps, carried out in an empty folder: Docker itself cannot run everywhere."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def steps():
    """(instruction, argument) of each line of the Dockerfile."""
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    return [tuple(line.split(None, 1)) for line in lines if re.match(r"[A-Z]+ ", line)]


def run(command, folder, **options):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def test_every_system_package_exists():
    if not shutil.which("apt-cache") or not run(["apt-cache", "pkgnames", "git"], ROOT):
        pytest.skip("no package lists of Debian here")
    install = next(argument for name, argument in steps() if "apt-get install" in argument)
    packages = re.search(r"--no-install-recommends ([a-z0-9 -]+) &&", install).group(1).split()
    assert packages
    for package in packages:
        run(["apt-cache", "show", package], ROOT)


def test_its_steps_give_a_command_that_works(tmp_path):
    folder = tmp_path / "tvgp"
    folder.mkdir()
    copied = run(["git", "ls-files"], ROOT).splitlines()
    for name, argument in steps():
        if name == "COPY":
            wanted = copied if argument == ". ." else argument.split()[:-1]
            for path in wanted:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / path, folder / path)
        elif name == "RUN" and "apt-get" not in argument:
            run(["sh", "-ec", argument], folder)
    entry = json.loads(next(argument for name, argument in steps() if name == "ENTRYPOINT"))
    assert "sparq_gp_ucb" in run([*entry, "list", "policies"], folder)
    default = json.loads(next(argument for name, argument in steps() if name == "CMD"))
    planned = [".venv/bin/snakemake", "--cores", "1", "--dry-run", "--quiet", "rules"]
    assert default[0] == "run"
    run([*planned, "--config", f"overlay=config/{default[1]}.yaml"], folder)
