"""Published bounds: their exponents, and where they say nothing."""

import numpy as np
import pytest

from tvgp import kernels
from tvgp.posterior import Prior
from tvgp.theory import bounds, schedules

DECADE = np.array([1e6, 1e7])


def _exponent(curve: np.ndarray, power_of_log: float = 0.0) -> float:
    curve = curve / np.log(DECADE) ** power_of_log
    return float(np.diff(np.log(curve))[0] / np.log(10.0))


@pytest.mark.parametrize(("alpha", "expected"), [(0.1, 0.65), (1 / 3, 1.0), (1.0, 2.0)])
def test_gp_ucb_exponent(alpha, expected):
    assert _exponent(bounds.regret_bound_gp_ucb(DECADE, alpha), 2) == pytest.approx(expected)


@pytest.mark.parametrize("a", [0.1, 0.25, 0.3])
def test_w_sparq_exponent_is_that_of_gp_ucb_at_alpha_tilde(a, monkeypatch):
    monkeypatch.setattr(bounds, "DELTA", 1 - 1e-12)
    bound = bounds.regret_bound_w_sparq(DECADE, a)
    np.testing.assert_allclose(bound, bounds.regret_bound_gp_ucb(DECADE, a), rtol=1e-9)


def test_exponents_of_bogunovic():
    bound = bounds.regret_bound_bogunovic
    assert _exponent(bound(DECADE, 1e-3, False, np.inf)) == pytest.approx(1.0)
    assert _exponent(bound(DECADE, 0.0, False, np.inf)) == pytest.approx(0.5)
    assert (bound(DECADE, 1e-3, True, np.inf) > bound(DECADE, 1e-3, False, np.inf)).all()
    # c = 6 / 11 for nu = 5/2
    assert _exponent(bound(DECADE, 0.0, False, 2.5)) == pytest.approx(17 / 22)
    assert bounds.rate_bogunovic(False, 2.5) == pytest.approx(0.5 * (5 / 11) / (27 / 11))


def test_query_exponent_of_w_sparq():
    """Table 2's (4 alpha - 1) / (4 alpha)."""
    assert bounds.w_sparq_query_exponent(2.0) == pytest.approx(7 / 8)
    assert bounds.w_sparq_query_exponent(0.1) == 0.0


def test_the_largest_regret():
    assert bounds.largest_regret(1) == pytest.approx(7.07, abs=5e-3)


def test_information_gain_grows_at_the_published_rate():
    """Greedy gamma_T on [-50, 50]: its growth from 200 to 1600 is no faster than the order says."""
    arms = np.linspace(-50, 50, 201)[:, None]
    horizons = np.array([200, 1600])
    for name in ("se", "matern32"):
        prior = Prior(arms, kernels.make(name, variance=0.5, length_scale=3.0))
        gains = schedules.information_gains(prior, 0.01, horizons)
        assert gains[0] == pytest.approx(schedules.maximum_information_gain(prior, 0.01, 200))
        order = bounds.information_gain_bound(horizons, prior.kernel.smoothness)
        assert 1.0 < gains[1] / gains[0] < order[1] / order[0]
