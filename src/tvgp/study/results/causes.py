"""What moves regret on real fields: shares of variance and paired differences in the analysis `causes`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import xarray as xr

from tvgp.study.results import blocks, variance
from tvgp.study.results.statistics import mean_interval

# Title and units of the fields of the study.
FIELDS = {
    "ozone": ("New York's ozone", "ppb"),
    "ozone_nc": ("North Carolina's ozone", "ppb"),
    "intel_lab": ("Laboratory", "°C"),
    "france_departments": ("France, daily", "°C"),
    "berkeley_france": ("France, monthly grid", "°C"),
    "france_stations": ("France, stations", "°C"),
    "freeway_speed": ("Freeways of Los Angeles", "mph"),
}
MODEL = ("mean", "covariance", "time")
# Names of causes in the design of SparQ's queries, and in the others.
_SAME = {"asker": "policy", "scale": "number", "asked_width": "width"}
# Models that nobody chooses: the sites' own means and covariance, and what the papers assume of a field.
FIXED = {
    "sites": {"mean": "site", "covariance": "empirical", "time": "two"},
    "paper": {"mean": "common", "covariance": "se", "time": "one"},
}
PUBLISHED = {"policy": "tv_gp_ucb", "mean": "common", "time": "one", "width": "published"}


def title(part: str) -> str:
    """A field's name for readers.

    >>> title("ozone_nc"), title("my_sensors")
    ("North Carolina's ozone", 'my sensors')
    """
    return FIELDS[part][0] if part in FIELDS else part.replace("_", " ")


def units(part: str) -> str:
    """Of a field's values."""
    return FIELDS[part][1] if part in FIELDS else "values"


def field(data: xr.Dataset, part: str) -> xr.Dataset:
    """One field, without the covariances, rounds and other levels that it does not have."""
    own = data.sel(part=part)
    for name in ("policy_regret", "asked_regret", "subset_regret"):
        for dim in own[name].dims:
            played = own[name].notnull().any([other for other in own[name].dims if other != dim])
            own = own.isel({dim: played.values})
    return own


def shares(regret: xr.DataArray) -> dict[str, float]:
    """Share of the variance of average regret over all combinations that each cause explains by itself.

    Of a cause: the variance of its levels' means over the whole (first-order Sobol' index of a full
    factorial); "model": of mean, covariance and time at once, less their own; "together": the rest. 0 for a
    cause with one level, and for all of them where regret does not vary. regret: a dimension per cause, and
    those of runs, which are averaged. "asker", "scale" and "asked_width" count as "policy", "number" and
    "width".
    """
    mean = regret.mean([dim for dim in regret.dims if dim in ("seed", "round")])
    mean = mean.rename({dim: name for dim, name in _SAME.items() if dim in mean.dims})
    found = variance.first_order(mean)
    alone = sum(found.get(cause, 0.0) for cause in MODEL)
    found["model"] = max(variance.explained(mean, MODEL) - alone, 0.0)
    return found | {"together": max(1.0 - sum(found.values()), 0.0) if mean.var() else 0.0}


def reference(own: xr.Dataset) -> dict[str, str]:
    """The cell that others are compared with: TV-GP-UCB with its published width on one mean and the squared
    exponential of the positions, or the only covariance there is."""
    known = own.covariance.values.tolist()
    return {**PUBLISHED, "covariance": "se" if "se" in known else known[0]}


