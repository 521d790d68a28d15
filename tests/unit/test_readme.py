"""The README's code runs as printed, and its commands and files exist."""

import os
import re
import subprocess
import sys

import pytest


def test_every_python_block_runs_alone(project, tmp_path):
    pages = (project / page for page in ("README.md", "docs/live.md"))
    blocks = [code for page in pages for code in re.findall(r"```python\n(.*?)```", page.read_text(), re.S)]
    for code, printed in zip(
        blocks, ("next arm: x = ", "best guess for round 4: x = ", "best guess at 17 h: {"), strict=True
    ):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(printed)


TYPED = """
import numpy as np
from tvgp import kernels
from tvgp.policies import tv_gp_ucb
from tvgp.posterior import Prior

prior = Prior.of(np.arange(11.0)[:, None], kernels.make("se", length_scale=3.0))
policy = tv_gp_ucb.make(prior, 0.01, tv_gp_ucb.Parameters(epsilon=0.1, horizont=50))
"""


def test_a_type_checker_passes_the_example_and_finds_a_typo(project, library_example, tmp_path, pytestconfig):
    pytest.importorskip("mypy", reason="mypy is not installed (extra lint)")
    (tmp_path / "example.py").write_text(library_example)
    (tmp_path / "typed.py").write_text(TYPED)
    kept = getattr(pytestconfig, "cache", None)  # what mypy knows of NumPy and of unchanged modules
    cache = kept.mkdir("mypy") if kept else tmp_path / "cache"
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(cache), "example.py", "typed.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(project / "src")},
    )
    (found, _) = done.stdout.splitlines()
    assert re.match(r'typed.py:8: error: Unexpected keyword argument "horizont" for "Parameters"', found), (
        found
    )


def test_named_make_targets_and_files_exist(project):
    text = (project / "README.md").read_text() + (project / "docs" / "study.md").read_text()
    makefile = (project / "Makefile").read_text()
    for target in set(re.findall(r"\bmake ([a-z]+)", text)):
        assert re.search(rf"^{target}:", makefile, re.M), f"README names make {target}"
    for path in re.findall(r"`((?:src|config|workflow|data|profiles|examples)/[\w./]+)`", text):
        assert (project / path).exists(), f"README names {path}"
    for image in re.findall(r"!\[[^]]*\]\(([^)]+)\)", text):
        assert (project / image).exists(), f"README shows {image}"


def slugs(text):
    """Anchors of a page's headings, as GitHub forms them."""
    titles = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/raw/README.md", "docs/*.md")


def test_every_relative_link_leads_to_a_file_and_heading(project):
    pages = [page for pattern in PAGES for page in project.glob(pattern)]
    assert len(pages) > 10
    for page in pages:
        for target in re.findall(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)", page.read_text()):
            if re.match(r"https?:|mailto:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            assert file.exists(), f"{page.name} links to {target}"
            assert not anchor or anchor in slugs(file.read_text()), f"{page.name} links to {target}"


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_every_document_is_named_by_a_link(project, name):
    text = re.sub(r"```.*?```", "", (project / name).read_text(), flags=re.S)
    documents = re.findall(r"(?<!\[)`([\w./-]+\.(?:md|cff))`(?!\])", text)
    assert [each for each in documents if (project / each).exists()] == []
