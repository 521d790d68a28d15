"""Figures: the same bytes twice, honest captions, a mark on stand-in data, one-line errors."""

from pathlib import Path

import example_results
import numpy as np
import pytest
import xarray as xr
from matplotlib.container import ErrorbarContainer
from PIL import Image

from tvgp.study import analyses, figures, results, tables
from tvgp.study.figures import chain_length
from tvgp.study.figures.base import style
from tvgp.study.papers.bogunovic16 import READINGS
from tvgp.study.results.statistics import half_width

SMALL = {"horizon": 60, "seeds": 3}
OVER_ROUNDS = ("average_regret", "cumulative_regret")
# figures of one experiment, and those of `made` that have what they need
ALONE = {
    **dict.fromkeys((*OVER_ROUNDS, "controls", "queries"), ("rkhs_sine", "berkeley_france", "ozone")),
    "error_maps": ("berkeley_france", "ozone"),
    "optimum": ("rkhs_sine",),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("collected")
    return {
        "rkhs_sine": example_results.write(folder, "rkhs_sine", alphas=("1", "0.5"), **SMALL),
        "berkeley_france": example_results.write(folder, "berkeley_france", "standin", **SMALL),
        "ozone": example_results.write(folder, "ozone", "real", **SMALL),
    }


@pytest.fixture
def everything(made):
    return [(name, made[each]) for name, experiments in ALONE.items() for each in experiments]


def texts(figure) -> str:
    return " ".join(artist.get_text() for artist in figure.findobj(match=_is_text))


def _is_text(artist) -> bool:
    return hasattr(artist, "get_text")


def test_the_figures_asked_for_are_there():
    wanted = {"average_regret", "cumulative_regret", "controls", "queries", "error_maps", "optimum"}
    assert wanted <= set(figures.names())


@pytest.mark.parametrize(("name", "fonts"), [("average_regret", 42), ("error_maps", 3)])
def test_figures_drawn_twice_have_the_same_bytes(made, tmp_path, name, fonts):
    first, second = (
        figures.make(name, made["berkeley_france"], tmp_path / folder / name, pdf_fonts=fonts)
        for folder in "ab"
    )
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes()
    assert not list(tmp_path.rglob(".*")), "temporary files were left behind"


def test_title_and_caption_stand_in_the_png(made, tmp_path):
    (png,) = figures.make("controls", made["ozone"], tmp_path / "controls", ("png",))
    with Image.open(png) as image:
        assert image.text["Title"] == "ozone/controls"
        assert image.text["Description"] == figures.caption("controls", made["ozone"])


def test_watermark_if_and_only_if_standin(everything):
    for name, path in everything:
        figure = figures.draw(name, path)
        marked = any(text.get_text() == style.STANDIN for text in figure.texts)
        assert marked == (path.stem == "berkeley_france"), (name, path.stem)


def test_captions_state_band_runs_and_data(everything):
    for name, path in everything:
        caption = figures.caption(name, path)
        assert caption.endswith(".") and "  " not in caption
        kinds = {"rkhs_sine": "synthetic rewards", "ozone": "real data", "berkeley_france": "stand-in data"}
        assert kinds[path.stem].lower() in caption.lower()
        if name in OVER_ROUNDS:
            assert "means over 3 runs; bands are from the lowest to the highest run" in caption
        else:
            assert "3 runs" in caption or "single run" in caption
        if name in ("queries", "controls"):
            assert "95 % confidence interval" in caption


def test_one_run_has_no_band(tmp_path):
    path = example_results.write(tmp_path, "ozone", "real", horizon=30, seeds=1)
    assert "single run" in figures.caption("average_regret", path)
    assert not figures.draw("average_regret", path).axes[0].collections


@pytest.mark.parametrize(
    ("sampled", "differ"), [("rounds", "in the"), ("runs", "in the site played first and")]
)
def test_a_record_says_what_its_runs_differ_in(tmp_path, sampled, differ):
    path = example_results.write(tmp_path, "ozone", "real", horizon=30, seeds=3)
    record = results.read(results.read(path).assign_attrs(sampled=sampled))
    assert f"runs differ only {differ}" in figures.caption("average_regret", record)


@pytest.mark.parametrize("seeds", [1, 4])
def test_bars_on_a_record_are_over_blocks_of_rounds(tmp_path, seeds):
    path = example_results.write(tmp_path, "ozone", "real", horizon=90, seeds=seeds)
    record = results.read(results.read(path).assign_attrs(sampled="rounds"))
    ours = results.final_average(results.at_alpha(record), "gp_ucb")
    for name in ("controls", "queries"):
        assert f"over {len(ours)} blocks of" in figures.caption(name, record)
    bars = [
        bar
        for bar in figures.draw("queries", record).axes[0].containers
        if isinstance(bar, ErrorbarContainer)
    ]
    lengths = [np.ptp(bar[2][0].get_segments()[0][:, 1]) / 2 for bar in bars]
    drawn = results.average(results.at_alpha(record), "gp_ucb")
    assert len(ours) > drawn.runs or drawn.high - drawn.mean == pytest.approx(half_width(ours))
    assert any(length == pytest.approx((drawn.high - drawn.low) / 2) for length in lengths)
    assert f"(bars over {len(ours)} blocks of" in figures.caption("chain_length", [record])
    drawn = results.average(results.at_alpha(record), "sparq_gp_ucb")
    exact = figures.draw("chain_length", [record]).axes[0].containers[0][2][0].get_segments()[-1]
    assert exact[:, 1] == pytest.approx((drawn.low, drawn.high))


def test_no_bar_is_cut_off_where_late_rounds_cost_more(tmp_path):
    path = example_results.write(tmp_path, "ozone", "real", horizon=90, seeds=3)
    record = results.read(results.read(path).assign_attrs(sampled="rounds"))
    late = xr.where(record["round"] > 60, 10.0, 1.0)
    axes = figures.draw("queries", record.assign(regret=record["regret"] * late)).axes[0]
    bars = [bar for bar in axes.containers if isinstance(bar, ErrorbarContainer)]
    ends = np.concatenate([bar[2][0].get_segments()[0][:, 1] for bar in bars])
    low, high = axes.get_ylim()
    assert low <= ends.min() and ends.max() < high


def test_units_stand_on_the_axis(made):
    assert "(ppb)" in figures.draw("average_regret", made["ozone"]).axes[0].get_ylabel()
    assert "°C²" in texts(figures.draw("error_maps", made["berkeley_france"]))


def test_bounds_are_named_as_orders_and_vacuous_where_they_are(made):
    drawn = texts(figures.draw("average_regret", made["rkhs_sine"]))
    assert "SparQ (23)" in drawn and "(34), rooted" in drawn
    assert "order only" in drawn and "vacuous" in drawn
    assert "vacuous" in figures.caption("average_regret", made["rkhs_sine"])
    assert "bound" not in figures.caption("average_regret", made["ozone"])


def test_labels_do_not_touch_and_curves_stay_out_of_the_legend(made):
    axes = figures.draw("average_regret", made["ozone"]).axes[0]
    names = [t for t in axes.texts if t.get_position()[0] > 1]
    heights = sorted(t.get_position()[1] for t in names)
    inches = axes.get_position().height * axes.figure.get_size_inches()[1]
    gaps = [(b - a) * inches * 72 for a, b in zip(heights, heights[1:], strict=False)]
    assert len(names) >= 9 and min(gaps) > 7.5  # points, the height of the letters


def test_controls_shows_every_variant(made):
    drawn = texts(figures.draw("controls", made["ozone"]))
    data = results.read(made["ozone"])
    for label in data.label.values:
        assert str(label) in drawn


def test_a_policy_the_style_does_not_know_is_drawn(tmp_path, monkeypatch):
    entry = ("Mine", "control", "mine", 0.3)
    monkeypatch.setitem(example_results.VARIANTS, "my_policy", entry)
    path = example_results.write(tmp_path, "ozone", "real", **SMALL)
    assert "Mine" in texts(figures.draw("average_regret", path))


def test_maps_share_one_colour_scale_that_no_poor_method_sets(made):
    data = results.read(made["berkeley_france"]).copy(deep=True)
    data["squared_error"] = data.squared_error * (1 + 49.0 * (data.policy == "gp_ucb"))
    largest = float(data.squared_error.mean("seed").max())
    for drawn, highest in ((made["berkeley_france"], np.inf), (data, largest / 5)):
        ((_, high),) = {
            (c.norm.vmin, c.norm.vmax)
            for axes in figures.draw("error_maps", drawn).axes
            for c in axes.collections
            if c.get_array() is not None and axes.get_title(loc="left")
        }
        assert high < highest


def test_no_end_of_a_curve_hides_another(made):
    axes = figures.draw("queries", made["ozone"]).axes[0]
    ends = [float(bars.lines[0].get_xdata()[0]) for bars in axes.containers]
    assert len(ends) > 9 and min(np.diff(np.sort(ends))) > 0.02 * min(ends)


def test_maps_have_the_coast_of_france(made):
    figure = figures.draw("error_maps", made["berkeley_france"])
    axes = figure.axes[0]
    points = np.concatenate([path.vertices for c in axes.collections for path in c.get_paths()])
    brest = np.hypot(points[:, 0] + 4.5, points[:, 1] - 48.4)
    assert brest.min() < 0.1 and axes.get_xlim()[0] > -9


def test_the_oracles_regret_does_not_set_the_scale(made):
    data = results.read(made["berkeley_france"]).copy(deep=True)
    data["regret"] = data.regret + 20.0 * (data.policy != "oracle")
    for name in ("controls", "queries", "average_regret"):
        axes = figures.draw(name, data).axes[0]
        low, _ = axes.get_xlim() if name == "controls" else axes.get_ylim()
        assert low > 15, name


@pytest.mark.parametrize("level", [0.0, 2.0])
def test_equal_regrets_are_inside_the_axes(made, level):
    data = results.read(made["rkhs_sine"])
    low, high = figures.draw("controls", data.assign(regret=0 * data.regret + level)).axes[0].get_xlim()
    assert low <= level < high and high - low < 3


@pytest.mark.parametrize("value", [0.5, 40.0])
def test_a_value_read_from_a_paper_is_inside_the_axes(made, monkeypatch, value):
    monkeypatch.setitem(READINGS, ("berkeley_france", "tv_gp_ucb"), value)
    data = results.read(made["berkeley_france"]).copy(deep=True)
    data["regret"] = data.regret + 20.0 * (data.policy != "oracle")
    low, high = figures.draw("average_regret", data).axes[0].get_ylim()
    assert low < value < high


def test_errors_are_one_clear_line(made, tmp_path):
    cases = [
        (lambda: figures.draw("nonsense", made["ozone"]), "no 'nonsense' in figures"),
        (lambda: figures.draw("queries", tmp_path / "gone.nc"), "no such file"),
        (lambda: figures.draw("queries", made["ozone"], colour="red"), "no parameter 'colour'"),
        (lambda: figures.draw("average_regret", made["ozone"], variants=["x"]), "none of the variants"),
        (lambda: results.at_alpha(results.read(made["ozone"]), "7"), "no alpha 7"),
        (lambda: figures.draw("error_maps", made["rkhs_sine"]), "squared_error, lat and lon"),
        (lambda: figures.draw("optimum", made["ozone"]), "arms on a line"),
    ]
    for call, expected in cases:
        with pytest.raises(ValueError, match=expected) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_a_file_that_is_no_result_is_refused(tmp_path):
    path = tmp_path / "bad.nc"
    path.write_text("<html>not found</html>")
    with pytest.raises(ValueError, match="bad.nc: damaged") as caught:
        figures.make("queries", path, tmp_path / "out")
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.glob("out*"))
    other = tmp_path / "other.nc"
    analyses.write(other, xr.Dataset({"regret": ("round", np.ones(3))}), {})
    with pytest.raises(ValueError, match="other.nc: not the collected results"):
        figures.draw("queries", other)


