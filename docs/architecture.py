"""Draw the imports of src/tvgp into docs/architecture.md: `make architecture`.

The drawing is Mermaid text between two markers. It omits arrows that follow from others. The command
fails if an import does not point to a lower layer.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tvgp.study.execution import files, provenance

PAGE = Path(__file__).with_suffix(".md")
SOURCE = PAGE.parents[1] / "src"
BEGIN, END = "<!-- imports: begin -->\n", "<!-- imports: end -->\n"

LAYERS = (  # from bottom to top; packages of one layer do not import each other
    ("log_scale", "plugins"),
    ("acquisition", "contracts", "dpp", "kernels", "streams", "value_of_information"),
    ("environments", "fitting", "posterior", "simulate"),
    ("theory",),
    ("policies",),
    ("continuous", "live"),
    ("integrations",),
    ("ageing",),
    ("study.execution", "study.papers"),
    ("study.data", "study.results"),
    ("study.claims", "study.datasets"),
    ("study.run",),
    ("study.fit",),
    ("study.analyses", "study.collect", "study.figures", "study.tables"),
    ("study.config", "study.report"),
    ("study.publish",),
    ("study.command",),
    ("__main__",),
)
# What figures and tables read of the study: collected results and printed numbers. Tables also judge claims.
_RESULTS = {"study.execution", "study.papers", "study.results"}
READ = {"study.figures": _RESULTS, "study.tables": _RESULTS | {"study.claims"}}


def imports() -> dict[str, set[str]]:
    """Packages that each package of src/tvgp imports directly; in the study, one level further down."""
    found: dict[str, set[str]] = {}
    for path in sorted((SOURCE / "tvgp").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if package := _package(module):
            names = {name for m in provenance.imported(module) if (name := _package(m))}
            found.setdefault(package, set()).update(names - {package})
    return found


def faults(found: dict[str, set[str]]) -> list[str]:
    """One line per package without a layer, per import that does not point to a lower layer, and per import
    of figures and tables that is not of results."""
    level = {package: number for number, layer in enumerate(LAYERS) for package in layer}
    unknown = [f"{package} has no layer in docs/architecture.py" for package in sorted(found.keys() - level)]
    upwards = [
        f"{package} imports {name}, which is not in a lower layer"
        for package in sorted(found.keys() & level)
        for name in sorted(found[package] & level.keys())
        if level[name] >= level[package]
    ]
    beyond = [
        f"{package} imports {name}, not only results"
        for package, read in READ.items()
        for name in sorted(found[package] & level.keys() - read)
        if name.startswith("study.") and level[name] < level[package]
    ]
    return [*unknown, *upwards, *beyond]


def diagram(found: dict[str, set[str]]) -> str:
    """The packages and their imports as a Mermaid flowchart, in the order of the layers."""
    order = [package for layer in reversed(LAYERS) for package in layer if package in found]
    lines = ["```mermaid", "flowchart TD"]
    for title, inside in (("tvgp.study", True), ("tvgp", False)):
        lines.append(f'  subgraph {title.replace(".", "_")}["{title}"]')
        lines += [
            f'    {package.replace(".", "_")}["{package.rpartition(".")[2]}"]'
            for package in order
            if package.startswith("study.") == inside
        ]
        lines.append("  end")
    for package in order:
        implied = set().union(*(_below(found, name) for name in found[package]))
        lines += [
            f"  {package.replace('.', '_')} --> {name.replace('.', '_')}"
            for name in order
            if name in found[package] - implied
        ]
    return "\n".join([*lines, "```", ""])


def page(text: str) -> str:
    """`text` of the page with the diagram of today's imports between the markers."""
    head, rest = text.split(BEGIN)
    return head + BEGIN + diagram(imports()) + END + rest.split(END)[1]


def _package(module: str) -> str | None:
    """tvgp.policies.base.ucb -> policies, tvgp.study.run.build -> study.run; None for tvgp, tvgp.study."""
    parts = module.split(".")[1:]
    return ".".join(parts[: 2 if parts[0] == "study" else 1]) if parts and parts != ["study"] else None


def _below(found: dict[str, set[str]], package: str) -> set[str]:
    """Everything that `package` imports, directly or indirectly."""
    seen: set[str] = set()
    waiting = list(found[package])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += found[name]
    return seen


if __name__ == "__main__":
    found = imports()
    if problems := faults(found):
        sys.exit("\n".join(problems))
    files.write_text(PAGE, page(PAGE.read_text(encoding="utf-8")))
    print(f"{len(found)} packages, {sum(map(len, found.values()))} imports between them, 0 upwards")
