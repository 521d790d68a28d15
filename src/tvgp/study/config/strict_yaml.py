"""Strict reading of configuration files: values that YAML would silently reinterpret are errors.

YAML 1.1 reads 010 as 8, 1:30 as 90, 1_0 as 10, 1e-3 as text and `no` as false, and PyYAML keeps the last
of duplicate keys. A few lines of aliases can expand to gigabytes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

import yaml
from yaml.resolver import Resolver

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MAX_BYTES = 1_000_000
MAX_DEPTH = 30
MAX_NODES = 200_000  # with every alias written out
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_FAULTS = {
    "bool": "is read as true or false; write these or use quotes",
    "int": "is not a plain decimal number",
    "float": "is not a finite decimal number",
    "str": "looks like a number but is read as text; write 1.0e-3 for 1e-3, or use quotes for text",
}


def read(path: str | Path) -> dict:
    """The mapping in a YAML file. ValueError, one line naming file and line, for any fault.

    Beyond the faults of YAML itself these are errors: encodings other than UTF-8, duplicate keys and
    keys that are not text, numbers not written like 12 or 1.2e-3, NaN and infinity, dates,
    yes/no/on/off, tags, nesting deeper than MAX_DEPTH, recursive aliases and aliases that expand to
    more than MAX_NODES nodes.
    """
    content = Path(path).read_bytes()
    if len(content) > MAX_BYTES:
        raise ValueError(
            f"{path}: file is {len(content) / MAX_BYTES:.1f} MB; configuration files may be at most 1 MB"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ValueError(f"{path}, line {line}: not UTF-8 text") from None
    try:
        result = _Reader(text, path).document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or " ".join(str(error).split())[:200]
        raise ValueError(f"{path}{where}: not YAML ({problem})") from None
    if not isinstance(result, dict):
        raise ValueError(f"{path}: expected a mapping at the top level, with keys such as scale:")
    if "__use_yte__" in result:
        raise ValueError(f"{path}: key '__use_yte__' is not allowed; it would run code from a configuration")
    return result


def text(content: Mapping[str, Any]) -> str:
    """The text of a mapping that `read` reads back as it was; texts that look like a number are quoted."""
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


class _Dumper(yaml.SafeDumper):
    """PyYAML leaves 028468 and 1e-3 plain, which YAML 1.1 takes for text, and breaks the line at U+0085."""

    def represent_text(self, value: str) -> yaml.ScalarNode:
        style = None if _number(value) is None and value.isprintable() else '"'
        return self.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _Dumper.represent_text)


class _Reader:
    """Values from the parser's events: PyYAML's next steps reinterpret scalars and hide duplicate keys."""

    def __init__(self, text: str, path: str | Path):
        self.path = path
        self.events: Iterator[Any] = iter(yaml.parse(text, Loader=_Loader))
        self.resolve = Resolver().resolve
        self.nodes = 0  # so far, with every alias written out
        self.anchors: dict[str, tuple[Any, int]] = {}  # value and nodes, 0 until complete

    def document(self) -> Any:
        """The value of the only document. ValueError for the first fault."""
        value, documents = None, 0
        for event in self.events:
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                raise self.fault(event, "second document in the file; expected one")
            if isinstance(event, yaml.NodeEvent):
                value = self.value(event, 1)
        return value

    def value(self, event: Any, depth: int) -> Any:
        """The value that starts with an event."""
        alias, scalar = isinstance(event, yaml.AliasEvent), isinstance(event, yaml.ScalarEvent)
        anchor, before = event.anchor, self.nodes
        if not alias and event.tag and not (scalar and event.implicit[0]):
            raise self.fault(event, f"unexpected tag {event.tag!r}; configuration values need no tags")
        if anchor and alias != (anchor in self.anchors):
            what = "undefined alias *" if alias else "second anchor &"
            raise self.fault(event, f"not YAML ({what}{anchor})")
        known, nodes = self.anchors[anchor] if alias else (None, 1)
        self.nodes += nodes
        if not nodes:
            raise self.fault(event, "recursive alias")
        if self.nodes > MAX_NODES:
            raise self.fault(event, f"aliases expand to more than {MAX_NODES} values")
        if alias:
            return known
        if anchor:
            self.anchors[anchor] = None, 0
        value = self.scalar(event) if scalar else self.collection(event, depth)
        if anchor:
            self.anchors[anchor] = value, self.nodes - before
        return value

    def collection(self, event: Any, depth: int) -> list | dict:
        if depth > MAX_DEPTH:
            raise self.fault(event, f"nested deeper than {MAX_DEPTH} levels")
        inner = takewhile(lambda each: not isinstance(each, yaml.CollectionEndEvent), self.events)
        if isinstance(event, yaml.SequenceStartEvent):
            return [self.value(each, depth + 1) for each in inner]
        own: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for each in inner:
            text = getattr(each, "value", "?")
            into = merged if text == "<<" and each.implicit[0] else own
            key = text if into is merged else self.value(each, depth + 1)
            if not isinstance(key, str):
                raise self.fault(each, f"key {text!r} is not text")
            if key in into:
                raise self.fault(each, f"duplicate key {key!r}")
            into[key] = self.value(next(self.events), depth + 1)
        base = merged.get("<<", {})
        if not isinstance(base, dict):
            raise self.fault(event, "<< in this mapping needs another, such as <<: *anchor")
        return base | own

    def scalar(self, event: Any) -> str | int | float | bool | None:
        text, number = event.value, _number(event.value)
        kind = self.resolve(yaml.ScalarNode, text, event.implicit).rpartition(":")[2]
        if kind == "str" and (event.style or number is None):
            return text
        if kind == "int" and _INTEGER.fullmatch(text):
            return int(text)
        if kind == "float" and number is not None and math.isfinite(number):
            return number
        if kind == "bool" and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if kind == "null":
            return None
        what = _FAULTS.get(kind, f"is read as a {kind}; put it in quotes")
        raise self.fault(event, f"{text[:40]!r} {what}")

    def fault(self, event: Any, what: str) -> ValueError:
        return ValueError(f"{self.path}, line {event.start_mark.line + 1}: {what}")


def _number(text: str) -> float | None:
    """The number that the text denotes, None for any other text."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None