WIDTHS = ("tv_gp_ucb", "sparq_gp_ucb", "tv_gp_ucb_width", "sparq_gp_ucb_width")


def test_sweep_shows_training_curves_best_and_printed_widths(tmp_path):
    path = example_results.write(tmp_path, "rkhs_sine", variants=WIDTHS, **SMALL)
    (axes,) = figures.draw("sweep", path).axes
    training = {tuple(line.get_ydata()) for line in axes.lines if len(line.get_xdata()) == 3}
    expected = {(0.65, 0.7, 1.05), (0.09, 0.03, 0.25)}  # means of two training runs
    assert {tuple(round(value, 6) for value in curve) for curve in training} == expected
    data = results.at_alpha(results.read(path))
    marks = {
        (float(line.get_xdata()[0]), round(float(line.get_ydata()[0]), 9))
        for line in axes.lines
        if len(line.get_xdata()) == 1 and line.get_marker() not in ("_", "None")
    }
    places = {"tv_gp_ucb_width": 1, "sparq_gp_ucb_width": 2, "tv_gp_ucb": 4.75, "sparq_gp_ucb": 4.75}
    means = {name: round(float(results.final_average(data, name).mean()), 9) for name in places}
    assert marks == {(float(x), means[name]) for name, x in places.items()}
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels == ["1", "2", "4", "printed"]
    text = figures.caption("sweep", path)
    assert "2 training runs" in text and "TV-GP-UCB, width 1; SparQ-GP-UCB, width 2." in text


