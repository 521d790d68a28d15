"""The moving parabola: values by hand, freeze and jump."""

import numpy as np
import pytest

from tvgp import environments


def test_it_moves_freezes_and_jumps():
    environment = environments.make("moving_parabola", n_arms=15)  # x = -5, -4, ..., 9

    def loss(x, t):
        parabola = 4 * (0.25 * x - 0.5 - 0.01 * t) ** 2
        return parabola + 0.5 * x * np.sin(0.1 * t) - np.cos(0.1 * t) ** 2 + 5

    assert environment.mean_rewards(1)[7] == pytest.approx(-loss(2, 1))
    assert environment.mean_rewards(139)[0] == pytest.approx(-loss(-5, 139))
    for t in (140, 225):
        np.testing.assert_array_equal(environment.mean_rewards(t), environment.mean_rewards(50))
    assert environment.mean_rewards(226)[14] == environment.mean_rewards(300)[14]
    assert environment.mean_rewards(300)[14] == pytest.approx(-loss(9, -50))
