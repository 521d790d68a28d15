"""What CONTRIBUTING.md promises: a policy, a dataset, a figure is one file and one config entry."""

import copy

import netCDF4
import pytest

from tvgp.study import netcdf

pytestmark = pytest.mark.slow

POLICY = '''"""Round robin: every arm in turn."""

from __future__ import annotations

from dataclasses import dataclass

from tvgp.policies.base.model_free import ModelFree
from tvgp.posterior import Prior


@dataclass(frozen=True)
class Parameters:
    """step: distance between an arm and the next one played."""

    step: int = 1


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> RoundRobin:
    """Round robin."""
    return RoundRobin(prior.n_arms, parameters.step)


class RoundRobin(ModelFree):
    """Arm step * t, modulo the number of arms."""

    def __init__(self, n_arms: int, step: int) -> None:
        super().__init__(n_arms)
        self._step = step

    def choose(self, t, rng, available=None):
        """The next arm in turn."""
        return (self._step * t) % self._n_arms
'''

DATASET = '''"""Three tide gauges: a table of times and levels."""

from __future__ import annotations

import csv
from dataclasses import dataclass

import numpy as np

from tvgp.study.data.field import Field

PATTERNS = ("*.csv",)


@dataclass(frozen=True)
class Parameters:
    """offset: added to all levels, in cm."""

    offset: float = 0.0


def load(files, parameters):
    """Columns day, a, b, c -> field in cm, and quality table."""
    rows = [row for path in files for row in csv.DictReader(open(path, newline=""))]
    field = Field(
        value=np.array([[float(row[s]) + parameters.offset for s in "abc"] for row in rows]),
        time=np.array([row["day"] for row in rows], dtype="datetime64[D]"),
        site=np.array(["a", "b", "c"]),
        lat=np.array([50.0, 50.5, 51.0]),
        lon=np.array([1.0, 1.5, 2.5]),
        attrs={"units": "cm", "long_name": "level", "source": "real"},
    )
    return field, [("days", len(rows), "kept")]
'''

FIGURE = '''"""Number of arms that each variant played."""

from __future__ import annotations

import numpy as np

from tvgp.plugins import NoParameters as Parameters
from tvgp.study import results
from tvgp.study.figures.base import style


def draw(collected, parameters):
    """The figure."""
    part = results.at_alpha(collected)
    figure = style.new_figure(3.0)
    axes = style.axes_at(figure, 0.8, 0.5, 4.0, 2.2)
    for name, arms in zip(results.variants(part), part["arm"].values, strict=True):
        axes.bar(results.label(part, name), len(np.unique(arms)))
    return figure


def caption(collected, parameters):
    """Caption of the figure."""
    return "Number of arms that each variant played, all runs together."
'''


def test_a_policy_a_dataset_and_a_figure(checkout, tiny, tmp_path):
    source = checkout.root / "src" / "tvgp"
    (source / "policies" / "round_robin.py").write_text(POLICY)
    (source / "study" / "datasets" / "tides.py").write_text(DATASET)
    (source / "study" / "figures" / "arms_played.py").write_text(FIGURE)
    work = tmp_path / "work"
    raw = work / "data" / "raw" / "tides"
    raw.mkdir(parents=True)
    lines = [f"2020-01-{d:02d},{d % 5},{(2 * d) % 7},{(3 * d) % 4}" for d in range(1, 32)]
    (raw / "levels.csv").write_text("\n".join(["day,a,b,c", *lines, ""]))

    config = copy.deepcopy(tiny) | {"data": "auto"}
    config["policies"]["round_robin"] = {
        "algorithm": "round_robin",
        "label": "round robin",
        "group": "control",
        "parameters": {"step": 2},
    }
    config["datasets"] = {
        "tides": {
            "loader": "tides",
            "title": "Tide gauges",
            "raw": "data/raw/tides",
            "source": "file",
            "coordinates": "km",
            "train_fraction": 0.5,
            "offset": 10.0,
        }
    }
    config["experiments"]["tides"] = {
        "title": "Tides",
        "dataset": "tides",
        "horizon": None,
        "seeds": 2,
        "alphas": ["1"],
        "model": {
            "kernel": "matern32",
            "variance": "fit",
            "length_scale": "fit",
            "noise_variance": "fit",
            "norm_bound": 3.0,
            "prior_mean": "fit",
            "delta": 0.1,
        },
        "training": {"queries": 30, "starts": 1},
        "settings": {"sparq_version": "2025a"},
        "units": "cm",
        "round_label": "day",
    }
    config["figures"] = {"arms_played": {}}
    config["selection"] |= {"experiments": ["tides"], "figures": ["arms_played"]}
    config["selection"]["policies"] = ["round_robin", "sparq_gp_ucb", "oracle"]

    run = checkout.study(work, config)
    assert run.returncode == 0, run.stdout
    results = work / "results" / "tiny"
    assert (results / "figures" / "tides" / "arms_played.pdf").is_file()
    with netCDF4.Dataset(results / "collected" / "tides.nc") as file:
        assert set(file["policy"][:]) == {"round_robin", "sparq_gp_ucb", "oracle"}
        assert file["regret"].shape[3] == 15 and file.data == "real"
    report = (results / "report.html").read_text()
    assert "round robin" in report and "Number of arms that each variant played" in report


def test_a_part_of_an_analysis_may_be_named_like_a_method(pristine, tiny, tmp_path):
    config = copy.deepcopy(tiny)
    config["selection"] |= {"experiments": [], "analyses": ["words"], "tables": []}
    values = {"alpha_tilde": 0.25, "query_scale": 6.0}
    config["analyses"] = {
        "words": {
            "module": "query_counts",
            "title": "Methods of Snakemake's inputs",
            "parameters": {"alphas": [1.0], "horizon": 10_000_000},
            "parts": {name: values for name in ("get", "items", "append")},
            "seeds": 1,
        }
    }
    run = pristine.study(tmp_path, config, "--until", "gather")
    assert run.returncode == 0, run.stdout
    with netcdf.reading(tmp_path / "results/tiny/analyses/words.nc") as file:
        assert set(file["part"][:]) == {"get", "items", "append"}
