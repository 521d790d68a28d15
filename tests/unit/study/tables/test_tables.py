"""Tables against numbers computed by hand on tiny results."""

import json
from pathlib import Path

import example_results
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.special import stdtrit

from tvgp.study import claims, results, tables
from tvgp.study.claims import judge
from tvgp.study.claims.claim import Holds, NotComparable
from tvgp.study.claims.measures import study
from tvgp.study.claims.measures.entries import at
from tvgp.study.results import blocks, statistics
from tvgp.study.tables import exponents


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> list[Path]:
    folder = tmp_path_factory.mktemp("collected")
    write = example_results.write
    return [
        write(folder, "moving_bump", seeds=4),
        write(folder, "rkhs_sine", alphas=("1", "2"), seeds=4),
        write(folder, "ozone", "real", horizon=50, seeds=4),
        write(folder, "berkeley_france", "standin", horizon=50, seeds=4),
    ]


def verdicts(frame: pd.DataFrame, **where) -> list[str]:
    for column, value in where.items():
        frame = frame[frame[column].str.contains(value, regex=False)]
    return frame["verdict"].tolist()


def test_regret_rows_by_hand(made):
    frame = tables.rows("regret", made[:1])
    data = results.read(made[0])
    row = frame[frame.policy == "sparq_gp_ucb"].iloc[0]
    runs = data.regret.sel(policy="sparq_gp_ucb").isel(alpha=0).values.mean(axis=1)
    half = 3.182446305284263 * runs.std(ddof=1) / 2  # t quantile with 3 degrees of freedom
    assert row.average_regret == pytest.approx(runs.mean())
    assert (row.low, row.high) == pytest.approx((runs.mean() - half, runs.mean() + half))
    asked = 15_860
    assert row.expert_queries == asked
    assert row.evaluations_per_round == pytest.approx(1 + asked / 500)
    assert row.places_per_round == pytest.approx(1 + asked / 500)


def test_a_deviation_is_between_what_the_interval_is_over(made):
    record = results.read(made[2]).assign_attrs(block=1)
    record.regret.loc[{"policy": "gp_ucb"}] = 3 + np.sin(np.arange(50) / 8)  # neighbours resemble each other
    row = tables.rows("regret", [record]).set_index("policy").loc["gp_ucb"]
    n = int(row["sample"].split()[0])
    assert n < 50 and (row.high - row.low) / 2 == pytest.approx(stdtrit(n - 1, 0.975) * row.sd / n**0.5)


def test_ranks_leave_out_who_knows_the_future(made):
    frame = tables.rows("regret", made[:1]).set_index("policy")
    assert np.isnan(frame.loc["oracle", "rank"]) and np.isnan(frame.loc["best_fixed_arm", "rank"])
    ranked = frame["rank"].dropna()
    assert sorted(ranked) == list(range(1, len(ranked) + 1))
    assert ranked["uniform"] == len(ranked)


def test_ranks_leave_out_who_asks_before_the_choice(made):
    """It has more than the others may use."""
    data = results.read(made[0])
    data["queries"] = data.queries.where(data.policy != "sparq_gp_ucb", "before")
    frame = tables.rows("regret", [data]).set_index("policy")
    assert np.isnan(frame.loc["sparq_gp_ucb", "rank"]) and frame.loc["sparq_gp_ucb", "queries"] == "before"
    assert sorted(frame["rank"].dropna()) == list(range(1, frame["rank"].count() + 1))


def test_regret_has_every_alpha(made):
    frame = tables.rows("regret", made[1:2])
    assert frame.groupby("alpha").size().tolist() == [20, 20]


def test_comparisons_are_paired_and_signed(made):
    frame = tables.rows("comparisons", made[:1])
    data = results.at_alpha(results.read(made[0]))
    row = frame[(frame.policy == "w_sparq_gp_ucb") & (frame.reference == "uniform")].iloc[0]
    a = results.final_average(data, "w_sparq_gp_ucb")
    b = results.final_average(data, "uniform")
    assert row.difference == pytest.approx((a - b).mean())
    assert row.verdict == "lower" and row.share_lower == 1
    half = statistics.half_width(a - b)
    assert row.high - row.low == pytest.approx(2 * half)
    roles = frame[frame.policy == "tv_gp_ucb_tuned"].set_index("reference")["role"]
    assert roles["tv_gp_ucb"] == "same algorithm, recommended setting"
    assert roles["sparq_gp_ucb"] == "best published"


