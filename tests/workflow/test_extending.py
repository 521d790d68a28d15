"""What CONTRIBUTING.md describes: its snippets, as printed, extend a copy of the project."""

import copy
import re
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import yaml

from tvgp.kernels import radial
from tvgp.study.claims import mauduit25b
from tvgp.study.claims.claim import interpretation
from tvgp.study.config import loading

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
        attrs={"units": "cm", "long_name": "level", "source": "real", "frequency": "day"},
    )
    return field, [("days", len(rows), "kept")]
'''

ANALYSIS = '''"""Half the logarithm of the horizon."""

import numpy as np
import xarray as xr


def run(seeds, horizon, kernel):
    """growth (seed,)."""
    return xr.Dataset({"growth": ("seed", np.full(len(seeds), np.log(horizon) / 2))})
'''


@pytest.fixture(scope="module")
def printed(project) -> dict[tuple[str, str], str]:
    """The snippets of CONTRIBUTING.md, by what they add and their language."""
    sections = re.split(r"^## ", (project / "CONTRIBUTING.md").read_text(), flags=re.M)[1:]
    return {
        (section.partition("\n")[0], language): text
        for section in sections
        for language, text in re.findall(r"^```(\w+)\n(.*?)^```", section, re.M | re.S)
    }


def test_every_snippet_is_used_below(printed):
    additions = {key for key in printed if key[1] != "sh"}
    files = {(f"Add a {what}", "python") for what in ("policy", "kernel", "figure or a table")}
    entries = {(f"Add a {what}", "yaml") for what in ("policy", "figure or a table")}
    entries |= {("Add an environment", "yaml"), ("Add an analysis", "yaml")}
    assert additions == files | entries | {("Add an environment", "python"), ("Add a claim", "python")}


def test_the_printed_claim_evaluates(printed):
    claim = eval(printed["Add a claim", "python"], vars(mauduit25b) | {"interpretation": interpretation})
    assert [each.name for each in claim.interpretations] == ["greedy start, 10 swaps", "exact k-DPP"]
    known = loading.read(Path(__file__).parents[2] / "config")["policies"]
    assert {each.arguments["variant"] for each in claim.interpretations} <= set(known)


def test_the_printed_kernel_is_a_valid_covariance(printed):
    scope = dict(vars(radial))
    exec(printed["Add a kernel", "python"], scope)
    kernel, r, step = scope["Cauchy"](variance=2.0, length_scale=0.5), np.linspace(0.1, 4.0, 9), 1e-6
    at, zero = r[:, None], np.zeros((1, 1))
    slope = (kernel(at + step, zero) - kernel(at - step, zero)) / (2 * step)
    np.testing.assert_allclose(kernel.combination_gradient(at, zero, np.ones((9, 1))), slope, rtol=1e-6)
    X = np.random.default_rng(0).normal(size=(30, 2))
    gram = kernel(X, X)
    assert np.linalg.eigvalsh(gram).min() > -1e-10
    np.testing.assert_allclose(np.diag(gram), kernel.diagonal(X))


@pytest.mark.slow
def test_the_study_with_everything_added(checkout, printed, project, tiny, tmp_path):
    source = checkout.root / "src" / "tvgp"
    (source / "policies" / "explore_then_commit.py").write_text(printed["Add a policy", "python"])
    (source / "environments" / "two_hills.py").write_text(printed["Add an environment", "python"])
    (source / "study" / "figures" / "arms_played.py").write_text(printed["Add a figure or a table", "python"])
    (source / "study" / "datasets" / "tides.py").write_text(DATASET)
    (source / "study" / "analyses" / "growth.py").write_text(ANALYSIS)
    with open(source / "kernels" / "radial.py", "a") as file:
        file.write("\n\n" + printed["Add a kernel", "python"])
    listing = source / "kernels" / "__init__.py"
    text = listing.read_text().replace("import Matern12", "import Cauchy, Matern12")
    listing.write_text(text.replace("_CLASSES = (", "_CLASSES = (Cauchy, "))
    work = tmp_path / "work"
    raw = work / "data" / "raw" / "tides"
    raw.mkdir(parents=True)
    lines = [f"2020-01-{d:02d},{d % 5},{(2 * d) % 7},{(3 * d) % 4}" for d in range(1, 32)]
    (raw / "levels.csv").write_text("\n".join(["day,a,b,c", *lines, ""]))

    config = copy.deepcopy(tiny) | {"data": "auto"}
    for (_, language), snippet in printed.items():
        if language == "yaml":
            config = loading.merged(config, yaml.safe_load(snippet))
    as_in_moving_bump = loading.read(project / "config")["experiments"]["moving_bump"]
    shorter = {"horizon": 12, "seeds": 2, "training": {"queries": 30, "starts": 1}}
    for entry in (
        as_in_moving_bump,
        config["experiments"]["two_hills"],
        shorter,
        {"model": {"kernel": "cauchy"}},
    ):
        config["experiments"]["hills"] = loading.merged(config["experiments"].get("hills", {}), entry)
    config["experiments"]["two_hills"] = config["experiments"].pop("hills")
    config["analyses"]["growth"]["seeds"] = 2
    for method in ("get", "items", "append"):  # of Snakemake's own lists of inputs
        config["analyses"]["growth"]["parts"][method] = {"horizon": 100, "kernel": "se"}
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
    names = {"explore_50", "sparq_gp_ucb", "oracle"}
    config["selection"] |= {"experiments": ["tides", "two_hills"], "analyses": ["growth"]}
    config["selection"] |= {"figures": ["arms_played"], "policies": sorted(names)}

    with checkout.served() as served:
        run = served.study(work, config)
    assert run.returncode == 0, run.stdout
    results = work / "results" / "tiny"
    assert (results / "figures" / "two_hills" / "arms_played.pdf").is_file()
    with netCDF4.Dataset(results / "collected" / "tides.nc") as file:
        assert set(file["policy"][:]) == names
        assert file["regret"].shape[3] == 15 and file.data == "real"
    with netCDF4.Dataset(results / "collected" / "two_hills.nc") as file:
        assert set(file["policy"][:]) == names and file["regret"].shape[3] == 12
    with netCDF4.Dataset(results / "analyses" / "growth.nc") as file:
        assert set(file["part"][:]) == {"se", "matern", "get", "items", "append"}
    report = (results / "report.html").read_text()
    assert "explore 50, commit" in report and "Number of arms that each variant played" in report
