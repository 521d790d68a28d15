"""Reading `results/collected/<experiment>.nc` and `results/analyses/<analysis>.nc`: the input of
figures, tables and the report.

Experiments have dimensions policy, alpha, seed, round (and arm, dimension); analyses part, seed
and their own.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tvgp.study.execution import netcdf
from tvgp.study.results import blocks, mathematics
from tvgp.study.results.statistics import Estimate, mean_interval, ratio_of_means

if TYPE_CHECKING:
    import xarray as xr

_LENGTHS = {"second": 1, "minute": 60, "half-hour": 1800, "hour": 3600, "day": 86400, "week": 604800}
_LENGTHS |= {"month": 1, "year": 1}  # which have no length in seconds
HINDSIGHT = ("oracle", "best_fixed_arm", "preference_order")  # algorithms that know the future


def read(source: xr.Dataset | str | Path) -> xr.Dataset:
    """Load a file of results into memory (a dataset is taken as it is).

    ValueError, one line, for a damaged file and for one that has no results. Where rounds are the sample, the
    attribute `block` has the length of their blocks.
    """
    import xarray as xr  # slow to import

    if isinstance(source, xr.Dataset):
        collected = source
    else:
        netcdf.check(source)
        with xr.open_dataset(source) as opened:
            collected = opened.load()
        if not is_analysis(collected) and "policy" not in collected.dims:
            raise ValueError(f"{source}: not the collected results of an experiment, nor of an analysis")
    if collected.attrs.get("sampled") == "rounds" and "block" not in collected.attrs:
        regret = collected.regret.isel(alpha=0).transpose("policy", "seed", "round").values
        collected.attrs["block"] = blocks.common_length(regret)
    return collected


def is_analysis(collected: xr.Dataset) -> bool:
    """Whether these are the results of an analysis, not of an experiment."""
    return "analysis" in collected.attrs


def name(collected: xr.Dataset) -> str:
    """Name of the experiment or analysis."""
    return str(collected.attrs.get("analysis") or collected.attrs["experiment"])


def experiments(collected: Iterable[xr.Dataset]) -> list[xr.Dataset]:
    """The experiments among some results."""
    return [data for data in collected if not is_analysis(data)]


def at_alpha(collected: xr.Dataset, alpha: str | None = None) -> xr.Dataset:
    """The part for one drift exponent, by default the experiment's first, without the variants that have no
    values for it. An analysis is taken as it is."""
    if is_analysis(collected):
        return collected
    alphas = [str(a) for a in collected.alpha.values]
    alpha = alphas[0] if alpha is None else str(alpha)
    if alpha not in alphas:
        experiment = collected.attrs["experiment"]
        raise ValueError(f"{experiment}: no alpha {alpha}; collected are {', '.join(alphas)}")
    part = collected.isel(alpha=alphas.index(alpha))
    complete = np.isfinite(part.regret.transpose("policy", ...).values).all(axis=(1, 2))
    return part.isel(policy=np.flatnonzero(complete))


def select(part: xr.Dataset, *variants: str) -> xr.Dataset:
    """The named variants that are present, in the order named."""
    present = list(map(str, part.policy.values))
    return part.isel(policy=[present.index(v) for v in variants if v in present])


def variants(part: xr.Dataset, group: str | None = None) -> list[str]:
    """Names of the variants (of one group), in file order."""
    groups = map(str, part.group.values)
    names = map(str, part.policy.values)
    return [n for n, g in zip(names, groups, strict=True) if group in (None, g)]


def of(part: xr.Dataset, quantity: str, variant: str) -> xr.DataArray:
    """One quantity of one variant. ValueError for a variant that was not run."""
    return part[quantity].isel(policy=_place(part, variant))


def _values(part: xr.Dataset, quantity: str, variant: str, *dims: str) -> np.ndarray:
    """`of` as an array with these dimensions, in a fifth of the time: tables ask thousands of times."""
    return part.variables[quantity].isel(policy=_place(part, variant)).transpose(*dims).values


def _place(part: xr.Dataset, variant: str) -> int:
    """Index of a variant. ValueError where it was not run."""
    places = np.flatnonzero(part.variables["policy"].values == variant)
    if not len(places):
        raise ValueError(
            f"{name(part)}: {variant} was not run; add it to selection.policies, or remove the products"
            " that need it from selection.figures and selection.tables"
        )
    return int(places[0])


def label(part: xr.Dataset, variant: str) -> str:
    """Name of a variant for readers."""
    return str(_values(part, "label", variant).item())


def is_hindsight(part: xr.Dataset, variant: str) -> bool:
    """Whether a variant knows the future, so that it is a reference and not a competitor."""
    return str(_values(part, "algorithm", variant).item()) in HINDSIGHT


def cumulative_regret(part: xr.Dataset) -> np.ndarray:
    """R_t = sum_{s <= t} r_s, (policy, seed, round)."""
    return np.cumsum(part.regret.transpose("policy", "seed", "round").values, axis=-1)


def average_regret(part: xr.Dataset) -> np.ndarray:
    """R_t / t, (policy, seed, round)."""
    return cumulative_regret(part) / np.arange(1, part.sizes["round"] + 1)


def evaluations(part: xr.Dataset) -> np.ndarray:
    """Plays plus expert queries up to round t, (policy, seed, round)."""
    queries = part.expert_queries.transpose("policy", "seed", "round").values
    return np.arange(1, part.sizes["round"] + 1) + np.cumsum(queries, axis=-1)


def parameter(part: xr.Dataset, name: str, default: str | float) -> str | float:
    """What the configuration says of a part of an analysis; the default where it says nothing."""
    value = part[name].item() if name in part else default
    return default if value in ("", None) or value != value else value


def fit(collected: xr.Dataset) -> dict:
    """The fit that the runs used, {} for an analysis; not to be changed."""
    return _decoded(collected.attrs.get("fit", "") or "{}")


@functools.lru_cache(maxsize=4)  # a megabyte for hundreds of sites, read by every row of a table
def _decoded(text: str) -> dict:
    return json.loads(text)


def training_values(fit: Mapping[str, Any]) -> str:
    """How many training values a fit has used, and how many gaps it filled; "" for none."""
    points, available = fit.get("points", 0), fit.get("points_available", 0)
    if not points:
        return ""
    if filled := fit.get("gaps_filled", 0):
        return f"{points - filled} training values and {filled} gaps filled between them"
    share = f" of {available}" if available > points else ""
    return f"{points}{share} training values"


def card(collected: xr.Dataset) -> dict:
    """The card of the experiment's environment (`tvgp.study.collect.card`)."""
    return json.loads(collected.attrs["card"])