def test_paired_intervals_follow_from_the_table_of_runs(made, tmp_path):
    """Every row of comparisons, of runs and of blocks of rounds, which differences may join."""
    collected = [results.read(path) for path in made]
    collected[2] = results.read(collected[2].assign_attrs(sampled="rounds"))
    runs = pd.read_csv(tables.make("runs", collected, tmp_path / "runs.csv"), dtype={"alpha": str})
    compared = tables.rows("comparisons", collected)
    assert set(runs["sample"]) == {"run", "block"} and not runs.duplicated(list(runs)[:5]).any()
    main = runs[runs.alpha != "2"].set_index(["experiment", "policy", "number"]).regret.sort_index()
    for row in compared.to_dict("records"):
        ours, other = (main[row["experiment"], row[name]] for name in ("policy", "reference"))
        difference = (ours - other).dropna()
        if runs[runs.experiment == row["experiment"]]["sample"].iloc[0] == "block":
            difference = pd.Series(blocks.joined(difference))
        n = len(difference)
        half = stdtrit(n - 1, 0.975) * difference.std() / n**0.5
        again = [difference.mean(), difference.mean() - half, difference.mean() + half]
        np.testing.assert_allclose(again, [row["difference"], row["low"], row["high"]], atol=2e-5)
    costs = tables.rows("regret", made[:1]).set_index("policy")
    first = runs[runs.experiment == "moving_bump"].groupby("policy").queries.mean()
    np.testing.assert_allclose(first + 1, costs.evaluations_per_round[first.index], rtol=1e-5)


def test_an_interval_around_zero_is_no_difference():
    assert statistics.Estimate(0.1, -0.1, 0.3, 5).verdict == "no clear difference"
    one_run = statistics.Estimate(0.1, np.nan, np.nan, 1)
    assert one_run.verdict == "no clear difference"
    assert statistics.Estimate(0.2, 0.1, 0.3, 5).verdict == "higher"
    assert statistics.Estimate(-0.2, -0.3, -0.1, 5).verdict == "lower"


def test_standins_are_marked_in_every_table(made):
    for name in ("regret", "comparisons", "fits", "claims"):
        frame = tables.rows(name, made)
        marked = frame[frame["experiment"] == "berkeley_france"]["data"]
        assert (marked == "standin").all() and len(marked), name


def test_every_claim_gets_a_verdict(made):
    frame = tables.rows("claims", made)
    assert set(frame["verdict"]) <= set(judge.VERDICTS)
    assert len(frame) >= len(claims.CLAIMS)


def test_verdicts_come_from_the_data(made, tmp_path, monkeypatch):
    frame = tables.rows("claims", made)
    assert verdicts(frame, claimed="uniformly random play: 1.347") == ["confirmed"]
    assert verdicts(frame, claimed="TV-GP-UCB: about 1.8") == ["contradicted"]
    headline = {"claimed": "SparQ has the least regret", "experiment": "moving_bump"}
    assert verdicts(frame, **headline) == ["confirmed", "confirmed"]
    assert verdicts(frame, item="Fig. 1, (19)") == ["vacuous"]
    # the same claims, with the numbers turned round
    monkeypatch.setitem(example_results.VARIANTS, "sparq_gp_ucb", ("SparQ", "published", "sparq_gp_ucb", 1.2))
    monkeypatch.setitem(example_results.VARIANTS, "tv_gp_ucb", ("TV", "published", "tv_gp_ucb", 1.35))
    frame = tables.rows("claims", [example_results.write(tmp_path, "moving_bump", seeds=4)])
    assert verdicts(frame, claimed="TV-GP-UCB: about 1.8") == ["confirmed"]
    # the greedy set, at which the chain starts, keeps its regret: the verdict turns with the chain
    assert verdicts(frame, **headline) == ["confirmed", "contradicted"]
    chosen = frame[(frame.claimed == headline["claimed"]) & (frame.experiment == "moving_bump")]
    assert set(chosen.claim_verdict) == {"depends on the chain length"}


