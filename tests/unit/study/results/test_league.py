"""The league: costs, ranks and their critical difference."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from tvgp.study import figures, tables
from tvgp.study.results import league, league_runs, recovery


def played(experiment, regrets, queries=None, groups=None, before=(), ours=(), **card):
    """Collected results of two runs of ten rounds with these regrets per round by variant."""
    names = list(regrets)
    regret = np.array([[[[regrets[n] - 0.1] * 10, [regrets[n] + 0.1] * 10]] for n in names])
    asked = np.zeros(regret.shape, dtype=int)
    for name, count in (queries or {}).items():
        asked[names.index(name), ..., 0] = count
    card = {
        "uniform_regret": 2.0,
        "optimum_moves": 3.0,
        "change_points": [],
        "period": None,
        "sup_variation": 1.0,
    } | card
    dims = ("policy", "alpha", "seed", "round")
    return xr.Dataset(
        {
            "regret": (dims, regret),
            "expert_queries": (dims, asked),
            "places": (dims, asked + 1),
            "arm": (dims, asked),
            "label": ("policy", [n.upper() for n in names]),
            "group": ("policy", [(groups or {}).get(n, "published") for n in names]),
            "algorithm": ("policy", names),
            "ours": ("policy", ["width" if n in ours else "" for n in names]),
            "queries": ("policy", ["before" if n in before else "after" for n in names]),
        },
        {"policy": names, "alpha": ["1"], "seed": [1, 2], "round": range(1, 11)},
        {
            "experiment": experiment,
            "data": "synthetic",
            "card": json.dumps(card),
        },
    )


def test_costs_are_relative_to_uniform_play_plus_priced_queries():
    found = league.standings([played("a", {"x": 1.0, "y": 0.5}, {"y": 20})], "printed")
    np.testing.assert_allclose(found.regret[:, 0], [0.5, 0.25])
    np.testing.assert_allclose(found.costs(0.1)[:, 0], [0.5, 0.25 + 0.1 * 2])


def test_oracles_and_controls_compete_only_if_named():
    groups = {"y": "control", "oracle": "control"}
    data = played("a", {"x": 1.0, "y": 0.5, "oracle": 0.0}, groups=groups)
    assert league.standings([data], "printed").methods == ["x"]
    assert league.standings([data], "printed", ["y", "oracle"]).methods == ["x", "y"]


def test_who_asks_before_the_choice_does_not_compete():
    data = played("a", {"x": 1.0, "y": 0.5}, before=["y"])
    assert league.standings([data], "printed", ["y"]).methods == ["x"]


def test_who_asks_first_has_a_league_of_its_own():
    """With costs by hand, and not one number of the others' changed."""
    regrets, asked = {"x": 1.0, "y": 0.5, "z": 0.2, "v": 0.9}, {"z": 30, "y": 10}
    data = [played(name, regrets, asked, before=["y", "z"]) for name in "ab"]
    others = [played(name, {"x": 1.0, "v": 0.9}) for name in "ab"]
    table = tables.rows("league", data, also=["y", "z"], prices=[0.0, 0.1])
    assert table.setting.unique().tolist() == ["printed", "asks first"]
    pd.testing.assert_frame_equal(table[:4], tables.rows("league", others, prices=[0.0, 0.1]))
    first = table[table.setting == "asks first"]
    assert first.policy.tolist() == ["z", "y", "y", "z"]  # 0.1 + 0.1 x 3 against 0.25 + 0.1 x 1
    assert first.a.tolist() == pytest.approx([0.1, 0.25, 0.35, 0.4])
    nobody = played("c", {"x": 1.0, "v": 0.9})
    figures.draw("league", [*data, nobody], also=["y", "z"])
    figure = figures.draw("league", data, also=["y", "z"])
    assert [axes.get_title(loc="left") for axes in figure.axes if axes.texts][1] == "Asks before it chooses"
    assert "ranks of their own" in figures.caption("league", data, also=["y", "z"])
    assert "ranks of their own" not in figures.caption("league", others)


