"""The drift environment: covariance, step, norm; seeded, with the false-alarm rates stated."""

import numpy as np
import pytest
from scipy.stats import chi2

from tvgp import environments
from tvgp.environments import drift


@pytest.mark.parametrize("alpha", [0.1, 0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("tau", [3.0, 40.0])
def test_paths_have_the_covariance(alpha, tau):
    """Variances of increments over 4,000 paths: chi-squared each, two-sided at 1e-5.

    10 cases x 5 statistics: false-alarm rate 5e-4 in all. Increments 0 -> n are normal with
    variance 2 (1 - exp(-(n/tau)^alpha)); paths are independent.
    """
    paths = drift.stationary_paths(alpha, tau, 64, 4000, np.random.default_rng(11))
    assert paths.shape == (64, 4000)
    statistics = [(paths[30], 1.0)]
    for n in (1, 2, 8, 50):
        statistics.append((paths[7 + n] - paths[7], 2 * (1 - np.exp(-((n / tau) ** alpha)))))
    for values, variance in statistics:
        p = chi2.cdf((values**2).sum() / variance, len(values))
        assert 5e-6 < p < 1 - 5e-6


def test_real_and_imaginary_paths_are_independent():
    """Correlation of neighbouring paths, |z| < 4.9: false-alarm rate 1e-6."""
    paths = drift.stationary_paths(1.0, 5.0, 8, 4000, np.random.default_rng(3))
    r = np.mean(paths[4, ::2] * paths[4, 1::2])
    assert abs(r) * np.sqrt(2000) < 4.9


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.9, 2.0])
def test_drift_keeps_its_mean_step_and_norm_bound(alpha):
    """Mean squared step over arms and 200 draws is step^2 within 15 %; the norm holds always."""
    squares = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        world = environments.make("drift", alpha=alpha, step=0.1, horizon=60, n_arms=101, rng=rng)
        squares.append(np.mean((world.mean_rewards(31) - world.mean_rewards(30)) ** 2))
        assert max(world.norm(t) for t in range(1, 61)) <= 5.0
    # about 20 squares of normals a draw: standard error 2.2 %, false alarms below 1e-6
    assert np.mean(squares) == pytest.approx(0.01, rel=0.15)
    assert world.variation(60) > 0


def test_growth_is_lag_to_the_alpha():
    """From the law itself: tau of the default step makes (n/tau)^alpha small up to n = 5."""
    for alpha in (0.5, 1.0, 2.0):
        tau = drift.correlation_time(alpha, 0.05, 0.3)
        growth = [0.6 * (1 - np.exp(-((n / tau) ** alpha))) for n in (1, 5)]
        assert growth[0] == pytest.approx(0.05**2, rel=1e-12)
        assert np.log(growth[1] / growth[0]) / np.log(5) == pytest.approx(alpha, rel=0.05)


def test_the_exponent_switches_at_half_time():
    """Mean squares of increments over arms and 300 draws. Steps of one round are step^2 before, at and after
    the switch; over 4 rounds they grow by 4^alpha, bar saturation. About 6,000 squares of normals per mean:
    within 12 %, false alarms below 1e-6."""
    squares = {t: [] for t in (1, 10, 19, 20, 30)}
    for seed in range(300):
        rng = np.random.default_rng(seed)
        world = environments.make(
            "drift", alpha=0.5, later_alpha=1.5, step=0.05, horizon=40, n_arms=51, rng=rng
        )
        f = np.array([world.mean_rewards(t) for t in range(1, 41)])
        for t in squares:
            lags = (1, 4) if t in (10, 30) else (1,)
            squares[t].append([np.mean((f[t - 1 + n] - f[t - 1]) ** 2) for n in lags])
        assert max(world.norm(t) for t in range(1, 41)) <= 5.0
    means = {t: np.mean(values, axis=0) for t, values in squares.items()}
    for mean in means.values():
        assert mean[0] == pytest.approx(0.05**2, rel=0.12)
    assert means[10][1] / means[10][0] == pytest.approx(4**0.5, rel=0.12)
    assert means[30][1] / means[30][0] == pytest.approx(4**1.5, rel=0.12)


def test_long_horizon_and_every_alpha():
    for alpha in (0.1, 0.25, 1 / 3, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0):
        rng = np.random.default_rng(0)
        world = environments.make("drift", alpha=alpha, horizon=10_000, n_centres=4, rng=rng)
        assert world.coefficients.shape == (10_000, 4)


@pytest.mark.parametrize("alpha", [0.0, -1.0, 2.5, float("nan")])
def test_bad_alpha(alpha):
    with pytest.raises(ValueError, match="drift: alpha is .*, must lie in \\(0, 2\\]"):
        environments.make("drift", alpha=alpha, rng=np.random.default_rng(0))


def test_bad_input():
    with pytest.raises(ValueError, match="needs a random stream"):
        environments.make("drift")
    with pytest.raises(ValueError, match="step is 9, must lie between 0 and"):
        environments.make("drift", step=9, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="no circulant embedding .* take a larger step"):
        drift.stationary_paths(2.0, 1e7, 100, 1, np.random.default_rng(0))


def test_one_round_has_no_later_exponent():
    world = environments.make("drift", later_alpha=1.5, horizon=1, n_arms=11, rng=np.random.default_rng(0))
    assert np.isfinite(world.mean_rewards(1)).all()
