"""The table `answer`: who competes, what is recommended, the intervals, settings, drift and readings."""

import json

import example_results
import numpy as np
import pytest
from scipy import stats

from tvgp import kernels, policies
from tvgp.study import results
from tvgp.study.report import answer as report
from tvgp.study.results import blocks
from tvgp.study.tables import answer, comparisons
from tvgp.study.tables.base import rows

NOT_MOVING = {"name": "site empirical static", "slow_share": 0.0}
SAME = ("TV-GP-UCB, SparQ's budget", "control", "sequential_query_ucb", 0.3)


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Real data, whose rounds are the sample."""
    monkeypatch.setitem(example_results.VARIANTS, "tv_same_budget_sparq", SAME)
    read = results.read(example_results.write(tmp_path, "ozone", "real", horizon=90, seeds=3))
    read.attrs["block"] = 5
    return read


def table(data):
    return answer.rows([data]).set_index(["question", "name"])


def series(data, name):
    """Means of the blocks of 5 rounds."""
    regret = data.regret.sel(policy=name).isel(alpha=0).values.mean(axis=0)
    return regret.reshape(-1, 5).mean(axis=1)


def test_methods_that_know_too_much_or_ask_do_not_compete(data):
    found = table(data)
    methods = set(found.loc["method"].index)
    assert methods == {"gp_ucb", "r_gp_ucb", "sw_gp_ucb", "tv_gp_ucb", "w_gp_ucb"} | {
        name for name in data.policy.values if name.endswith("_tuned")
    }
    assert list(found.loc["reference"].index) == ["best_fixed_arm", "yesterdays_best", "uniform"]
    assert list(found.loc["query"].index) == ["sparq_gp_ucb", "w_sparq_gp_ucb", "tv_same_budget_sparq"]
    assert found.loc["method"].value.is_monotonic_increasing


def test_intervals_use_blocks_and_correct_for_selection(data):
    found = table(data)
    least = found.loc["method"].index[0]
    k = len(found.loc["method"])
    assert found.loc["advice"].index[0] == least  # the rule was not played
    ours, theirs = series(data, "uniform"), series(data, least)
    n, difference = len(ours), ours - theirs
    row = found.loc["reference", "uniform"]
    plain = stats.ttest_1samp(ours, 0).confidence_interval(0.95)
    wide = stats.ttest_1samp(difference, 0).confidence_interval(1 - 0.05 / k)
    np.testing.assert_allclose([row.value, row.low, row.high], [ours.mean(), *plain], rtol=1e-10)
    np.testing.assert_allclose(
        [row.difference, row.difference_low, row.difference_high], [difference.mean(), *wide], rtol=1e-10
    )
    assert row.verdict == "higher" and row["sample"] == f"{n} blocks of 5 days"
    assert found.loc["method", least].verdict == "least"


def test_queries_after_the_choice_are_compared_with_the_advice(data):
    found = table(data)
    chosen = found.loc["advice"].index[0]
    row = found.loc["query", "sparq_gp_ucb"]
    assert row.value == pytest.approx(series(data, "sparq_gp_ucb").mean()) and row.units == "ppb"
    assert row.queries_per_round == pytest.approx(
        data.expert_queries.sel(policy="sparq_gp_ucb").mean().item()
    )
    more = series(data, "sparq_gp_ucb") - series(data, chosen)
    assert row.difference == pytest.approx(more.mean()) and row.verdict == "lower"


def test_settings_are_those_that_the_policies_use(data):
    found, fit = table(data).setting, results.fit(data)
    given = {
        "arms": data.arms.values,
        "kernel": kernels.make(**fit["kernel"]),
        "noise_variance": fit["noise_variance"],
        "norm_bound": fit["norm_bound"],
        "horizon": data.sizes["round"],
    }
    made = {name: policies.make(name, **given) for name in ("r_gp_ucb", "sw_gp_ucb", "w_gp_ucb")}
    assert found["method", "r_gp_ucb"] == f"block length {made['r_gp_ucb'].block_length} (recommended)"
    assert found["method", "sw_gp_ucb"] == f"window {made['sw_gp_ucb'].window} (recommended)"
    assert found["method", "w_gp_ucb"] == f"$γ$ {made['w_gp_ucb'].gamma:.3g} (recommended)"
    assert found["method", "tv_gp_ucb"] == "$ε$ 0.03 (fitted)"
    assert found["method", "sw_gp_ucb_tuned"] == "window 25, at the edge of what was tried"
    assert found["method", "gp_ucb"] == ""


@pytest.mark.parametrize(
    ("label", "times", "last"),
    [
        ("day", ["2021-01-01", "2021-01-02", "2021-01-05"], 5),
        ("month", ["2021-01-01", "2021-02-01", "2021-12-01"], 12),
        ("3-month step", ["2021-01-01", "2021-04-01", "2022-01-01"], 5),
        ("half-hour", ["2021-01-01T00:00", "2021-01-01T00:30", "2021-01-01T02:00"], 5),
    ],
)
def test_gaps_of_the_record_count_in_recommended_settings(data, label, times, last):
    """The schedules get t of the last round, not the number of rounds."""
    part = results.at_alpha(data).isel(round=slice(0, 3)).assign(time=("round", times))
    part.attrs["round_label"] = label
    assert results.elapsed(part)[-1] == last


@pytest.fixture
def advised(tmp_path, monkeypatch):
    """Makes results with the rule and Field-GP-UCB at these levels of regret, in the rest and in replays of
    half as many rounds."""

    def make(rule, field, replays, **levels):
        made = {"prior_order": (rule, "prior_order"), "field_gp_ucb": (field, "field_gp_ucb")}
        for name, (level, algorithm) in made.items():
            monkeypatch.setitem(example_results.VARIANTS, name, (name, "control", algorithm, level))
        for name, level in levels.items():
            label, group, algorithm, _ = example_results.VARIANTS[name]
            monkeypatch.setitem(example_results.VARIANTS, name, (label, group, algorithm, level))
        read = results.read(example_results.write(tmp_path, "ozone", "real", horizon=90, seeds=1))
        chosen = NOT_MOVING | {"replays": dict(zip(made, replays, strict=True)), "replayed_rounds": 45}
        read.attrs |= {"block": 5, "fit": json.dumps(results.fit(read) | {"chosen": chosen})}
        return read

    return make


@pytest.mark.parametrize(
    ("replays", "rest", "least", "chosen"),
    [
        ((0.3, 0.3), (0.3, 0.1), 0.4, "field_gp_ucb"),
        ((0.3, 0.3), (0.3, 0.299), 0.4, "field_gp_ucb"),  # less, although not clearly
        ((0.1, 0.9), (0.3, 0.299), 0.4, "prior_order"),  # more over the whole record
        ((0.9, 0.1), (0.1, 0.3), 0.4, "prior_order"),  # less over the whole record, clearly more in the rest
        ((0.8, 0.8), (0.8, 0.7), 0.05, "tv_gp_ucb_tuned"),  # found on the same rounds, and clear all the same
        ((0.3, 0.3), (0.3, 0.1), 0.09, "field_gp_ucb"),  # another has least, but not clearly
    ],
)
def test_the_whole_record_chooses_what_is_advised(advised, replays, rest, least, chosen):
    data = advised(*rest, replays, tv_gp_ucb_tuned=least)
    found = table(data)
    assert found.loc["advice"].index.tolist() == [chosen]
    expected = (45 * replays[1] + 90 * series(data, "field_gp_ucb").mean()) / 135
    assert found.loc["evidence", "field_gp_ucb"].value == pytest.approx(expected)
    assert found.loc["evidence"].value.is_monotonic_increasing and len(found.loc["evidence"]) == 2


def test_an_interval_against_the_rule_allows_for_the_choice(advised):
    data = advised(0.3, 0.1, (0.3, 0.3))
    row = table(data).loc["advice", "field_gp_ucb"]
    gain = blocks.joined(series(data, "field_gp_ucb") - series(data, "prior_order"))
    low, high = stats.ttest_1samp(gain, 0).confidence_interval(1 - 0.05 / 2)
    assert (row.difference_low, row.difference_high) == pytest.approx((low, high))


def test_without_the_rule_the_choice_was_among_all_methods(advised):
    data = advised(0.3, 0.1, (0.3, 0.3))
    data = data.isel(policy=np.flatnonzero(data.policy.values != "prior_order"))
    found = table(data)
    assert found.loc["advice"].index.tolist() == ["field_gp_ucb"] and len(found.loc["evidence"]) == 1
    apart = blocks.joined(series(data, "uniform") - series(data, "field_gp_ucb"))
    level = 1 - 0.05 / len(found.loc["method"])
    low, high = stats.ttest_1samp(apart, 0).confidence_interval(level)
    row = found.loc["reference", "uniform"]
    assert (row.difference_low, row.difference_high) == pytest.approx((low, high))


def test_a_method_that_plays_the_rule_is_not_said_to_be_better(advised):
    data = advised(0.3, 0.3, (0.3, 0.3))
    data.regret.loc[{"policy": "field_gp_ucb"}] = data.regret.sel(policy="prior_order").values
    assert table(data).loc["advice"].index.tolist() == ["prior_order"]
    fit = results.fit(data)
    fit["chosen"]["replays"] = {"field_gp_ucb": 0.3, "prior_order": 0.3}
    data.attrs["fit"] = json.dumps(fit)
    said = dict(report.paragraphs(report.as_written(answer.rows([data])), "day"))
    assert "clearly worse" not in said["What was chosen, and why"]


def test_a_second_method_may_be_the_one_that_is_clear(advised):
    """That no method is clearly better than the rule is said of all of them, not of the least alone."""
    data = advised(0.3, 0.4, (0.1, 0.9))
    rule = data.regret.sel(policy="prior_order").values
    data.regret.loc[{"policy": "gp_ucb"}] = 0.8 * rule + np.where(np.arange(90) // 5 % 2, 9.0, -9.0)
    data.regret.loc[{"policy": "tv_gp_ucb"}] = 0.9 * rule
    found = table(data)
    assert found.loc["method"].index[:2].tolist() == ["gp_ucb", "tv_gp_ucb"]
    assert found.loc["method", "prior_order"].verdict == "no clear difference"
    assert found.loc["advice"].index.tolist() == ["tv_gp_ucb"]


@pytest.mark.parametrize("seed", range(12))
def test_the_advice_never_contradicts_the_comparisons(advised, seed):
    """What is called clearly better than the rule is "lower" than it in comparisons.csv, and nothing that is
    "higher" is recommended."""
    rng = np.random.default_rng(seed)
    rule, replays = rng.uniform(0.2, 0.6), rng.uniform(0.2, 0.6, 2).tolist()
    rest = (rule, rule * rng.uniform(0.7, 1.2))
    data = advised(*rest, replays, tv_gp_ucb_tuned=rule * rng.uniform(0.5, 1.2))
    found = table(data)
    (chosen,) = found.loc["advice"].index
    both = data.sel(policy=data.policy.isin([chosen, "prior_order"]))
    compared = comparisons.rows([both]).set_index(["policy", "reference"]).verdict
    if chosen != "prior_order":
        assert compared[chosen, "prior_order"] != "higher"
    if found.loc["advice", chosen].verdict == "lower":
        assert compared[chosen, "prior_order"] == "lower"


def test_the_site_of_an_order_is_the_one_played_most(advised):
    data = advised(0.3, 0.2, (0.3, 0.3))
    arm = data.arm.copy()
    arm.loc[{"policy": "prior_order"}] = 7
    arm.loc[{"policy": "prior_order", "round": 0}] = 3  # it did not report
    site = ("arm", [f"S{k}" for k in range(data.sizes["arm"])])
    assert table(data.assign(arm=arm, site=site)).setting["reference", "prior_order"] == "site S7"


def test_the_best_site_of_the_hour_is_played_by_the_clock(advised):
    """The next best where it has no value; rounds are told by their time, as some hours are no rounds."""
    data = advised(0.3, 0.2, (0.3, 0.3))
    rounds, arms = data.sizes["round"], data.sizes["arm"]
    rng = np.random.default_rng(5)
    reading = rng.normal(size=(rounds, arms))
    reading[rng.random(reading.shape) < 0.3] = np.nan
    steps = np.datetime64("2021-03-01T22:30") + 30 * rng.choice(200, rounds, replace=False)
    time = np.sort(steps).astype(str)
    orders = [np.roll(np.arange(arms), -(hour // 12)).tolist() for hour in range(24)]
    chosen = results.fit(data)["chosen"] | {"hour_orders": orders}
    data = data.assign(
        reading=(("round", "arm"), reading),
        time=("round", time),
        site=("arm", [f"S{k}" for k in range(arms)]),
    )
    data.attrs["fit"] = json.dumps(results.fit(data) | {"chosen": chosen})
    row = table(data).loc["reference", "best_of_hour"]
    regret = []
    for when, values in zip(time, reading, strict=True):
        played = next(values[k] for k in orders[int(when[11:13])] if np.isfinite(values[k]))
        regret.append(np.nanmax(values) - played)
    assert row.value == pytest.approx(np.mean(regret)) and row.setting == "from 0 h S0, 12 h S1"
    more = blocks.joined(np.mean(np.reshape(regret, (-1, 5)), axis=1) - series(data, "field_gp_ucb"))
    low = stats.ttest_1samp(more, 0).confidence_interval(1 - 0.05 / 2).low
    high = stats.ttest_1samp(more, 0).confidence_interval(0.95).high
    assert (row.difference_low, row.difference_high) == pytest.approx((low, high))


def test_gaps_do_not_change_the_best_sites_in_hindsight():
    """Ranked by their regret where they report: the best of all may miss 6 % of the rounds."""
    values = np.tile([5.0, 3.0, 1.0], (100, 1))
    values[::16, 0] = np.nan
    played = policies.make(
        "preference_order", arms=np.arange(3.0)[:, None], kernel=kernels.make("se"), noise_variance=0.1
    )
    played.foresee(values)
    rng = np.random.default_rng(0)
    assert [played.choose(t + 1, rng, np.isfinite(values[t])) for t in (0, 1, 2)] == [1, 0, 0]


def test_drift_is_in_rounds_and_names_the_bounds(data):
    fit = results.fit(data) | {
        "epsilon": 0.2,
        "intervals_95": {"epsilon": [0.1, 0.3]},
        "predictive": {"epsilon": -10.0, "static": -14.0},
        "bounds_hit": [
            "alpha at its upper bound 3",
            "variance at its upper bound 0.1",
            "noise_variance at its lower bound 9",
        ],
        "alpha": 2.0,
        "points_available": 900,
    }
    data.attrs["fit"] = json.dumps(fit)
    found = table(data).loc["drift"]
    for column, epsilon in (("value", 0.2), ("low", 0.3), ("high", 0.1)):
        assert (1 - epsilon) ** (found.loc["epsilon"][column] / 2) == pytest.approx(0.5)
    assert 0.9 ** found.loc["gamma"].value == pytest.approx(0.5)
    assert 1 / (1 + found.loc["alpha"].value ** 2) == pytest.approx(0.1)
    assert found.loc["alpha"].verdict == "upper bound" and found.loc["epsilon"].verdict == ""
    assert found.loc["variance"].verdict == "upper bound"  # the noise variance is another parameter
    assert found.loc["epsilon"]["sample"] == "200 of 900 training values"
    data.attrs["fit"] = json.dumps(fit | {"points": 870, "points_available": 832, "gaps_filled": 38})
    sample = table(data).loc["drift"].loc["epsilon"]["sample"]
    assert sample == "832 training values and 38 gaps filled between them"
    assert found.loc["forgetting"].value == 4.0 and found.loc["epsilon"].units == "days"


@pytest.mark.parametrize(("share", "shown"), [(0.8, True), (0.1, False)])
def test_a_season_is_named_where_it_is_most_of_the_values(data, share, shown):
    """900 days of a yearly wave with `share` of the variance, the rest noise."""
    time = np.datetime64("2001-01-01") + np.arange(0, 900, 10)
    wave = np.sqrt(2 * share) * np.cos(2 * np.pi * np.arange(0, 900, 10) / 365.2425)
    noise = np.sqrt(1 - share) * np.random.default_rng(1).normal(size=(90, 40))
    reading = 5 * np.arange(40) + wave[:, None] + noise
    reading[3, 5], reading[:, 6] = np.nan, np.nan
    found = table(data.assign(time=("round", time.astype(str)), reading=(("round", "arm"), reading)))
    assert ("season" in found.loc["drift"].index) == shown
    if shown:
        assert found.loc["drift", "season"].value == pytest.approx(share, abs=0.05)


def test_synthetic_rewards_have_no_rows(tmp_path):
    made = results.read(example_results.write(tmp_path, "rkhs_sine", horizon=30, seeds=2))
    found = answer.rows([made])
    assert found.empty and list(found.columns) == list(rows.COLUMNS)


def test_blocks_are_found_where_rounds_are_the_sample(tmp_path):
    read = results.read(example_results.write(tmp_path, "ozone", "real", horizon=90, seeds=3))
    read.attrs["sampled"] = "rounds"
    regret = read.regret.isel(alpha=0).transpose("policy", "seed", "round").values
    again = results.read(read)
    assert again.attrs["block"] == blocks.common_length(regret)
    assert "blocks" in table(again)["sample"].iloc[0]


@pytest.fixture
def before(tmp_path, monkeypatch):
    """Readings before the choice: of a made-up index at a price of 0.5, and of fixed numbers."""
    levels = {"field_gp_ucb": 0.5, "field_reads_1": 0.2, "field_reads_3": 0.1, "pandora_at_0_5": 0.05}
    levels |= {"field_reads_tuned": 0.2, "field_reads_tuned_after": 0.4}
    for name, level in levels.items():
        monkeypatch.setitem(example_results.VARIANTS, name, (name, "control", "pandora_gp_ucb", level))
    read = results.read(example_results.write(tmp_path, "ozone", "real", horizon=90, seeds=3))
    read.attrs["block"] = 5
    numbers = {"field_reads_1": 1, "field_reads_3": 3, "field_reads_tuned": 1, "field_reads_tuned_after": 2}
    for name, number in numbers.items():
        read.expert_queries.loc[{"policy": name}] = number
    read.expert_queries.loc[{"policy": "pandora_at_0_5"}] = np.arange(90) % 3 * 2
    return read


def test_readings_are_compared_with_none(before):
    found = table(before).loc["before"]
    assert list(found.index) == ["field_gp_ucb", "field_reads_1", "field_reads_3", "knee"]
    for name in found.index[:-1]:
        more = series(before, name) - series(before, "field_gp_ucb")
        assert found.difference[name] == pytest.approx(more.mean())
        assert found.value[name] == pytest.approx(series(before, name).mean())
    assert found.verdict["field_reads_3"] == "lower"


def test_a_price_is_paid_by_regret_plus_price(before):
    found = table(before).loc["price"]
    cost = {
        name: series(before, name)
        + 0.5 * before.expert_queries.sel(policy=name).mean("seed").values[0].reshape(-1, 5).mean(axis=1)
        for name in ("field_gp_ucb", "field_reads_1", "field_reads_3", "pandora_at_0_5")
    }
    least = min(list(cost)[:-1], key=lambda name: cost[name].mean())
    (chosen,) = table(before).loc["advice"].index
    cost[chosen] = series(before, chosen)
    assert list(found.index) == [*dict.fromkeys([chosen, least, "pandora_at_0_5"]), "gain"]
    assert found.verdict[least] == "least"
    for name, row in found.iloc[:-1].iterrows():
        assert row.difference == pytest.approx(cost[name].mean() - cost[least].mean())
        assert row.value == pytest.approx(cost[name].mean())
    gain = cost["pandora_at_0_5"].mean() - cost[chosen].mean()
    assert found.value["gain"] == pytest.approx(gain)
    assert found.queries_per_round["pandora_at_0_5"] == pytest.approx(2.0)


def test_one_run_has_a_least_cost_too(before):
    one = before.isel(seed=[0])
    del one.attrs["block"]  # runs that begin at different sites
    found = table(one)
    assert found.verdict["method"].iloc[0] == "least" and (found.verdict["price"] == "least").sum() == 1
    said = dict(report.paragraphs(report.as_written(answer.rows([one])), "day"))
    assert "(one run)" not in " ".join(said.values()) and "not clearly different" in said["At your price"]


def test_a_number_from_training_is_judged_by_its_cost(before):
    found = table(before).loc["tuned"]
    (chosen,) = table(before).loc["advice"].index
    for name, number in {"field_reads_tuned": 1, "field_reads_tuned_after": 2}.items():
        cost = series(before, name) + 0.5 * number
        assert found.value[name] == pytest.approx(cost.mean())
        assert found.difference[name] == pytest.approx((cost - series(before, chosen)).mean())


@pytest.mark.parametrize(
    ("index", "number", "reader"),
    [
        (-3.0, -2.0, "pandora_at_0_5"),
        (-2.0, -3.0, "field_reads_tuned"),
        (2.0, -2.0, "field_reads_tuned"),
        (2.0, 2.0, None),
    ],
)
def test_the_reader_costs_less_than_doing_without(before, index, number, reader):
    for name, level in {"pandora_at_0_5": index, "field_reads_tuned": number}.items():
        before.regret.loc[{"policy": name}] = before.regret.sel(policy="field_gp_ucb") + level
        before.expert_queries.loc[{"policy": name}] = 0
    named = [name for question, name in table(before).index if question == "reader"]
    assert named == ([reader] if reader else [])


def test_reading_pays_against_the_best_site_of_the_hour_too(before):
    """Where that has clearly less regret than what is recommended, and reads nothing."""
    rounds, arms = before.sizes["round"], before.sizes["arm"]
    reading = np.tile(np.arange(arms, dtype=float), (rounds, 1))
    time = (np.datetime64("2021-03-01T00") + np.arange(rounds)).astype(str)
    best = {"hour_orders": [np.arange(arms)[::-1].tolist()] * 24}
    model = {"kernel": {"name": "empirical", "covariance": np.eye(arms).tolist()}, "noise_variance": 0.1}
    model |= {"prior_mean": [0.0] * arms, "slow_share": 0.5, "own_share": 0.5, "l_fast": 2.0, "l_slow": 9.0}
    chosen = NOT_MOVING | model | best
    hours = before.assign(reading=(("round", "arm"), reading), time=("round", time))
    hours = hours.assign(site=("arm", [f"S{k}" for k in range(arms)]))
    hours.attrs["fit"] = json.dumps(results.fit(before) | {"chosen": chosen})
    hours.regret.loc[{"policy": "pandora_at_0_5"}] = 0.0  # and its readings cost
    assert "reader" in table(before.assign(regret=hours.regret)).index
    found = table(hours)
    assert found.loc["reference", "best_of_hour"].value == 0.0 and "reader" not in found.index
    price = found.loc["price"]
    assert price.index[0] == "best_of_hour" and price.value["best_of_hour"] == 0.0
    assert price.verdict["gain"] == "higher" and (found.loc["tuned"].difference > 0).all()


def test_rounds_are_counted_by_the_readings_made_in_them(before):
    share = table(before).loc["counts"].value
    assert share[["0", "2", "4 to 5"]].tolist() == pytest.approx([1 / 3] * 3)
    assert share.sum() == pytest.approx(1.0)


def test_sites_are_named_by_how_often_they_are_read(before):
    asked = np.full((*before.regret.shape[:3], before.sizes["arm"]), np.nan)
    asked[list(before.policy.values).index("pandora_at_0_5")] = 0
    asked[list(before.policy.values).index("pandora_at_0_5"), :, :, [4, 9]] = [[[30]], [[60]]]
    site = ("arm", [f"S{k}" for k in range(before.sizes["arm"])])
    named = before.assign(asked=(("policy", "alpha", "seed", "arm"), asked)).assign_coords(site=site)
    assert table(named).loc["asked"].value.to_dict() == pytest.approx({"S9": 2 / 3, "S4": 1 / 3})


def test_the_sites_to_begin_with_are_those_of_the_largest_index(before):
    n = before.sizes["arm"]
    mean, variance = np.arange(n, dtype=float), np.ones(n)
    variance[7] = 10_000.0
    model = {"kernel": {"name": "empirical", "covariance": np.diag(variance).tolist()}}
    model |= {"prior_mean": mean.tolist(), "own_share": 0.5, "l_fast": 2.0, "l_slow": 9.0}
    before.attrs["fit"] = json.dumps(
        results.fit(before) | {"chosen": NOT_MOVING | model | {"noise_variance": 0.1}}
    )
    named = before.assign_coords(site=("arm", [f"S{k}" for k in range(n)]))
    assert list(table(named).loc["first"].index) == ["S7"]  # the largest mean, S39, needs no reading
