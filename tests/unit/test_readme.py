"""The README's code runs as printed, and its commands and files exist."""

import re
import subprocess
import sys


def test_library_example_runs(project):
    code = re.search(r"```python\n(.*?)```", (project / "README.md").read_text(), re.S)[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("next arm: x = ")


def test_named_make_targets_and_files_exist(project):
    text = (project / "README.md").read_text()
    makefile = (project / "Makefile").read_text()
    for target in set(re.findall(r"\bmake ([a-z]+)", text)):
        assert re.search(rf"^{target}:", makefile, re.M), f"README names make {target}"
    for path in re.findall(r"`((?:src|config|workflow|data|profiles)/[\w./]+)`", text):
        assert (project / path).exists(), f"README names {path}"
    for image in re.findall(r"!\[[^]]*\]\(([^)]+)\)", text):
        assert (project / image).exists(), f"README shows {image}"