@pytest.mark.parametrize("number", [4, 8, 10])
def test_words_below_the_cells_stay_apart(number):
    """Of as many environments as have numbers in their cells."""
    changes = ({"change_points": [3, 6]}, {"period": 100.0}, {"sup_variation": 0.0})
    data = [played(f"rkhs_sine_{k}", {"x": 1.0, "y": 0.5, "z": 0.2}, **changes[k % 3]) for k in range(number)]
    figure = figures.draw("league", data)
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in figure.axes[0].get_xticklabels()]
    assert len(boxes) == number
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))


def test_a_league_of_one_is_drawn_only_alone():
    data = [played(name, {"x": 1.0, "y": 0.5, "z": 0.2}, before=["y", "z"]) for name in "ab"]
    assert list(league.blocks(data)) == ["asks first"]
    assert list(league.blocks([part.sel(policy=["x", "y"]) for part in data])) == ["printed", "asks first"]


def test_rows_are_legible_below_many_upright_names():
    """Without regret, too, whose logarithm has no colour of its own."""
    data = [played(f"environment_{i}", {"x": 0.1, "y": 0.5}) for i in range(12)]
    for part in data:
        part["regret"] = part.regret.where(part.policy == "y", 0.0)
    figure = figures.draw("league", data)
    figure.draw_without_rendering()
    cells = figure.axes[0]
    assert cells.get_window_extent().height / figure.dpi > 0.25 * 2


def test_ranks_and_critical_difference():
    """Demsar 2006, table 5: q = 2.343 for three methods, 2.569 for four at level 5 %."""
    costs = np.array(
        [[1.0, 1.0, 3.0, 1.0], [2.0, 2.0, 2.0, 2.0], [3.0, 3.0, 1.0, 3.0], [9.0, np.nan, 9.0, 9.0]]
    )
    found = league.ranked(costs)
    np.testing.assert_allclose(found.mean_rank, [1.5, 2.0, 2.5, np.nan])
    assert found.critical_difference == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 4)), rel=1e-3)
    assert found.friedman == pytest.approx(0.3679, abs=1e-3)  # chi2 = 2 with 2 degrees of freedom
    assert np.isnan(league.ranked(costs[:2]).critical_difference)


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ({"sup_variation": 0.0, "optimum_moves": 0.0}, "static"),
        ({"optimum_moves": 0.0}, "optimum stays"),
        ({"change_points": [7], "optimum_moves": 1.0}, "1 jump"),
        ({"change_points": [7, 9], "optimum_moves": 2.0}, "2 jumps"),
        ({"change_points": [7, 9], "optimum_moves": 80.0}, "drift, 2 jumps"),
        ({"period": 20.94, "optimum_moves": 80.0}, "period 20.9"),
        ({"optimum_moves": 80.0}, "drift"),
    ],
)
def test_the_kind_of_change_in_words(card, words):
    assert league.kind(played("a", {"x": 1.0}, **card)) == words


def test_the_table_has_a_block_per_setting_and_price():
    data = [played(name, {"x": 1.0, "y": 0.5, "z": 0.7}, {"y": 20}) for name in "ab"]
    frame = tables.rows("league", data, prices=[0.0, 1.0])
    assert frame.setting.unique().tolist() == ["printed"]
    assert frame[frame.price == 0].policy.tolist() == ["y", "z", "x"]
    assert frame[frame.price == 1].policy.tolist() == ["z", "x", "y"]
    assert frame[frame.price == 1].iloc[2][["a", "b"]].tolist() == [2.25, 2.25]
    assert frame.tied_with_best.all()


def test_the_league_figure_prints_the_least_in_bold():
    data = [played("a", {"x": 1.0, "y": 0.5}, ours=["x"]), played("b", {"x": 1.0, "y": 1.2})]
    (cells, *_) = (axes for axes in figures.draw("league", data).axes if axes.texts)
    assert [text.get_text() for text in cells.texts] == [".25", ".60", ".50", ".50"]
    assert [text.get_text() for text in cells.texts if text.get_fontweight() == "bold"] == [".25", ".50"]
    assert [text.get_text() for text in cells.get_yticklabels()] == ["Y", "X, width ours"]
    frame = tables.rows("league", data, prices=[0.0])
    assert frame.set_index("policy").width.to_dict() == {"x": "ours", "y": "printed"}


