"""Local slopes of log R_t on log t and slopes by decade: power laws are recovered where they hold."""

import numpy as np
import pytest
import xarray as xr

from tvgp.study.results import growth


def bed(regret, horizon) -> xr.Dataset:
    """A test bed of one method with cumulative regret `regret(rounds)`, (runs, rounds)."""
    rounds = growth.saved_rounds(horizon)
    values = np.atleast_2d(regret(rounds.astype(float)))[None, :, None, :]
    dims = ("part", "seed", "alpha", "round")
    return xr.Dataset({"cumulative_regret": (dims, values)}, {"part": ["a"], "alpha": [1.0], "round": rounds})


@pytest.mark.parametrize("power", [0.2, 0.57, 1.0])
@pytest.mark.parametrize("horizon", [1000, 25_000])
def test_a_power_law_has_its_exponent_everywhere(power, horizon):
    data = bed(lambda t: np.outer([1.0, 3.0], t**power), horizon)
    rounds, slopes = growth.local_slopes(data, "a", 1.0)
    assert slopes.shape == (2, len(rounds)) and rounds[0] < 20 and rounds[-1] > horizon / 2
    np.testing.assert_allclose(slopes, power, atol=1e-9)
    for span in growth.decades(data):
        assert growth.over_decade(data, "a", 1.0, span).mean == pytest.approx(power)


def test_a_bend_is_seen_where_it_is():
    """R_t = t up to 1,000, then as the root of t."""
    data = bed(lambda t: np.where(t < 1000, t, np.sqrt(1000 * t)), 100_000)
    rounds, slopes = growth.local_slopes(data, "a", 1.0)
    np.testing.assert_allclose(slopes[0, rounds < 500], 1.0, atol=1e-6)
    np.testing.assert_allclose(slopes[0, rounds > 2000], 0.5, atol=1e-6)
    at_bend = slopes[0, np.argmin(abs(rounds - 1000))]
    assert 0.6 < at_bend < 0.9


def test_decades_end_at_saved_rounds():
    assert growth.decades(bed(np.sqrt, 100_000)) == [(10**k, 10 ** (k + 1)) for k in range(1, 5)]
    assert growth.decades(bed(np.sqrt, 800)) == [(80, 800)]
