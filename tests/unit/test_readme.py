"""The README's code runs as printed, and its commands and files exist."""

import os
import re
import subprocess
import sys

import pytest


def test_every_python_block_runs_alone(project, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (project / "README.md").read_text(), re.S)
    for code, printed in zip(blocks, ("next arm: x = ", "best guess for round 4: x = "), strict=True):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(printed)


def test_library_example_passes_a_type_checker(project, library_example, tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed (extra lint)")
    (tmp_path / "example.py").write_text(library_example)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "example.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(project / "src")},
    )
    assert done.returncode == 0, done.stdout


def test_named_make_targets_and_files_exist(project):
    text = (project / "README.md").read_text()
    makefile = (project / "Makefile").read_text()
    for target in set(re.findall(r"\bmake ([a-z]+)", text)):
        assert re.search(rf"^{target}:", makefile, re.M), f"README names make {target}"
    for path in re.findall(r"`((?:src|config|workflow|data|profiles|examples)/[\w./]+)`", text):
        assert (project / path).exists(), f"README names {path}"
    for image in re.findall(r"!\[[^]]*\]\(([^)]+)\)", text):
        assert (project / image).exists(), f"README shows {image}"
