"""How policies are presented: their labels and looks, which the configuration gives to whoever draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

_POLICIES: ContextVar[Mapping[str, Mapping[str, Any]]] = ContextVar("policies", default=MappingProxyType({}))


@contextmanager
def of(policies: Mapping[str, Mapping[str, Any]]) -> Iterator[None]:
    """Context in which the labels and looks are those of `policies`: by name, mappings with `label` and
    `look`, such as the configuration's."""
    token = _POLICIES.set(policies)
    try:
        yield
    finally:
        _POLICIES.reset(token)


def label(policy: str) -> str:
    """Name of a policy for readers; its own where it is not configured."""
    return str(_POLICIES.get().get(policy, {}).get("label", policy))


def look(policy: str) -> Mapping[str, Any] | None:
    """Configured look of a policy, None without one: colour, line, marker, filled, width."""
    return _POLICIES.get().get(policy, {}).get("look")
