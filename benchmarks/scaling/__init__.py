"""How time grows: one file per plot.

A module offers `LABELS` (one line of the plot each), `measure(label, quick) -> rows` and
`draw(rows) -> Figure`. Rows are mappings with `line`, `size` and `seconds`.
"""

from __future__ import annotations

from types import ModuleType

from tvgp import plugins

NAMES = ("rounds", "arms", "seeds")
LONG = ("long", "many_arms")  # only on request, one at a time: `python -m benchmarks --only long`


def load(name: str) -> ModuleType:
    """A scaling measurement by file name."""
    return plugins.load(__name__, name)
