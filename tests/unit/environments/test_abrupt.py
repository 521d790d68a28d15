"""Abrupt changes: the function of each segment."""

import numpy as np
import pytest

from tvgp import environments


def make(**values):
    return environments.make("abrupt", rng=np.random.default_rng(0), **values)


def test_a_change_of_sign_and_back():
    environment = make(changes=2, horizon=30)
    f = environment.mean_rewards(1)
    for t, sign in ((10, 1), (11, -1), (20, -1), (21, 1), (500, 1)):
        np.testing.assert_array_equal(environment.mean_rewards(t), sign * f)


def test_the_set_up_of_hong():
    environment = make(changes=[1501, 5001], n_arms=100, dimension=10, length_scale=0.2, largest=0.8)
    f = environment.mean_rewards(1)
    np.testing.assert_allclose(np.linalg.norm(environment.arms, axis=1), 1.0)
    assert np.abs(f).max() == pytest.approx(0.8)
    for t, sign in ((1500, 1), (1501, -1), (5000, -1), (5001, 1)):
        np.testing.assert_array_equal(environment.mean_rewards(t), sign * f)


def test_independent_draws_have_the_variance_of_the_kernel():
    """1,001 draws of 21 arms 5 apart, nearly independent: a sample variance within 5 % of 0.5 but for
    one case in a million."""
    environment = make(change="draw", changes=1000, horizon=1001, n_arms=21)
    table = np.array([environment.mean_rewards(t) for t in range(1, 1002)])
    assert table.var() == pytest.approx(0.5, rel=0.05)
    assert np.abs(np.mean(table[1:] * table[:-1])) < 0.03


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"change": "jump"}, "expected sign or draw"),
        ({"changes": 500}, "500 changes, expected 0 to 499"),
        ({"changes": [7, 7]}, "changes are .7, 7., expected increasing rounds from 2 on"),
        ({"changes": [1]}, "expected increasing rounds from 2 on"),
    ],
)
def test_bad_changes_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        make(**values)
