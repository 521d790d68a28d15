"""The state of a policy as data: bytes that hold numbers, text and names of classes of tvgp, and no code.

A policy is a graph of objects. Each object of a class of tvgp is stored as the name of the class and its
attributes, each array once, functions and classes by name. Reading makes objects of these classes and sets
their attributes; it calls nothing but what is in `_MADE`. A policy later calls functions that it holds:
functions, classes and bound methods are therefore of `_PACKAGES`, which write no files and run no programs,
so that a file from a stranger can hold wrong numbers but no program. Arrays that are equal to those of a
fresh policy are left out. Objects of `_MADE` are stored as what they are made from, as for pickle: policies
share a prior, whose buffers are written in place, and the tables of harmonics are views of their buffers.
Buffers that a policy fills as it plays begin as zeros: what `np.empty` finds would be stored with them.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import io
import json
import pathlib
import types
import zipfile
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from tvgp.posterior import Prior
from tvgp.posterior.merged.harmonics import Harmonics

version = cache(importlib.metadata.version)  # which reads files

Path = tuple[str, ...]  # attributes, keys and places from the policy on

_GRAPH = "graph"
_PACKAGES = ("dpp", "fitting", "kernels", "log_scale", "policies", "posterior")
_PLAIN = (type(None), bool, int, float, str)
_MADE: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {  # of which attributes
    "Prior": (Prior.of, ("arms", "kernel")),
    "Harmonics": (Harmonics, ("_n_arms", "_period", "_variances")),
}
_LISTS = {kind.__name__: kind for kind in (list, tuple, set, frozenset, deque)}


def dump(policy: object, fresh: object) -> bytes:
    """The state of a policy. fresh: one that was made alike and has seen nothing.

    TypeError for a policy that holds something else than numbers, text, arrays, collections of them, and
    objects and functions of tvgp's policies, posteriors and kernels.
    """
    writer = _Writer(_arrays(fresh))
    graph = {"code": code(), "root": writer.node(policy, ()), "objects": writer.objects}
    file = io.BytesIO()
    arrays = {f"a{number}": array for number, array in enumerate(writer.arrays)}
    np.savez(file, **{_GRAPH: np.frombuffer(json.dumps(graph).encode(), np.uint8)}, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def load(data: bytes, fresh: object) -> Any:
    """The policy of which `dump` made the state. ValueError for bytes that are not such a state, and for that
    of other code, whose objects may have other attributes."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            graph = json.loads(file[_GRAPH].tobytes())
            if graph["code"] != code():
                raise ValueError(f"of other code: {graph['code']:.20}")
            reader = _Reader(graph["objects"], dict(file), _arrays(fresh))
        return reader.value(graph["root"])
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        EOFError,
        ImportError,
        zipfile.BadZipFile,
    ) as error:
        raise ValueError(f"not the state of a policy: {error}") from error


@cache
def code() -> str:
    """A digest of the code of `_PACKAGES`: a version of tvgp does not tell one commit from another."""
    root, digest = pathlib.Path(__file__).parents[1], hashlib.sha256()
    for name in _PACKAGES:
        for path in sorted([*root.glob(f"{name}.py"), *root.glob(f"{name}/**/*.py")]):
            digest.update(path.read_bytes())
    return digest.hexdigest()


code()  # now: files that are updated later are not the code of this process


class _Writer:
    """Nodes of JSON. Objects that can be changed or are shared are numbered, and stored once."""

    def __init__(self, known: dict[Path, np.ndarray]) -> None:
        self._known, self._numbers, self._kept = known, dict[int, int](), list[object]()
        self.objects: list[Any] = []
        self.arrays: list[np.ndarray] = []
        self.found: dict[Path, np.ndarray] = {}  # known or not

    def node(self, value: object, path: Path) -> Any:
        if type(value) in _PLAIN:
            return value if not isinstance(value, float) or np.isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.generic):
            return {"array": self._array(np.array(value), path), "scalar": True}
        if isinstance(value, type | types.FunctionType):
            return {"name": _name(value)}
        if isinstance(value, slice):
            return {"slice": [value.start, value.stop, value.step]}
        if isinstance(value, types.MethodType):
            owner = self.node(_owner(value.__self__), (*path, "of"))
            return {"method": value.__func__.__name__, "of": owner}
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self.objects)
            self._kept.append(value)  # so that no other object gets its id
            self.objects.append(None)
            self.objects[self._numbers[id(value)]] = self._object(value, path)
        return {"object": self._numbers[id(value)]}

    def _object(self, value: object, path: Path) -> dict[str, Any]:
        if isinstance(value, np.ndarray):
            return {"array": self._array(value, path)}
        if isinstance(value, dict):
            if type(value) is not dict:
                raise TypeError(f"{'.'.join(path)} is a {type(value).__name__}")
            items = value.items()
            return {"dict": [[self.node(k, path), self.node(v, (*path, str(k)))] for k, v in items]}
        if type(value).__name__ in _LISTS and type(value) is _LISTS[type(value).__name__]:
            content: Any = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
            nodes = [self.node(each, (*path, str(number))) for number, each in enumerate(content)]
            end = {"longest": value.maxlen} if isinstance(value, deque) else {}
            return {type(value).__name__: nodes, **end}
        if isinstance(value, partial):
            parts = (value.func, value.args, value.keywords)
            return {"partial": [self.node(each, (*path, str(number))) for number, each in enumerate(parts)]}
        if isinstance(value, Prior | Harmonics):
            kind = type(value).__name__
            return {"made": kind, "of": [self.node(getattr(value, k), (*path, k)) for k in _MADE[kind][1]]}
        attributes = dict(_attributes(value))
        made = {k: self.node(v, (*path, k)) for k, v in attributes.items()}
        return {"class": _name(type(value)), "attributes": made}

    def _array(self, value: np.ndarray, path: Path) -> int | list[str]:
        if value.dtype.hasobject:
            raise TypeError(f"{'.'.join(path)} is an array of objects")
        self.found[path], known = value, self._known.get(path)
        nan = value.dtype.kind in "fc"  # text has none
        if known is not None and known.dtype == value.dtype and np.array_equal(known, value, equal_nan=nan):
            return list(path)
        self.arrays.append(value)
        return len(self.arrays) - 1


