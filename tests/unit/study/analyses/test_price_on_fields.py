"""Prices of readings on a field: runs as by hand, costs by blocks, ratios, and the figure."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tvgp import environments, fitting, kernels, policies, streams
from tvgp.simulate import simulate
from tvgp.study import analyses, figures, tables
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
        patch.setattr(fitting, "choose_field", partial(fitting.choose_field, among=MODELS))
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
    model = fitting.choose_field(train.value, elapsed(train), None).model
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
    ours = found.sel(rule="pandora", share=0.4, seed=1)
    np.testing.assert_array_equal(ours.rule_regret, run.regret)
    np.testing.assert_array_equal(ours.rule_queries, run.expert_queries)
    assert np.isnan(found.c) and np.isnan(found.origin)


def test_a_skewed_field_is_played_on_its_log_scale(parts):
    train, test = (replace(part, value=np.exp(3.0 * part.value)) for part in parts)
    model = scale.choose(train)[0].model
    found = analyses.run("price_on_fields", [1], data=(train, test), dataset="toy", **FEW)
    assert (found.c, found.origin) == (model.scale.c, model.scale.origin)
    environment, rounds = field_player.opened(test, None)
    play = field_player.under(environment, rounds, model, ("price_on_fields", "toy", 1))
    run = play("pandora_gp_ucb", "before", model="field", price=0.4 * found.spread.item())
    np.testing.assert_array_equal(found.sel(rule="pandora", share=0.4, seed=1).rule_regret, run.regret)


def test_costs_are_paired_by_blocks_of_the_rounds_of_a_field(gathered, found):
    costs, ours = FieldCosts(gathered, "toy"), found.sel(seed=1)
    means = {n: ours.fixed_regret.sel(moment="before", number=n).values for n in (0, 1, 3)}
    price = 0.05 * found.spread.item()
    fixed = {n: blocks.block_means(means[n] + n * price, costs.length) for n in means}
    best = min(fixed, key=lambda n: fixed[n].mean())
    at = ours.sel(rule="pandora", share=0.05)
    index = blocks.block_means(at.rule_regret.values + price * at.rule_queries.values, costs.length)
    np.testing.assert_allclose(costs.rule("pandora", 0.05), index)
    np.testing.assert_allclose(costs.fixed(best, 0.05), fixed[best])
    table = tables.rows("price_on_fields", [gathered]).set_index(["field", "rule", "price"])
    row, expected = table.loc["toy", "pandora", 0.05], blocks.ratio(index, fixed[best])
    assert row.number == best and row.cost == pytest.approx(index.mean())
    assert [row.ratio, row.low, row.high] == pytest.approx([expected.mean, expected.low, expected.high])
    every = blocks.block_means(ours.every_regret.values, costs.length)
    three = mean_interval(blocks.joined(blocks.block_means(means[3], costs.length) - every))
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
    assert len(first.lines) == len(second.lines) == 6  # no reading, fixed numbers and three rules
    for expected in (rule, after):
        assert any(np.allclose(line.get_ydata(), expected) for line in first.lines)
    assert "spread" in figures.caption("price_on_fields", [gathered])