def bounds_hit(collected: xr.Dataset) -> str:
    """Where the experiment's fit ended on a bound of its search, "" where nowhere or without a fit."""
    hit = fit(collected).get("bounds_hit", [])
    named = [str(each).partition(" ") for each in hit]  # such as "alpha at its upper bound 3"
    return "; ".join(f"{mathematics.symbol(name)}{space}{rest}" for name, space, rest in named)


def tuned(collected: xr.Dataset) -> dict[str, dict]:
    """The record of each tuned variant: grid, training regret and the chosen value."""
    return json.loads(collected.attrs.get("tuned", "") or "{}")


def is_standin(collected: xr.Dataset) -> bool:
    """Whether the results were computed from stand-in data."""
    return collected.attrs["data"] == "standin"


def data_words(collected: xr.Dataset) -> str:
    """What kind of data, for captions and tables."""
    return {
        "real": "real data",
        "standin": "stand-in data, not measurements",
        "synthetic": "synthetic rewards",
    }[str(collected.attrs["data"])]


def title(collected: xr.Dataset) -> str:
    """Title of the experiment."""
    return str(collected.attrs.get("title") or collected.attrs["experiment"])


def units(collected: xr.Dataset) -> str:
    """Units of regret, "" for pure numbers."""
    text = str(collected.attrs.get("units", "") or "")
    return "" if text in ("1", "none", "dimensionless") else text


def unit_text(units: str) -> str:
    """Units as printed on axes and in tables."""
    return {"degree_Celsius": "°C", "degC": "°C", "degree C": "°C", "celsius": "°C"}.get(units, units)


def sign(attributes: Mapping[Any, Any]) -> float:
    """What rewards times is what was measured, -1 where small is best; attributes: of a field's values."""
    return -1.0 if str(attributes.get("long_name", "")).startswith("minus ") else 1.0


def round_label(collected: xr.Dataset) -> str:
    """What a round is: round, day or month."""
    return str(collected.attrs.get("round_label", "round") or "round")


