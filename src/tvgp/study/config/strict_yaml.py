"""Strict reading of configuration files: values that YAML would silently reinterpret are errors.

YAML 1.1 reads 010 as 8, 1:30 as 90, 1_0 as 10, 1e-3 as text and `no` as false, and it keeps the last
of duplicate keys. A few lines of aliases can expand to gigabytes. Each of these is an error that names
file and line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MAX_BYTES = 1_000_000
MAX_DEPTH = 30
MAX_NODES = 200_000  # with every alias written out
_SCALARS = ("str", "int", "float", "bool", "null")
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_WORDS = re.compile(r"yes|no|on|off", re.IGNORECASE)


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
        _check_events(text, path)
        node = yaml.compose(text, Loader=_Loader)
        _Nodes(path).check(node)
        result = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}" if mark else ""
        raise ValueError(f"{path}{where}: not YAML ({error.problem})") from None
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())[:200]
        raise ValueError(f"{path}: not YAML ({problem})") from None
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


def _check_events(text: str, path: str | Path) -> None:
    """Check depth, tags and the number of documents without recursion."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        documents += isinstance(event, yaml.DocumentStartEvent)
        where = f"{path}, line {event.start_mark.line + 1}" if event.start_mark else str(path)
        if depth > MAX_DEPTH:
            raise ValueError(f"{where}: nested deeper than {MAX_DEPTH} levels")
        if documents > 1:
            raise ValueError(f"{where}: second document in the file; expected one")
        tag = getattr(event, "tag", None)
        if tag and not (isinstance(event, yaml.ScalarEvent) and event.implicit[0]):
            raise ValueError(f"{where}: unexpected tag {tag!r}; configuration values need no tags")


class _Nodes:
    """Checks of a tree in which aliases share nodes; visits each node once."""

    def __init__(self, path: str | Path):
        self.path = path
        self.sizes: dict[int, int | None] = {}  # None: check in progress

    def check(self, node: yaml.Node | None) -> int:
        """Number of nodes, with aliases written out. ValueError for the first fault."""
        if node is None:
            return 0
        known = self.sizes.get(id(node), -1)
        if known is None:
            raise self.fault(node, "recursive alias")
        if known >= 0:
            return known
        self.sizes[id(node)] = None
        if isinstance(node, yaml.MappingNode):
            self.keys(node)
            size = 1 + sum(self.check(key) + self.check(value) for key, value in node.value)
        elif isinstance(node, yaml.SequenceNode):
            size = 1 + sum(self.check(item) for item in node.value)
        else:
            size = 1
            if isinstance(node, yaml.ScalarNode):
                self.scalar(node)
        if size > MAX_NODES:
            raise self.fault(node, f"aliases expand to more than {MAX_NODES} values")
        self.sizes[id(node)] = size
        return size

    def keys(self, node: yaml.MappingNode) -> None:
        seen = set()
        for key, _ in node.value:
            merge = key.tag == "tag:yaml.org,2002:merge"
            if not merge and key.tag != "tag:yaml.org,2002:str":
                raise self.fault(key, f"key {getattr(key, 'value', '?')!r} is not text")
            if key.value in seen:
                raise self.fault(key, f"duplicate key {key.value!r}")
            seen.add(key.value)

    def scalar(self, node: yaml.ScalarNode) -> None:
        kind, text = node.tag.rpartition(":")[2], node.value
        if kind == "merge":
            return
        if kind not in _SCALARS:
            raise self.fault(node, f"{text!r} is read as a {kind}; put it in quotes")
        if kind == "bool" and _WORDS.fullmatch(text):
            raise self.fault(node, f"{text!r} is read as true or false; write these or use quotes")
        if kind == "int" and not _INTEGER.fullmatch(text):
            raise self.fault(node, f"{text[:40]!r} is not a plain decimal number")
        if kind == "float":
            value = _number(text)
            if value is None or not math.isfinite(value):
                raise self.fault(node, f"{text[:40]!r} is not a finite decimal number")
        if kind == "str" and not node.style and _number(text) is not None:
            hint = "write 1.0e-3 for 1e-3, or use quotes for text"
            raise self.fault(node, f"{text[:40]!r} looks like a number but is read as text; {hint}")

    def fault(self, node: yaml.Node, what: str) -> ValueError:
        return ValueError(f"{self.path}, line {node.start_mark.line + 1}: {what}")


def _number(text: str) -> float | None:
    """The number that the text denotes, None for any other text."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None
