"""The logarithmic scale of rewards: its formulas against quadrature and difference quotients."""

import numpy as np
import pytest
from scipy import integrate, stats

from tvgp import kernels, policies
from tvgp.log_scale import LogScale


@pytest.mark.parametrize("c", [0.3, 5.0, -0.3, -5.0])
def test_the_moments_are_those_of_the_lognormal_law(c):
    mean, std = np.array([-0.4, 0.0, 0.9]) * c, np.array([0.01, 0.3, 0.8]) * abs(c)
    x = np.linspace(-12.0, 12.0, 20_001)
    rewards = c * np.expm1((mean[:, None] + std[:, None] * x) / c)
    first, second = (integrate.simpson(rewards**k * stats.norm.pdf(x), x=x) for k in (1, 2))
    ours = LogScale(c).moments(mean, std)
    np.testing.assert_allclose(ours, (first, np.sqrt(second - first**2)), rtol=1e-6)


def test_an_origin_shifts_rewards_and_their_logarithms():
    y, near, far = np.linspace(-3.0, 9.0, 50), LogScale(2.0), LogScale(2.0, 60.0)
    np.testing.assert_allclose(far.of(y + 60.0), near.of(y) + 60.0)
    np.testing.assert_allclose(far.log_slope(y + 60.0), near.log_slope(y), atol=1e-12)
    (mean, std), (there, same) = (scale.moments(y + scale.origin, 0.3 * np.ones(50)) for scale in (near, far))
    np.testing.assert_allclose((there - 60.0, same), (mean, std))


@pytest.mark.parametrize("c", [2.0, -2.0])
def test_the_scale_increases_with_the_slope_it_states(c):
    scale, y = LogScale(c), np.linspace(-9.0, 9.0, 1001)
    z = scale.of(y)
    slope = (scale.of(y + 1e-6) - scale.of(y - 1e-6)) / 2e-6
    np.testing.assert_allclose(np.log(slope), scale.log_slope(y), atol=1e-6)
    assert (np.diff(z) > 0).all() and (z[y * c < 0] == y[y * c < 0]).all()
    inside = y * c >= 0
    np.testing.assert_allclose(c * np.expm1(z[inside] / c), y[inside], atol=1e-12)


def test_a_large_c_leaves_rewards_as_they_are():
    y = np.array([-3.0, 0.0, 5.0, np.nan])
    np.testing.assert_allclose(LogScale(1e9).of(y), y, atol=1e-7)
    np.testing.assert_allclose(LogScale(1e9).moments(y[:3], np.ones(3)), (y[:3], np.ones(3)), atol=1e-6)


@pytest.mark.parametrize("log_scale", [0.5, "ab", (1.0, 2.0, 3.0), (1.0, "x"), (0.0, 1.0)])
def test_what_is_no_pair_of_numbers_is_refused_in_one_line(log_scale):
    arms, kernel = np.arange(5.0)[:, None], kernels.make("se", length_scale=1.0)
    with pytest.raises(ValueError, match=r"log_scale is .*, expected c and origin") as caught:
        policies.make("gp_ucb", arms=arms, kernel=kernel, noise_variance=0.1, log_scale=log_scale)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("c", [0.0, np.inf, np.nan, "1"])
def test_a_scale_that_is_none_is_refused(c):
    with pytest.raises(ValueError, match="log_scale is .*, expected c and origin, finite numbers, c not 0"):
        LogScale(c)
