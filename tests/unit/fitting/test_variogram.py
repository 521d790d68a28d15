"""The fit of exponent and scale to variograms."""

import numpy as np
import pytest

from tvgp.environments.drift import stationary_paths
from tvgp.fitting import variogram


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.5])
def test_exact_variograms_give_the_law_back(alpha):
    """The grid has the exponent, and the next scale differs by a factor of 1.33."""
    lags = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 64.0])
    scale, saturation = 0.01, 0.5
    growth = 2 * saturation * -np.expm1(-scale * lags**alpha / (2 * saturation))
    squares = 40 * (2 * 0.01 + growth)
    found = variogram.Grid(
        lags, np.full(6, 40.0), noise_variance=0.01, prior_variance=0.5, prior_weight=0.0
    ).fit(squares)
    assert found.alpha == pytest.approx(alpha, abs=1e-12)
    assert found.scale == pytest.approx(scale, rel=0.16)


def test_the_loss_is_that_of_a_search_over_all_points():
    """Brute force over the same grid, one point at a time; lags in any order and repeated."""
    rng = np.random.default_rng(0)
    lags, counts = rng.integers(1, 9, 30).astype(float), rng.integers(1, 40, 30).astype(float)
    squares = counts * rng.uniform(0.02, 0.4, 30)
    found = variogram.Grid(lags, counts, noise_variance=0.01, prior_variance=0.5).fit(squares)

    def loss(alpha, scale, saturation):
        total = 2.0 * (alpha - 1) ** 2
        for n in np.unique(lags):
            count = counts[lags == n].sum()
            m = squares[lags == n].sum() / count
            v = 0.02 + 2 * saturation * (1 - np.exp(-scale * n**alpha / (2 * saturation)))
            total += min(count, 20) * (np.log(v) + m / v)
        return total

    points = [
        (alpha, scale, saturation)
        for alpha in np.linspace(0.1, 2.0, 20)
        for scale in 0.5 * np.geomspace(2e-5, 2, 41)[::4]
        for saturation in 0.5 * np.geomspace(0.05, 4, 9)
    ]
    ours = loss(found.alpha, found.scale, found.saturation)
    assert ours <= min(loss(*point) for point in points) + 1e-9


def test_ignoring_saturation_underestimates_the_exponent():
    """Series of exponent 1 and correlation time 10, lags up to 100; the mean of 10 fits."""
    both = []
    for saturating in (True, False):
        fitted = []
        for seed in range(10):
            rng = np.random.default_rng(seed)
            paths = np.sqrt(0.3) * stationary_paths(1.0, 10.0, 200, 10, rng)
            paths += 0.1 * rng.standard_normal(paths.shape)
            lags = np.arange(1.0, 101.0)
            squares = [((paths[int(n) :] - paths[: -int(n)]) ** 2).sum() for n in lags]
            counts = 10 * (200 - lags)
            grid = variogram.Grid(
                lags,
                counts,
                noise_variance=0.01,
                prior_variance=0.5,
                prior_weight=0.0,
                saturating=saturating,
            )
            fitted.append(grid.fit(np.array(squares)).alpha)
        both.append(np.mean(fitted))
    # long lags have many correlated pairs, so that even then the exponent comes out low
    assert both[0] == pytest.approx(0.71, abs=0.1)
    assert both[1] == pytest.approx(0.29, abs=0.1)


def test_no_lags_are_refused():
    with pytest.raises(ValueError, match="variogram: no lags"):
        variogram.Grid(np.empty(0), np.empty(0), noise_variance=1.0, prior_variance=1.0)
