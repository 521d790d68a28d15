"""Analyses: parts and blocks of seeds joined into one file, the same bytes for any block size."""

from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from tvgp import plugins
from tvgp.study import analyses
from tvgp.study.config import jobs
from tvgp.study.data import field
from tvgp.study.execution import provenance


def _run(seeds, scale=1.0, words="none", grid=(1, 2)):
    """Double of an analysis module: every value depends on its seed and the parameters only."""
    values = scale * np.array(seeds, dtype=float)[:, None] * np.arange(1.0, 4.0)
    return xr.Dataset({"value": (("seed", "step"), values), "sizes": ("size", list(grid))})


@pytest.fixture
def module(monkeypatch):
    double = SimpleNamespace(run=_run)
    monkeypatch.setattr(plugins.Registry, "load", lambda registry, name: double)
    return double


CONFIG = {
    "seeds_per_job": 2,
    "analyses": {
        "growth": {
            "title": "Growth",
            "parameters": {"words": "all"},
            "parts": {"small": {"scale": 1.0}, "large": {"scale": 10.0, "words": "many"}},
            "seeds": 5,
        }
    },
}


def _gathered(tmp_path, size):
    config = CONFIG | {"seeds_per_job": size}
    files = {}
    for part in config["analyses"]["growth"]["parts"]:
        job = jobs.analysis_job(config, "growth", part)
        files[part] = []
        for first, last in jobs.analysis_blocks(config, "growth"):
            path = tmp_path / f"{part}-{first}-{last}.nc"
            result = analyses.run(job.module, range(first, last + 1), **job.parameters)
            analyses.write(path, result, {"job": asdict(job)})
            files[part].append(path)
    return analyses.gather(files, jobs.gather_job(config, "growth"))


def test_blocks_and_parts_are_joined(module, tmp_path):
    data = _gathered(tmp_path, 2)
    assert list(data.part.values) == ["small", "large"]
    assert list(data.seed.values) == [1, 2, 3, 4, 5]
    np.testing.assert_array_equal(data.value.sel(part="large", seed=4), [40.0, 80.0, 120.0])
    assert list(data.scale.values) == [1.0, 10.0] and list(data.words.values) == ["all", "many"]
    assert data.attrs["analysis"] == "growth" and data.attrs["data"] == "synthetic"


def test_a_job_has_the_parts_on_one_dataset_or_on_none():
    entry = {
        "parameters": {"dataset": "sites"},
        "parts": {"a": {}, "b": {"dataset": "cells"}, "c": {}},
        "seeds": 1,
    }
    config = CONFIG | {"analyses": CONFIG["analyses"] | {"fields": entry}}
    assert jobs.analysis_groups(config, "fields") == {"sites": ["a", "c"], "cells": ["b"]}
    assert jobs.analysis_groups(config, "growth") == {"": ["small", "large"]}
    assert jobs.analysis_rule("fields", "cells") == "analysis_fields_cells"
    stems = [jobs.analysis_stem(name, group) for name, group in (("fields", "cells"), ("growth", ""))]
    assert stems == ["fields/cells-seeds", "growth/seeds"]


def test_a_part_on_data_is_made_again_when_they_change(monkeypatch, tmp_path):
    """And knows whether they are real."""

    def run(seeds, data, dataset):
        assert dataset == "sites"
        return xr.Dataset({"means": ("part_of_data", [float(each.value.mean()) for each in data])})

    monkeypatch.setattr(plugins.Registry, "load", lambda registry, name: SimpleNamespace(run=run))
    made = {"recipe": "x", "job": asdict(analyses.AnalysisJob("a", "a", "one", {"dataset": "sites"}))}
    monkeypatch.setattr(provenance, "origin", lambda made: {"recipe": made["recipe"]})
    files = [tmp_path / "train.nc", tmp_path / "test.nc"]
    found = []
    for level in (1.0, 2.0, 2.0):
        for path, value in zip(files, (0.0, level), strict=True):
            time = np.array(["2001-01-01", "2001-01-02"], dtype="datetime64[D]")
            attrs = {"source": "standin", "frequency": "day", "coordinates": "index"}
            nowhere = np.full(2, np.nan)
            data = field.Field(np.full((2, 2), value), time, np.arange(2), nowhere, nowhere, attrs)
            field.write_field(path, data)
        found += analyses.compute([made], [1], tmp_path, {"sites": [str(path) for path in files]})
    assert found[0] != found[1] == found[2]
    with xr.open_dataset(found[1]) as data:
        assert data.means.values.tolist() == [0.0, 2.0] and data.attrs["data"] == "standin"


