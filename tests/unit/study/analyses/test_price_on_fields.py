"""Prices of readings on a field: runs as by hand, costs by blocks, ratios, and the figure."""

from dataclasses import replace

import numpy as np
import pytest

from tvgp import environments, fitting, kernels, policies, streams
from tvgp.simulate import simulate
from tvgp.study import analyses, figures, tables
from tvgp.study.analyses import price_on_fields
from tvgp.study.data.field import Field, elapsed
from tvgp.study.fit import scale
from tvgp.study.results import blocks
from tvgp.study.results.price_on_fields import FieldCosts
from tvgp.study.results.statistics import mean_interval
from tvgp.study.run import field_player

pytestmark = pytest.mark.usefixtures("fitted_once")

FEW = {"numbers": [0, 1, 3], "shares": [0.05, 0.4]}
SITES, ROUNDS = 5, 40
MODELS = [("site", "empirical", "one"), ("common", "empirical", "two")]


@pytest.fixture(scope="module", autouse=True)
def one_log_scale(fitted_once):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scale, "LOG_SCALES", scale.LOG_SCALES[-1:])  # of all see test_scale.py
        patch.setattr(price_on_fields, "CANDIDATES", MODELS)
        yield


@pytest.fixture(scope="module")
def parts():
    """Training and test part of a field whose sites differ, with gaps and a round without readings."""
    rng = streams.generator("test price_on_fields")
    values = np.arange(SITES) / 3 + 0.4 * rng.normal(size=(100, SITES)).cumsum(axis=0)
    values[rng.random(values.shape) < 0.1] = np.nan
    values[70] = np.nan
    time = np.datetime64("2001-01-01", "D") + np.arange(100)
    attrs = {"source": "real", "frequency": "day", "coordinates": "index"}
    place = np.full(SITES, np.nan)
    whole = Field(values, time, np.arange(SITES), place, place, attrs)
    return whole.during(slice(0, 60)), whole.during(slice(60, 100))


@pytest.fixture(scope="module")
def found(parts, fitted_once):
    return analyses.run("price_on_fields", [1], data=parts, dataset="toy", **FEW)


@pytest.fixture(scope="module")
def gathered(found, tmp_path_factory):
    folder = tmp_path_factory.mktemp("prices")
    names = ("toy", "shorter")
    analyses.write(folder / "toy.nc", found, {})
    analyses.write(folder / "shorter.nc", found.isel(round=slice(0, 30)), {})
    job = analyses.GatherJob("price_on_fields", "Prices", 1, False, {name: FEW for name in names})
    return analyses.gather({name: [folder / f"{name}.nc"] for name in names}, job)


def test_a_run_is_that_of_the_policy_alone(found, parts):
    train, test = parts
    model = fitting.choose_field(train.value, elapsed(train), among=MODELS).model
    played = np.isfinite(test.value).any(axis=1)
    assert played.sum() == ROUNDS - 1 == found.sizes["round"]
    spread = np.nanstd(train.value[np.isfinite(train.value).sum(axis=1) > 1], axis=1).mean()
    assert found.spread.item() == pytest.approx(spread)
    times = elapsed(test)[played]
    field = environments.make("field", arms=np.eye(SITES)[:, :1], values=test.value[played], times=times)
    policy = policies.make(
        "pandora_gp_ucb",
        arms=np.arange(float(SITES))[:, None],
        kernel=kernels.make("empirical", covariance=model.covariance),
        noise_variance=model.noise_variance,
        prior_mean=tuple(model.mean.tolist()),
        horizon=int(times[-1]),
        epsilon=model.epsilon,
        model="field",
        price=0.4 * found.spread.item(),
        **model.parameters(),
    )
    names = ("price_on_fields", "toy", 1)
    run = simulate(
        policy,
        field,
        ROUNDS - 1,
        rng=streams.generator(*names, "policy", "pandora_gp_ucb"),
        queries="before",
        **streams.noise_fields(SITES, *names),
    )
    ours = found.sel(rule="pandora", share=0.4, seed=1, moment="before")
    for what, values in {"regret": run.regret, "queries": run.expert_queries, "places": run.places}.items():
        np.testing.assert_array_equal(ours[f"rule_{what}"], values)
    assert np.isnan(found.c) and np.isnan(found.origin)


def test_a_skewed_field_is_played_on_its_log_scale(parts):
    train, test = (replace(part, value=np.exp(3.0 * part.value)) for part in parts)
    model = scale.choose(train, MODELS)[0].model
    found = analyses.run("price_on_fields", [1], data=(train, test), dataset="toy", rules=["pandora"], **FEW)
    assert (found.c, found.origin) == (model.scale.c, model.scale.origin)
    environment, rounds = field_player.opened(test, None)
    play = field_player.under(environment, rounds, model, ("price_on_fields", "toy", 1))
    run = play("pandora_gp_ucb", "before", model="field", price=0.4 * found.spread.item())
    ours = found.sel(rule="pandora", share=0.4, seed=1, moment="before")
    np.testing.assert_array_equal(ours.rule_regret, run.regret)


