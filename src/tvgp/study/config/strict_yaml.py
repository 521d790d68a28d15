"""Configuration files, read strictly: what YAML would quietly turn into something else is refused.

YAML 1.1 reads 010 as 8, 1:30 as 90, 1_0 as 10, 1e-3 as text and `no` as false; of a key given
twice it keeps the last. A few lines of aliases can stand for gigabytes. None of this can be meant,
so each is an error that names file and line.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import yaml

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MAX_BYTES = 1 << 20
MAX_DEPTH = 30
MAX_NODES = 200_000  # with every alias written out
_SCALARS = ("str", "int", "float", "bool", "null")
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_WORDS = re.compile(r"yes|no|on|off", re.IGNORECASE)


def read(path: str | Path) -> dict:
    """The mapping in a YAML file. ValueError, one line naming file and line, for what is not one.

    Beside faults of YAML itself: other encodings than UTF-8, keys that are no text or stand twice,
    numbers in other forms than 12 and 1.2e-3, NaN and infinity, dates, yes/no/on/off, tags, depth
    beyond MAX_DEPTH, aliases that contain themselves or unfold to more than MAX_NODES nodes.
    """
    content = Path(path).read_bytes()
    if len(content) > MAX_BYTES:
        raise ValueError(f"{path}: {len(content)} bytes, no configuration is that long")
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
        raise ValueError(f"{path}: no mapping of keys, a configuration starts with keys like scale:")
    if "__use_yte__" in result:
        raise ValueError(f"{path}: __use_yte__ would run code from a configuration")
    return result


def _check_events(text: str, path: str | Path) -> None:
    """Depth and number of documents, found without recursion."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        documents += isinstance(event, yaml.DocumentStartEvent)
        where = f"{path}, line {event.start_mark.line + 1}"
        if depth > MAX_DEPTH:
            raise ValueError(f"{where}: nested deeper than {MAX_DEPTH} levels")
        if documents > 1:
            raise ValueError(f"{where}: a second document in one file")
        tag = getattr(event, "tag", None)
        if tag and not (isinstance(event, yaml.ScalarEvent) and event.implicit[0]):
            raise ValueError(f"{where}: tag {tag!r}, not needed in a configuration")


class _Nodes:
    """Checks of a tree whose aliases are shared nodes; each node is looked at once."""

    def __init__(self, path: str | Path):
        self.path = path
        self.sizes: dict[int, int | None] = {}  # None: still being looked at

    def check(self, node: yaml.Node | None) -> int:
        """Number of nodes, with aliases written out. ValueError for what is not to be there."""
        if node is None:
            return 0
        known = self.sizes.get(id(node), -1)
        if known is None:
            raise self.fault(node, "an alias inside what it stands for")
        if known >= 0:
            return known
        self.sizes[id(node)] = None
        if isinstance(node, yaml.MappingNode):
            self.keys(node)
            size = 1 + sum(self.check(key) + self.check(value) for key, value in node.value)
        elif isinstance(node, yaml.SequenceNode):
            size = 1 + sum(self.check(item) for item in node.value)
        else:
            self.scalar(node)
            size = 1
        if size > MAX_NODES:
            raise self.fault(node, f"its aliases unfold to more than {MAX_NODES} values")
        self.sizes[id(node)] = size
        return size

    def keys(self, node: yaml.MappingNode) -> None:
        seen = set()
        for key, _ in node.value:
            merge = key.tag == "tag:yaml.org,2002:merge"
            if not merge and key.tag != "tag:yaml.org,2002:str":
                raise self.fault(key, f"key {getattr(key, 'value', '?')!r} is not text")
            if key.value in seen:
                raise self.fault(key, f"key {key.value!r} stands twice")
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
            raise self.fault(node, f"{text[:40]!r} is no plain decimal number")
        if kind == "float":
            value = _number(text)
            if value is None or not math.isfinite(value):
                raise self.fault(node, f"{text[:40]!r} is no finite decimal number")
        if kind == "str" and not node.style and _number(text) is not None:
            hint = "write 1.0e-3 for 1e-3, or use quotes for text"
            raise self.fault(node, f"{text[:40]!r} looks like a number but is read as text; {hint}")

    def fault(self, node: yaml.Node, what: str) -> ValueError:
        return ValueError(f"{self.path}, line {node.start_mark.line + 1}: {what}")


def _number(text: str) -> float | None:
    """The number that a reader takes the text for, None for any other text."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None
