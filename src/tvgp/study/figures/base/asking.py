"""Looks of ways to ask, the same in all figures of queries and readings."""

from __future__ import annotations

from dataclasses import replace

import xarray as xr

from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.figures.base.style import Look

NONE = Look(Colour.GREY, style.DOTTED, "")
EVERY = Look(Colour.GREY, style.DASH_DOT, "")
BEFORE = Look(Colour.BLACK, "-", "o", width=1.6)
AFTER = Look(Colour.BLACK, style.DASHED, "o", filled=False)
PANDORA = Look(Colour.VERMILION, "-", "D")
PANDORA_AFTER = replace(PANDORA, line=style.DASHED, filled=False)
KNOWLEDGE_GRADIENT = Look(Colour.BLUE, "-", "s")
PAIRS = Look(Colour.PURPLE, "-", "v")

FIXED = {"before": BEFORE, "after": AFTER}  # numbers of queries

# Of problems.
TITLES = {
    "rkhs_sine": "Sine function",
    "rkhs_sine_slow": "Sine function, slow model",
    "moving_bump": "Moving bump",
    "drift": "Drifting function",
    "draws": "Wiener process",
    "jumps": "Jumps",
    "static": "No change",
    "sign_flip": "Change of sign",
    "switch": "Drift that switches",
    "parabola": "Moving parabola",
    "orbit": "Orbiting peak",
}

# Of a rule and a moment, in the order of a legend.
RULES = {
    ("pandora", "before"): ("Pandora's index, before", PANDORA),
    ("pandora", "after"): ("Pandora's index, after", PANDORA_AFTER),
    ("knowledge_gradient", "before"): ("knowledge gradient, before", KNOWLEDGE_GRADIENT),
    ("pairs", "before"): ("gain of a reading or a pair, before", PAIRS),
}


def played(data: xr.Dataset) -> list[tuple[str, str]]:
    """Those of `RULES` that an analysis has."""
    return [(rule, moment) for rule, moment in RULES if rule in data.rule.values]