def test_a_claim_on_all_methods_falls_with_one_of_them():
    """Only "a" grows as sqrt(T): true with linear others, false with one more below T, or if it does not."""
    t = np.arange(1, 401.0)
    powers = {"a": 0.5, "b": 1.0, "c": 1.0}
    for change, expected in (
        ({}, "trend agrees"),
        ({"c": 0.6}, "trend disagrees"),
        ({"a": 1.0}, "trend disagrees"),
    ):
        runs = [np.diff(t**power, prepend=0)[None].repeat(3, axis=0) for power in (powers | change).values()]
        part = _part(np.stack(runs)).assign_coords(policy=list(powers))
        part["label"] = ("policy", list(powers))
        found = study.only_sublinear(part, "a", ("b", "c"))
        assert judge.verdict(found.ours, found.claimed) == expected


def test_comparable_and_lowest_are_judged_by_their_intervals():
    """Means of 1.045 with a spread too wide for 10 %, and too narrow to miss it; the worst pair counts."""
    for spread, expected in ((0.2, "inconclusive"), (0.02, "confirmed")):
        level = np.stack([1.045 + spread * np.array([-1.0, 0.0, 1.0]), np.ones(3), np.full(3, 1.2)])
        part = _part(np.repeat(level[:, :, None], 4, axis=2)).assign_coords(policy=["a", "b", "c"])
        part["label"] = ("policy", ["a", "b", "c"])
        found = study.comparable(part, "a", ("b",), 0.1)
        assert found.ours.mean == pytest.approx(1.045)
        assert judge.verdict(found.ours, found.claimed) == expected
    worst = study.lowest(part, ("a",), ("b", "c"))
    assert worst.quantity == "$R_T/T$ of a minus b" and worst.ours.mean == pytest.approx(0.045)
    assert judge.verdict(study.lowest(part, ("b",), ("c",)).ours, worst.claimed) == "confirmed"


def test_times_the_regret_is_said_of_means():
    """One run with a small denominator moves a mean of ratios, here 2.3, and not the ratio of means."""
    part = _part(np.repeat(np.array([[1.0, 1.0, 1.0], [0.2, 1.4, 1.4]])[:, :, None], 4, axis=2))
    part = part.assign_coords(policy=["a", "b"])
    part["label"] = ("policy", ["a", "b"])
    assert study.no_more_regret(part, "a", "b", 0.1).ours.mean == pytest.approx(1.0)
    assert study.comparable(part, "a", ("b",), 0.1).ours.mean == pytest.approx(1.0)


def test_claims_on_one_record_are_judged_by_joined_blocks():
    """Two variants that share hard rounds, whose own shares resemble those of the blocks before."""
    rng = np.random.default_rng(3)
    slow = np.zeros(200)
    for t in range(1, 200):
        slow[t] = 0.95 * slow[t - 1] + rng.normal()
    ours = 30.0 + 3.0 * rng.normal(size=200) + slow
    part = _part(np.stack([ours, ours - slow + 2.0])[:, None]).assign_coords(policy=["a", "b"])
    part["label"] = ("policy", ["a", "b"])
    part.attrs["block"] = 1
    plain = statistics.ratio_of_means(ours, ours - slow + 2.0)
    for found in (study.no_more_regret(part, "a", "b", 0.1), study.comparable(part, "a", ("b",), 0.1)):
        assert found.ours.mean == pytest.approx(plain.mean)
        assert found.ours.high - found.ours.low > 2.0 * (plain.high - plain.low)
    apart = statistics.mean_interval(slow - 2.0)
    joined = statistics.mean_interval(results.differences(part, "a", "b"))
    assert apart.high < 0.0 < joined.high  # clearly below by single rounds alone
    assert study.best_of(part, ["a", "b"], ["b"], 30.0, 0.5).claimed != Holds(False)


def test_exponents_of_one_record_have_no_interval_over_seeds():
    part = _part(np.stack([np.ones((3, 8)), np.ones((3, 8))])).assign_coords(policy=["a", "b"])
    assert len(study.half_exponents(part, "a")) == 3
    part.attrs["block"] = 2
    assert study.half_exponents(part, "a") == pytest.approx([1.0])


