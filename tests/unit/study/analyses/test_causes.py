"""One cause varied at a time on a field: runs as by hand, shares of variance, table and figures."""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from tvgp import environments, fitting, kernels, policies, streams
from tvgp.simulate import simulate
from tvgp.study import analyses, figures, tables
from tvgp.study.analyses import causes as analysis
from tvgp.study.config import your_data
from tvgp.study.data.field import Field, elapsed
from tvgp.study.results import blocks, causes
from tvgp.study.results.statistics import mean_interval

pytestmark = pytest.mark.usefixtures("fitted_once")

TRAINING = 32  # rounds
FEW = {
    "covariances": ["empirical", "se"],
    "methods": ["tv_gp_ucb", "field_gp_ucb", "ui_gp_ucb_alpha", "sparq_gp_ucb"],
    "widths": [0.5, "published", "bound"],
    "asked_widths": [0.5, 1],
    "numbers": [0, 2],
    "scales": [1, 6],
}


def toy(positions="xy", source="real", sites=4, test=20):
    """Training and test part of a field whose sites differ, with gaps and a round without readings."""
    rng = streams.generator("test causes")
    x = np.arange(float(sites))
    walk = np.zeros(sites)
    rounds = TRAINING + test
    values = np.empty((rounds, sites))
    for t in range(rounds):
        walk = 0.8 * walk + 0.6 * rng.normal(size=sites)
        values[t] = 0.5 * x + walk
    values[rng.random(values.shape) < 0.1] = np.nan
    values[TRAINING + 10] = np.nan
    time = np.datetime64("2001-01-01", "D") + np.arange(rounds)
    attrs = {"source": source, "frequency": "day", "coordinates": positions, "positions": "xy"}
    whole = Field(values, time, np.arange(sites), 0 * x, x, attrs)
    return whole.during(slice(0, TRAINING)), whole.during(slice(TRAINING, rounds))


@pytest.fixture(scope="module")
def found(fitted_once):
    return analyses.run("causes", [1, 2], data=toy(), dataset="toy", **FEW)


@pytest.fixture(scope="module")
def narrow(fitted_once):
    """Of a dataset without positions, which are given: methods whose width is another parameter."""
    few = FEW | {"numbers": [0], "scales": [1], "asked_widths": [0.5]}
    few["methods"] = ["tv_gp_ucb", "r_perp", "tv_gp_ts"]
    return analyses.run("causes", [1], data=toy("index"), dataset="toy", coordinates="xy", **few)


@pytest.fixture(scope="module")
def other(fitted_once):
    """Of a field that has other blocks and no positions."""
    return analyses.run("causes", [1, 2], data=toy("index", "standin", test=15), dataset="other", **FEW)


def models():
    train, _ = toy()
    return fitting.field_models(train.value, elapsed(train), np.column_stack([train.lon, train.lat]))


def by_hand(method, name, seed, moment="after", **values):
    model = models()[name]
    return played(method, model, toy()[1], seed, moment, **values), model


def played(method, fitted, test, run, moment="after", **values):
    rows = np.isfinite(test.value).any(axis=1)
    arms = np.arange(4.0)[:, None]
    environment = environments.make("field", arms=arms, values=test.value[rows], times=elapsed(test)[rows])
    policy = policies.make(
        method,
        arms=arms,
        kernel=kernels.make("empirical", covariance=fitted.covariance),
        noise_variance=fitted.noise_variance,
        prior_mean=tuple(fitted.mean),
        horizon=20,
        **values,
    )
    names = ("causes", "toy", run)
    fields = streams.noise_fields(4, *names)
    rng = streams.generator(*names, "policy", method)
    return simulate(policy, environment, rows.sum(), rng=rng, queries=moment, **fields)


def test_runs_are_those_of_the_policies_alone(found):
    name = ("site", "se", "one")
    at = dict(zip(causes.MODEL, name, strict=True))
    epsilon = 1.0 - np.exp(-2.0 / by_hand("gp_ucb", name, 2)[1].l_fast)
    run, _ = by_hand("tv_gp_ucb", name, 2, epsilon=epsilon, width=0.5)
    one = found.sel(policy="tv_gp_ucb", width="0.5", seed=2, **at)
    assert one.policy_regret.mean().item() == pytest.approx(run.regret.mean(), rel=1e-12)
    assert one.policy_queries.item() == 0
    rule = {"rule": "upper_bound", "number": 2, "model": "tv", "epsilon": epsilon, "width": 0.5}
    run, _ = by_hand("pandora_gp_ucb", name, 1, **rule)
    asked = found.sel(number=2, seed=1, moment="after", asked_width=0.5, **at).asked_regret
    assert asked.mean().item() == pytest.approx(run.regret.mean(), rel=1e-12)


