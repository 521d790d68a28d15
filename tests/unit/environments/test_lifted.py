"""Lifted test functions: known minima, the time axis, and which optima never move."""

import numpy as np
import pytest

from tvgp import environments
from tvgp.environments import lifted

MINIMA = {  # Surjanovic & Bingham, Virtual Library of Simulation Experiments
    "rastrigin": ([0.0] * 5, 0.0),
    "schwefel": ([420.9687] * 4, 0.0),
    "styblinski_tang": ([-2.903534] * 4, -39.16617 * 4),
    "ackley": ([0.0] * 4, 0.0),
    "eggholder": ([512.0, 404.2319], -959.6407),
    "rosenbrock": ([1.0] * 3, 0.0),
    "shekel": ([4.0] * 4, -10.5364),
    "hartmann3": ([0.114614, 0.555649, 0.852547], -3.86278),
    "hartmann6": ([0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573], -3.32237),
    "powell": ([0.0] * 4, 0.0),
    "griewank": ([0.0] * 6, 0.0),
    "camel": ([-0.7126, 0.0898], -1.0316),  # its first coordinate is time
}


@pytest.mark.parametrize("function", lifted.PROBLEMS)
def test_costs_have_their_published_minima(function):
    point, least = MINIMA[function]
    assert lifted.PROBLEMS[function].cost(np.array([point]))[0] == pytest.approx(least, abs=2e-3)


def test_the_last_coordinate_is_time_across_the_whole_box():
    environment = environments.make("lifted", function="eggholder", n_arms=50, horizon=5)
    x = -512 + 1024 * environment.arms
    for t, s in ((1, -512.0), (3, 0.0), (5, 512.0)):
        expected = -lifted.PROBLEMS["eggholder"].cost(np.column_stack([x, np.full(50, s)]))
        np.testing.assert_allclose(environment.mean_rewards(t), expected)
    signal = np.array([environment.mean_rewards(t) for t in range(1, 6)])
    assert environment.noise_std**2 == pytest.approx(0.05 * signal.var())
    assert environment.arms[0] == 0.5 and environment.arms.min() >= 0 and environment.arms.max() <= 1
    unit = environments.make("lifted", function="eggholder", n_arms=50, horizon=5, unit_time=True)
    at_half = -lifted.PROBLEMS["eggholder"].cost(np.column_stack([x, np.full(50, 0.5)]))
    np.testing.assert_allclose(unit.mean_rewards(3), at_half)


@pytest.mark.parametrize("function", lifted.PROBLEMS)
def test_four_of_the_ten_have_an_optimum_that_never_moves(function):
    """Griewank, which only BOBA has, and the camel of ABO are not among the ten."""
    environment = environments.make("lifted", function=function, n_arms=500)
    best = {int(environment.mean_rewards(t).argmax()) for t in range(1, 121)}
    still = ("rastrigin", "schwefel", "styblinski_tang", "ackley", "griewank")
    assert (len(best) == 1) == (function in still)


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match="lifted: function is 'sphere', expected one of rastrigin"):
        environments.make("lifted", function="sphere")
    with pytest.raises(ValueError, match="noise_share is -1, must be 0 or more"):
        environments.make("lifted", noise_share=-1)
