"""The scale on which a field's values are learnt: what is tried, and what decides."""

from functools import partial

import numpy as np
import pytest

from tvgp.log_scale import LogScale
from tvgp.study.data.field import Field
from tvgp.study.fit import replays, scale

SITES, ROUNDS = 6, 40


pytestmark = pytest.mark.usefixtures("fitted_once")

# of six; which of them is chosen is a matter of `choose_field`
choose = partial(scale.choose, among=[("common", "empirical", "static"), ("site", "empirical", "one")])


def sites(values):
    """A field of daily values (rounds, sites) without positions."""
    time = np.datetime64("2021-01-01") + np.arange(len(values))
    nowhere = np.full(values.shape[1], np.nan)
    names = np.array([f"s{i}" for i in range(values.shape[1])])
    attrs = {"coordinates": "index", "positions": "none", "source": "real", "frequency": "day"}
    return Field(values, time, names, nowhere, nowhere, attrs)


def drifting(seed):
    """Normal values whose neighbours in time are alike, (rounds, sites)."""
    y = np.random.default_rng(seed).normal(size=(ROUNDS, SITES))
    for t in range(1, ROUNDS):
        y[t] += 0.8 * y[t - 1]
    return y


@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["maximised", "minimised"])
def test_skewed_values_are_learnt_as_logarithms_in_any_units(sign):
    values = sign * np.exp(drifting(0))
    choice, told = choose(sites(values))
    c, origin = told["log_scale"]
    assert choice.model.scale == LogScale(c, origin) and told["cost"] < told["own_cost"]
    assert origin == sign * abs(values).min()
    assert min(abs(c / (values.mean() - origin) / each - 1) for each in scale.LOG_SCALES) < 1e-9
    _, same = choose(sites(1000.0 * values + 50.0))
    assert [each / 1000 for each in (same["cost"], same["own_cost"])] == pytest.approx(
        [told["cost"], told["own_cost"]], rel=1e-3
    )
    assert same["log_scale"] == pytest.approx([1000.0 * c, 1000.0 * origin + 50.0])


@pytest.mark.parametrize("shift", [0.0, 60.0])
def test_normal_values_are_learnt_as_they_are(shift, monkeypatch):
    """Wherever 0 is."""
    monkeypatch.setattr(replays, "reading_cost", None)  # nothing to compare
    choice, told = choose(sites(drifting(1) + shift))
    assert choice.model.scale is None and told == {}


@pytest.mark.parametrize(
    ("costs", "chosen"),
    [((1.0, 2.0, 0.9, 3.0), 0.3), ((1.0, 1.0, 1.0, 1.0), None), ((0.5, 1.0, 0.6, 0.7), None)],
)
def test_of_scales_that_predict_better_the_cheapest_is_taken(costs, chosen, monkeypatch):
    given = iter(costs)
    monkeypatch.setattr(replays, "reading_cost", lambda *_: next(given))
    values = np.exp(drifting(0))
    choice, _ = choose(sites(values))
    made = choice.model.scale
    assert (made and made.c / (values.mean() - values.min())) == (chosen and pytest.approx(chosen))
    assert next(given, None) is None  # all three predict better


def test_the_cost_of_reading_falls_with_its_price():
    """At no price every site is read in every round, and next to nothing is lost."""
    train = sites(np.exp(drifting(1)))
    choice, _ = choose(train)
    dear, cheap, free = (
        replays.reading_cost(train, choice.name, choice.model.scale, [price]) for price in (1.0, 0.1, 0.0)
    )
    both = replays.reading_cost(train, choice.name, choice.model.scale, [1.0, 0.1])
    assert both == pytest.approx((dear + cheap) / 2)
    assert dear > cheap and free < 0.1 * cheap