def test_sweep_with_effort_shows_queries(tmp_path):
    path = example_results.write(tmp_path, "rkhs_sine", variants=WIDTHS[2:], **SMALL)
    above, below = figures.draw("sweep", path, effort=True).axes
    assert below.get_ylabel() == "queries per round"
    assert [list(line.get_ydata()) for line in below.lines] == [[1, 2, 4]] * 2
    assert "printed" not in [label.get_text() for label in below.get_xticklabels()]


def test_sweep_without_tuned_variants_is_refused(tmp_path):
    path = example_results.write(tmp_path, "rkhs_sine", variants=WIDTHS[:2], **SMALL)
    with pytest.raises(ValueError, match="rkhs_sine: no variant with a tuned width was run"):
        figures.draw("sweep", path)


def test_theorem_steps_by_hand(tmp_path):
    """M = ceil(6 log 500) = 38 of the arms played, eps = 0.01 / 5 / (4 500 0.5) = 2e-6."""
    data = results.read(example_results.write(tmp_path, "rkhs_sine", seeds=2))
    part = results.at_alpha(data)
    arms = part.arm.sel(policy="sparq_gp_ucb").transpose("seed", "round").values
    n = max(len(set(row)) for row in arms.tolist())
    by_hand = 2 * 38 * n * (np.log(38 * np.log(38 * n)) + np.log(2 / 2e-6**2))
    assert chain_length.theorem_steps(part) == pytest.approx(by_hand, abs=1)
    assert chain_length.theorem_steps(xr.Dataset(attrs={"analysis": "ageing_subsets"})) is None


