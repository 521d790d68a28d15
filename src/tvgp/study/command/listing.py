"""`tvgp list`: what the library and the study's configuration hold."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from textwrap import shorten

from tvgp import environments, kernels, policies
from tvgp.plugins import nearest
from tvgp.study.command import KINDS, docstrings

WIDTH = 110


def main(given: argparse.Namespace) -> int:
    """Print the named kinds, or all; 0. Without the extra `study`, all are those of the library.

    ValueError for an unknown kind.
    """
    for kind in given.kinds:
        if kind not in KINDS:
            raise ValueError(f"cannot list {kind!r}{nearest(kind, KINDS)}; known: {', '.join(KINDS)}")
    for kind in given.kinds or KINDS:
        try:
            rows = entries(kind)
        except ModuleNotFoundError:
            if given.kinds:
                raise
            print(f"{kind}: need the extra `study`\n")
            continue
        wide = max(map(len, rows))
        print(f"{kind}:")
        for name, text in rows.items():
            width = WIDTH - wide - 4 if sys.stdout.isatty() else sys.maxsize
            print(f"  {name:{wide}}  {shorten(text, width, placeholder=' ...')}")
        print()
    return 0


def entries(kind: str) -> dict[str, str]:
    """Name -> one sentence, for every entry of a kind."""
    for registry in (policies, environments):
        if registry.__name__ == f"tvgp.{kind}":
            return {name: _first(f"{registry.__name__}.{name}") for name in registry.names()}
    if kind == "kernels":
        return {name: _first(kernels.find(name)) for name in kernels.names()}
    from tvgp.study.command import checkout
    from tvgp.study.config import loading
    from tvgp.study.results import mathematics

    config = loading.read(checkout.source(Path.cwd()) / "config")
    return {name: mathematics.plain(each.get("title", "")) for name, each in config[kind].items()}


def _first(documented: object) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join(docstrings.of(documented).partition("\n\n")[0].split())
