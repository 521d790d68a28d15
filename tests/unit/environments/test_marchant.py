"""The orbiting peak."""

import numpy as np
import pytest

from tvgp import environments


def test_the_peak_goes_round():
    environment = environments.make("marchant", period=40, n_side=51)  # step 0.1
    for t, peak in ((40, (2.0, 3.5)), (10, (3.5, 2.0)), (20, (2.0, 0.5)), (30, (0.5, 2.0))):
        f = environment.mean_rewards(t)
        np.testing.assert_allclose(environment.arms[f.argmax()], peak, atol=1e-9)
        assert f.max() == pytest.approx(1.0)
    np.testing.assert_allclose(environment.mean_rewards(7), environment.mean_rewards(47), atol=1e-12)


def test_bad_period():
    with pytest.raises(ValueError, match="marchant: period is 0, must be positive"):
        environments.make("marchant", period=0)
