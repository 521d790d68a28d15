"""The answer for sensor operators: what to use, what regret to expect, what a reading is worth, how the sites
drift. For experiments on data; synthetic rewards have no rows.

Methods compete if they can be used: they know nothing of the future, read one site per round and ask no
expert. Their regret has a 95 % interval. What is recommended, and the level of an interval that allows for
the choice of a method among k on the same rounds, is in `tvgp.study.results.advice`; comparisons with the
method of least regret have level 1 - 0.05/k: a statement about a given one is wrong in at most one of forty
cases.
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.results import advice
from tvgp.study.results.statistics import LEVEL, mean_interval
from tvgp.study.tables.base import drift, on_readings
from tvgp.study.tables.base.rows import COLUMNS, compared, of_hour, stated

REFERENCES = (advice.RULE, "preference_order", "best_fixed_arm", "yesterdays_best", "uniform")
CHANGES = 8  # of the best site within a day that the answer lists
SAME_BUDGET = "sequential_query_ucb"  # the algorithm of the controls with as many evaluations


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (experiment, question, name), of experiments on data.

    about: anomaly, where something was subtracted from each site. advice: the variant to use, and its
    difference from the rule. evidence: regret over replays and rest of those named in advance, least first,
    where they were replayed. method: average regret of each method, least first, and its difference from the
    least. reference: that of the rule, of the best sites in hindsight, of yesterday's best, of a random site
    and of the best site of the hour, and its difference from the advice. query: that of methods that ask an
    expert after the choice, also from the advice. The others: see `tvgp.study.tables.base.drift` and
    `tvgp.study.tables.base.on_readings`.
    """
    table = []
    for data in collected:
        part = results.at_alpha(data)
        chosen = advice.recommended(part)
        if part.attrs["data"] == "synthetic" or chosen is None:
            continue
        table += _about(part) + _advice(part, chosen) + _methods(part, chosen)
        table += drift.rows(part) + on_readings.rows(part, chosen)
    return pd.DataFrame(table, columns=COLUMNS)


def _about(part: xr.Dataset) -> list[dict]:
    """Whether the values are what is left of them after something was subtracted from each site."""
    subtracted = results.fit(part).get("anomaly")
    return [stated(part, "about", "anomaly") | {"setting": subtracted}] if subtracted else []


def _advice(part: xr.Dataset, chosen: str) -> list[dict]:
    """What to use, beside the rule, and the evidence."""
    rule = advice.RULE if advice.RULE in part.policy.values else chosen
    found = advice.evidence(part)
    gain = advice.difference(part, chosen, rule, advice.among(part, chosen))
    table = [compared(part, "advice", chosen, gain)]
    for name in sorted(found, key=found.__getitem__):
        row = {"label": results.label(part, name), "value": found[name], "units": results.units(part)}
        table.append(stated(part, "evidence", name) | row)
    return table


def _methods(part: xr.Dataset, chosen: str) -> list[dict]:
    names = advice.usable(part)
    k, among = len(names), advice.among(part, chosen)
    table = [compared(part, "method", name, advice.difference(part, name, names[0], k)) for name in names]
    for name in REFERENCES:
        if name in part.policy.values:
            table.append(compared(part, "reference", name, advice.difference(part, name, chosen, among)))
    table += _of_hour(part, chosen, among)
    for name in _askers(part):
        table.append(compared(part, "query", name, advice.difference(part, name, chosen, among)))
    return table


def _of_hour(part: xr.Dataset, chosen: str, among: int) -> list[dict]:
    """The setting is the best site from some hours on."""
    regret = advice.of_hour(part)
    if regret is None:
        return []
    difference = results.joined(part, regret - results.final_average(part, chosen))
    more, wide = mean_interval(difference), mean_interval(difference, 1 - (1 - LEVEL) / among)
    more = replace(more, low=wide.low)  # to have been chosen favours the advice, whose lead alone is in doubt
    orders = results.fit(part)["chosen"]["hour_orders"]
    best = [str(part.site.values[order[0]]) for order in orders]
    changes = [f"{hour} h {best[hour]}" for hour in range(24) if best[hour] != best[hour - 1]]
    setting = f"from {', '.join(changes)}" if 0 < len(changes) <= CHANGES else ""
    return [of_hour(part, "reference", regret, more) | {"setting": setting}]


def _askers(part: xr.Dataset) -> list[str]:
    """Published methods that ask an expert after the choice, and controls with as many evaluations."""
    named = zip(results.variants(part), part.group.values, part.algorithm.values, strict=True)
    return [
        name
        for name, group, algorithm in named
        if (str(group) == "published" or str(algorithm) == SAME_BUDGET)
        and results.total_queries(part, name).any()
    ]
