"""`tvgp league`, `compare` and `merge`: a policy from anywhere beside the published runs."""

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tvgp import policies
from tvgp.study.command import checkout, league, main
from tvgp.study.results import league_runs

OWN = """
from dataclasses import dataclass
from tvgp.policies import tv_gp_ucb

@dataclass(frozen=True)
class Parameters(tv_gp_ucb.Parameters):
    pass

def make(prior, noise_variance, parameters):
    return tv_gp_ucb.make(prior, noise_variance, parameters)
"""
FEW = ["drift_walk", "static_draw"]


@pytest.fixture(scope="module")
def published():
    return league_runs.read(checkout.source(Path.cwd()) / league.PUBLISHED)


@pytest.fixture
def few(published, monkeypatch):
    """Two of the environments, and one seed of them."""
    runs = published[published.environment.isin(FEW) & (published.seed == 1)]
    monkeypatch.setattr(league, "published", lambda study: runs)
    return runs


@pytest.fixture(autouse=True)
def environment():
    """As before each test: the command confines its processes to one core each."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)
    policies._registry._registered.clear()  # which lasts as long as the process
    sys.modules.pop("own_tv", None)


@pytest.fixture
def own(tmp_path, monkeypatch):
    path = tmp_path / "own_tv.py"
    path.write_text(OWN)
    monkeypatch.chdir(tmp_path)
    return path


def test_published_runs_are_small_and_complete(published):
    assert (checkout.source(Path.cwd()) / league.PUBLISHED).stat().st_size < 1e6
    assert set(published.source) == {league_runs.STUDY}
    counts = published.groupby(["environment", "method"]).seed.nunique()
    assert counts.min() == counts.max() and published.environment.nunique() == 8


def test_own_policy_stands_beside_the_published_runs(few, own, capsys):
    """The file wraps TV-GP-UCB: under that name, which names its stream, the runs are the published."""
    assert main(["league", "--with", str(own), "--cores", "1", "--name", "tv_gp_ucb"]) == 0
    text = capsys.readouterr().out
    assert "tv_gp_ucb takes " in text and " ms per round on this machine" in text
    assert "seconds" not in Path("tv_gp_ucb.csv").read_text()
    found = league_runs.read("tv_gp_ucb.csv")
    again = few[few.method == "tv_gp_ucb"].set_index("environment").loc[found.environment]
    np.testing.assert_allclose(found[list(league_runs.CURVE)], again[list(league_runs.CURVE)], rtol=2e-5)
    assert found.source.str.fullmatch("own_tv.py [0-9a-f]{12}").all()
    assert "17 methods, printed, in 2 environments" in text


def test_comparison_tells_verified_from_unverified(few, own, capsys):
    runs = few[few.method == "gp_ucb"].assign(method="mine", source="mine.py 0123", at_100=0.0)
    pd.concat([runs, runs.assign(seed=2)]).to_csv("mine.csv", index=False)
    assert main(["compare", "mine.csv", "mine", "gp_ucb"]) == 0
    text = capsys.readouterr().out
    assert "mine is not verified: its runs are from mine.py 0123" in text
    assert "mine costs less in 100% [16%, 100%] of 2 environments" in text


def test_a_method_that_lacks_environments_is_not_compared(few, own, capsys):
    runs = few[(few.method == "gp_ucb") & (few.environment == FEW[0])]
    runs.assign(method="mine", source="mine.py 0123").to_csv("mine.csv", index=False)
    with pytest.raises(SystemExit, match="1"):
        main(["compare", "mine.csv", "mine", "gp_ucb"])
    assert f"mine was not played in {FEW[1]}" in capsys.readouterr().err


def test_tables_of_two_machines_merge(few, own, capsys):
    few[few.environment == FEW[0]].to_csv("a.csv", index=False)
    few[few.environment == FEW[1]].to_csv("b.csv", index=False)
    assert main(["merge", "a.csv", "b.csv", "-o", "both.csv"]) == 0
    assert len(league_runs.read("both.csv")) == len(few)


def test_runs_of_another_version_are_refused(few, own, monkeypatch):
    other = few.assign(at_100=few.at_100 * 1.01)
    monkeypatch.setattr(league, "published", lambda study: other)
    with pytest.raises(SystemExit, match="1"):
        main(["league", "--with", str(own), "--cores", "1"])


def test_an_error_ends_what_else_is_played(few, own):
    """The first environment that the entry meets fails, while the second takes seconds."""
    own.write_text(
        OWN.replace(
            "    return",
            "    import os, time\n"
            "    if not os.path.exists('failed'):\n"
            "        open('failed', 'w').close()\n"
            "        raise ValueError('as it must')\n"
            "    time.sleep(3)\n"
            "    open('played', 'w').close()\n"
            "    return",
        )
    )
    with pytest.raises(SystemExit):
        main(["league", "--with", str(own), "--cores", "1"])
    assert Path("failed").exists() and not Path("played").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["league", "--with", "nowhere.py"], "nowhere.py: expected a Python file of a policy"),
        (["league", "--with", "gp_ucbb"], "did you mean gp_ucb"),
        (["league", "--with", "gp_ucb", "--set", "width"], "--set width: expected NAME=VALUE"),
        (["league", "--with", "gp_ucb", "--set", "breadth=1"], "has no parameter 'breadth'"),
        (["league", "--with", "gp_ucb", "--set", "width=1"], "another name: --name NAME"),
        (["league", "--with", "gp_ucb", "--queries", "before"], "another name: --name NAME"),
        (["compare", "gp_ucb"], "1 methods to compare, expected two"),
        (["compare", "gp_ucb", "nobody"], "no runs of 'nobody'"),
        (["compare", "gp_ucb", "gp_ucb"], "gp_ucb and gp_ucb are one method, expected two"),
        (["merge", "none.csv", "-o", "x.csv"], "none.csv: not a table of runs"),
    ],
)
def test_mistakes_give_one_line(few, own, capsys, arguments, message):
    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err