def test_every_claim_is_counted_once(made):
    """However many readings and experiments it has; kinds apart, and the sum of a kind's papers."""
    frame = tables.rows("verdicts", made)
    whole = frame[(frame.paper == "all") | (frame.kind != "published")]
    assert list(whole.kind) == ["published", "fact", "hypothesis"]
    for row in whole.itertuples():
        assert row.claims == sum(claim.kind == row.kind for claim in claims.CLAIMS)
    papers = frame[(frame.kind == "published") & (frame.paper != "all")]
    words = list(judge.VERDICTS)
    assert (papers[words].sum() == frame[frame.paper == "all"][words].iloc[0]).all()
    assert (frame[words].sum(axis=1) == frame.claims).all()
    np.testing.assert_allclose(frame.expected_false, 0.025 * frame.rows_by_interval)


def test_standins_and_other_horizons_are_not_comparable(made, tmp_path):
    frame = tables.rows("claims", made)
    assert set(verdicts(frame, experiment="berkeley_france")) == {"not comparable"}
    short = tables.rows("claims", [example_results.write(tmp_path, "moving_bump", horizon=40)])
    ours = short[short.experiment == "moving_bump"]
    assert set(ours["verdict"]) == {"not comparable"}
    assert ours["remark"].str.contains("40 rounds here, 500 claimed").all()
    assert short[short.experiment == "ozone"]["remark"].str.startswith("not run: ozone").all()


def test_a_variant_that_was_not_run_is_not_comparable(tmp_path):
    path = example_results.write(tmp_path, "moving_bump", variants=("gp_ucb", "uniform"))
    frame = tables.rows("claims", [path])
    row = frame[frame.claimed == "SparQ has the least regret"].iloc[0]
    assert row.verdict == "not comparable" and "was not run" in row.remark


def test_entries_that_were_not_computed_are_not_comparable():
    data = xr.Dataset({"x": (("alpha", "part"), np.eye(2))}, {"alpha": [1.0, 2.0], "part": ["a", "b"]})
    assert at(data.x, alpha=2.0, part="b") == 1.0
    with pytest.raises(NotComparable, match="not computed at alpha = 1.5"):
        at(data.x, alpha=1.5)
    with pytest.raises(NotComparable, match="not computed at part = c"):
        at(data, part="c")


def test_growth_exponent_of_linear_and_root_regret():
    t = np.arange(1, 401.0)
    for power in (1.0, 0.5):
        total = t**power
        regret = np.diff(total, prepend=0)[None, None].repeat(2, axis=1)
        part = _part(regret)
        assert study.half_exponents(part.assign_coords(policy=["a"]), "a") == pytest.approx(power)
    for measure, expected in ((study.linear, "trend agrees"), (study.sublinear, "trend disagrees")):
        found = measure(_part(np.ones((1, 2, 100))).assign_coords(policy=["a"]), "a")
        assert judge.verdict(found.ours, found.claimed) == expected


def _part(regret):
    return xr.Dataset({"regret": (("policy", "seed", "round"), regret)})


def test_fits_name_units_origin_and_bounds(made):
    frame = tables.rows("fits", made[:1]).set_index("parameter")
    assert frame.loc["epsilon", "bound_hit"] == "yes" and frame.loc["gamma", "bound_hit"] == "no"
    assert frame.loc["epsilon", "origin"] == "estimated"
    assert frame.loc["length_scale", "origin"] == "given"


def test_errors_of_prediction_are_means_over_sites_and_runs(made):
    """Of variants with predictions, least first; experiments without errors have no row."""
    frame = tables.rows("prediction_errors", made)
    assert not {"moving_bump", "rkhs_sine"} & set(frame.experiment)
    frame = frame[frame.experiment == "berkeley_france"]
    assert len(frame) > 1 and frame.error.is_monotonic_increasing
    data = results.read(made[3])
    part = results.at_alpha(data, str(data.alpha.values[0]))
    for row in frame.to_dict("records"):
        errors = part.squared_error.sel(policy=row["policy"]).transpose("seed", "arm").values
        by_run = np.nanmean(errors, axis=1)
        ours = statistics.mean_interval(by_run)
        assert [row["error"], row["low"], row["runs"]] == [ours.mean, ours.low, 4]
        assert (
            row["spread"] == pytest.approx(np.nanstd(errors, axis=1).mean())
            and row["units"] == "degree_Celsius^2"
        )


def test_gaps_filled_are_no_training_points(made):
    data = results.read(made[0])
    fit = json.dumps(results.fit(data) | {"points": 870, "gaps_filled": 38})
    frame = tables.rows("fits", [data.assign_attrs(fit=fit)]).set_index("parameter")
    assert frame.loc["epsilon", "training_points"] == 832