def test_chain_length_names_the_theorems_steps(made):
    rules = ["greedy", "swap_30", "dpp", "random"]
    small = {"alphas": [1.0], "horizon": 100, "n_arms": 31, "length_scale": 9.0}
    bed = analyses.run("ageing", [1, 2], method="sparq_gp_ucb", rules=rules, **small)
    bed = bed.expand_dims(part=["sparq_gp_ucb"])
    bed = bed.assign_attrs(analysis="ageing_subsets", data="synthetic", title="Bed")
    both = [results.read(made["rkhs_sine"]), bed]
    figure = figures.draw("chain_length", both)
    sine, ageing = figure.axes
    assert [text.get_text() for text in sine.get_xticklabels()] == ["0", "10", "30", "100", "1000", "exact"]
    shown = bed.late_regret.isel(alpha=0, part=0).mean("seed")
    line = ageing.containers[0].lines[0].get_ydata()
    assert line.tolist() == [float(shown.sel(rule=rule)) for rule in ("greedy", "swap_30", "dpp")]
    steps = chain_length.theorem_steps(results.at_alpha(both[0]))
    caption = figures.caption("chain_length", both)
    assert f"{steps:,} (rkhs_sine)" in caption and "ageing_subsets)" not in caption
    assert "Ageing observations: 2 runs of 100 rounds on synthetic rewards" in caption
    assert f" runs of {both[0].sizes['round']} rounds on synthetic rewards, Ageing" in caption


def test_readings_before_the_choice_are_drawn_by_their_number(made):
    """Costs are regret plus price times readings; the index is drawn at the prices in its variants' names."""
    names = {
        "gp_ucb": "field_gp_ucb",
        "w_gp_ucb": "field_reads_2",
        "tv_gp_ucb": "field_reads_5",
        "sw_gp_ucb": "field_reads_2_after",
        "sparq_gp_ucb": "pandora_at_0_50",
        "w_sparq_gp_ucb": "pandora_at_1_00",
        "yesterdays_best": "yesterdays_best",
    }
    with xr.open_dataset(made["ozone"]) as opened:
        data = opened.load().sel(policy=list(names)).assign_coords(policy=list(names.values()))
    cost, ratio, regret = figures.draw("readings_before", [data]).axes
    part = results.at_alpha(data)
    level = {name: results.final_average(part, name).mean() for name in names.values()}
    before, after, index = regret.lines[:3]
    np.testing.assert_allclose(
        before.get_xydata(),
        [(0, level["field_gp_ucb"]), (2, level["field_reads_2"]), (5, level["field_reads_5"])],
    )
    np.testing.assert_allclose(after.get_xydata()[1], (2, level["field_reads_2_after"]))
    asked = results.total_queries(part, "pandora_at_0_50").mean() / part.sizes["round"]
    np.testing.assert_allclose(cost.lines[2].get_xydata()[0], (0.5, level["pandora_at_0_50"] + 0.5 * asked))
    assert len(index.get_xdata()) == 2
    table = tables.rows("readings", [data]).set_index("policy")
    row = table.loc["pandora_at_0_50"]
    never = ("field_gp_ucb", "field_reads_2", "field_reads_5")  # none of them asks under its old name
    assert row.ratio == pytest.approx(row.cost / min(level[name] for name in never))
    np.testing.assert_allclose(ratio.lines[0].get_xydata(), [(0.5, row.low), (0.5, row.high)])
    caption = figures.caption("readings_before", [data])
    assert "Daily ozone, New York State" in caption and "every site, which needs no model" in caption
    assert "The curves and the index play under the model" in figures.caption("own_readings", data)