def elapsed(part: xr.Dataset) -> np.ndarray:
    """t of each round, (round,), 1 for the first, in steps of the record, or in the least one between rounds
    if the label gives no step; rounds without data count."""
    rounds = int(part.sizes["round"])
    if "time" not in part or rounds < 2:
        return np.arange(1, rounds + 1)
    label = round_label(part)
    unit = "M" if "month" in label else "Y" if "year" in label else "s"
    steps = np.diff(part.time.values.astype(f"datetime64[{unit}]")).astype(int)
    several = re.fullmatch(r"(\d+)-(\w+) step", label)
    length = int(several[1]) * _LENGTHS.get(several[2], 0) if several else _LENGTHS.get(label, 0)
    least = int(steps.min())
    return np.concatenate([[1], 1 + steps.cumsum() // (min(length, least) or least)])


def largest_regret(part: xr.Dataset) -> float:
    """Largest regret of any variant in any round of any run: a bound above it excludes no
    observed value. (The papers' assumptions alone allow up to 2 M_k B.)"""
    return float(np.nanmax(part.regret.values))


def final_average(part: xr.Dataset, variant: str) -> np.ndarray:
    """R_T / T of a variant, by independent sample (`sampled`)."""
    return sampled(part, "regret", variant)


def sampled(part: xr.Dataset, quantity: str, variant: str) -> np.ndarray:
    """Mean over rounds of a quantity of a variant, by independent sample: of each run, (seed,), or, on a
    record whose runs differ in ties and subsets only, of each block of rounds, over all runs, (block,)."""
    runs = _values(part, quantity, variant, "seed", "round")
    if "block" in part.attrs:
        return blocks.block_means(runs.mean(axis=0), part.attrs["block"])
    return runs.mean(axis=1)


def costs(part: xr.Dataset, variant: str, price: float) -> np.ndarray:
    """R_T / T plus price times queries per round, by independent sample (`sampled`)."""
    regret = final_average(part, variant)
    return regret + price * sampled(part, "expert_queries", variant) if price else regret


def differences(part: xr.Dataset, variant: str, other: str, price: float = 0.0) -> np.ndarray:
    """Cost per round (`costs`) of a variant minus that of another, paired and `joined`."""
    return joined(part, costs(part, variant, price) - costs(part, other, price))


def joined(part: xr.Dataset, values: np.ndarray) -> np.ndarray:
    """Values, or paired differences, by run, or by blocks of rounds, which are joined as far as neighbours
    resemble each other (`tvgp.study.results.blocks`)."""
    return blocks.joined(values) if "block" in part.attrs else values


def average(part: xr.Dataset, variant: str) -> Estimate:
    """R_T / T of a variant, which is not negative."""
    found = mean_interval(joined(part, final_average(part, variant)))
    return replace(found, low=max(found.low, 0.0))  # NaN stays


def ratio(part: xr.Dataset, a: np.ndarray, b: np.ndarray) -> Estimate:
    """mean a / mean b by run (`ratio_of_means`), or by blocks of rounds (`blocks.ratio`)."""
    return blocks.ratio(a, b) if "block" in part.attrs else ratio_of_means(a, b)


def sample_words(part: xr.Dataset, size: int | None = None) -> str:
    """What an interval of R_T / T, or of a difference, is taken over: runs, or so many blocks of rounds.

    size: None for all variants, whose blocks are `joined` each for itself."""
    if "block" not in part.attrs:
        return f"{part.sizes['seed']} runs"
    rounds, block = part.sizes["round"], int(part.attrs["block"])
    many = max(rounds // block, 1)
    if size is None:
        return f"{many} blocks of {block} {round_label(part)}s, or fewer and longer ones"
    return f"{size} blocks of {block if size == many else rounds // size} {round_label(part)}s"


def total_queries(part: xr.Dataset, variant: str) -> np.ndarray:
    """Expert queries of each run of a variant, (seed,)."""
    return _values(part, "expert_queries", variant, "seed", "round").sum(axis=1)


def is_ranked(part: xr.Dataset, variant: str) -> bool:
    """Whether a variant may use what the others may: it neither knows the future nor asks about f_t before it
    chooses."""
    return not is_hindsight(part, variant) and not asks_first(part, variant)


def width_is_ours(part: xr.Dataset, variant: str) -> bool:
    """Whether a variant has a default width of this project, not of a paper."""
    return bool({"width", "confidence"} & set(str(part.ours[_place(part, variant)].item()).split(", ")))


def asks_first(part: xr.Dataset, variant: str) -> bool:
    """Whether a variant asks about f_t before it chooses x_t."""
    return str(part.queries.sel(policy=variant).item()) != "after"


def places_per_round(part: xr.Dataset, variant: str) -> np.ndarray:
    """Distinct arms evaluated per round, by a query or by playing, in each run of a variant, (seed,)."""
    return _values(part, "places", variant, "seed", "round").mean(axis=1)


def fraction_of_uniform(part: xr.Dataset, variant: str) -> np.ndarray:
    """Regret of a variant over that of uniform play, by independent sample (`sampled`): in the same run or
    the same block of rounds. ValueError where the variant or uniform play was not run."""
    return final_average(part, variant) / final_average(part, "uniform")


def best_published(part: xr.Dataset) -> str | None:
    """The published variant with the least mean regret, None where there is none."""
    names = variants(part, "published")
    return min(names, key=lambda name: final_average(part, name).mean(), default=None)
