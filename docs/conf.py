"""Sphinx configuration of the documentation site: `make docs`, then open build/docs/index.html.

Pages are the Markdown files of this folder, those of the published results among them, the tutorials in
examples/ (run while the site is built), and the methods and modules from their docstrings.
"""

from __future__ import annotations

import importlib.metadata
import re
import sys
from pathlib import Path

from pygments.lexers.special import TextLexer

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import methods  # noqa: E402

project = "tvgp"
author = copyright = "the tvgp developers"
version = release = importlib.metadata.version("tvgp")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.apidoc", "sphinx_gallery.gen_gallery"]
html_theme = "furo"
html_title = f"tvgp {version}"
html_copy_source = False
html_static_path = ["site.css"]
html_css_files = ["site.css"]
exclude_patterns = ["_api/modules.rst", "templates"]
nitpicky = False
suppress_warnings = ["config.cache", "myst.xref_missing"]  # links from pages to files outside this folder

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

apidoc_modules = [
    {
        "path": "../src/tvgp",
        "destination": "_api",
        # the function tvgp.dpp.greedy hides its module
        "exclude_patterns": ["../src/tvgp/study", "../src/tvgp/dpp/greedy.py"],
        "separate_modules": True,
        "module_first": True,
    }
]
autodoc_default_options = {"members": True, "undoc-members": False, "show-inheritance": True}
autodoc_mock_imports = ["optuna"]  # of an extra that the pages do not need
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
default_role = "code"

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "_tutorials",
    "filename_pattern": "/",
    "ignore_pattern": "live_service",
    "within_subsection_order": "ExampleTitleSortKey",
    "download_all_examples": False,
    "show_signature": False,
    "abort_on_example_error": True,
    "show_memory": False,
    "write_computation_times": False,  # they differ between machines
    "min_reported_time": 1e9,
}


def setup(app):
    app.add_lexer("mermaid", TextLexer)
    app.connect("builder-inited", lambda app: methods.write(HERE / "_generated"))
    app.connect("autodoc-process-docstring", as_plain_text)
    app.connect("source-read", within_the_site)


def within_the_site(app, name, source):
    """A link to a file of the project that is a page of the site leads to that page; cards have a text."""
    source[0] = re.sub(r"sphx_glr_(\w+)_thumb\.png\n +:alt:", described, source[0])
    for page in ("contributing", "changelog"):
        source[0] = source[0].replace(f"](../{page.upper()}.md", f"]({page}.md")


def described(card):
    """A card's picture with a text for those who do not see it."""
    return f"{card[0]} last figure of the tutorial {card[1].replace('_', ' ')}"


def as_plain_text(app, what, name, obj, options, lines):
    """Docstrings are plain text with `code`: |f|_k, R_t or 2 * x must not become markup."""
    plain, indent, example = [], 0, False
    for line in lines:
        example = line.lstrip().startswith(">>>") or example and bool(line.strip())
        if example:
            plain.append(line)
            continue
        parts = re.split(r"(`[^`]*`)", line)
        parts[::2] = [re.sub(r"([\\*|_])", r"\\\1", part) for part in parts[::2]]
        if line.strip():
            before, indent = indent, len(line) - len(line.lstrip())
            plain += [""] * (before != indent)  # an indented formula is a paragraph of its own
        plain.append("".join(parts))
    lines[:] = plain