def test_fits_show_what_the_data_do_not_tell_of_a_field(made):
    """Of the model field; a chosen model that is static has no half-life."""
    data = results.read(made[0])
    fit = results.fit(data)
    doubt = "the half-life of the slow part is 97 rounds, but anything fits 60 rounds of training as well"
    own = {"slow_share": 0.4, "l_fast": 2.0, "l_slow": 140.0, "noise_variance": 0.3}
    known = {"half_lives": {"fast": [1.4, 0.9, 2.2], "slow": [97.0, 0.0, None]}}
    fit["field"] = {**own, **known, "doubts": [doubt], "bounds_hit": ["l_slow at its upper bound"]}
    fit["intervals_95"] = {"epsilon": [0.1, 0.3]}
    fit["chosen"] = {
        **own,
        "slow_share": 0.0,
        "l_fast": 1e9,
        "name": "site se static",
        "log_scale": [2.5, 0.0],
    }
    frame = tables.rows("fits", [data.assign_attrs(fit=json.dumps(fit))]).set_index("parameter")
    assert frame.loc["field_half_life_slow", "doubt"] == doubt
    assert frame.loc["field_half_life_slow", "bound_hit"] == "yes"
    assert frame.loc["field_half_life_slow", "value"] == pytest.approx(140 * np.log(2))
    assert frame.loc["field_half_life_fast", "doubt"] == "" == frame.loc["epsilon", "doubt"]
    assert frame.loc["field_slow_share", "value"] == 0.4
    ends = frame[["low", "high"]].apply(tuple, axis=1)
    assert ends["epsilon"] == (0.1, 0.3) and ends["field_half_life_fast"] == (0.9, 2.2)
    assert ends["field_half_life_slow"] == (0.0, np.inf) and np.isnan(ends["length_scale"]).all()
    chosen = [name for name in frame.index if name.startswith("chosen_")]
    assert (
        chosen == ["chosen_noise_variance", "chosen_log_scale", "chosen_log_origin"]
        and frame.loc[chosen[0], "kernel"] == "site se static"
    )


def test_files_are_the_same_bytes_and_errors_one_line(made, tmp_path):
    for name in ("regret", "comparisons", "runs", "fits", "claims", "prediction_errors"):
        first = tables.make(name, made, tmp_path / f"{name}.csv").read_bytes()
        assert first == tables.make(name, made, tmp_path / f"{name}.csv").read_bytes()
        assert b"\r" not in first
    cases = [
        (lambda: tables.rows("nonsense", made), "no 'nonsense' in tables"),
        (lambda: tables.rows("regret", []), "no collected results"),
        (lambda: tables.rows("regret", made, wide=1), "no parameter 'wide'"),
        (lambda: tables.make("claims", made, tmp_path / "claims.tex"), "no LaTeX form"),
        (
            lambda: tables.make("regret", made, tmp_path / "regret.xlsx"),
            "written as .csv, .tex or .html",
        ),
    ]
    for call, expected in cases:
        with pytest.raises(ValueError, match=expected) as caught:
            call()
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "claims.tex").exists()


def test_subset_rules_by_hand(made):
    frame = tables.rows("subset_rules", made[1:2]).set_index(["method", "row"])
    part = results.at_alpha(results.read(made[1]))
    runs = {
        rule: part.regret.sel(policy=name).transpose("seed", "round").values.mean(axis=1)
        for rule, name in (
            ("dpp", "sparq_gp_ucb"),
            ("greedy", "sparq_greedy_subset"),
            ("domain_greedy", "sparq_domain_greedy"),
        )
    }
    for rule, values in runs.items():
        assert frame.loc[("SparQ-GP-UCB", rule), "value"] == pytest.approx(values.mean())
    assert frame.loc[("SparQ-GP-UCB", "dpp"), "queries_per_round"] == pytest.approx(15_860 / 500)
    assert "place" not in frame.index.get_level_values("row")  # one of the four was not run
    data = results.read(made[1])
    renamed = [name.replace("random_subset", "domain_dpp") for name in map(str, data.policy.values)]
    square = data.assign_coords(policy=renamed)
    frame = tables.rows("subset_rules", [square]).set_index(["method", "row"])
    fourth = part.regret.sel(policy="sparq_random_subset").transpose("seed", "round").values.mean(axis=1)
    place = (fourth - runs["dpp"] + runs["domain_greedy"] - runs["greedy"]) / 2
    assert frame.loc[("SparQ-GP-UCB", "place"), "value"] == pytest.approx(place.mean())
    assert set(frame["sample"]) == {"4 runs"}
    record = results.read(results.read(made[2]).assign_attrs(sampled="rounds"))
    rule = tables.rows("subset_rules", [record]).set_index(["method", "row"]).loc[("SparQ-GP-UCB", "dpp")]
    ours = tables.rows("regret", [record]).set_index("policy").loc["sparq_gp_ucb"]
    assert rule["sample"] == ours["sample"] and " blocks of " in rule["sample"]
    assert (rule.low, rule.high) == pytest.approx((ours.low, ours.high))