def cells(own: xr.Dataset, length: int) -> Iterator[dict[str, Any]]:
    """Every cell of a field: its levels, queries a round, regret and its difference to that of
    `reference`, the same blocks of `length` rounds paired, as `Estimate`s."""
    paired = _blocks(own.policy_regret.sel(reference(own)), length)
    designs = (("policy", own.policy_queries), ("asked", None), ("subset", own.subset_queries))
    for design, queries in designs:
        regret = own[f"{design}_regret"]
        causes = [str(dim) for dim in regret.dims if dim not in ("seed", "round")]
        sampled = _blocks(regret.transpose(*causes, ...), length)  # one array: there are thousands of cells
        numbers = None if queries is None else queries.mean("seed").transpose(*causes).values
        names_of = [own[cause].values.tolist() for cause in causes]
        for place, levels in zip(np.ndindex(sampled.shape[:-1]), product(*names_of), strict=True):
            at = dict(zip(causes, levels, strict=True))
            values = sampled[place]
            asked = at["number"] if numbers is None else float(numbers[place])
            names = {"policy": at["asker"]} if "asker" in at else {}
            names |= {"width": f"{at['asked_width']:g}"} if "asked_width" in at else {}
            yield {
                **at,
                **names,
                "queries": asked,
                "regret": mean_interval(blocks.joined(values)),
                "difference": mean_interval(blocks.joined(values - paired)),
            }


def alone(own: xr.Dataset, length: int) -> Iterator[dict[str, Any]]:
    """Every level of every cause of a field, by design: the cause's share of the variance (`shares`) and, as
    an `Estimate`, the level's difference to that of `reference` (no query, 6 log t of SparQ's, after the
    choice, there the width of replays), means over all other causes, the same blocks of `length` rounds
    paired."""
    known = {**reference(own), "number": 0, "asker": "sparq_gp_ucb", "scale": max(own.scale.values.tolist())}
    known["moment"] = own.moment.values[0].item()  # "after" where both are played
    known["asked_width"] = float(own.replayed)
    for design in ("policy", "asked", "subset"):
        regret = own[f"{design}_regret"]
        found = shares(regret)
        causes = [str(dim) for dim in regret.dims if dim not in ("seed", "round")]
        for cause in causes:
            means = regret.mean([other for other in causes if other != cause])
            against = _blocks(means.sel({cause: known[cause]}), length)
            for level in own[cause].values.tolist():
                if level != known[cause]:
                    values = _blocks(means.sel({cause: level}), length)
                    yield {
                        "design": design,
                        "cause": _SAME.get(cause, cause),
                        "share": found[_SAME.get(cause, cause)],
                        "level": level,
                        "against": known[cause],
                        "difference": mean_interval(blocks.joined(values - against)),
                    }


def choices(own: xr.Dataset, length: int) -> Iterator[dict[str, Any]]:
    """The model of a field by each rule: those of training, those of `FIXED`, and the best in hindsight.

    regret: of Field-GP-UCB under it, an `Estimate`; shortfall: that regret less the best, over random play's.
    """
    regret = own.policy_regret.sel(policy="field_gp_ucb", width=f"{float(own.replayed):g}")
    means = regret.mean(("seed", "round"))
    best = _least(means)
    chosen = {"likelihood": _least(-own.score), "replays": _least(own.replay)}
    fixed = {name: model for name, model in FIXED.items() if model["covariance"] in own.covariance.values}
    for rule, model in {**chosen, **fixed, "hindsight": best}.items():
        yield {
            "rule": rule,
            **model,
            "regret": mean_interval(blocks.joined(_blocks(regret.sel(model), length))),
            "shortfall": float((means.sel(model) - means.sel(best)) / own.uniform.mean()),
        }


def _least(values: xr.DataArray) -> dict[str, str]:
    """The model of the least value."""
    at = values.argmin(MODEL)
    return {name: str(values[name].values[at[name].item()]) for name in MODEL}


def block_length(own: xr.Dataset) -> int:
    """Rounds of a block, the same for all cells of a field."""
    series = own.policy_regret.transpose(..., "seed", "round").values
    return blocks.common_length(series.reshape(-1, *series.shape[-2:]))


def _blocks(regret: xr.DataArray, length: int) -> np.ndarray:
    """Means of blocks of rounds, averaged over seeds, (..., blocks)."""
    return blocks.block_means(regret.mean("seed").values, length)
