"""Analyses whose parts are all combinations of settings, written out as parts."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod


def written_out(config: Mapping) -> dict:
    """The configuration with the `product` of each analysis as parts.

    A product is a list of mappings from piece of a name to parameters: a part takes one of each, its name
    joined from the pieces, and where two set a parameter the later one holds. [{ozone: {dataset: ozone}},
    {_wide: {width: 1.0}}] is the part ozone_wide: {dataset: ozone, width: 1.0}. ValueError for anything
    else, and for two parts of one name.
    """
    analyses = config.get("analyses")
    if not isinstance(analyses, Mapping):
        return dict(config)
    return {**config, "analyses": {name: _with_parts(name, given) for name, given in analyses.items()}}


def _with_parts(name: str, analysis: object) -> object:
    if not isinstance(analysis, Mapping) or "product" not in analysis:
        return analysis
    factors = analysis["product"]
    if not _is_product(factors):
        raise ValueError(
            f"analyses.{name}.product: expected a list of mappings from piece of a name to parameters, "
            f"got {factors!r}"
        )
    parts = {
        "".join(piece for piece, _ in chosen): {k: v for _, values in chosen for k, v in values.items()}
        for chosen in product(*(factor.items() for factor in factors))
    }
    if len(parts) < prod(map(len, factors)):
        raise ValueError(f"analyses.{name}.product: two parts have one name, change the pieces of names")
    rest = {key: value for key, value in analysis.items() if key != "product"}
    return {**rest, "parts": {**analysis.get("parts", {}), **parts}}


def _is_product(factors: object) -> bool:
    return isinstance(factors, list) and all(
        isinstance(factor, Mapping) and all(isinstance(values, Mapping) for values in factor.values())
        for factor in factors
    )