class _Reader:
    """Objects from their nodes."""

    def __init__(
        self, objects: list[Any], arrays: dict[str, np.ndarray], known: dict[Path, np.ndarray]
    ) -> None:
        self._objects, self._arrays, self._known = objects, arrays, known
        self._made: dict[int, Any] = {}

    def value(self, node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        if "object" in node:
            number = node["object"]
            return self._made[number] if number in self._made else self._object(number)
        if "float" in node:
            return float(node["float"])
        if "slice" in node:
            return slice(*node["slice"])
        if "scalar" in node:
            return self._array(node["array"])[()]
        if "name" in node:
            return _named(node["name"])
        return getattr(_owner(self.value(node["of"])), node["method"])

    def _object(self, number: int) -> Any:
        content = self._objects[number]
        if "attributes" in content:
            kind = _named(content["class"])
            made = self._made[number] = object.__new__(kind)
            for key, value in content["attributes"].items():
                object.__setattr__(made, key, self.value(value))
        elif "dict" in content:
            made = self._made[number] = {}
            made.update((self.value(key), self.value(value)) for key, value in content["dict"])
        elif "list" in content:
            made = self._made[number] = []
            made.extend(self.value(each) for each in content["list"])
        elif "array" in content:
            made = self._array(content["array"])
        elif "partial" in content:
            call, given, named = (self.value(each) for each in content["partial"])
            made = partial(call, *given, **named)
        elif "made" in content:
            made = _MADE[content["made"]][0](*map(self.value, content["of"]))
        else:
            (kind, nodes), *_ = content.items()
            end = {"maxlen": content["longest"]} if "longest" in content else {}
            made = _LISTS[kind]((self.value(each) for each in nodes), **end)
        self._made[number] = made
        return made

    def _array(self, place: int | list[str]) -> np.ndarray:
        return self._known[tuple(place)] if isinstance(place, list) else self._arrays[f"a{place}"]


def _arrays(policy: object) -> dict[Path, np.ndarray]:
    """The arrays of a policy by their first path."""
    writer = _Writer({})
    writer.node(policy, ())
    return writer.found


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    """Names and values of the attributes that an object has."""
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    for name in slots:
        if name != "__dict__" and hasattr(value, name):
            yield name, getattr(value, name)
    if not (slots or hasattr(value, "__dict__")):
        raise TypeError(f"{type(value).__name__} has no attributes")
    yield from getattr(value, "__dict__", {}).items()


def _owner(value: object) -> object:
    """The object of a bound method. TypeError for one that is not of `_PACKAGES`, such as an array, which has
    methods that write files."""
    _name(type(value))
    return value


def _name(value: Any) -> str:
    """Module and name of a class or function. TypeError for one that `_named` refuses."""
    name = f"{value.__module__}:{value.__qualname__}"
    try:
        if _named(name) is value:
            return name
    except ValueError:
        pass
    raise TypeError(f"{name} is not a class or function of tvgp")


def _named(name: str) -> Any:
    """The class or function of `_name`. ValueError for one that is not of `_PACKAGES`."""
    module, _, path = name.partition(":")
    if not f"{module}.".startswith(tuple(f"tvgp.{each}." for each in _PACKAGES)):
        raise ValueError(f"{name} is not of tvgp")
    value: Any = importlib.import_module(module)
    for part in path.split("."):
        value = getattr(value, part, None)
    if not isinstance(value, type | types.FunctionType) or value.__module__ != module:
        raise ValueError(f"{name} is not a class or function of tvgp")
    return value