def test_chosen_alpha_and_bound_are_those_of_training(found):
    """Both are those of the model's kernel and noise, alpha within the search's tolerance over its range."""
    name = ("site", "se", "two")
    at = dict(zip(causes.MODEL, name, strict=True))
    _, model = by_hand("gp_ucb", name, 1)
    kernel, rest = kernels.make("empirical", covariance=model.covariance), toy()[0].value - model.mean
    arms = np.arange(4.0)[:, None]
    bound = fitting.norm_bound(kernel, arms, rest, model.noise_variance).value
    assert found.norm_bound.sel(at).item() == bound != 5
    alpha = found.alpha.sel(at).item()
    run, _ = by_hand("ui_gp_ucb", name, 1, alpha=alpha, norm_bound=bound)
    one = found.sel(policy="ui_gp_ucb_alpha", width="bound", seed=1, **at)
    assert one.policy_regret.mean().item() == pytest.approx(run.regret.mean(), rel=1e-12)


def test_a_width_of_r_perp_is_its_factor_of_elimination(narrow):
    name = ("site", "se", "one")
    own = narrow.policy_regret.sel(policy="r_perp", seed=1, **dict(zip(causes.MODEL, name, strict=True)))
    for width, values in (("0.5", {"confidence": 0.5}), ("published", {}), ("bound", {})):
        run, _ = by_hand("r_perp", name, 1, **values)
        np.testing.assert_array_equal(own.sel(width=width), run.regret)


def test_a_width_of_thompson_sampling_is_the_scale_of_its_draws(narrow):
    name = ("site", "se", "one")
    at = dict(zip(causes.MODEL, name, strict=True))
    own = narrow.policy_regret.sel(policy="tv_gp_ts", seed=1, **at)
    theory = {"scale": "theory", "norm_bound": narrow.norm_bound.sel(at).item()}
    for width, values in (("0.5", {"scale": 0.5}), ("published", {}), ("bound", theory)):
        run, _ = by_hand("tv_gp_ts", name, 1, epsilon=models()[name].epsilon, **values)
        np.testing.assert_array_equal(own.sel(width=width), run.regret)


def test_positions_of_a_dataset_without_them_can_be_given(narrow):
    assert narrow.covariance.values.tolist() == FEW["covariances"]


def test_coordinates_of_sites_without_positions_are_refused():
    nowhere = [replace(part, attrs=part.attrs | {"positions": "none"}) for part in toy("index")]
    with pytest.raises(
        ValueError, match="coordinates is km, but the sites' positions are none; expected km or"
    ):
        analyses.run("causes", [1], data=nowhere, dataset="toy", coordinates="km", **FEW)


@pytest.mark.parametrize(
    "few", [{"methods": ["gp_ucb"]}, {"widths": [1]}, {"asked_widths": [0]}, {"numbers": [1]}]
)
def test_what_others_are_compared_with_must_be_played(few):
    (name,) = few
    with pytest.raises(ValueError, match=f"^causes: {name} is .*, expected .* too, to compare with$"):
        analyses.run("causes", [1], data=toy(), dataset="toy", **(FEW | few))


def test_the_regret_of_random_play_is_that_of_the_test_part(found):
    played = [y for y in toy()[1].value if np.isfinite(y).any()]
    np.testing.assert_allclose(found.uniform, [np.nanmax(y) - np.nanmean(y) for y in played])


def test_queries_before_the_choice_are_another_setting(found):
    after, before = (found.asked_regret.sel(moment=moment) for moment in ("after", "before"))
    np.testing.assert_array_equal(before.sel(number=0), after.sel(number=0))
    assert before.sel(number=2).mean() < 0.9 * after.sel(number=2).mean()
    assert (found.subset_regret.sel(moment="before") != found.subset_regret.sel(moment="after")).any()


