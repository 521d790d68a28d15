"""Wiener draws: variance 1 + q (t - 1) times that of the kernel, independent steps."""

import numpy as np
import pytest

from tvgp import environments


def test_the_variance_grows_linearly_and_steps_are_independent():
    """Means over 400 draws of 21 nearly independent arms: within 7 %, six standard errors."""
    tables = []
    for seed in range(400):
        environment = environments.make(
            "wiener", q=0.5, n_arms=21, horizon=5, rng=np.random.default_rng(seed)
        )
        tables.append([environment.mean_rewards(t) for t in range(1, 6)])
    f = np.array(tables)
    np.testing.assert_allclose((f**2).mean(axis=(0, 2)), 0.5 * (1 + 0.5 * np.arange(5)), rtol=0.07)
    steps = np.diff(f, axis=1)
    assert np.abs((steps[:, 1:] * steps[:, :-1]).mean()) < 0.02


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match="q is -1.0, must be 0 or more"):
        environments.make("wiener", q=-1.0, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="needs a random stream"):
        environments.make("wiener")
