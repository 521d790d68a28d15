"""The floor of a run: the cheapest form's work, from the arms that were in use."""

import numpy as np
import pytest

from benchmarks import floors, problem, process


@pytest.fixture
def rates(monkeypatch):
    """One operation per second, one second per n^3 of an eigenproblem, all else at no cost."""
    free = floors.Rates(1.0, np.inf, np.inf, np.inf, np.inf, 1.0)
    monkeypatch.setattr(floors, "rates", lambda: free)


def test_floor_counts_the_arms_in_use(rates):
    """One arm over and over is a dual form of one row, in a window as without; new ones add rows."""
    sine, G = problem.sine(30, n_arms=101), 101
    one, many, scores = np.zeros(30, dtype=int), np.arange(30), 30 * 4 * G
    dual = [u * u * G + 2.0 * u**3 / 3.0 for u in range(31)]
    assert floors.seconds("ui_gp_ucb", sine, one, {"alpha": 1.0}) == pytest.approx(30 * dual[1] + scores)
    assert floors.seconds("ui_gp_ucb", sine, many, {"alpha": 1.0}) == pytest.approx(sum(dual) + scores)
    short = floors.seconds("sw_gp_ucb", sine, many, {"window": 2})
    assert short == pytest.approx(dual[1] + 29 * dual[2] + scores)
    assert floors.seconds("w_gp_ucb", sine, many, {"gamma": 1e-6}) == pytest.approx(2 * short - scores)
    assert floors.seconds("gp_ucb", sine, many, {}) == floors.seconds("gp_ucb", sine, one, {})
    blocks = floors.seconds("r_gp_ucb", sine, many, {"block_length": 3})
    assert blocks == pytest.approx(10 * (4 + 6 + 8) * G + scores)  # 2 G u + 4 G for u = 0, 1, 2
    assert floors.seconds("oracle", sine, many, {}) is None


def test_floor_of_a_policy_that_asks(rates):
    """An eigenproblem per new arm played, a chain per draw, then a dual form of the answers; no draw where
    all arms are asked."""
    sine, G = problem.sine(3, n_arms=101), 101
    arms, queries = np.array([5, 9, 9]), [[5], [5], [9]]
    eigen = 2**3 + 2.0 * 2**2  # values, and one vector
    chain = 2.0 * 2 * (1 + 0.5)  # one step over two arms and a row and a half
    rest = 3 * 4 * G
    dual = [u * u * G + 2.0 * u**3 / 3.0 for u in range(3)]
    found = floors.seconds("sparq_gp_ucb", sine, arms, {}, queries)
    assert found == pytest.approx(eigen + 2 * chain + 3 * dual[1] + rest)
    windows = floors.seconds("w_sparq_gp_ucb", sine, arms, {}, [[5], [], [9]])
    assert windows == pytest.approx(eigen + chain + 2 * dual[1] + dual[2] + rest)


def test_a_run_reports_its_floor():
    with process.Player("changing_noise", "tvgp (auto)", quick=True) as player:
        player(1)
    assert player.once["floor_seconds"] > 0
