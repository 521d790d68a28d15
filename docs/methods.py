"""The page of methods: by family, with formula and own parameters, and how each follows a wandering bump."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, fields
from functools import cache
from importlib import import_module
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from tvgp import kernels, policies
from tvgp.contracts import Environment
from tvgp.policies.base.ucb import UpperConfidenceParameters
from tvgp.simulate import simulate
from tvgp.streams import NoiseField, generator
from tvgp.study.command import explain

# In the order of the page; each method's documentation names its own.
FAMILIES = (
    "An expert answers questions",
    "Old observations fade",
    "Old observations are dropped at set times",
    "A test for change decides",
    "Nothing is forgotten",
    "An adversary chooses",
    "Arms without coordinates",
)
REST = "References, and others"
FAMILY = re.compile(r"^Family: (.+)\.\n", re.M)
COMMON = {field.name: field for field in fields(UpperConfidenceParameters)}
BESIDE = ("gp_ucb", "uniform")
ROUNDS, RUNS = 300, 3


def write(folder: Path) -> None:
    """methods.md and its pictures in `folder`."""
    folder.mkdir(exist_ok=True)
    (folder / "methods.md").write_text(page(folder), encoding="utf-8")


def page(folder: Path) -> str:
    """The page, with the pictures drawn into `folder`."""
    by_family = families()
    listed = [name for title in FAMILIES for name in by_family[title]]
    text = "# Methods\n\nNames for `tvgp.policies.make` and `algorithm:` in the configuration.\n\n"
    text += "| method | use it when |\n| --- | --- |\n"
    for name in listed:
        text += f"| [{name}](#{name.replace('_', '-')}) | {use(name)} |\n"
    text += "\nParameters that most methods have:\n\n"
    text += table(UpperConfidenceParameters, list(COMMON))
    text += (
        f"Small figures: average regret over {ROUNDS} rounds on a bump that wanders over 101 arms, of the"
        f" method (blue), GP-UCB (dashed) and uniform play (dotted); means over {RUNS} runs, width 2 where it"
        " has one.\n"
    )
    curves = {name: average_regret(name) for name in BESIDE}
    for title in (*FAMILIES, REST):
        text += f"\n## {title}\n"
        for name in by_family[title]:
            text += f"\n### {name}\n\n{prose(documentation(name))}\n\n"
            curve = average_regret(name) if title != REST else None
            if curve is not None:
                draw(folder / f"{name}.png", curve, curves)
                text += f"![Average regret of {name}, GP-UCB and uniform play]({name}.png)\n\n"
            declared = policies.declaration(name)
            default = {field.name: field.default for field in fields(declared)}
            text += table(
                declared, [key for key in default if key not in COMMON or default[key] != COMMON[key].default]
            )
    return text


def families() -> dict[str, list[str]]:
    """Policies by the family that their documentation names, `REST` for those that name none."""
    found: dict[str, list[str]] = {title: [] for title in (*FAMILIES, REST)}
    for name in policies.names():
        named = FAMILY.search(said(name))
        found[named[1].capitalize() if named else REST].append(name)
    return found


def documentation(name: str) -> str:
    """The docstring of a policy's module, without its family."""
    return FAMILY.sub("", said(name))


def said(name: str) -> str:
    """The docstring of a policy's module."""
    return inspect.getdoc(import_module(policies.module_of(name))) or ""


def use(name: str) -> str:
    """When to use a method, in its own words."""
    return " ".join(documentation(name).split()).rpartition("Use it when ")[2].rstrip(".")


def table(declared: type, names: list[str]) -> str:
    """Parameters with default and meaning."""
    if not names:
        return ""
    meanings = explain.meanings(declared)
    text = "| parameter | default | meaning |\n| --- | --- | --- |\n"
    for field in fields(declared):
        if field.name in names:
            default = "" if field.default is MISSING else f"`{field.default!r}`"
            text += f"| `{field.name}` | {default} | {meanings[field.name].replace('|', chr(92) + '|')} |\n"
    return text + "\n"


def prose(docstring: str) -> str:
    """Plain text as Markdown: indented paragraphs are formulas, kept as they are, as are tables and code."""
    paragraphs = docstring.split("\n\n")
    return "\n\n".join(
        f"```text\n{part}\n```" if part.startswith(" ") else part if part.startswith("|") else escaped(part)
        for part in paragraphs
    )


def escaped(paragraph: str) -> str:
    """No character of plain text outside code is markup."""
    parts = re.split(r"(`[^`]*`)", paragraph)
    parts[::2] = [re.sub(r"([\\*|_<\[])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


class WanderingBump(Environment):
    """A bump over a line, whose place is a sine of time."""

    arms = np.linspace(0.0, 10.0, 101)[:, None]
    noise_std = expert_noise_std = 0.1

    def mean_rewards(self, t):
        return np.exp(-0.5 * (self.arms[:, 0] - 5.0 - 4.0 * np.sin(0.03 * t)) ** 2)


@cache
def average_regret(name: str) -> np.ndarray:
    """R_t / t of a policy on the bump."""
    declared = {field.name for field in fields(policies.declaration(name))}
    given = {key: value for key, value in (("horizon", ROUNDS), ("width", 2.0)) if key in declared}
    common = {"arms": WanderingBump.arms, "kernel": kernels.make("se", variance=0.5, length_scale=1.0)}
    total = np.zeros(ROUNDS)
    for run in range(RUNS):
        total += simulate(
            policies.make(name, noise_variance=0.01, **common, **given),
            WanderingBump(),
            ROUNDS,
            rng=generator("methods", name, run),
            noise=NoiseField(len(WanderingBump.arms), "methods", run, "noise"),
            expert_noise=NoiseField(len(WanderingBump.arms), "methods", run, "expert"),
        ).regret
    return np.cumsum(total) / RUNS / np.arange(1, ROUNDS + 1)


def draw(path: Path, curve: np.ndarray, beside: dict[str, np.ndarray]) -> None:
    """The small figure of a method."""
    figure, axes = plt.subplots(figsize=(3.2, 1.6), dpi=110, layout="constrained")
    for style, other in zip(("--", ":"), beside.values(), strict=True):
        axes.plot(other, style, color="0.5", lw=1)
    axes.plot(curve, color="#0072b2", lw=1.8)
    axes.set(xlim=(0, ROUNDS), ylim=(0, 1), xticks=[0, ROUNDS], yticks=[0, 1])
    axes.set_xlabel("round", labelpad=-8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path)
    plt.close(figure)
