import numpy as np
import pandas as pd
import pytest

from tvgp import streams
from tvgp.study.results import league_runs
from tvgp.study.results.league_runs import LeagueCosts
from tvgp.study.results.statistics import paired_difference, share_interval

FAMILIES = {"still": "static", "wander": "drift", "walk": "drift", "jump": "jumps"}


def table(costs: dict[str, list[float]], seeds: int = 4, noise: float = 0.0) -> pd.DataFrame:
    """Runs of methods with a cost in each environment, in the order of FAMILIES."""
    rng = streams.generator("test_contest")
    rows = []
    for method, values in costs.items():
        for (environment, family), value in zip(FAMILIES.items(), values, strict=True):
            for seed in range(1, seeds + 1):
                curve = 2.0 * (value + noise * rng.standard_normal()) * np.ones(len(league_runs.CURVE))
                named = (environment, family, method, method, "printed", seed, 3.0, 4.0, 2.0)
                rows.append((*named, *curve, league_runs.STUDY))
    return pd.DataFrame(rows, columns=list(league_runs.COLUMNS))


RUNS = table({"a": [0.1, 0.5, 0.5, 0.1], "b": [0.2, 0.3, 0.3, 0.2], "c": [0.3, 0.4, 0.4, 0.3]})


def test_curve_is_the_mean_of_the_first_rounds():
    regret = np.arange(1.0, 38.0)
    found = league_runs.curve(regret)
    assert len(found) == len(league_runs.CURVE) == 20
    assert found[-1] == regret.mean() and found[0] == regret[:2].mean()


def test_families_weigh_the_same():
    found = LeagueCosts.of(RUNS)
    assert found.weights.sum() == pytest.approx(1.0)
    assert found.weights["wander"] == found.weights["walk"] == pytest.approx(1 / 6)
    ranks = found.mean_ranks()
    assert list(ranks.index) == ["a", "b", "c"]
    assert ranks["a"] == pytest.approx((1 + 3 + 1) / 3) and ranks["b"] == pytest.approx((2 + 1 + 2) / 3)


def test_families_without_which_another_is_first_are_named():
    assert LeagueCosts.of(RUNS).changes() == {"jumps": "b", "static": "b"}
    ahead = table({"a": [0.1, 0.2, 0.2, 0.1], "b": [0.2, 0.3, 0.3, 0.2], "c": [0.3, 0.4, 0.4, 0.3]})
    assert LeagueCosts.of(ahead).changes() == {}
    assert LeagueCosts.of(ahead[ahead.family == "drift"]).changes() == {}


def test_wins_count_ties_by_halves_and_have_an_interval():
    found = LeagueCosts.of(RUNS)
    wins, losses = found.wins("a", "b"), found.wins("b", "a")
    assert wins.mean == pytest.approx(2 / 3) and wins.mean + losses.mean == pytest.approx(1.0)
    assert wins.low <= wins.mean <= wins.high and wins == found.wins("a", "b")
    assert found.wins("a", "a").mean == pytest.approx(0.5)
    ahead = LeagueCosts.of(table({"a": [0.1, 0.2, 0.2, 0.1], "b": [0.2, 0.3, 0.3, 0.2]}))
    every = share_interval(4, 4)  # all of four environments are no proof of all others
    assert ahead.wins("a", "b").low == pytest.approx(every.low)
    assert ahead.wins("b", "a").high == pytest.approx(1 - every.low)


def test_price_of_a_query_is_part_of_the_cost():
    free, priced = LeagueCosts.of(RUNS), LeagueCosts.of(RUNS, price=0.1)
    np.testing.assert_allclose(priced.costs - free.costs, 0.3)


def test_profile_is_the_share_close_to_the_best():
    assert LeagueCosts.of(RUNS).profile(1.0)["b"] == pytest.approx(1 / 3)
    assert LeagueCosts.of(RUNS).profile(2.0)["b"] == pytest.approx(1.0)
    costs = [
        [0.0, 0.5, 0.2],
        [0.1, 0.4, 0.2],
    ]  # one has no regret in x, which is within no factor for the other
    found = LeagueCosts.of_costs(["a", "b"], ["x", "y", "z"], np.array(costs), ["f", "g", "g"])
    for method in ("a", "b"):
        factors, shares = found.profile_curve(method)
        assert np.isfinite(factors).all()
        assert shares == pytest.approx([found.profile(factor)[method] for factor in factors])


def test_differences_are_paired_by_seed():
    runs = table({"a": [0.1] * 4, "b": [0.3] * 4}, seeds=6, noise=0.05)
    found = league_runs.differences(runs, "a", "b")
    for name in FAMILIES:
        part = runs[runs.environment == name].pivot(index="seed", columns="method", values="at_100") / 2.0
        expected = paired_difference(part.a, part.b)
        assert (found[name].mean, found[name].low) == pytest.approx((expected.mean, expected.low))


def test_unknown_method_names_the_known_ones():
    with pytest.raises(ValueError, match="no runs of 'd'; methods of these tables: a, b, c"):
        league_runs.differences(RUNS, "a", "d")


def test_merging_keeps_each_run_once_and_refuses_another_result():
    own = RUNS[RUNS.method == "a"]
    pd.testing.assert_frame_equal(league_runs.merged([RUNS, own]), league_runs.merged([RUNS]))
    with pytest.raises(ValueError, match="a in still, seed 1: two different results"):
        league_runs.merged([RUNS, own.assign(at_100=9.0)])
    with pytest.raises(ValueError, match="uniform play has other regret"):
        league_runs.merged([RUNS, own.assign(method="z", uniform=3.0)])


def test_another_file_is_refused_in_one_line(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("environment,method\na,b\n")
    with pytest.raises(ValueError, match="no column family; expected a table of `tvgp league`"):
        league_runs.read(path)
    with pytest.raises(ValueError, match="not a table of runs"):
        league_runs.read(tmp_path / "none.csv")
    path.write_text(RUNS.assign(at_5="many").to_csv(index=False))
    with pytest.raises(ValueError, match="text where a number belongs"):
        league_runs.read(path)
    path.write_text(RUNS.to_csv(index=False))
    pd.testing.assert_frame_equal(league_runs.read(path), RUNS)


def test_a_league_of_fewer_than_two_methods_says_what_to_do():
    one = RUNS[(RUNS.method == "a") | (RUNS.environment == RUNS.environment.iloc[0])]
    for runs in (one[one.method == "a"], RUNS[:0]):
        with pytest.raises(
            ValueError, match="^league: [01] methods were played in all of .* more; select more"
        ):
            LeagueCosts.of(runs)
