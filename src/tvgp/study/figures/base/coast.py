"""Coast lines and borders of France and what surrounds it, 9 W to 13 E and 39 N to 54 N, for maps.

`coast.csv` is cut from `countries-50m.json` of the npm package world-atlas 2.0.2 (sha256
04342cdc1e3016bcd7db1630de95684d67b79fe3c8c460321e87aef469502394), which is Natural Earth 4.1.0 at
1:50,000,000. Made with Natural Earth, public domain, https://www.naturalearthdata.com/about/terms-of-use/;
the npm package has the ISC licence. To cut it again:

    python -m tvgp.study.figures.base.coast countries-50m.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from tvgp.study.execution import files

TABLE = Path(__file__).with_suffix(".csv")
BOX = ((-9.0, 39.0), (13.0, 54.0))  # corners, degrees east and north


def lines() -> list[np.ndarray]:
    """Coast lines and borders, each (points, 2): longitude and latitude."""
    table = np.loadtxt(TABLE, delimiter=",", skiprows=1)
    return np.split(table[:, 1:], np.flatnonzero(np.diff(table[:, 0])) + 1)


def cut(countries: Path) -> str:
    """The table of a map of countries (TopoJSON) within the `BOX`, in hundredths of a degree."""
    topology = json.loads(countries.read_text())
    scale, shift = (np.array(topology["transform"][key]) for key in ("scale", "translate"))
    rows = ["line,longitude,latitude"]
    number = 0
    for arc in topology["arcs"]:
        points = (np.cumsum(arc, axis=0) * scale + shift).round(2)
        inside = np.all((BOX[0] <= points) & (points <= BOX[1]), axis=1)
        for piece in np.split(points, np.flatnonzero(np.diff(inside)) + 1)[0 if inside[0] else 1 :: 2]:
            rows += [f"{number},{x:g},{y:g}" for x, y in piece]
            number += 1
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    files.write_text(TABLE, cut(Path(sys.argv[1])))
