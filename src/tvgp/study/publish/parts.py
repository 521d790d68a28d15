"""The parts that the study is published in, each a study of its own in config/published.

A part is run and published by itself, in hours where the whole would take days, so the numbers of different
parts may come from different commits; each part's page names its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tvgp.study.config import loading
from tvgp.study.execution import files
from tvgp.study.publish import tables

RECORD = "study.json"
# In the order in which readers meet them. Where two have played an experiment, the first speaks of it.
PARTS = {
    "mauduit25": "SparQ-GP-UCB and W-SparQ-GP-UCB (Mauduit25a, Mauduit25b)",
    "regimes": "The regimes of Mauduit25b: its Tables 1 and 2",
    "regimes_long": "The regimes over ten times as many rounds",
    "bed_widths": "The regimes' test beds at constant confidence widths",
    "phase_widths": "How many queries a run needs, at constant confidence widths",
    "moments": "Asking before the choice and after it",
    "order_floor": "What asking after the choice cannot save",
    "moment_settings": "Asking before the choice where the function walks or jumps",
    "model_and_width": "Asking before the choice with every model under every width",
    "ageing_rules": "Rules of asking where data age",
    "moments_long": "Asking before and after the choice in long runs, where data age or the function drifts",
    "million": "SparQ-GP-UCB with nothing dropped, over a million rounds",
    "multiverse": "What the verdict on Fig. 2 of Mauduit25b depends on",
    "queries": "What a query is worth",
    "tuning": "Every method tuned alike, and with nothing given",
    "nothing_given_long": "What learning while playing costs in longer runs",
    "fields": "Fields of sensors",
    "field_prices": "What readings of fields cost and save",
    "boxes": "Optimisers on boxes whose rewards move",
    "methods": "Every method in every environment: the league",
    "asks_first": "Asking before the choice in every environment",
    "bogunovic16": "TV-GP-UCB and R-GP-UCB (Bogunovic16)",
    "janz20": "π-GP-UCB (Janz20)",
    "vakili21": "Sparse Thompson sampling (Vakili21)",
}


def records(folder: Path) -> dict[str, dict[str, Any]]:
    """The records of the parts that are published in `folder`, in the order of `PARTS`."""
    return {
        part: files.read_object(folder / part / RECORD)
        for part in PARTS
        if (folder / part / RECORD).is_file()
    }


def require_same_problems(configuration: Path) -> None:
    """ValueError, one line, if a part plays an experiment otherwise than the study defines it.

    Pages set numbers of different parts beside each other; what is compared differs in what is named alone.
    """
    definitions = loading.read(configuration)
    for part in PARTS:
        overlay = configuration / "published" / f"{part}.yaml"
        apart = list(tables.differences(definitions, loading.overlaid(definitions, [overlay], {})))
        if apart:
            raise ValueError(
                f"{overlay}: differs from the study in {'; '.join(apart)}; expected differences in"
                f" {', '.join(tables.NAMED)} alone"
            )
