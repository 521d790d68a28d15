"""q of long runs, beside the sums themselves."""

import numpy as np
import pytest

from tvgp.ageing.merged import MismatchedPrecision
from tvgp.ageing.noise_growth import NoiseGrowth


@pytest.mark.parametrize(("discount", "window"), [(1.0, None), (0.99, None), (1.0, 200), (0.9, 7)])
def test_spread_equals_the_sum_over_all_rounds(discount, window):
    growth, rng = NoiseGrowth(0.01, 0.75), np.random.default_rng(1)
    spread, arms = MismatchedPrecision(growth, 41, discount, window), rng.integers(41, size=3000)
    for t in range(1, 3001):
        spread.append(int(arms[t - 1]))
        if t in (1, 200, 3000):
            kept = arms[max(t - (window or t), 0) : t]
            lags = np.arange(len(kept) - 1, -1, -1.0)
            every = np.bincount(kept, growth.variance(lags) * (100 * discount**lags) ** 2, 41)
            found = spread.sums()
            np.testing.assert_allclose(found, every, rtol=1e-11, atol=1e-8)
            assert (found >= 0).all()
