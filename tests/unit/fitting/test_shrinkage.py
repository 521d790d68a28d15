"""Shrunk means and covariances: references, brute force over gaps, and what they gain."""

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf

from tvgp.fitting import shrunk_covariance, shrunk_means


def panel(seed, sites=5, rounds=40, missing=0.0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rounds, sites)) @ rng.normal(size=(sites, sites))
    values[rng.random(values.shape) < missing] = np.nan
    return values


def test_the_weight_is_that_of_another_implementation():
    """CovarianceShrinkage._ledoit_wolf_constant_correlation of PyPortfolioOpt 1.6.0, with self.X.values = x
    and self.S = x.T @ x / 40. scikit-learn's ledoit_wolf has another target, a multiple of the identity."""
    x = np.random.default_rng(5).normal(size=(40, 5)) @ np.random.default_rng(6).normal(size=(5, 5))
    found = shrunk_covariance(x - x.mean(axis=0))
    assert found.weight == pytest.approx(0.11866483489940047, rel=1e-12)
    expected = [5.207946932873115, 4.4079733040871165, 1.0342202373016045]
    np.testing.assert_allclose(found.covariance[0, :3], expected, rtol=1e-12)


def test_where_the_targets_are_one_it_is_that_of_scikit_learn():
    """Values of 1 and -1 whose correlations have mean 0: both targets are then the identity, and the
    variances, of which scikit-learn's weight counts the errors, have none."""
    rng = np.random.default_rng(3)
    x = np.ones((30, 6))
    while (x.T @ x)[np.triu_indices(6, 1)].sum():
        x = rng.choice([-1.0, 1.0], size=(30, 6))
        x[:, 1] = np.where(rng.random(30) < 0.9, x[:, 0], x[:, 1])
    covariance, weight = ledoit_wolf(x, assume_centered=True)
    found = shrunk_covariance(x)
    assert 0.05 < found.weight < 0.95 and found.weight == pytest.approx(weight, rel=1e-12)
    np.testing.assert_allclose(found.covariance, covariance, atol=1e-12)


def test_with_gaps_each_pair_has_its_own_times():
    """By loops over pairs."""
    x = panel(0, missing=0.4)
    S = x.shape[1]
    both = [[np.isfinite(x[:, i] * x[:, j]) for j in range(S)] for i in range(S)]
    s = np.array([[np.mean(x[both[i][j], i] * x[both[i][j], j]) for j in range(S)] for i in range(S)])
    r = np.mean([s[i, j] / np.sqrt(s[i, i] * s[j, j]) for i in range(S) for j in range(S) if i != j])
    top = bottom = 0.0
    for i in range(S):
        for j in set(range(S)) - {i}:
            k = both[i][j]
            a, b = x[k, i], x[k, j]
            top += np.mean((a * b - s[i, j]) ** 2) / k.sum()
            for own, index in ((a, i), (b, j)):
                other = i + j - index
                joint = np.mean((own**2 - s[index, index]) * (a * b - s[i, j])) / both[index][index].sum()
                top -= 0.5 * r * np.sqrt(s[other, other] / s[index, index]) * joint
            bottom += (r * np.sqrt(s[i, i] * s[j, j]) - s[i, j]) ** 2
    found = shrunk_covariance(x)
    assert 0.05 < found.weight < 0.95 and found.weight == pytest.approx(top / bottom, rel=1e-12)
    assert found.correlation == pytest.approx(r, rel=1e-12) and found.unseen == 0
    np.testing.assert_allclose(found.covariance.diagonal(), s.diagonal())


def test_pairs_without_a_common_time_take_the_target():
    """And the result is positive definite."""
    x = panel(1, sites=6, rounds=12, missing=0.3)
    x[:6, 0] = x[6:, 1] = np.nan
    found = shrunk_covariance(x, weight=0.0)
    assert found.unseen == 1 and np.linalg.eigvalsh(found.covariance)[0] > 0
    np.testing.assert_allclose(found.covariance.diagonal(), np.nanmean(x**2, axis=0))
    rough = shrunk_covariance(x, weight=1.0).covariance
    std = np.sqrt(rough.diagonal())
    np.testing.assert_allclose((rough / np.outer(std, std))[0, 1:], found.correlation)
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 1)) + rng.normal(size=(60, 3))  # no eigenvalue is negative
    x[:30, 0] = x[30:, 1] = np.nan
    found = shrunk_covariance(x, weight=0.0)
    std = np.sqrt(found.covariance.diagonal())
    assert found.covariance[0, 1] / (std[0] * std[1]) == pytest.approx(found.correlation)


