"""RKHS norms and the norm bound."""

import numpy as np
import pytest

from tvgp import kernels, streams
from tvgp.fitting import norm_bound, rkhs_norm

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
GRID = np.linspace(-20, 20, 81)[:, None]


def member(norm, seed):
    """Values on the grid of a function sum a_i k(., c_i) with the given norm."""
    centres = np.linspace(-15, 15, 7)[:, None]
    a = streams.generator("test_fitting_norm", seed).standard_normal(7)
    a *= norm / np.sqrt(a @ KERNEL(centres, centres) @ a)
    return KERNEL(GRID, centres) @ a


def test_norm_of_a_known_function():
    assert rkhs_norm(KERNEL, GRID, member(5.0, 1), 1e-7) == pytest.approx(5.0, rel=1e-3)
    # one centre: ||k(., c)|| = sqrt(k(c, c))
    bump = KERNEL(GRID, np.array([[0.0]]))[:, 0]
    assert rkhs_norm(KERNEL, GRID, bump, 1e-7) == pytest.approx(np.sqrt(0.5), rel=1e-3)


def test_norm_by_its_definition_and_shrinkage():
    y = member(5.0, 2)
    K = KERNEL(GRID, GRID)
    norms = []
    for noise in (0.01, 0.1, 1.0):
        a = np.linalg.solve(K + noise * np.eye(len(K)), y)
        norms.append(rkhs_norm(KERNEL, GRID, y, noise))
        assert norms[-1] == pytest.approx(np.sqrt(a @ K @ a), rel=1e-8)
    assert 5.0 > norms[0] > norms[1] > norms[2]


def test_a_direction_without_variance_has_a_norm():
    """Where a'Ka is negative by rounding."""
    values, directions = np.linalg.eigh(KERNEL(GRID, GRID))
    assert values[0] < 0
    norms = rkhs_norm(KERNEL, GRID, directions[:, :20], 1e-9)
    assert np.isfinite(norms).all() and (norms >= 0).all()


@pytest.mark.parametrize("x", np.linspace(0.5, 5.0, 10))
def test_a_repeated_point_without_noise_is_refused(x):
    """Whether or not rounding leaves a pivot above 0."""
    with pytest.raises(ValueError, match="covariance of 3 points is not positive definite"):
        rkhs_norm(KERNEL, np.array([[0.0], [x], [x]]), np.ones(3), 0.0)


def test_columns_are_separate_functions():
    y = np.column_stack([member(2.0, 3), member(4.0, 4)])
    norms = rkhs_norm(KERNEL, GRID, y, 0.01)
    expected = [rkhs_norm(KERNEL, GRID, column, 0.01) for column in y.T]
    assert norms == pytest.approx(expected, rel=1e-10)


def test_bound_is_the_quantile_over_rounds_with_missing_sites():
    rng = streams.generator("test_fitting_norm missing")
    slices = np.array([member(n, 5) for n in np.linspace(1, 4, 21)]) + 10.0
    slices[rng.random(slices.shape) < 0.2] = np.nan
    slices[7] = np.nan
    norms = [
        rkhs_norm(KERNEL, GRID[np.isfinite(s)], s[np.isfinite(s)] - 10.0, 0.01)
        for s in slices
        if np.isfinite(s).any()
    ]
    bound = norm_bound(KERNEL, GRID, slices, 0.01, prior_mean=10.0, quantile=0.9)
    assert bound.bounds_hit == ()
    assert bound.value == pytest.approx(np.quantile(norms, 0.9), rel=1e-8)


def test_a_norm_bound_at_its_cap_is_reported():
    bound = norm_bound(KERNEL, GRID, member(5.0, 6)[None, :], 0.01, cap=2.0)
    assert bound.value == 2.0 and bound.uncapped > 4.0
    assert bound.bounds_hit == ("norm_bound at its cap 2",)


def test_bad_input():
    y = member(1.0, 7)
    with pytest.raises(ValueError, match="norm: a value is not a finite number"):
        rkhs_norm(KERNEL, GRID, np.full(81, np.nan), 0.01)
    with pytest.raises(ValueError, match="norm: points have shape"):
        rkhs_norm(KERNEL, GRID, y[:5], 0.01)
    with pytest.raises(ValueError, match="must not be negative"):
        rkhs_norm(KERNEL, GRID, y, -1.0)
    with pytest.raises(ValueError, match="not positive definite.*larger noise"):
        rkhs_norm(KERNEL, np.zeros((4, 1)), np.ones(4), 0.0)
    with pytest.raises(ValueError, match="no round has a value"):
        norm_bound(KERNEL, GRID, np.full((3, 81), np.nan), 0.01)
    with pytest.raises(ValueError, match="slices have shape"):
        norm_bound(KERNEL, GRID, y, 0.01)
    with pytest.raises(ValueError, match="quantile is 2"):
        norm_bound(KERNEL, GRID, y[None], 0.01, quantile=2)
    with pytest.raises(ValueError, match="cap is 0"):
        norm_bound(KERNEL, GRID, y[None], 0.01, cap=0)
