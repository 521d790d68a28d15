"""Tables against numbers computed by hand on tiny results."""

from pathlib import Path

import example_results
import numpy as np
import pandas as pd
import pytest
import xarray as xr

from tvgp.study import claims, results, tables
from tvgp.study.claims import judge
from tvgp.study.claims.claim import NotComparable
from tvgp.study.claims.measures import study
from tvgp.study.claims.measures.entries import at
from tvgp.study.results import statistics
from tvgp.study.tables import comparisons


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


def test_ranks_leave_out_who_knows_the_future(made):
    frame = tables.rows("regret", made[:1]).set_index("policy")
    assert np.isnan(frame.loc["oracle", "rank"]) and np.isnan(frame.loc["best_fixed_arm", "rank"])
    ranked = frame["rank"].dropna()
    assert sorted(ranked) == list(range(1, len(ranked) + 1))
    assert ranked["uniform"] == len(ranked)


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


def test_an_interval_around_zero_is_no_difference():
    assert comparisons.verdict(statistics.Estimate(0.1, -0.1, 0.3, 5)) == "no clear difference"
    one_run = statistics.Estimate(0.1, np.nan, np.nan, 1)
    assert comparisons.verdict(one_run) == "no clear difference"


def test_mean_rank_is_over_experiments(made):
    frame = tables.rows("ranks", made).set_index("policy")
    columns = ["moving_bump", "rkhs_sine", "ozone", "berkeley_france"]
    np.testing.assert_allclose(frame["mean_rank"], frame[columns].mean(axis=1))
    assert "yesterdays_best" not in frame.index  # not in every experiment
    assert (frame["of_these_standin"] == 1).all()


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
    assert verdicts(frame, item="(34) as printed") == ["vacuous"]
    # the same claims, with the numbers turned round
    monkeypatch.setitem(example_results.VARIANTS, "sparq_gp_ucb", ("SparQ", "published", "sparq_gp_ucb", 1.2))
    monkeypatch.setitem(example_results.VARIANTS, "tv_gp_ucb", ("TV", "published", "tv_gp_ucb", 1.35))
    frame = tables.rows("claims", [example_results.write(tmp_path, "moving_bump", seeds=4)])
    assert verdicts(frame, claimed="TV-GP-UCB: about 1.8") == ["confirmed"]
    # the greedy set, at which the chain starts, keeps its regret: the verdict turns with the chain
    assert verdicts(frame, **headline) == ["confirmed", "contradicted"]


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
        _, ours = study.half_exponent(part, "a")
        assert ours.mean == pytest.approx(power)
    for measure, expected in ((study.linear, "confirmed"), (study.sublinear, "contradicted")):
        found = measure(_part(np.ones((1, 2, 100))), "a")
        assert judge.verdict(found.ours, found.claimed) == expected


def _part(regret):
    import xarray as xr

    return xr.Dataset({"regret": (("policy", "seed", "round"), regret)}, coords={"policy": ["a"]})


def test_fits_name_units_origin_and_bounds(made):
    frame = tables.rows("fits", made[:1]).set_index("parameter")
    assert frame.loc["epsilon", "bound_hit"] == "yes" and frame.loc["gamma", "bound_hit"] == "no"
    assert frame.loc["epsilon", "origin"] == "estimated"
    assert frame.loc["length_scale", "origin"] == "given"


def test_files_are_the_same_bytes_and_errors_one_line(made, tmp_path):
    for name in ("regret", "comparisons", "ranks", "fits", "claims"):
        first = tables.make(name, made, tmp_path / f"{name}.csv").read_bytes()
        assert first == tables.make(name, made, tmp_path / f"{name}.csv").read_bytes()
        assert b"\r" not in first
    assert r"\toprule" in tables.make("regret", made, tmp_path / "regret.tex").read_text()
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
