"""The claim of Mauduit25b's Fig. 2 in every cell of the analysis `multiverse`.

A cell is a choice of each of six factors: n and sigma^2 (a part has both), the rule of SparQ's queries,
W-SparQ's alpha, TV-GP-UCB's epsilon (by likelihood, or the best of a grid for regret) and the widths (as
printed, or tuned). Tuned is what is best for the runs of other seeds, the printed width among the values. The
claim holds in a cell if the largest of the ten differences between SparQ or W-SparQ and one of the other five
methods is negative.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from types import MappingProxyType

import numpy as np
import xarray as xr

from tvgp.study.results import subsets
from tvgp.study.results.statistics import Estimate, largest_mean
from tvgp.study.results.tuning import PRINTED, held_out

FACTORS = ("centres", "noise_variance", "rule", "alpha", "epsilon", "width")
TUNED = "tuned"
LIKELIHOOD, REGRET = "likelihood", "regret"
CONFIRMED, CONTRADICTED, INCONCLUSIVE = "confirmed", "contradicted", "inconclusive"
VERDICTS = (CONFIRMED, INCONCLUSIVE, CONTRADICTED)
# Words of the factors and of their levels, where they are not numbers.
WORDS: Mapping[str, str] = MappingProxyType(
    {
        "centres": "centres $n$",
        "noise_variance": "noise $σ^2$",
        "rule": "swap steps",
        "alpha": "W-SparQ's $α$",
        "epsilon": "TV-GP-UCB's $ε$ by",
        "width": "widths",
        **subsets.CHAIN,
    }
)


def verdict(difference: Estimate) -> str:
    """Of the claim that a difference is below 0."""
    return difference.choose(CONFIRMED, CONTRADICTED, INCONCLUSIVE)


def levels(data: xr.Dataset) -> dict[str, list[str]]:
    """The levels of each factor, in the order of the figure."""
    places, noises = zip(*(_part(data, part) for part in data.part.values), strict=True)
    return {
        "centres": list(dict.fromkeys(places)),
        "noise_variance": sorted(set(noises), key=float),
        "rule": [str(rule) for rule in data.rule.values],
        "alpha": [str(alpha) for alpha in data.alpha.values],
        "epsilon": [LIKELIHOOD, REGRET],
        "width": [PRINTED, TUNED],
    }


def cells(data: xr.Dataset) -> Iterator[tuple[dict[str, str], Estimate]]:
    """Each cell's levels and the largest difference, over the regret of random play."""
    inner = [levels(data)[factor] for factor in FACTORS[2:]]
    for part in data.part.values:
        own = data.sel(part=part)
        sparq, w_sparq, others = map(_at_widths, (own.sparq_regret, own.w_sparq_regret, own.other_regret))
        rates, random, place = _epsilons(own.tv_regret), own.random.mean().item(), _part(data, part)
        for rule, alpha, epsilon, width in product(*inner):
            ours = sparq[width].sel(rule=rule).values, w_sparq[width].sel(rule=rule, alpha=alpha).values
            theirs = [*others[width].transpose("policy", "seed").values, rates[epsilon, width].values]
            gaps = [(a - b) / random for a, b in product(ours, theirs)]
            at = (*place, rule, alpha, epsilon, width)
            yield dict(zip(FACTORS, at, strict=True)), largest_mean(gaps)[0]


def table(data: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    """The largest difference of each cell, and the verdict on it, a dimension per factor."""
    factors = levels(data)
    shape = [len(names) for names in factors.values()]
    means, verdicts = np.full(shape, np.nan), np.empty(shape, dtype="<U12")
    for at, difference in cells(data):
        index = tuple(factors[factor].index(level) for factor, level in at.items())
        means[index], verdicts[index] = difference.mean, verdict(difference)
    made = (xr.DataArray(values, dims=FACTORS, coords=factors) for values in (means, verdicts))
    return next(made), next(made)


def word(level: str) -> str:
    """The name of a level for readers."""
    return WORDS.get(level, level)


def centres(data: xr.Dataset, part: str) -> str:
    """Level of the centres of a part: their number, or random."""
    own = data.sel(part=part)
    return "random" if str(own.centres.item()) == "random" else f"{own.n_centres.item():g}"


def _part(data: xr.Dataset, part: str) -> tuple[str, str]:
    """Levels of the centres and the noise variance of a part."""
    return centres(data, part), f"{data.noise_variance.sel(part=part).item():g}"


def _at_widths(regret: xr.DataArray) -> dict[str, xr.DataArray]:
    """Runs at the printed width and at the tuned one."""
    return {PRINTED: regret.sel(width=PRINTED), TUNED: held_out(regret, ["width"])[0]}


def _epsilons(regret: xr.DataArray) -> dict[tuple[str, str], xr.DataArray]:
    """Runs of TV-GP-UCB by how epsilon was chosen and by its width; for regret, with the width at once."""
    likely = _at_widths(regret.sel(epsilon=LIKELIHOOD))
    best = {
        PRINTED: held_out(regret.sel(width=[PRINTED]), ["epsilon", "width"])[0],
        TUNED: held_out(regret, ["epsilon", "width"])[0],
    }
    return {
        (how, width): runs
        for how, found in ((LIKELIHOOD, likely), (REGRET, best))
        for width, runs in found.items()
    }