def jumping(experiment, regrets, **card):
    """`played` with a jump in the fourth round, from which each variant's regret falls after some rounds."""
    data = played(experiment, dict.fromkeys(regrets, 1.0), change_points=[4], optimum_moves=1.0, **card)
    for name, rounds in regrets.items():
        data.regret.loc[{"policy": name, "round": slice(4 + rounds, None)}] = 0.0
    return data


def test_rounds_until_regret_is_low_again_are_counted():
    data = jumping("a", {"x": 0, "y": 2, "z": 9})
    assert recovery.changes(data.isel(alpha=0)) == [4]
    part = data.isel(alpha=0)
    # of 5 rounds from the change on, two are of regret 0.9 or 1.1 with y: 0.4, then 0.2, then 0 on average
    assert recovery.waits(part, "x")[0].tolist() == [[0, 0]] * 3
    assert recovery.waits(part, "y", [0.5, 0.15, 0.1])[0].tolist() == [[0, 0], [1, 1], [1, 2]]
    assert recovery.waits(part, "y", [0.05])[0].tolist() == [[2, 2]]
    assert np.isinf(recovery.waits(part, "z", [0.1])).all()
    assert recovery.changes(played("b", {"x": 1.0}).isel(alpha=0)) == []
    assert recovery.rounds_until(np.zeros(recovery.SPAN - 1), 1.0) == np.inf


def test_a_target_counts_until_the_next_change_only():
    data = played("a", {"x": 1.0}, change_points=[2, 4], optimum_moves=2.0)
    data.regret.loc[{"round": slice(4, None)}] = 0.0
    assert np.isinf(recovery.waits(data.isel(alpha=0), "x", [0.1])[0]).all()
    assert recovery.waits(data.isel(alpha=0), "x", [0.1])[1].tolist() == [[0, 0]]


def test_the_recovery_figure_has_who_reaches_most_first():
    data = [jumping("a", {"x": 9, "y": 0, "z": 2}), played("b", {"x": 1.0})]
    (axes,) = figures.draw("recovery", data).axes
    (legend,) = axes.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["y", "z", "x"]
    caption = figures.caption("recovery", data)
    assert "after a jump (a): share of 6 triples of change (1), target and run" in caption
    ends = [line.get_ydata()[-1] for line in axes.lines if line.get_drawstyle() == "steps-post"]
    assert ends == pytest.approx([1 / 6, 1.0, 1.0])  # x: 0.9 is below half of 2
    with pytest.raises(ValueError, match="recovery: no environment among the results jumps"):
        figures.draw("recovery", data[1:])
    for make in (figures.draw, figures.caption):
        with pytest.raises(ValueError, match="recovery: no method was played in every environment that jump"):
            make("recovery", [jumping("a", {"x": 0}), jumping("b", {"y": 0})])


def test_a_profile_is_the_share_of_environments_near_the_best():
    data = [played("a", {"x": 1.0, "y": 0.5}), played("b", {"x": 0.5, "y": 0.8}, sup_variation=0.0)]
    found = league.standings(data, "printed")
    profile = league_runs.LeagueCosts.of_costs(
        found.methods, found.environments, found.costs(0.0), [league.family(part) for part in data]
    )
    factors, shares = profile.profile_curve("x")
    assert factors.tolist() == pytest.approx([1.0, 2.0]) and shares.tolist() == [0.5, 1.0]
    factors, shares = profile.profile_curve("y")
    assert factors.tolist() == pytest.approx([1.0, 1.6]) and shares.tolist() == [0.5, 1.0]
    assert "of the 2 environments" in figures.caption("performance_profiles", data)
    (legend,) = figures.draw("performance_profiles", data).legends
    assert {text.get_text() for text in legend.get_texts()} == {"x", "y"}
