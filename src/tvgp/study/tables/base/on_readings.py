"""Rows of the table `answer` on readings: their number, their price, the sites that are read."""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp import kernels, policies
from tvgp.fitting import field_model
from tvgp.policies.pandora_gp_ucb import PandoraGPUCB
from tvgp.study import results
from tvgp.study.results import advice, readings
from tvgp.study.results.statistics import mean_interval
from tvgp.study.tables.base.rows import compared, of_hour, stated

MANY = 10**9
READ = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 5), (6, 10), (11, MANY))  # readings in a round, counted together
FIRST = 5  # sites


def rows(part: xr.Dataset, chosen: str) -> list[dict]:
    """before, after: regret by number of readings per round, its difference from that without any, and the
    knee; price: cost of reading nothing (`advice.nothing_read`), of the fixed number of least cost and of the
    index, and what the index costs more than reading nothing; tuned: cost of the number chosen in training
    before the choice and after it, and its difference from that of reading nothing; reader: which of the
    index and that number to use; counts: rounds by the readings that the index makes; asked: sites by how
    often it reads them; first: those that it reads first."""
    if readings.NONE not in part.policy.values:
        return []
    table = []
    for question, after in (("before", False), ("after", True)):
        table += _curve(part, question, readings.fixed(part, after), chosen)
    if (index := readings.index(part)) is None:
        return table
    table += _price(part, index, chosen) + _tuned(part, index, chosen)
    if reader := advice.reader(part, chosen):
        table.append(stated(part, "reader", reader))
    return table + _counts(part, index) + _asked(part, index) + _first(part, index)


def _curve(part: xr.Dataset, question: str, fixed: dict[int, str], chosen: str) -> list[dict]:
    if len(fixed) < 2:
        return []
    none = fixed[0]
    table = [compared(part, question, name, advice.difference(part, name, none)) for name in fixed.values()]
    if number := readings.knee({number: row["value"] for number, row in zip(fixed, table, strict=True)}):
        gain = advice.difference(part, fixed[number], chosen)
        knee = {"value": number, "units": "readings", "verdict": gain.verdict}
        table.append(stated(part, question, "knee") | knee)
    return table


def _price(part: xr.Dataset, index: str, chosen: str) -> list[dict]:
    """Costs without readings (the first row), of the cheapest fixed number, and of the index, minus the least
    fixed cost: regret plus price times readings; with a budget in place of a price, regrets, and the number
    nearest to it."""
    price, fixed = readings.price(index), readings.fixed(part, after=False)
    costs = {name: results.costs(part, name, price or 0.0) for name in (*fixed.values(), index)}
    if price is None:
        made = readings.per_round(part, index)
        least = fixed[min(fixed, key=lambda number: abs(number - made))]
    else:
        least = min(fixed.values(), key=lambda name: costs[name].mean())
    table = []
    nothing, costs[nothing] = advice.nothing_read(part, chosen)
    for name in dict.fromkeys((nothing, least, index)):
        found = mean_interval(results.joined(part, costs[name]))
        difference = mean_interval(results.joined(part, costs[name] - costs[least]))
        if name == advice.HOUR:
            row = of_hour(part, "price", costs[name], difference)
        else:
            row = compared(part, "price", name, difference) | found.columns("value", "")
        table.append(row | {"setting": "" if price is None else f"price {price:g}"})
    gain = advice.excess(part, index, costs[nothing], price or 0.0)
    row = gain.columns("value", "") | {"units": results.units(part), "verdict": gain.verdict}
    return [*table, stated(part, "price", "gain") | row]


def _tuned(part: xr.Dataset, index: str, chosen: str) -> list[dict]:
    """Cost of the numbers chosen in training, at the price of the index."""
    price, table = readings.asked_price(index), []
    nothing = advice.nothing_read(part, chosen)[1]
    for name in readings.TUNED.values():
        if name in part.policy.values:
            found = mean_interval(results.joined(part, results.costs(part, name, price)))
            row = compared(part, "tuned", name, advice.excess(part, name, nothing, price))
            table.append(row | found.columns("value", ""))
    return table


def _counts(part: xr.Dataset, index: str) -> list[dict]:
    """Share of the rounds in which the index makes so many readings."""
    counts = results.of(part, "expert_queries", index).values.astype(int).ravel()
    table = []
    for low, high in READ:
        share = float(((counts >= low) & (counts <= high)).mean())
        words = str(low) if low == high else f"{low} or more" if high == MANY else f"{low} to {high}"
        table.append(stated(part, "counts", words) | {"value": share, "units": "of the rounds"})
    return table


def _asked(part: xr.Dataset, index: str) -> list[dict]:
    """Share of the rounds in which the index reads a site, for every site that it has read."""
    if "asked" not in part or "site" not in part:
        return []
    share = results.of(part, "asked", index).mean("seed").values / part.sizes["round"]
    return [
        stated(part, "asked", str(part.site.values[i])) | {"value": float(share[i]), "units": "of the rounds"}
        for i in np.argsort(-share, kind="stable")
        if share[i] > 0
    ]


def _first(part: xr.Dataset, index: str) -> list[dict]:
    """The sites whose index exceeds the largest mean where nothing has been read, best first."""
    fit, price = results.fit(part).get("chosen"), readings.price(index)
    if not fit or price is None or "site" not in part:
        return []
    policy = policies.make(
        "pandora_gp_ucb",
        arms=np.arange(float(len(fit["prior_mean"])))[:, None],
        kernel=kernels.make(**fit["kernel"]),
        noise_variance=fit["noise_variance"],
        model="field",
        price=price,
        prior_mean=tuple(fit["prior_mean"]),
        log_scale=fit.get("log_scale"),
        **{name: fit[name] for name in field_model.PARAMETERS},
    )
    assert isinstance(policy, PandoraGPUCB)
    worth, mean = policy.indices(1), policy.posterior(1)[0]
    order = [i for i in np.argsort(-worth, kind="stable")[:FIRST] if worth[i] > mean.max()]
    return [
        stated(part, "first", str(part.site.values[i]))
        | {"value": float(worth[i]), "units": results.units(part)}
        for i in order
    ]
