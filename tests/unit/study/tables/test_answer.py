"""The table `answer`: who competes, the intervals, the settings, drift in rounds and the worth of a query."""

import json

import example_results
import numpy as np
import pytest
from scipy import stats

from tvgp import kernels, policies
from tvgp.study import results
from tvgp.study.results import blocks
from tvgp.study.tables import answer

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


def test_a_query_is_worth_the_regret_saved_over_the_queries_made(data):
    found = table(data)
    least = found.loc["method"].index[0]
    row = found.loc["query", "sparq_gp_ucb"]
    asked = data.expert_queries.sel(policy="sparq_gp_ucb").mean().item()
    saved = (series(data, least) - series(data, "sparq_gp_ucb")).mean() / asked
    assert row.value == pytest.approx(saved) and row.units == "ppb per query"
    assert row.queries_per_round == pytest.approx(asked)
    assert row.low == pytest.approx(-row.difference_high / asked)
    assert row.verdict == "lower" and row.low > 0


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
    assert found["method", "sw_gp_ucb_tuned"] == "window 25"
    assert found["method", "gp_ucb"] == ""


@pytest.mark.parametrize(
    ("label", "times", "last"),
    [
        ("day", ["2021-01-01", "2021-01-02", "2021-01-05"], 5),
        ("month", ["2021-01-01", "2021-02-01", "2021-12-01"], 12),
        ("half-hour", ["2021-01-01T00:00", "2021-01-01T00:30", "2021-01-01T02:00"], 5),
    ],
)
def test_gaps_of_the_record_count_in_recommended_settings(data, label, times, last):
    """The schedules get t of the last round, not the number of rounds."""
    part = results.at_alpha(data).isel(round=slice(0, 3)).assign(time=("round", times))
    part.attrs["round_label"] = label
    assert answer._last(part) == last


def test_the_best_single_site_is_named(data):
    arm = data.arm.copy()
    arm.loc[{"policy": "best_fixed_arm"}] = 7
    arm.loc[{"policy": "best_fixed_arm", "round": 0}] = 3  # it did not report
    site = ("arm", [f"S{k}" for k in range(data.sizes["arm"])])
    assert table(data.assign(arm=arm, site=site)).setting["reference", "best_fixed_arm"] == "site S7"


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
    assert found.empty and list(found.columns) == list(answer.COLUMNS)


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
    levels = {"field_gp_ucb": 0.5, "field_reads_1": 0.4, "field_reads_3": 0.1, "pandora_at_0_5": 0.05}
    for name, level in levels.items():
        monkeypatch.setitem(example_results.VARIANTS, name, (name, "control", "pandora_gp_ucb", level))
    read = results.read(example_results.write(tmp_path, "ozone", "real", horizon=90, seeds=3))
    read.attrs["block"] = 5
    for name, number in {"field_reads_1": 1, "field_reads_3": 3}.items():
        read.expert_queries.loc[{"policy": name}] = number
    read.expert_queries.loc[{"policy": "pandora_at_0_5"}] = np.arange(90) % 3 * 2
    return read


def test_readings_are_compared_by_regret_plus_price(before):
    found = table(before).loc["reading"]
    assert list(found.index) == ["field_gp_ucb", "field_reads_1", "field_reads_3", "pandora_at_0_5"]
    cost = {
        name: series(before, name)
        + 0.5 * before.expert_queries.sel(policy=name).mean("seed").values[0].reshape(-1, 5).mean(axis=1)
        for name in found.index
    }
    least = min(list(cost)[:-1], key=lambda name: cost[name].mean())
    assert found.verdict[least] == "least"
    for name, row in found.iterrows():
        assert row.difference == pytest.approx(cost[name].mean() - cost[least].mean())
        assert row.value == pytest.approx(series(before, name).mean())
    assert found.queries_per_round["pandora_at_0_5"] == pytest.approx(2.0)


def test_rounds_are_counted_by_the_readings_made_in_them(before):
    share = table(before).loc["readings"].value
    assert share[["0", "2", "4 to 5"]].tolist() == pytest.approx([1 / 3] * 3)
    assert share.sum() == pytest.approx(1.0)


def test_the_sites_to_begin_with_are_those_of_the_largest_index(before):
    n = before.sizes["arm"]
    mean, variance = np.arange(n, dtype=float), np.ones(n)
    variance[7] = 10_000.0
    model = {"kernel": {"covariance": np.diag(variance).tolist()}, "prior_mean": mean.tolist()}
    before.attrs["fit"] = json.dumps(results.fit(before) | {"field": model | {"noise_variance": 0.1}})
    named = before.assign_coords(site=("arm", [f"S{k}" for k in range(n)]))
    assert list(table(named).loc["first"].index)[:2] == ["S7", f"S{n - 1}"]
