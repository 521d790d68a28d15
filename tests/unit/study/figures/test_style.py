"""Colours, lines and markers: one look a variant, told apart without colour."""

import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib import font_manager
from PIL import Image

from tvgp.study.config import jobs, loading
from tvgp.study.figures.base import style
from tvgp.study.results import presentation

LACKING = "No installed font has {}: install one, such as Noto Sans CJK, and draw anew."


@pytest.fixture(scope="module")
def config(project: Path) -> dict:
    return loading.read(project / "config")


@pytest.fixture(scope="module")
def own(config) -> dict[str, style.Look]:
    """The looks that the configuration spells out."""
    given = {name: policy["look"] for name, policy in config["policies"].items()}
    return {name: style.Look.of(look) for name, look in given.items() if isinstance(look, dict)}


def test_every_variant_of_the_config_has_a_look(config):
    assert [name for name, policy in config["policies"].items() if "look" not in policy] == []


def test_no_two_variants_share_line_marker_and_filling(own):
    seen = {}
    for name, look in own.items():
        key = (str(look.line), look.marker, look.filled)
        assert key not in seen, f"{name} looks like {seen.get(key)} in greyscale"
        seen[key] = name


def test_the_variants_of_a_figure_can_be_told_apart(config):
    for figure, definition in config["figures"].items():
        for experiment in definition.get("experiments", ()):
            seen = {}
            for name in definition.get("parameters", {}).get("variants", ()):
                if experiment in config["policies"][name].get("experiments", (experiment,)):
                    look = style.look(name)
                    assert look not in seen, f"{figure} of {experiment}: {name} looks like {seen[look]}"
                    seen[look] = name


def test_tick_labels_keep_their_distance_and_the_last_has_one():
    alphas = [0.1, 0.25, 0.333, 0.5, 0.75, 1.0]
    assert style.tick_labels(alphas, 0.2) == ["", "0.25", "", "0.5", "0.75", "1"]
    assert style.tick_labels([], 0.2) == []


def test_greyscale_pairs_differ_in_luminance_or_in_marker(own):
    for a, b in combinations(own.values(), 2):
        apart = abs(style.luminance(a.colour) - style.luminance(b.colour)) > 0.1
        assert apart or (a.marker, a.filled) != (b.marker, b.filled) or a.line != b.line


def test_published_methods_differ_in_marker_and_hue():
    names = ["gp_ucb", "r_gp_ucb", "sw_gp_ucb", "tv_gp_ucb", "w_gp_ucb", "sparq_gp_ucb"]
    looks = [style.look(name) for name in [*names, "w_sparq_gp_ucb"]]
    assert len({look.marker for look in looks}) == len({look.colour for look in looks}) == 7


@pytest.mark.parametrize("name", ["r_gp_ucb", "sw_gp_ucb", "tv_gp_ucb", "w_gp_ucb"])
def test_tuned_variants_keep_the_hue_of_their_algorithm(name):
    tuned, plain = style.look(f"{name}_tuned"), style.look(name)
    assert tuned.colour == plain.colour
    assert tuned.line != plain.line


def test_an_added_policy_always_looks_the_same_and_like_no_other(own):
    assert style.look("my_policy") == style.look("my_policy")
    assert style.look("my_policy") not in own.values()


def test_a_look_may_be_that_of_another_policy():
    mine = {"label": "Mine", "look": {"colour": "#123456", "line": "dashed", "marker": "8", "width": 2}}
    config = {"policies": {"mine": mine, "twin": {"label": "Twin", "look": "mine"}}}
    with presentation.of(jobs.presentation(config, [("analyses", "any")])):
        assert style.look("twin") == style.Look("#123456", style.DASHED, "8", width=2) == style.look("mine")
        assert style.entry("twin").get_label() == "Twin" and style.known("twin")
    assert not style.known("twin") and presentation.label("twin") == "twin"


def test_luminance_ends():
    assert style.luminance("white") == pytest.approx(1)
    assert style.luminance("black") == 0


def test_spread_keeps_order_and_gap():
    rng = np.random.default_rng(0)
    for _ in range(50):
        positions = rng.random(9)
        moved = style.spread(positions, 0.08, 0, 1)
        order = np.argsort(positions)
        assert (np.diff(moved[order]) >= 0.08 - 1e-12).all()
        assert moved.min() >= -1e-12 and moved.max() <= 1 + 1e-12


def test_spread_moves_crowded_labels_only():
    np.testing.assert_allclose(style.spread([0.1, 0.9, 0.5], 0.2, 0, 1), [0.1, 0.9, 0.5])
    np.testing.assert_allclose(style.spread([0.5] * 5, 0.9, 0, 1), np.linspace(0, 1, 5))


def test_long_labels_lose_their_bracket_first():
    assert style.short("yesterday's best (full information)") == "yesterday's best"
    assert style.short("W-SparQ-GP-UCB") == "W-SparQ-GP-UCB"
    assert style.short("R-GP-UCB, cross-validated") == "R-GP-UCB, cross-validated"
    assert style.short("a label without any last bracket") == "a label without any last b…"


@pytest.mark.parametrize(("name", "known"), [("S\u02ef", True), ("Zürich", True), ("北京", False)])
def test_names_in_other_scripts_get_a_font_that_has_them(tmp_path, monkeypatch, name, known):
    """U+02EF is in DejaVu Serif, not in DejaVu Sans."""
    figure, ((axes,),) = style.panels(2.0)
    axes.set_xticks([0, 1], [name, "b"])
    if not known:
        monkeypatch.setattr(font_manager.fontManager, "ttflist", [])
    with style.context(), warnings.catch_warnings():
        warnings.simplefilter("error")
        [path] = style.save(figure, tmp_path / "a", caption="Sites.", formats=("png",))
    caption = Image.open(path).info["Description"]
    assert caption == ("Sites." if known else f"Sites. {LACKING.format(name)}")
