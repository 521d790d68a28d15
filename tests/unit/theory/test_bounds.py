"""Published bounds: their exponents, and where they say nothing."""

import numpy as np
import pytest

from tvgp import kernels, posterior
from tvgp.posterior import Prior
from tvgp.theory import bounds, schedules

DECADE = np.array([1e6, 1e7])


def _exponent(curve: np.ndarray, power_of_log: float = 0.0) -> float:
    curve = curve / np.log(DECADE) ** power_of_log
    return float(np.diff(np.log(curve))[0] / np.log(10.0))


@pytest.mark.parametrize(("alpha", "expected"), [(0.1, 0.65), (1 / 3, 1.0), (1.0, 2.0)])
def test_the_bound_of_gp_ucb_has_its_exponent(alpha, expected):
    assert _exponent(bounds.regret_bound_gp_ucb(DECADE, alpha), 2) == pytest.approx(expected)


@pytest.mark.parametrize("a", [0.1, 0.25, 0.3])
def test_w_sparq_exponent_is_that_of_gp_ucb_at_alpha_tilde(a, monkeypatch):
    monkeypatch.setattr(bounds, "DELTA", 1 - 1e-12)
    bound = bounds.regret_bound_w_sparq(DECADE, a)
    np.testing.assert_allclose(bound, bounds.regret_bound_gp_ucb(DECADE, a), rtol=1e-9)


def test_bounds_of_the_sparq_papers_from_their_formulas():
    """T = e^e, so that log T = e and log log T = 1; delta = 0.05. No bound where log T <= 1."""
    T, log = np.exp(np.e), np.log(20)
    assert bounds.regret_bound_sparq_2025a(T) == pytest.approx(np.sqrt(T * np.e**6 * (log + 1)))
    assert bounds.regret_bound_sparq_2025b(T) == pytest.approx(np.sqrt((log + 1) * T * np.e**2))
    T, log_log = np.exp(np.e**2), 2.0
    assert bounds.regret_bound_sparq_2025a(T) == pytest.approx(np.sqrt(T * np.e**12 * (log + log_log**4)))
    assert bounds.regret_bound_sparq_2025b(T) == pytest.approx(np.sqrt((log + log_log**2) * T * np.e**4))
    for bound in (bounds.regret_bound_sparq_2025a, bounds.regret_bound_sparq_2025b):
        assert np.isnan(bound(2.0))
    printed = np.e**3 * 2**2 * (log + np.sqrt(np.e) * 2**2)  # T = e^2, a = 1/4
    assert bounds.regret_bound_w_sparq(np.e**2, rooted=False) == pytest.approx(printed)
    assert bounds.regret_bound_w_sparq(np.e**2) == pytest.approx(np.sqrt(printed))
    with pytest.raises(ValueError, match="alpha_tilde is 0.5"):
        bounds.regret_bound_w_sparq(100.0, 0.5)


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
    assert bounds.query_threshold(2.0) == pytest.approx(2 / 3)  # Theorem 5.3


def test_the_largest_regret_is_the_published_one():
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


def test_general_bounds_of_bogunovic_from_their_formulas():
    """T = 100, sigma^2 = 0.01, delta = 0.05, a = 2, b = 3, written out."""
    c1 = 8 / np.log(101)
    beta = 2 * np.log(np.pi**2 * 1e4 / 0.1)
    beta += 4 * np.log(6e4 * np.sqrt(np.log(2 * 2 * np.pi**2 * 1e4 / 0.1)))
    assert bounds.beta_bogunovic(100, False, 2.0, 3.0) == pytest.approx(beta)
    slower = 2 * np.log(2 * np.pi**2 * 1e4 / 0.15)
    slower += 4 * np.log(6e4 * np.sqrt(np.log(4 * 2 * np.pi**2 * 1e4 / 0.15)))
    assert bounds.beta_bogunovic(100, True, 2.0, 3.0) == pytest.approx(slower)
    assert bounds.regret_bound_tv(100, beta, 20.0, 0.01) == pytest.approx(np.sqrt(c1 * 100 * beta * 20) + 2)
    gains = np.log1p(np.arange(1.0, 101))
    candidates = [
        np.sqrt(c1 * 100 * beta * (100 / n + 1) * (gains[n - 1] + n**3 * 1e-4)) + 2 for n in range(1, 101)
    ]
    bound, n = bounds.regret_bound_tv_blocks(100, beta, gains, 0.01, 1e-4)
    assert bound == pytest.approx(min(candidates)) and candidates[n - 1] == min(candidates)
    psi = np.sqrt(beta * (300 + 1e4) * 125 * 1e-3)
    psi += (100 + 1e4) * 125 * 1e-3 * (2 + 2) * np.sqrt(np.log(2 * 4 * np.pi**2 * 1e4 / 0.15))
    expected = np.sqrt(c1 * 100 * beta * (100 / 5 + 1) * 7.0) + 2 + 100 * psi
    assert bounds.regret_bound_r(100, beta, 7.0, 0.01, 1e-3, 5, 3.0, 2.0) == pytest.approx(expected)


def test_block_bound_on_the_gain_with_drift_holds():
    """gamma~_T <= (T/N + 1)(gamma_N + N^3 eps) for every N (Bogunovic16, eq. 46)."""
    arms = np.linspace(0, 1, 60)[:, None]
    prior = Prior(arms, kernels.make("se", variance=1.0, length_scale=0.1))
    gains = schedules.information_gains(prior, 0.01, np.arange(1, 81))
    engine = posterior.make(prior, 0.01, horizon=80, epsilon=0.01)
    for _ in range(80):
        engine.observe(int(engine.variance.argmax()), 0.0)
        engine.advance()
    N = np.arange(1, 81)
    assert 0.5 * engine.log_det > gains[-1]
    assert (0.5 * engine.log_det <= (80 / N + 1) * (gains + N**3 * 0.01)).all()


def test_tail_constants_bound_the_tail_of_a_field():
    """Pr(sup |g| > L) <= a exp(-(L/b)^2) over 2,000 draws at every L, with room for 5 standard errors."""
    x = np.linspace(0, 1, 80)[:, None]
    K = kernels.make("se", variance=1.0, length_scale=0.1)(x, x) + 1e-9 * np.eye(80)
    top = np.abs(np.linalg.cholesky(K) @ np.random.default_rng(0).standard_normal((80, 2000))).max(axis=0)
    a, b = bounds.tail_constants(top.mean(), 1.0)
    assert (a, b) == pytest.approx((2 * np.exp(top.mean() ** 2 / 2), 2.0))
    for L in np.linspace(0.5, 6, 12):
        share = (top > L).mean()
        assert share - 5 * np.sqrt(share / 2000) <= a * np.exp(-((L / b) ** 2))
