"""Block length of R-GP-UCB: chosen over days left out in turn."""

import numpy as np
import pytest

from tvgp.study.fit import cross_validation

S = 6
WIDTH = {"width": "logarithmic", "c1": 0.8, "c2": 0.4}
KERNEL = {"centre": "sensors", "noise_fraction": 0.05}


def gauss_markov(C, epsilon, rounds, rng):
    """(rounds, S) draws of f_{t+1} = sqrt(1-eps) f_t + sqrt(eps) g_{t+1}, g ~ N(0, C)."""
    g = rng.normal(size=(rounds, S)) @ np.linalg.cholesky(C).T
    for t in range(1, rounds):
        g[t] = np.sqrt(1 - epsilon) * g[t - 1] + np.sqrt(epsilon) * g[t]
    return g


def test_cross_validation_restarts_on_fast_fields():
    """Slow drift: one block for the day; fast drift: a short one."""
    chosen = []
    for epsilon in (0.0005, 0.15):
        rng = np.random.default_rng([9, int(1e4 * epsilon)])
        C = np.eye(S) * 4
        values = np.concatenate([gauss_markov(C, epsilon, 60, rng) for _ in range(6)])
        days, times = np.repeat(range(6), 60), np.arange(1, 361)
        found = cross_validation.block_length(values, days, times, [8, 60], WIDTH, **KERNEL)
        chosen.append(found["value"])
        assert np.shape(found["by_day"]) == (6, 2)
        np.testing.assert_allclose(np.mean(found["by_day"], axis=0), found["average_regret"])
    assert chosen == [60, 8]


def test_a_single_day_is_refused():
    values = np.random.default_rng(5).normal(size=(9, 2))
    with pytest.raises(ValueError, match="1 day, at least 2"):
        cross_validation.block_length(values, [1] * 9, np.arange(1, 10), [3], WIDTH, **KERNEL)
