"""Plug-ins by file name: one module per algorithm, environment, dataset, analysis, figure or table.

A module of another distribution is a plug-in too if an entry point names it, in the group of the registry's
package (`tvgp.policies`), and so is one that a program registers.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from tvgp.plugins import types


def nearest(name: str, known: Collection[str]) -> str:
    """The text " (did you mean ..?)" with the known name most like `name`, or "" if none is close."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower())
    found = difflib.get_close_matches(plain, known, 1, 0.5)
    return f" (did you mean {found[0]}?)" if found else ""


@dataclass(frozen=True)
class NoParameters:
    """The declaration of a plug-in without parameters."""


@dataclass(frozen=True)
class Registry:
    """The plug-ins of a package: one per module. Sub-packages hold code that plug-ins share.

    package: dotted name of the package; kind: what a plug-in is called in messages; declares: the
    dataclass or function of a module whose signature declares the plug-in's parameters, no parameters
    for a module without it; given: those of its arguments that are not parameters.
    """

    package: str
    kind: str
    declares: str = "Parameters"
    given: frozenset[str] = frozenset()
    _registered: dict[str, ModuleType] = field(default_factory=dict, init=False, repr=False, compare=False)

    def names(self) -> list[str]:
        """Names of all plug-ins, sorted."""
        return sorted({*self._own(), *self._registered, *_entry_points(self.package)})

    @cache  # noqa: B019 - registries live as long as the process
    def _own(self) -> frozenset[str]:
        modules = pkgutil.iter_modules(importlib.import_module(self.package).__path__)
        return frozenset(module.name for module in modules if not module.ispkg)

    def register(self, name: str, module: ModuleType) -> None:
        """Let a module be the plug-in `name` in this process. ValueError for a name that is taken or not of
        a-z, 0-9 and _, and for a module without `make`."""
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise ValueError(f"{self.kind} {name!r}: expected a name of a-z, 0-9 and _")
        if name in self._own() or name in _entry_points(self.package):
            raise ValueError(f"{self.kind} {name}: the name is taken; choose another")
        if not callable(getattr(module, "make", None)):
            raise ValueError(f"{self.kind} {name}: {module.__name__} has no function make")
        self._registered[name] = module

    def register_file(self, path: str | Path) -> str:
        """`register` the module in a file under the file's name, without suffix; that name. ValueError for a
        file that does not exist or cannot be imported, or has the name of a loaded module."""
        path = Path(path)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if not path.is_file() or spec is None or spec.loader is None:
            raise ValueError(f"{path}: expected a Python file of a {self.kind}")
        if sys.modules.get(path.stem) is not self._registered.get(path.stem):
            raise ValueError(f"{path}: a module {path.stem} is loaded already; rename the file")
        module = importlib.util.module_from_spec(spec)
        with ExitStack() as undo:
            sys.modules[path.stem] = module  # dataclasses look their module up
            undo.callback(sys.modules.pop, path.stem)
            try:
                spec.loader.exec_module(module)
            except Exception as error:
                raise ValueError(f"{path}: {type(error).__name__}: {error}") from error
            self.register(path.stem, module)
            undo.pop_all()
        return path.stem

    def load(self, name: str) -> ModuleType:
        """The module of a plug-in. ValueError for an unknown name, listing the known names."""
        if not isinstance(name, str):
            raise ValueError(f"{self.kind} is {name!r:.60}, expected a name; `register` gives a module one")
        return self._registered[name] if name in self._registered else self._load(name)

    @cache  # noqa: B019 - as above
    def _load(self, name: str) -> ModuleType:
        return importlib.import_module(self.module_of(name))

    def module_of(self, name: str) -> str:
        """Dotted name of a plug-in's module, which is not imported. ValueError as of `load`."""
        if name in self._registered:
            return self._registered[name].__name__
        if name in self._own():
            return f"{self.package}.{name}"
        if name in _entry_points(self.package):
            return _entry_points(self.package)[name].module
        known, folder = self.names(), self.package.rpartition(".")[2]
        raise ValueError(f"no {name!r} in {folder}{nearest(name, known)}; known: {', '.join(known)}")

    def declaration(self, name: str) -> Callable[..., Any]:
        """The dataclass or function that declares the parameters of a plug-in."""
        return getattr(self.load(name), self.declares, NoParameters)

    def parameters(self, name: str) -> frozenset[str]:
        """Names of the parameters of a plug-in."""
        return frozenset(_arguments(self.declaration(name))) - self.given

    def required(self, name: str) -> frozenset[str]:
        """Names of the parameters of a plug-in that have no default."""
        arguments = _arguments(self.declaration(name)).items()
        return frozenset(key for key, default in arguments if default is inspect.Parameter.empty) - self.given

    def check(self, name: str, values: Collection[str]) -> None:
        """ValueError, one line, for an unknown or a missing parameter among the names in `values`."""
        known = self.parameters(name)
        for key in values:
            if key not in known:
                listed = ", ".join(sorted(known)) or "none"
                raise ValueError(f"{self.kind} {name} has no parameter {key!r}; it has: {listed}")
        for key in sorted(self.required(name).difference(values)):
            raise ValueError(f"{self.kind} {name}: parameter {key!r} is missing; it has no default")

    def fill(self, name: str, values: Mapping[str, Any]) -> Any:
        """The dataclass that declares the parameters of a plug-in, with these values as Python
        numbers. ValueError from `check`, from the dataclass, and for a value of the wrong type."""
        self.check(name, values)
        declared, values = self.declaration(name), {key: types.plain(values[key]) for key in values}
        if text := types.first_fault(declared, values, limited=False):
            raise ValueError(f"{self.kind} {name}: {text}")
        return declared(**values)

    def arguments(self, name: str, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """`fill` as the last argument of a module's functions, which take none without parameters."""
        filled = self.fill(name, values)
        return () if isinstance(filled, NoParameters) else (filled,)


@cache
def _entry_points(group: str) -> dict[str, importlib.metadata.EntryPoint]:
    return {each.name: each for each in importlib.metadata.entry_points(group=group)}


@cache
def _arguments(declared: Callable[..., Any]) -> Mapping[str, Any]:
    """The default of each argument, `Parameter.empty` for one without."""
    return {key: each.default for key, each in inspect.signature(declared).parameters.items()}
