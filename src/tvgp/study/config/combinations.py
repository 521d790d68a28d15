"""Analyses whose parts are all combinations of settings, written out as parts."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod


def written_out(config: Mapping) -> dict:
    """The configuration with the `combinations` of each analysis as parts.

    Combinations are a list of mappings from piece of a name to parameters: a part takes one of each, its name
    joined from the pieces, and where two set a parameter the later one holds. [{ozone: {dataset: ozone}},
    {_wide: {width: 1.0}}] is the part ozone_wide: {dataset: ozone, width: 1.0}. ValueError for anything
    else, and for two parts of one name.
    """
    analyses = config.get("analyses")
    if not isinstance(analyses, Mapping):
        return dict(config)
    return {**config, "analyses": {name: _with_parts(name, given) for name, given in analyses.items()}}


def _with_parts(name: str, analysis: object) -> object:
    if not isinstance(analysis, Mapping) or "combinations" not in analysis:
        return analysis
    factors = analysis["combinations"]
    if not _are_factors(factors):
        raise ValueError(
            f"analyses.{name}.combinations: expected a list of mappings from piece of a name to parameters, "
            f"got {factors!r}"
        )
    parts = {
        "".join(piece for piece, _ in chosen): {k: v for _, values in chosen for k, v in values.items()}
        for chosen in product(*(factor.items() for factor in factors))
    }
    if len(parts) < prod(map(len, factors)):
        raise ValueError(f"analyses.{name}.combinations: two parts have one name, change the pieces of names")
    rest = {key: value for key, value in analysis.items() if key != "combinations"}
    own = rest.get("parts", {})  # anything but a mapping is left for the schema to refuse
    return {**rest, "parts": {**own, **parts} if isinstance(own, Mapping) else own}


def _are_factors(factors: object) -> bool:
    return isinstance(factors, list) and all(
        isinstance(factor, Mapping) and all(isinstance(values, Mapping) for values in factor.values())
        for factor in factors
    )