def test_few_times_shrink_more_and_err_less():
    """Over 100 draws from a covariance of constant correlation but for two sites."""
    truth = np.full((8, 8), 0.6) + 0.4 * np.eye(8)
    truth[0, 1] = truth[1, 0] = 0.9
    root, errors, weights = np.linalg.cholesky(truth), [], []
    for seed in range(100):
        x = np.random.default_rng(seed).normal(size=(400, 8)) @ root.T
        few, many = shrunk_covariance(x[:20]), shrunk_covariance(x)
        plain = x[:20].T @ x[:20] / 20
        weights.append((few.weight, many.weight))
        errors.append([np.linalg.norm(each - truth) for each in (few.covariance, plain)])
    assert np.mean(weights, axis=0)[0] > 2 * np.mean(weights, axis=0)[1]
    assert np.subtract(*np.transpose(errors)).mean() < 0


def test_means_do_not_depend_on_the_season_of_gaps():
    """And shrink by the number of values."""
    rng = np.random.default_rng(0)
    season, b = 10.0 * np.sin(np.arange(200) / 30), rng.normal(size=12)
    values = season[:, None] + b + 2.0 * rng.normal(size=(200, 12))
    values[50:, 3] = np.nan  # a site of the first season alone
    values[8:, 4] = np.nan
    values[:, 5] = np.nan
    found = shrunk_means(values)
    assert found.within == pytest.approx(4.0, rel=0.1)
    n = np.isfinite(values).sum(axis=0)
    seen = n > 0
    np.testing.assert_allclose(
        found.weight[seen], found.between / (found.between + found.within / n[seen]), rtol=1e-12
    )
    assert found.weight[5] == 0 and found.mean[5] == found.common
    assert found.weight[4] < found.weight[3] < found.weight[0]
    errors = found.mean - found.mean[seen].mean() - (b - b[seen].mean())
    assert np.abs(errors[seen]).max() < 1.6  # four standard errors of the site with 8 values


def test_means_of_a_whole_panel_are_those_of_the_textbook():
    """T = 7 times, S = 4 sites: (T - 1)(S - 1) degrees of freedom are left for W."""
    values = np.random.default_rng(1).normal(size=(7, 4)) + [0.0, 1.0, 3.0, -2.0]
    b = values.mean(axis=0) - values.mean()
    W = np.sum((values - values.mean(axis=1, keepdims=True) - b) ** 2) / (6 * 3)
    B = np.sum(b**2) / 3 - W / 7
    found = shrunk_means(values)
    assert (found.within, found.between, found.common) == pytest.approx((W, B, values.mean()), rel=1e-12)
    np.testing.assert_allclose(found.mean, values.mean() + B / (B + W / 7) * b, rtol=1e-12)


def test_shrunk_means_err_less_than_plain_offsets():
    gain = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        b = rng.normal(size=20)
        values = b + 3.0 * rng.normal(size=(10, 20))
        found = shrunk_means(values).mean
        plain = values.mean(axis=0)
        gain.append(np.mean((plain - b) ** 2) - np.mean((found - b) ** 2))
    assert np.mean(gain) > 6 * np.std(gain) / np.sqrt(200)


def test_sites_that_do_not_differ_all_have_the_common_mean():
    values = np.add.outer(np.random.default_rng(0).normal(size=30), np.zeros(4))
    values += 0.1 * np.where(np.indices(values.shape).sum(axis=0) % 2, 1, -1)
    found = shrunk_means(values)
    assert found.between == 0 and np.ptp(found.mean) == 0


@pytest.mark.parametrize(
    ("function", "values", "message"),
    [
        (shrunk_means, np.zeros(3), r"values have shape \(3,\), expected \(times, sites\)"),
        (shrunk_means, np.array([[1.0, np.inf]]), "value at time 0, site 1 is infinite"),
        (shrunk_means, np.array([[1.0, np.nan], [2.0, np.nan]]), "2 values of 1 sites at 2 times do not"),
        (shrunk_covariance, np.array([[1.0, np.nan], [2.0, 3.0]]), "site 1 has 1 values, or only zeros"),
    ],
)
def test_panels_that_say_too_little_are_refused(function, values, message):
    with pytest.raises(ValueError, match=message):
        function(values)
