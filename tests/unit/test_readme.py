"""The README's code runs as printed, and its commands and files exist."""

import os
import re
import subprocess
import sys

import pytest


def test_library_example_runs(library_example):
    done = subprocess.run([sys.executable, "-c", library_example], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("next arm: x = ")


def test_the_live_example_runs_after_it(project, library_example, tmp_path):
    snippets = re.findall(r"```python\n(.*?)```", (project / "README.md").read_text(), re.S)
    (live,) = [snippet for snippet in snippets if "Live(" in snippet]
    code = library_example + live
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "best guess for round 4: x = " in done.stdout


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
