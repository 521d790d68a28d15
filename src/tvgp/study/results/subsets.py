"""How SparQ- and W-SparQ-GP-UCB choose the arms that they ask about: rules, and their regret.

Mauduit25a (App. A, Alg. 2 and 3) starts from the greedy set and makes lazy swaps, but does not print
their number. Both ends are readings of the paper: `greedy` (no swap) and `dpp` (the exact k-DPP, from
which as many swaps as its theorem asks for differ in total variation by less than 1e-5).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.results.statistics import Estimate, mean_interval

METHODS = ("sparq_gp_ucb", "w_sparq_gp_ucb")
STEPS = (10, 30, 100, 1000)
# The chain's rules, from the greedy set on, and their names for readers.
CHAIN = {"greedy": "0 steps", **{f"swap_{n}": f"{n:,} steps" for n in STEPS}, "dpp": "exact"}

# Parameters of the policies by rule.
RULES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "greedy": {"subset": "greedy"},
        **{f"swap_{steps}": {"subset": "swap", "swap_steps": steps} for steps in STEPS},
        "dpp": {"subset": "dpp"},
        "random": {"subset": "random"},
        "domain_greedy": {"subset": "greedy", "place": "domain"},
        "domain_dpp": {"subset": "dpp", "place": "domain"},
    }
)

# Place (past inputs or the whole domain) by randomness (k-DPP or its deterministic counterpart).
SQUARE = (("dpp", "greedy"), ("domain_dpp", "domain_greedy"))


def parameters(rule: str) -> Mapping[str, Any]:
    """The policy parameters of a rule. ValueError for an unknown one."""
    if rule not in RULES:
        raise ValueError(f"subset rule is {rule!r}; known: {', '.join(RULES)}")
    return RULES[rule]


def variant(method: str, rule: str) -> str:
    """Name of the variant of an experiment that follows a rule."""
    short = method.removesuffix("_gp_ucb")
    if rule == "dpp":
        return method
    return f"{short}_{rule}_subset" if rule in ("greedy", "random") else f"{short}_{rule}"


def regret(data: xr.Dataset, method: str, rule: str) -> np.ndarray | None:
    """Regret per round by independent sample (`results.sampled`): over all rounds of an experiment, the
    last tenth in a test bed. None where it was not run."""
    if results.is_analysis(data):
        if method not in data.part.values or rule not in data.rule.values:
            return None
        return data.late_regret.sel(part=method, rule=rule).isel(alpha=0).values
    name = variant(method, rule)
    return results.final_average(data, name) if name in data.policy.values else None


def queries(data: xr.Dataset, method: str, rule: str) -> float:
    """Expert queries per round, mean over the runs of a rule that was run."""
    if results.is_analysis(data):
        asked = data.cumulative_queries.sel(part=method, rule=rule).isel(alpha=0, round=-1)
        return float(asked.mean() / data["round"][-1])
    asked = results.total_queries(data, variant(method, rule))
    return float(asked.mean() / data.sizes["round"])


def effects(data: xr.Dataset, method: str) -> dict[str, Estimate] | None:
    """Main effects and interaction of place and randomness on regret, paired over runs or blocks of rounds.

    place: the domain instead of past inputs, mean over both kinds of set; randomness: k-DPP instead
    of greedy, mean over both places; interaction: the effect of place under the k-DPP less that under
    greedy. None unless all four were run.
    """
    cells = [[regret(data, method, rule) for rule in row] for row in SQUARE]
    if any(cell is None for row in cells for cell in row):
        return None
    past, domain = np.array(cells)  # (randomness, sample) each
    found = {
        "place": (domain - past).mean(axis=0),
        "randomness": (past[0] - past[1] + domain[0] - domain[1]) / 2,
        "interaction": (domain - past)[0] - (domain - past)[1],
    }
    return {name: mean_interval(results.joined(data, values)) for name, values in found.items()}
