"""The floor of a run: the cheapest form's work, from the arms that were in use."""

import numpy as np
import pytest

from benchmarks import floors, problem, process


@pytest.fixture
def rates(monkeypatch):
    """One operation a second, and memory that costs nothing."""
    monkeypatch.setattr(floors, "rates", lambda: (1.0, np.inf))


def test_floor_counts_the_arms_in_use(rates):
    """One arm over and over is a dual form of one row, in a window as without; new ones add rows."""
    sine, G = problem.sine(30, n_arms=101), 101
    one, many = np.zeros(30, dtype=int), np.arange(30)
    dual = [u * u * G + 2.0 * u**3 / 3.0 for u in range(31)]
    assert floors.seconds("ui_gp_ucb", sine, one, {"alpha": 1.0}) == pytest.approx(30 * dual[1])
    assert floors.seconds("ui_gp_ucb", sine, many, {"alpha": 1.0}) == pytest.approx(sum(dual))
    short = floors.seconds("sw_gp_ucb", sine, many, {"window": 2})
    assert short == pytest.approx(dual[1] + 29 * dual[2])
    assert floors.seconds("w_gp_ucb", sine, many, {"gamma": 1e-6}) == pytest.approx(2 * short)
    assert floors.seconds("gp_ucb", sine, many, {}) == floors.seconds("gp_ucb", sine, one, {})
    assert floors.seconds("r_gp_ucb", sine, many, {}) is None


def test_a_run_reports_its_floor():
    with process.Player("changing_noise", "tvgp (auto)", quick=True) as player:
        player(1)
    assert player.once["floor_seconds"] > 0