def test_exponents_by_hand():
    """Regret t^(1/2) times 1, 2, 3 by seed; late regret is a tenth of random play's in run 1."""
    rounds = np.unique(np.geomspace(10, 1000, 41).round().astype(int))
    scale = np.array([1.0, 2.0, 3.0])
    regret, queries = scale[:, None] * np.sqrt(rounds), scale[:, None] * np.log(rounds)
    data = xr.Dataset(
        {
            "cumulative_regret": (("part", "seed", "alpha", "round"), regret[None, :, None, :]),
            "cumulative_queries": (("part", "seed", "alpha", "round"), queries[None, :, None, :]),
            "late_regret": (("part", "seed", "alpha"), 0.05 * scale[None, :, None]),
            "random_play": (("part", "seed"), np.full((1, 3), 0.5)),
        },
        {"part": ["gp_ucb"], "seed": [1, 2, 3], "alpha": [0.5], "round": rounds},
        {"analysis": "ageing"},
    )
    (row,) = exponents.rows([data]).to_dict("records")
    assert (row["analysis"], row["alpha"], row["label"]) == ("ageing", 0.5, "GP-UCB")
    assert (row["rounds"], row["runs"]) == (1000, 3)
    assert row["exponent"] == pytest.approx(0.5)
    assert row["late"] == pytest.approx(0.2)
    assert row["queries"] == pytest.approx(2 * np.log(1000) / 1000)
    half = 4.302652729911275 * 0.1 / np.sqrt(3)  # t quantile with 2 degrees of freedom
    assert (row["late_low"], row["late_high"]) == pytest.approx((0.2 - half, 0.2 + half))
    assert row["random"] == pytest.approx(0.5) and np.isnan(row["against_after"])


@pytest.mark.parametrize("name", ["sparq_before", "sparq_gp_ucb_before"])
def test_both_orders_are_compared_run_by_run(name):
    rounds, worlds = np.array([10, 100, 1000]), np.array([1.0, 2.0, 4.0])
    late = np.array([worlds, worlds - 0.1])  # runs differ far more than orders do
    data = xr.Dataset(
        {
            "cumulative_regret": (("part", "seed", "alpha", "round"), late[:, :, None, None] * rounds),
            "cumulative_queries": (("part", "seed", "alpha", "round"), np.ones((2, 3, 1, 3))),
            "late_regret": (("part", "seed", "alpha"), late[:, :, None]),
            "random_play": (("part", "seed"), np.full((2, 3), 2.0)),
        },
        {"part": ["sparq_gp_ucb", name], "seed": [1, 2, 3], "alpha": [1.0], "round": rounds},
        {"analysis": "ageing"},
    )
    frame = exponents.rows([data]).set_index("policy")
    ends = frame.loc[name, ["against_after_low", "against_after", "against_after_high"]]
    np.testing.assert_allclose(ends.astype(float), -0.05)
    assert np.isnan(frame.loc["sparq_gp_ucb", "against_after"])


@pytest.mark.parametrize(("alpha", "expected"), [("1", 3702), ("fit", 7920)])
def test_queries_are_held_against_the_schedule_at_the_alpha(made, alpha, expected):
    data = results.read(made[1])
    part = results.at_alpha(data).assign_coords(alpha=alpha)
    part.attrs["fit"] = json.dumps({"alpha": 3.0})
    part = part.isel(round=np.arange(500) % part.sizes["round"]).assign_coords(round=np.arange(1, 501))
    found = study.scheduled_queries(part, "w_sparq_gp_ucb", 0.01)
    assert found.claimed.value == expected and f"at $α = {1 if alpha == '1' else 3}$" in found.note
