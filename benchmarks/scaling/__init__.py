"""Growth of the time per step: one file per plot.

Each module defines `LABELS` (one line of the plot each), `measure(label, quick) -> rows` and
`draw(rows) -> Figure`. Rows are mappings with `line`, `size` and `seconds`.
"""

from __future__ import annotations

from tvgp import plugins

NAMES = ("rounds", "arms", "seeds")
LONG = ("long", "many_arms")  # only on request, one at a time: `python -m benchmarks --only long`

load = plugins.Registry(__name__, "measurement").load  # a scaling measurement by file name
