"""The ratio of two means over the same runs, and its interval."""

import numpy as np
import pytest

from tvgp.study.results.statistics import ratio_of_means


def test_a_multiple_has_that_ratio_without_doubt():
    b = np.array([1.0, 4.0, 2.0])
    found = ratio_of_means(0.7 * b, b)
    assert (found.mean, found.low, found.high) == pytest.approx((0.7, 0.7, 0.7))


def test_intervals_cover_the_ratio_in_95_percent_of_samples():
    """2,000 samples of 20 pairs with means 2 and 3 and correlated errors; binomial error .5 %."""
    rng = np.random.default_rng(3)
    shared, own = rng.normal(size=(2, 2000, 20))
    pairs = zip(2.0 + 0.6 * shared + 0.3 * own, 3.0 + 0.9 * shared, strict=True)
    found = [ratio_of_means(a, b) for a, b in pairs]
    assert np.mean([each.low <= 2 / 3 <= each.high for each in found]) == pytest.approx(0.95, abs=0.02)


def test_runs_that_do_not_pair_are_refused():
    with pytest.raises(ValueError, match=r"ratio_of_means: \(2,\) over \(3,\) runs"):
        ratio_of_means(np.ones(2), np.ones(3))
