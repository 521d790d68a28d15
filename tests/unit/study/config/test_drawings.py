"""Which figures and tables one job draws, and which variants one job plays."""

import pytest

from tvgp.study.config import jobs


@pytest.fixture
def config():
    return {
        "selection": {"experiments": ["a", "b"]},
        "experiments": {
            "a": {"figures": ["curve"]},
            "b": {"policies": ["plain", "tuned"]},
        },
        "policies": {
            "plain": {"parameters": {}},
            "tuned": {"parameters": {"window": {"tune": [1, 2]}}},
            "elsewhere": {"experiments": ["a"]},
        },
        "analyses": {"clock": {"timed": True}, "other": {}},
        "figure_formats": ["pdf", "png"],
        "pdf_fonts": 42,
        "figures": {
            "curve": {},
            "map": {"module": "maps", "parameters": {"n": 1}},
            "of_b": {"over": ["b"]},
            "times": {"over": ["clock"]},
        },
        "tables": {
            "ranks": {"formats": ["csv", "tex"]},
            "of_a": {"experiments": ["a"]},
            "all_of_it": {"over": "all"},
        },
    }


def test_products_with_the_same_inputs_have_one_record(config):
    drawn = {d.name: [p.stem for p in d.products] for d in jobs.drawings(config)}
    assert drawn == {
        "figures_a": ["figures/a/curve", "tables/of_a"],
        "figures_b": ["figures/b/curve", "figures/b/map", "figures/across/of_b"],
        "figure_times": ["figures/across/times"],
        "table_ranks": ["tables/ranks"],
        "table_all_of_it": ["tables/all_of_it"],
    }
    by_name = {d.name: d for d in jobs.drawings(config)}
    assert by_name["table_all_of_it"].members == (
        ("experiments", "a"),
        ("experiments", "b"),
        ("analyses", "other"),
    )
    assert [name for name, d in by_name.items() if jobs.reads_times(config, d)] == ["figure_times"]
    curve, maps, across = by_name["figures_b"].products
    assert (maps.module, maps.parameters, maps.suffixes) == ("maps", {"n": 1}, ["pdf", "png"])
    assert not curve.across and across.across
    assert by_name["table_ranks"].products[0].suffixes == ["csv", "tex"]


def test_drawing_jobs_hold_single_or_joint_results_not_both(config):
    names = [
        [
            [drawing.name for drawing in drawings]
            for drawings in jobs.drawing_jobs(config | {"results_per_drawing": n})
        ]
        for n in (1, 2)
    ]
    single = [["figures_a"], ["figures_b"], ["figure_times"]]
    assert names[0] == [*single, ["table_ranks"], ["table_all_of_it"]]
    assert names[1] == [["figures_a", "figures_b"], ["figure_times"], ["table_ranks", "table_all_of_it"]]


def test_nothing_is_drawn_without_selected_inputs_or_products(config):
    for chosen in ({"experiments": []}, {"experiments": ["a"], "figures": [], "tables": []}):
        config["selection"] = {"analyses": [], **chosen}
        assert jobs.drawings(config) == jobs.products(config) == []


def test_tuned_variants_do_not_hold_up_the_others(config):
    assert jobs.run_groups(config, "b") == {"run_b": ["plain"], "tuned_b": ["tuned"]}
    config["policies"]["plain"]["model"] = "field"
    assert jobs.run_groups(config, "b") == {"model_b": ["plain"], "tuned_b": ["tuned"]}
    del config["policies"]["plain"]["model"]
    assert jobs.run_groups(config, "a") == {"run_a": ["plain", "elsewhere"], "tuned_a": ["tuned"]}