def test_costs_are_paired_by_blocks_of_the_rounds_of_a_field(gathered, found):
    costs, ours = FieldCosts(gathered, "toy"), found.sel(seed=1)
    price, before = 0.05 * found.spread.item(), ours.sel(moment="before")

    def cost(part, kind, price=price):
        paid = part[f"{kind}_regret"].values + price * part[f"{kind}_queries"].values
        return blocks.block_means(paid, costs.length)

    fixed = {n: cost(before.sel(number=n), "fixed") for n in (0, 1, 3)}
    best = min(fixed, key=lambda n: fixed[n].mean())
    at = ours.sel(rule="pandora", share=0.05)
    index = cost(at.sel(moment="before"), "rule")
    np.testing.assert_allclose(costs.rule("pandora", 0.05), index)
    np.testing.assert_allclose(costs.fixed(best, 0.05), fixed[best])
    table = tables.rows("price_on_fields", [gathered]).set_index(["field", "rule", "price"])
    assert set(table.time) == {"chosen"} and set(table.width) == {0.5}
    row, expected = table.loc["toy", "pandora", 0.05], blocks.ratio(index, fixed[best])
    assert row.number == best and row.cost == pytest.approx(index.mean())
    assert [row.ratio, row.low, row.high] == pytest.approx([expected.mean, expected.low, expected.high])
    every = cost(ours.sel(moment="after"), "every", 0.0)
    three = mean_interval(blocks.joined(cost(before.sel(number=3), "fixed", 0.0) - every))
    after = mean_interval(blocks.joined(index - cost(at.sel(moment="after"), "rule")))
    assert [row.difference, row.difference_low] == pytest.approx([after.mean, after.low])
    assert row.places_per_round == at.sel(moment="before").rule_places.mean()
    assert [row.three, row.three_low] == pytest.approx([three.mean, three.low])
    ratios = table.xs("pandora", level="rule").loc[["toy", "shorter"]].xs(0.05, level="price").ratio
    (total,) = table.loc["all"].xs("pandora", level="rule").itertuples()
    assert total.ratio == pytest.approx(np.sqrt(np.prod(ratios))) and total.largest == ratios.max()


def test_the_figure_has_a_curve_per_rule_in_spreads(gathered, found):
    first, second = figures.draw("price_on_fields", [gathered]).axes
    costs = FieldCosts(gathered, "toy")
    rule = [costs.rule("pandora", share).mean() / costs.spread for share in FEW["shares"]]
    numbers = [(costs.best(share, "after"), share, "after") for share in FEW["shares"]]
    after = [costs.fixed(*number).mean() / costs.spread for number in numbers]
    # no reading, every site, fixed numbers, three rules and the index after the choice
    assert len(first.lines) == len(second.lines) == 8
    index_after = [costs.rule("pandora", share, "after").mean() / costs.spread for share in FEW["shares"]]
    for expected in (rule, after, index_after):
        assert any(np.allclose(line.get_ydata(), expected) for line in first.lines)
    assert "spread" in figures.caption("price_on_fields", [gathered])


def test_regret_is_drawn_against_readings_and_the_last_round(gathered):
    first, _ = figures.draw("readings_on_fields", [gathered]).axes
    costs = FieldCosts(gathered, "toy")
    floor = costs.informed().mean() / costs.spread
    assert any(np.allclose(line.get_ydata(), floor) for line in first.lines)
    index = [costs.per_round("regret", "pandora", share) / costs.spread for share in FEW["shares"]]
    readings = [costs.per_round("queries", "pandora", share) for share in FEW["shares"]]
    drawn = [(line.get_xdata(), line.get_ydata()) for line in first.lines if len(line.get_xdata()) == 2]
    assert any(np.allclose(x, readings) and np.allclose(y, index) for x, y in drawn)
    assert "last round" in figures.caption("readings_on_fields", [gathered])


def test_who_knows_the_last_round_plays_its_best_site():
    values = np.array([[1.0, 2.0, 3.0], [0.0, 5.0, 4.0], [np.nan, 1.0, 7.0], [2.0, np.nan, np.nan]])
    environment = environments.make("field", arms=np.eye(3)[:, :1], values=values, times=np.arange(1, 5))
    # the mean of the first round; site 2, then 1; site 0 has no value in round 3
    np.testing.assert_allclose(price_on_fields._informed(environment, 4), [1.0, 1.0, 6.0, 0.0])


def test_the_model_can_be_the_best_of_one_kind_of_memory(parts):
    few = {"numbers": [0, 3], "shares": [0.4], "rules": ["pandora"]}
    found = analyses.run("price_on_fields", [1], data=parts, dataset="toy", time="two", **few)
    environment, rounds = field_player.opened(parts[1], None)
    model = scale.choose(parts[0], MODELS[1:])[0].model
    play = field_player.under(environment, rounds, model, ("price_on_fields", "toy", 1))
    run = play("pandora_gp_ucb", "after", model="field", price=0.4 * found.spread.item())
    np.testing.assert_array_equal(found.sel(seed=1, moment="after").rule_regret.squeeze(), run.regret)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"rules": ["pandora", "cheapest"]}, "rules has 'cheapest', expected some of pandora, "),
        ({"time": "slow"}, "time is 'slow', expected static, one, two"),
    ],
)
def test_an_unknown_rule_or_time_is_refused(parts, named, said):
    with pytest.raises(ValueError, match=said):
        analyses.run("price_on_fields", [1], data=parts, dataset="toy", **named)
