"""`tvgp explain`: a policy's formula and parameters, from its docstrings."""

from __future__ import annotations

import argparse
import re
from dataclasses import MISSING, fields
from importlib import import_module
from itertools import groupby
from textwrap import fill
from typing import Any

from tvgp import policies
from tvgp.study.command import docstrings


def main(given: argparse.Namespace) -> int:
    """Print the explanation; 0. ValueError for an unknown policy, listing the known ones."""
    print(explanation(given.policy))
    return 0


def explanation(policy: str) -> str:
    """The docstring of the policy's module, then each parameter with its default and meaning."""
    declared: Any = policies.declaration(policy)
    text = f"{policy}\n\n{docstrings.of(import_module(policies.module_of(policy)))}\n\n"
    means = meanings(declared)
    if not means:
        return text + "No parameters."
    parts = [text + "Parameters, as keywords of tvgp.policies.make and under `parameters` in config/:\n"]
    for meaning, alike in groupby(fields(declared), lambda field: means[field.name]):
        shown = (f"{each.name}{_default(each, policy)}" for each in alike)
        body = fill(meaning, 104, initial_indent=" " * 6, subsequent_indent=" " * 6)
        parts.append(f"  {', '.join(shown)}\n{body}")
    return "\n".join(parts)


def _default(field: Any, policy: str) -> str:
    """Of a parameter, and whether it is ours."""
    if field.default is MISSING:
        return ""
    return f" = {field.default!r}{' (ours)' if field.name in policies.ours(policy) else ''}"


def meanings(declared: Any) -> dict[str, str]:
    """Parameter -> meaning, from the docstrings of a dataclass and its bases, in which the entry of
    one or more parameters reads "name, name: text;". A subclass's entry counts before its base's. A
    parameter that has no entry of its own is explained by the entry that uses it.
    """
    names = [field.name for field in fields(declared)]
    either = "|".join(sorted(names, key=len, reverse=True))
    entry = re.compile(rf"\b((?:{either})(?:, (?:{either}))*): ")
    entries: list[tuple[list[str], str]] = []
    for base in declared.__mro__:
        text = " ".join(docstrings.of(base).split())
        parts = entry.split(text)[1:] if names else []
        pairs = zip(parts[::2], parts[1::2], strict=True)
        entries += [(listed.split(", "), meaning.strip(" ;")) for listed, meaning in pairs]
    return {
        name: next((meaning for listed, meaning in entries if name in listed), None)
        or next((f"see {listed[0]}: {m}" for listed, m in entries if re.search(rf"\b{name}\b", m)), "")
        for name in names
    }
