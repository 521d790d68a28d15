"""Files of the first format: the whole log in one JSON object, with a digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tvgp.live.calls import Row

FORMAT = "tvgp live 1"


def read(path: Path) -> tuple[dict[str, Any], list[tuple[int, Row]]] | None:
    """Definition and rows of a file; None for one that is not JSON. ValueError for one that is damaged."""
    with open(path, "rb") as file:
        if file.read(1) != b"{":
            return None
        data = b"{" + file.read()
    try:
        content = json.loads(data.decode())
        form, digest = content.pop("format"), content.pop("sha256")
        if form != FORMAT:
            raise ValueError(f"{path}: format is {form!r}, expected {FORMAT!r}")
        text = json.dumps(content, sort_keys=True).encode()
        if digest != hashlib.sha256(text).hexdigest():
            raise ValueError(f"{path}: damaged, wrong digest; take an older copy")
        rounds = content.pop("rounds")
        return content, [(int(t), row) for t, calls in rounds.items() for row in _rows(**calls)]
    except (KeyError, AttributeError, TypeError, RecursionError, json.JSONDecodeError, UnicodeError):
        raise ValueError(f"{path}: damaged, or not a file of tvgp.live") from None


def _rows(
    asked: list[Any],
    arms: list[Any],
    rewards: list[Any],
    noise_variances: list[Any],
    keys: dict[str, list[int]],
    before: list[Row],
    expert: list[Row],
) -> Iterator[Row]:
    """The calls of a round in an order that gives the same answers."""
    yield from map(_query, before)
    for size, available in asked:
        yield {"ask": size, "available": available}
    cuts = sorted({0, len(arms)} | {end for pair in keys.values() for end in pair})
    for first, end in zip(cuts, cuts[1:], strict=False):
        key = next((key for key, pair in keys.items() if pair == [first, end]), None)
        part = slice(first, end)
        told = {"tell": arms[part], "rewards": rewards[part]}
        yield {**told, "noise_variances": noise_variances[part], "key": key}
    yield from map(_query, expert)


def _query(call: Row) -> Row:
    if "values" in call:
        return {"expert": call["arms"], "values": call["values"]}
    return {"queries": call["arms"], "available": call["available"]}