def test_without_positions_covariances_are_empirical(found, other):
    assert other.covariance.values.tolist() == ["empirical"]
    assert causes.reference(other)["covariance"] == "empirical"
    assert [data.attrs["data"] for data in (found, other)] == ["real", "standin"]


def table(values, *dims):
    return xr.DataArray(np.asarray(values, dtype=float)[..., None], dims=(*dims, "round"))


def test_scales_of_queries_are_numbers_and_askers_methods():
    found = causes.shares(table([[0.0, 2.0], [0.0, 2.0]], "asker", "scale"))
    assert found == pytest.approx({"policy": 0.0, "number": 1.0, "model": 0.0, "together": 0.0})


def test_shares_are_those_of_an_analysis_of_variance():
    """Additive effects leave nothing together, a product of signs everything; a constant has none."""
    a, b = np.array([0.0, 2.0]), np.array([0.0, 1.0, 2.0])
    found = causes.shares(table(a[:, None] + b, "mean", "width"))
    assert found == pytest.approx({"mean": 0.6, "width": 0.4, "model": 0.0, "together": 0.0})
    signs = causes.shares(table([[1.0, -1.0], [-1.0, 1.0]], "mean", "width"))
    assert signs == pytest.approx({"mean": 0.0, "width": 0.0, "model": 0.0, "together": 1.0})
    signs = causes.shares(table([[1.0, -1.0], [-1.0, 1.0]], "mean", "time"))
    assert signs == pytest.approx({"mean": 0.0, "time": 0.0, "model": 1.0, "together": 0.0})
    assert set(causes.shares(table(np.ones((2, 2)), "mean", "width")).values()) == {0.0}


@pytest.fixture(scope="module")
def gathered(found, other, tmp_path_factory):
    folder, files, parts = tmp_path_factory.mktemp("causes"), {}, {}
    for name, result in (("toy", found), ("other", other)):
        files[name], parts[name] = [folder / f"{name}.nc"], {"dataset": name}
        analyses.write(files[name][0], result, {})
    return analyses.gather(files, analyses.GatherJob("causes", "Causes", 2, False, parts))


def test_a_field_is_as_it_was_before_it_was_joined(found, gathered):
    own = causes.field(gathered, "toy").sel(covariance=found.covariance)
    xr.testing.assert_equal(own.policy_regret.drop_vars("part"), found.policy_regret)
    assert causes.field(gathered, "other").covariance.values.tolist() == ["empirical"]
    assert gathered.attrs["data"] == "standin"


def test_the_table_has_a_row_for_every_cell(found, gathered):
    rows = tables.rows("causes", [gathered])
    assert len(rows) == (12 + 6) * (4 * 3 + 2 * 2 * (2 + 2 * 2))
    given = {"field": "toy", "policy": "sparq_gp_ucb", "mean": "site", "covariance": "se", "time": "two"}
    (row,) = rows[
        (rows[list(given)] == list(given.values())).all(axis=1) & (rows.width == "published")
    ].to_dict("records")
    cell = found.sel(policy="sparq_gp_ucb", mean="site", covariance="se", time="two", width="published")
    base = found.sel(policy="tv_gp_ucb", mean="common", covariance="se", time="one", width="published")
    length = causes.block_length(found)
    values, compared = (blocks.block_means(each.policy_regret.mean("seed"), length) for each in (cell, base))
    ours, paired = (mean_interval(blocks.joined(each)) for each in (values, values - compared))
    shown = [row[key] for key in ("average_regret", "low", "high", "difference", "difference_low")]
    assert shown == [ours.mean, ours.low, ours.high, paired.mean, paired.low]
    assert row["blocks"] == len(blocks.joined(values)) and len(values) == 19 // length
    assert row["block_length"] == 19 // row["blocks"]
    assert row["queries_per_round"] == cell.policy_queries.mean().item() > 0
    assert set(rows[rows.policy == "pandora_gp_ucb"].queries_per_round) == {0, 2}
    at = {"mean": "site", "covariance": "se", "time": "two"}
    scaled = rows[(rows[list(at)] == list(at.values())).all(axis=1) & (rows.width == "0.5")]
    scaled = scaled[(scaled.field == "toy") & (scaled.policy == "w_sparq_gp_ucb")]
    scaled = scaled[scaled.moment == "after"]
    expected = found.subset_queries.sel(asker="w_sparq_gp_ucb", moment="after", asked_width=0.5, **at)
    np.testing.assert_array_equal(scaled.queries_per_round, expected.mean("seed"))


