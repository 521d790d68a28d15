"""The Gauss-Markov environment has the covariance that its model states."""

import numpy as np
import pytest

from tvgp import environments, kernels
from tvgp.environments import gp_markov


@pytest.mark.parametrize("name", ["se", "matern52"])
def test_covariance_over_space_and_time(name):
    """cov(f_s(x), f_t(x')) = (1-eps)^(|s-t|/2) k(x, x'), from 4,000 draws of three rounds.

    Each of 243 x 243 entries has standard error at most sqrt(2 / 4000) = .022; the largest of
    them stays below 6.5 standard errors (false alarm below 1e-5).
    """
    kernel = kernels.make(name, variance=1.0, length_scale=0.3)
    rng = np.random.default_rng(0)
    n, side, epsilon = 4000, 9, 0.3
    paths = np.stack(
        [gp_markov.markov(gp_markov.draw_grid(kernel, side, 3, rng), epsilon) for _ in range(n)]
    ).reshape(n, -1)
    times = np.repeat(np.arange(3), side * side)
    points = np.tile(gp_markov.grid(side), (3, 1))
    expected = kernel(points, points) * 0.7 ** (0.5 * np.abs(times[:, None] - times))
    error = np.abs(paths.T @ paths / n - expected)
    assert error.max() < 6.5 * np.sqrt(2 / n)
    assert error.mean() < 2 * np.sqrt(1 / n)


def test_equal_streams_give_equal_realisations():
    def draw(seed):
        return environments.make("gp_markov", n_side=8, rng=np.random.default_rng(seed))

    np.testing.assert_array_equal(draw(1).mean_rewards(7), draw(1).mean_rewards(7))
    assert not np.array_equal(draw(1).mean_rewards(7), draw(2).mean_rewards(7))


def test_epsilon_one_redraws_and_epsilon_zero_freezes():
    rng = np.random.default_rng(0)
    g = rng.normal(size=(5, 3))
    np.testing.assert_array_equal(gp_markov.markov(g, 1.0), g)
    np.testing.assert_array_equal(gp_markov.markov(g, 0.0), np.tile(g[0], (5, 1)))


def test_bad_input():
    with pytest.raises(ValueError, match="epsilon is 1.5"):
        environments.make("gp_markov", epsilon=1.5, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="needs a random stream"):
        environments.make("gp_markov")
    with pytest.raises(ValueError, match="not positive definite"):
        gp_markov.draw_grid(kernels.make("matern52", length_scale=1e6), 30, 1, np.random.default_rng(0))
