"""`import tvgp` and what it offers to users, editors and type checkers."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import tvgp
from tvgp import environments, kernels, policies, posterior

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
ARMS = np.linspace(-50.0, 50.0, 501)[:, None]


def test_import_is_lazy():
    code = (
        "import sys, tvgp; assert not {'numpy', 'scipy'} & set(sys.modules);"
        "tvgp.policies.make; assert 'numpy' in sys.modules;"
        "assert not {'scipy', 'xarray', 'yaml'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_citation_has_the_version_of_the_package():
    root = Path(__file__).parents[2]
    version = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    assert re.search(r"^version: (.+)$", (root / "CITATION.cff").read_text(), re.M)[1] == version
    assert f"\n## {version}\n" in (root / "CHANGELOG.md").read_text()


def test_parts_are_those_of_the_folder():
    folder = Path(tvgp.__file__).parent
    modules = [path for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]
    parts = {path.stem for path in modules} - {"__init__", "__main__"}
    assert set(dir(tvgp)) == {*parts, "__version__"}
    for_checkers = re.findall(r"from tvgp import (\w+) as", (folder / "__init__.py").read_text())
    assert {*for_checkers, "study"} == parts and (folder / "py.typed").exists()
    for name in parts:
        assert getattr(tvgp, name).__name__ == f"tvgp.{name}"
    with pytest.raises(AttributeError, match="module 'tvgp' has no attribute 'polices'"):
        tvgp.polices  # noqa: B018


def test_the_version_has_three_parts():
    assert tvgp.__version__.count(".") == 2


@pytest.mark.parametrize("name", policies.names())
def test_repr_of_policies(name):
    values = {"prior_mean": (0.0,) * 501} if "prior_mean" in policies.parameters(name) else {}
    values = {} if name == "pi_gp_ucb" else values
    policy = policies.make(name, arms=ARMS, kernel=KERNEL, noise_variance=0.01, **values)
    shown = repr(policy)
    assert shown.startswith(f"{type(policy).__name__}(") and "arms=501x1" in shown
    assert f"engine={policy.engine!r}" in shown and len(shown) < 600
    assert all(f"{parameter}=" in shown for parameter in policies.parameters(name))
    assert not values or "prior_mean=<501 values>" in shown


def test_repr_of_environments_and_engines():
    bump = environments.make("moving_bump", n_arms=11)
    assert repr(bump) == "MovingBump(arms=11x1, noise_std=0.1, expert_noise_std=0.1)"
    hartmann = environments.make("continuous_optimisation", n_arms=20)
    assert "function='hartmann'" in repr(hartmann) and "arms=20x6" in repr(hartmann)
    prior = posterior.Prior(ARMS, KERNEL)
    for engine in ("append", "weight_space", "lazy", "dense"):
        made = posterior.make(prior, 0.01, horizon=100, engine=engine)
        shown = repr(made)
        assert shown.startswith(f"{type(made).__name__}(arms=501x1, kernel={KERNEL!r}, noise_variance=0.01")
    assert repr(posterior.make_batch(prior)) == f"Merged(arms=501x1, kernel={KERNEL!r})"
