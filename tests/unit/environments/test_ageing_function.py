"""The fixed function of the ageing test bed."""

import numpy as np
import pytest

from tvgp import environments, kernels


def test_function_has_the_given_norm():
    """Also sqrt(f' K^-1 f) on the centres, where f = K a."""
    world = environments.make("ageing", n_arms=20, norm_bound=3.0, rng=np.random.default_rng(4))
    K = kernels.make("se", variance=0.5, length_scale=3.0)(world.arms, world.arms)
    f = world.mean_rewards(1)
    assert world.norm(1) == pytest.approx(3.0)
    assert np.sqrt(f @ np.linalg.solve(K, f)) == pytest.approx(3.0, rel=1e-6)
    assert world.mean_rewards(9) is f and world.variation(10) == 0.0
    with pytest.raises(ValueError, match="ageing: needs a random stream"):
        environments.make("ageing")