def test_same_bytes_for_any_block_size(module, tmp_path):
    paths = [tmp_path / f"{size}.nc" for size in (1, 2, 5)]
    for path in paths:
        folder = tmp_path / path.stem
        folder.mkdir()
        analyses.write(path, _gathered(folder, int(path.stem)), {})
    assert len({path.read_bytes() for path in paths}) == 1


def test_missing_seeds_and_unknown_parameters_are_rejected(module, tmp_path):
    path = tmp_path / "part.nc"
    analyses.write(path, analyses.run("growth", [1, 3]), {})
    job = replace(jobs.gather_job(CONFIG, "growth"), seeds=3, parts={"small": {}})
    with pytest.raises(ValueError, match=r"growth, part small: seeds \[1, 3\], expected 1 to 3"):
        analyses.gather({"small": [path]}, job)
    with pytest.raises(ValueError, match="analysis growth has no parameter 'sclae'; it has: grid"):
        analyses.run("growth", [1], sclae=2)
    path.write_text("no file of ours")
    with pytest.raises(ValueError, match="part.nc: damaged"):
        analyses.gather({"small": [path]}, job)


@pytest.mark.parametrize("bed", ["ageing", "drift"])
def test_rules_are_runs_of_their_own_policies_on_the_same_world(bed):
    """One dimension per rule: dpp and the method's own rule differ by their streams alone, greedy by
    its sets; the whole domain is asked in full from the start."""
    small = {"alphas": [1.0], "horizon": 100, "n_arms": 31, "length_scale": 9.0}
    rules = ["greedy", "dpp", "domain_greedy"]
    data = analyses.run(bed, [1, 2], method="sparq_gp_ucb", rules=rules, **small)
    alone = analyses.run(bed, [1, 2], method="sparq_gp_ucb", rules=["greedy"], **small)
    assert data.late_regret.dims == ("rule", "seed", "alpha") and list(data.rule.values) == rules
    xr.testing.assert_equal(data.late_regret.sel(rule="greedy"), alone.late_regret.sel(rule="greedy"))
    play = data.random_play.values
    np.testing.assert_array_equal(play[0], play[1])
    assert len(np.unique(play[0])) == 2  # seeds have worlds of their own
    asked = data.cumulative_queries.isel(alpha=0, round=-1)
    assert (asked.sel(rule="domain_greedy") > asked.sel(rule="greedy")).all()
    with pytest.raises(ValueError, match="subset rule is 'best'; known: greedy, swap_10"):
        analyses.run(bed, [1], method="sparq_gp_ucb", rules=["best"], **small)


@pytest.mark.parametrize("bed", ["ageing", "drift"])
@pytest.mark.parametrize("method", ["tv_gp_ucb", "w_gp_ucb", "w_sparq_gp_ucb"])
def test_results_do_not_depend_on_the_seeds_of_a_job(bed, method):
    small = {"method": method, "alphas": [0.3, 1.5], "horizon": 100, "n_arms": 21, "length_scale": 15.0}
    whole = analyses.run(bed, [1, 2, 3], **small)
    for some in ([2], [1, 3]):
        xr.testing.assert_identical(whole.sel(seed=some), analyses.run(bed, some, **small))


def test_dear_queries_are_fewer_where_data_age():
    small = {"alphas": [1.0], "horizon": 100, "n_arms": 31, "length_scale": 9.0}
    asked = [
        analyses.run("ageing", [1], method="pandora", price=price, **small).cumulative_queries.values[..., -1]
        for price in (0.0, 0.01, 0.1)
    ]
    assert asked[0] > asked[1] > asked[2] > 0
    with pytest.raises(ValueError, match="price"):
        analyses.run("ageing", [1], method="sparq_gp_ucb", price=0.1, **small)


@pytest.mark.parametrize("method", ["textbook", "joint", "pathwise", "points", "features"])
def test_steps_are_timed_in_rounds_that_follow_each_other(method):
    found = analyses.run("step_cost", [1], method=method, rounds=[5], n_side=[3], repeats=2)
    assert (found.seconds > 0).all()


def test_names_longer_than_those_of_the_first_part_are_kept(tmp_path):
    files, parts = {}, {"few": ["ab"], "more": ["ab", "a_longer_name"]}
    for part, names in parts.items():
        files[part] = [tmp_path / f"{part}.nc"]
        data = xr.Dataset(
            {"value": (("seed", "name"), np.ones((1, len(names))))}, {"seed": [1], "name": names}
        )
        analyses.write(files[part][0], data, {})
    whole = analyses.gather(files, analyses.GatherJob("names", "Names", 1, False, {"few": {}, "more": {}}))
    analyses.write(tmp_path / "whole.nc", whole, {})
    with xr.open_dataset(tmp_path / "whole.nc") as read:
        assert read.name.values.tolist() == ["a_longer_name", "ab"]
