"""Operation counts of SparQ and W-SparQ, against sums written out."""

import math

import numpy as np
import pytest

from tvgp.theory import costs
from tvgp.theory.schedules import next_window_start


def _dpp(t):
    q = min(t, math.ceil(6 * math.log(t)))
    if q == 0:
        return 0.0
    return t * q**3 * (max(math.log(max(math.log(t), 1e-9)), 0.0) + math.log(q) + 2 * math.log(t))


def test_sparq_operations_are_a_dpp_and_a_regression_per_round():
    expected = sum(_dpp(t) + min(t, math.ceil(6 * math.log(t))) ** 3 for t in range(1, 41))
    assert costs.sparq_operations(np.array([7, 40]))[1] == pytest.approx(expected)
    np.testing.assert_allclose(costs.dpp_operations(np.arange(1, 41)), [_dpp(t) for t in range(1, 41)])


@pytest.mark.parametrize(("alpha", "tilde"), [(1.0, 0.25), (2.0, 0.3), (0.5, 0.05)])
def test_w_sparq_operations_are_counted_by_window(alpha, tilde):
    t, dpps, regressions = 1, 0.0, 0.0
    while t <= 60:
        length = t ** (tilde / alpha)
        dpps += _dpp(t)
        regressions += length * (min(t, math.ceil(6 * math.log(t))) + length) ** 2 * (t + length)
        if t <= 20:
            t_j, first = t, (dpps, regressions)  # up to T = t_j, whose window counts
        t = next_window_start(t, alpha, tilde)
    found = costs.w_sparq_operations(np.array([t_j, 60]), alpha, tilde)
    assert found[0][0] == pytest.approx(first[0]) and found[1][0] == pytest.approx(first[1])
    assert found[0][1] == pytest.approx(dpps) and found[1][1] == pytest.approx(regressions)


def test_bounds_have_the_published_orders():
    big = np.array([1e12, 1e13])
    for bound in (costs.sparq_cost_bound(big) / np.log(big) ** 4, costs.w_sparq_cost_bound(big, 1e9)):
        assert np.diff(np.log(bound))[0] / math.log(10) == pytest.approx(2.0, abs=0.1)
    assert costs.sparq_cost_bound(np.e**2) == pytest.approx(2 * np.e**4 * (2 - math.log(2)) ** 3)
    steep = costs.w_sparq_cost_bound(big, 0.5, 0.25)
    assert np.diff(np.log(steep))[0] / math.log(10) == pytest.approx(3.0, abs=0.01)
