"""The slow cosine: its phase, and arms on the sphere."""

import numpy as np
import pytest

from tvgp import environments


def test_rewards_repeat_and_invert_at_known_rounds():
    environment = environments.make("slow_cosine", rng=np.random.default_rng(0))
    np.testing.assert_allclose(np.linalg.norm(environment.arms, axis=1), 1.0)
    first = environment.mean_rewards(1)
    assert np.abs(first).max() <= 0.8
    np.testing.assert_array_equal(environment.mean_rewards(1000), first)
    np.testing.assert_allclose(environment.mean_rewards(3500), -first, atol=1e-12)
    np.testing.assert_allclose(environment.mean_rewards(10000), first, atol=1e-12)
    quarter = environment.mean_rewards(2000)  # phi = pi / 2: the sine of the same angles
    np.testing.assert_allclose(first**2 + quarter**2, 0.64, atol=1e-12)
    np.testing.assert_allclose(environment.mean_rewards(5000), -quarter, atol=1e-12)


def test_a_stream_is_needed():
    with pytest.raises(ValueError, match="needs a random stream"):
        environments.make("slow_cosine")