def test_each_level_is_compared_over_all_other_causes(found, gathered):
    rows = tables.rows("causes_alone", [gathered]).set_index(["field", "design", "cause", "level"])
    length = causes.block_length(found)
    means = found.policy_regret.mean(["policy", "covariance", "time", "width", "seed"])
    site, common = (blocks.block_means(means.sel(mean=m), length) for m in ("site", "common"))
    expected = mean_interval(blocks.joined(site - common))
    row = rows.loc[("toy", "policy", "mean", "site")]
    assert [row.difference, row.low, row.high] == pytest.approx([expected.mean, expected.low, expected.high])
    assert row.share == pytest.approx(causes.shares(found.policy_regret)["mean"]) and row.against == "common"
    assert rows.loc[("toy", "subset", "number", 1.0)].against == 6.0
    assert ("toy", "asked", "number", 2) in rows.index and ("toy", "asked", "number", 0) not in rows.index


def test_replays_are_played_under_models_of_the_rest(found):
    name, regret = ("site", "empirical", "one"), []
    train, _ = toy()
    for quarter in np.arange(TRAINING).reshape(4, -1):
        rest, left_out = (
            train.during(part) for part in (np.setdiff1d(np.arange(TRAINING), quarter), quarter)
        )
        mean = fitting.shrunk_means(rest.value).mean
        C = fitting.shrunk_covariance(rest.value - mean).covariance
        fit = fitting.fit_field(rest.value - mean, 0.0, C, elapsed(rest), scales=1)
        fitted = {"covariance": fit.covariance, "noise_variance": fit.noise_variance}
        model = fitting.FieldModel(mean=mean, **fitted, **fit.parameters())
        regret += played(
            "field_gp_ucb", model, left_out, "training", width=0.5, **model.parameters()
        ).regret.tolist()
    at = dict(zip(causes.MODEL, name, strict=True))
    assert found.replay.sel(at).item() == pytest.approx(np.mean(regret), rel=1e-12)


def test_models_chosen_in_training_are_compared_with_the_best(found, gathered):
    rows = tables.rows("choice_of_model", [gathered]).set_index(["field", "rule"])
    train, _ = toy()
    chosen = fitting.choose_field(train.value, elapsed(train), np.column_stack([train.lon, train.lat])).name
    assert tuple(rows.loc[("toy", "likelihood"), list(causes.MODEL)]) == chosen
    own = found.policy_regret.sel(policy="field_gp_ucb", width="0.5").mean(("seed", "round"))
    assert rows.loc[("toy", "hindsight")].average_regret == pytest.approx(own.min().item(), rel=0.05)
    paper = own.sel(mean="common", covariance="se", time="one") - own.min()
    assert rows.loc[("toy", "paper")].shortfall == pytest.approx((paper / found.uniform.mean()).item())
    assert ("other", "paper") not in rows.index  # it has no positions
    assert rows.loc[("all", "hindsight")].shortfall == 0 <= rows.loc[("all", "replays")].shortfall
    excess = [
        rows.loc[(part, "replays")].shortfall - rows.loc[(part, "likelihood")].shortfall
        for part in ("toy", "other")
    ]
    ours = mean_interval(np.array(excess))
    last = rows.loc[("all", "replays")]
    assert [last.excess, last.excess_low] == pytest.approx([ours.mean, ours.low])


@pytest.mark.parametrize("name", ["causes", "queries_on_fields"])
def test_figures_show_every_field(gathered, name):
    figure = figures.draw(name, [gathered])
    texts = [text.get_text() for axes in figure.axes for text in (axes.title, *axes.get_yticklabels())]
    texts += [axes.get_title(loc="left") for axes in figure.axes]
    assert {"toy", "other"} <= set(texts)
    assert figures.caption(name, [gathered])


def test_methods_left_out_are_those_named():
    left_out = set(your_data.PUBLISHED) - set(analysis.METHODS)
    assert left_out == {"w_dbo", "w_gp_ucb_single"}  # the last is a form of W-GP-UCB
    assert "W-DBO" in analysis.__doc__
