"""Replays of a training part: quarter by quarter, with nothing of the quarter known."""

import numpy as np
import pytest

from tvgp import fitting, streams
from tvgp.study.config import your_data
from tvgp.study.data.field import Field
from tvgp.study.fit import replays
from tvgp.study.results import advice

NAME = ("site", "empirical", "one")


def record(levels, rounds=80):
    """Sites about levels (rounds, sites) or (sites,), the same for any call."""
    rng = streams.generator("test replays")
    value = np.broadcast_to(levels, (rounds, np.shape(levels)[-1])) + 0.1 * rng.normal(
        size=(rounds, np.shape(levels)[-1])
    )
    time = np.datetime64("2021-01-01") + np.arange(rounds)
    nowhere = np.full(value.shape[1], np.nan)
    attrs = {"source": "real", "frequency": "day", "coordinates": "index"}
    return Field(value, time, np.arange(value.shape[1]), nowhere, nowhere, attrs)


def test_the_rule_plays_the_best_site_of_the_other_quarters():
    """The last site is best in the first quarter alone, by so much that it has the best mean of all."""
    levels = np.tile([1.0, 2.0, 0.0], (80, 1))
    levels[:20, 2] = 20.0
    data = record(levels)
    found = replays.regret(data, NAME)[advice.RULE]
    best, regret = [1, 2, 2, 2], []
    for quarter, site in enumerate(best):
        own = data.value[20 * quarter : 20 * quarter + 20]
        regret += (own.max(axis=1) - own[:, site]).tolist()
    assert found == pytest.approx(np.mean(regret))


def test_every_variant_named_in_advance_is_replayed():
    data = record([1.0, 2.0, 0.0, 1.5])
    found = replays.regret(data, NAME)
    assert list(found) == list(advice.REPLAYED) and all(value >= 0 for value in found.values())
    assert found == replays.regret(data, NAME)


def test_they_are_what_is_played_on_data_of_ones_own(definitions):
    played = your_data.definitions(definitions, {"name": "mine", "price": 0.1})["policies"]
    for name, (algorithm, values) in advice.REPLAYED.items():
        if name != advice.CANDIDATE:  # a variant of the study
            assert played[name]["algorithm"] == algorithm
            own = dict(played[name].get("parameters", {}))
            assert own.pop("prior_mean", None) in (None, {"from": "fit", "key": "site_means"})
            assert own == values and played[name]["model"] == "chosen"


def test_quarters_leave_their_own_values_out():
    data = record([1.0, 2.0, 0.0])
    other = data.value.copy()
    other[20:40] += 7.0
    a, b = (list(fitting.left_out(values, among=[NAME])) for values in (data.value, other))
    assert [rows for rows, _, _ in a] == [slice(k, k + 20) for k in range(0, 80, 20)]
    same = [np.allclose(x[2][NAME].mean, y[2][NAME].mean) for x, y in zip(a, b, strict=True)]
    assert same == [False, True, False, False]
