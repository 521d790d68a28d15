"""Every method tuned alike: runs as by hand, the choice of width and drift, tables and figures."""

import numpy as np
import pytest

from tvgp import policies
from tvgp.study import analyses, figures, tables
from tvgp.study.analyses import equal_tuning as analysis
from tvgp.study.analyses.base import problems
from tvgp.study.results import equal_tuning, presentation

METHODS = ["tv_gp_ucb", "st_gp_ucb", "r_perp", "w_sparq_gp_ucb"]
FEW = {"horizon": 25, "methods": METHODS, "widths": ["printed", 0.5, 2], "values": 2}
PARTS = {"drift": {"problem": "drift"}, "sign_flip": {"problem": "sign_flip"}}


@pytest.fixture(scope="module")
def gathered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tuning")
    for name, part in PARTS.items():
        analyses.write(folder / f"{name}.nc", analyses.run("equal_tuning", [1, 2, 3], **part, **FEW), {})
    job = analyses.GatherJob("equal_tuning", "Tuned alike", 3, False, PARTS)
    return analyses.gather({name: [folder / f"{name}.nc"] for name in PARTS}, job)


def test_a_cell_is_a_run_with_its_width_and_value(gathered):
    play, _ = problems.open_problem("equal_tuning", "drift", 25, 2)
    found = gathered.regret.sel(part="drift", seed=2)
    wide = play("tv_gp_ucb", horizon=25, width=2.0, epsilon=0.01)
    assert found.sel(policy="tv_gp_ucb", width="2").isel(value=2) == wide.regret.mean()
    own = play("r_perp", horizon=25)
    assert found.sel(policy="r_perp", width="printed").isel(value=0) == own.regret.mean()
    narrow = play("r_perp", horizon=25, block_length=25, confidence=0.5)
    assert found.sel(policy="r_perp", width="0.5").isel(value=1) == narrow.regret.mean()
    words = gathered.setting.sel(part="drift", policy="tv_gp_ucb").values.tolist()
    assert words == ["default", "0.1", "0.01"]
    assert found.sel(policy="st_gp_ucb").isel(value=1).isnull().all()  # has no such parameter


@pytest.mark.parametrize("name", analysis.METHODS)
def test_every_value_differs_from_the_default(name):
    """So that the default is one more value, and every method of a drift has as many."""
    method = analysis.METHODS[name]
    declared = policies.declaration(name)
    assert method.factor in policies.parameters(name)
    assert len(method.values) in (0, 5)
    for value in method.values:
        assert getattr(declared(**{method.drift: value}), method.drift) != getattr(declared(), method.drift)


def test_a_run_is_tuned_on_the_others(gathered):
    tuned, untuned = equal_tuning.tuned(gathered), equal_tuning.untuned(gathered)
    cells = (gathered.regret / gathered.random).sel(part="drift", policy="w_sparq_gp_ucb")
    for seed in (1, 2, 3):
        training = cells.drop_sel(seed=seed).mean("seed")
        at = {key: place.item() for key, place in training.argmin(["value", "width"]).items()}
        run = {"part": "drift", "policy": "w_sparq_gp_ucb", "seed": seed}
        assert tuned.regret.sel(run) == cells.sel(seed=seed).isel(at)
        assert (tuned.width.sel(run), tuned.value.sel(run)) == (at["width"], at["value"])
        assert training.isel(at) <= training.sel(width="printed").isel(value=0)
        assert untuned.regret.sel(run) == cells.sel(seed=seed, width="printed").isel(value=0)
    at_two = equal_tuning.at_widths(gathered).sel(part="drift", policy="st_gp_ucb", width="2")
    only = (gathered.regret / gathered.random).sel(part="drift", policy="st_gp_ucb", width="2").isel(value=0)
    np.testing.assert_allclose(at_two, only)


def test_the_table_has_every_method_and_its_width(gathered):
    frame = tables.rows("best_widths", [gathered])
    assert frame.groupby("policy").own_width.first().to_dict() == {
        "tv_gp_ucb": "printed",
        "st_gp_ucb": "ours",
        "r_perp": "ours",
        "w_sparq_gp_ucb": "printed",
    }
    row = frame.set_index(["experiment", "policy"]).loc["drift", "w_sparq_gp_ucb"]
    tuned, untuned = equal_tuning.tuned(gathered), equal_tuning.untuned(gathered)
    own = tuned.regret.sel(part="drift", policy="w_sparq_gp_ucb")
    before = untuned.regret.sel(part="drift", policy="w_sparq_gp_ucb")
    assert row.regret == pytest.approx(float(own.mean()))
    assert row.change == pytest.approx(float((own - before).mean()))
    free = tuned.regret.sel(part="drift", policy=["tv_gp_ucb", "st_gp_ucb", "r_perp"]).mean("seed")
    assert row.best_without_expert == str(free.policy.values[free.values.argmin()])
    assert row.against_best == pytest.approx(float(own.mean() - free.min()))
    assert row.end_of_grid == (row.width in ("0.5", "2"))


def test_the_league_has_blocks_untuned_and_tuned(gathered):
    frame = tables.rows("league", [gathered], prices=[0.0])
    assert frame.groupby("setting").size().to_dict() == {"tuned": 4, "untuned": 4}
    untuned = frame[frame.setting == "untuned"].set_index("policy")
    assert untuned.width["r_perp"] == "ours" and untuned.width["tv_gp_ucb"] == "printed"
    assert set(frame[frame.setting == "tuned"].width) == {"tuned"}
    mean = equal_tuning.untuned(gathered).regret.sel(part="sign_flip", policy="tv_gp_ucb").mean()
    assert untuned.sign_flip["tv_gp_ucb"] == pytest.approx(float(mean))
    assert untuned.queries_per_round["w_sparq_gp_ucb"] > 0 == untuned.queries_per_round["tv_gp_ucb"]


def test_the_figure_has_a_panel_per_method(gathered):
    axes = figures.draw("equal_tuning", [gathered]).axes
    shown = {each.get_title(loc="left"): each for each in axes}
    assert set(shown) == set(map(presentation.label, METHODS))
    tv, st = (shown[presentation.label(name)] for name in ("tv_gp_ucb", "st_gp_ucb"))
    assert [text.get_text() for text in st.texts] == ["own width: ours"]
    means = (
        equal_tuning.at_widths(gathered).sel(policy="tv_gp_ucb", width=["0.5", "2"]).mean(("part", "seed"))
    )
    assert any(np.allclose(line.get_ydata(), means) for line in tv.lines)
    assert "One grid of 2 widths" in figures.caption("equal_tuning", [gathered])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"problem": "tide"}, "problem is 'tide', expected rkhs_sine"),
        ({"problem": "drift", "methods": ["ucb1"]}, "methods has 'ucb1', expected gp_ucb, r_gp_ucb"),
    ],
)
def test_unknown_names_are_refused_in_one_line(wrong, message):
    with pytest.raises(ValueError, match=message):
        analyses.run("equal_tuning", [1], **wrong)
