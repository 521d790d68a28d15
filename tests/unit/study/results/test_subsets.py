"""Subset rules: the variants that follow them, and main effects against numbers computed by hand."""

import numpy as np
import pytest
import xarray as xr

from tvgp.study.results import blocks, subsets
from tvgp.study.results.statistics import mean_interval


def test_every_rule_is_a_variant_of_the_study(definitions):
    policies = definitions["policies"]
    defaults = {"subset": "dpp", "place": "past", "swap_steps": 1000}
    for method in subsets.METHODS:
        for rule, expected in subsets.RULES.items():
            variant = policies[subsets.variant(method, rule)]
            given = defaults | variant.get("parameters", {})
            assert variant["algorithm"] == method
            assert {key: given[key] for key in defaults} == defaults | expected


def bed(late):
    """A test bed whose late regret by rule and seed is given."""
    rules = list(late)
    values = np.array(list(late.values()), dtype=float)[None, :, :, None]
    dims = ("part", "rule", "seed", "alpha")
    coords = {"part": ["sparq_gp_ucb"], "rule": rules, "alpha": [1.0]}
    return xr.Dataset({"late_regret": (dims, values)}, coords, {"analysis": "bed"})


def test_effects_by_hand():
    square = {"dpp": [8, 10], "greedy": [2, 2], "domain_dpp": [7, 7], "domain_greedy": [3, 1]}
    effects = subsets.effects(bed(square), "sparq_gp_ucb")
    # place, by seed: (7 - 8 + 3 - 2) / 2, (7 - 10 + 1 - 2) / 2
    assert effects["place"].mean == pytest.approx((0 - 2) / 2)
    # randomness: (8 - 2 + 7 - 3) / 2, (10 - 2 + 7 - 1) / 2
    assert effects["randomness"].mean == pytest.approx((5 + 7) / 2)
    # interaction: (7 - 8) - (3 - 2), (7 - 10) - (1 - 2)
    assert effects["interaction"].mean == pytest.approx((-2 - 2) / 2)
    assert effects["interaction"].low == effects["interaction"].high == pytest.approx(-2)
    half = 12.706204736432095 * np.std([5, 7], ddof=1) / np.sqrt(2)  # t quantile, 1 degree of freedom
    assert effects["randomness"].high == pytest.approx(6 + half)
    del square["domain_dpp"]
    assert subsets.effects(bed(square), "sparq_gp_ucb") is None
    assert subsets.effects(bed(square), "w_sparq_gp_ucb") is None


def test_subset_rules_on_a_record_are_over_joined_blocks():
    rng = np.random.default_rng(1)
    slow = np.cumsum(rng.standard_normal(240))  # blocks of one round resemble their neighbours
    regret = 10 + np.stack([slow, *rng.standard_normal((3, 240))])[:, None, :]
    names = ["sparq_gp_ucb", "sparq_greedy_subset", "sparq_domain_dpp", "sparq_domain_greedy"]
    record = xr.Dataset({"regret": (("policy", "seed", "round"), regret)}, {"policy": names}, {"block": 1})
    place = subsets.effects(record, "sparq_gp_ucb")["place"]
    expected = mean_interval(blocks.joined((regret[2:, 0] - regret[:2, 0]).mean(axis=0)))
    assert (place.low, place.runs) == pytest.approx((expected.low, expected.runs)) and place.runs < 80
