"""Blocks of rounds as the sample: their length, their means, and what the interval covers."""

import example_results
import numpy as np
import pytest
import xarray as xr

from tvgp.study import results
from tvgp.study.results import blocks
from tvgp.study.results.statistics import mean_interval


def autoregressive(phi, n, rng):
    x = np.empty(n + 100)
    x[0] = 0.0
    for t in range(1, n + 100):
        x[t] = phi * x[t - 1] + rng.standard_normal()
    return x[100:]


def test_block_length_follows_its_formula():
    """AR(1), large n: R(k) = phi^k / (1 - phi^2) gives b = (3/2 (2 phi / (1 - phi^2))^2 n)^(1/3)."""
    rng, found = np.random.default_rng(0), []
    for phi in (0.0, 0.5, 0.8):
        lengths = [blocks.block_length(autoregressive(phi, 2000, rng)) for _ in range(20)]
        found.append(np.mean(lengths))
        ideal = np.cbrt(1.5 * (2 * phi / (1 - phi**2)) ** 2 * 2000)
        assert abs(found[-1] - ideal) < 0.25 * ideal + 3
    assert found[0] < found[1] < found[2]
    assert blocks.block_length(np.ones(50)) == 1 and blocks.block_length(np.arange(5.0)) == 1
    assert blocks.block_length(np.arange(90.0)) <= 30


@pytest.mark.parametrize(("phi", "least"), [(0.0, 0.90), (0.6, 0.85)])
def test_the_interval_covers_the_mean_of_a_dependent_series(phi, least):
    """Of 300 series of 191 days; coverage is .96 and .91 (1,000 series), so a right implementation fails
    in fewer than one of 1,000 seeds. Single days as blocks would cover 65 % at phi = .6."""
    rng, held, single = np.random.default_rng(1), 0, 0
    for _ in range(300):
        x = autoregressive(phi, 191, rng)
        means = blocks.block_means(x, blocks.block_length(x))
        assert means.mean() == pytest.approx(x.mean(), abs=1e-12)
        ours, days = mean_interval(means), mean_interval(x)
        held += ours.low < 0 < ours.high
        single += days.low < 0 < days.high
    assert held / 300 >= least
    assert phi == 0 or single / 300 < 0.8


def test_differences_of_two_that_share_hard_days_are_covered():
    """Shared white days hide what is slow in each of two variants, and the median block of ten variants, of
    which six are white, is short. Of 200 pairs of 180 days coverage is .86 (400 pairs) with blocks joined as
    the difference needs, so a right implementation fails in fewer than one of 1,000 seeds; without, .45."""
    rng, held, short = np.random.default_rng(3), 0, 0
    for _ in range(200):
        shared = 3 * rng.normal(size=180)
        slow = [shared + 0.44 * autoregressive(0.9, 180, rng) for _ in range(4)]
        white = [shared + rng.normal(size=180) for _ in range(6)]
        length = blocks.common_length(np.array([*slow, *white])[:, None])
        difference = blocks.block_means(slow[0] - slow[1], length)
        joined, apart = mean_interval(blocks.joined(difference)), mean_interval(difference)
        held += joined.low < 0 < joined.high
        short += apart.low < 0 < apart.high
    assert held / 200 >= 0.77 and short / 200 < 0.6


def test_values_that_alternate_need_no_longer_blocks():
    """Such as parts of a day, whose mean varies less than that of independent values: as if it knew the
    variance of the mean by heart, three blocks would be left."""
    rng = np.random.default_rng(0)
    for period in (2, 3, 8):
        x = np.sin(2 * np.pi * np.arange(96) / period) + 0.1 * rng.normal(size=96)
        assert blocks.block_length(x) <= 2


def test_values_that_last_have_intervals_that_cover():
    """Of 200 series of 600 days with phi = .9, in blocks of the median variant, here three days: .90 (1,000
    series), and .53 in these blocks as they are; fewer than one of 1,000 seeds fails."""
    rng, held, short = np.random.default_rng(4), 0, 0
    for _ in range(200):
        means = blocks.block_means(autoregressive(0.9, 600, rng), 3)
        joined, apart = mean_interval(blocks.joined(means)), mean_interval(means)
        held += joined.low < 0 < joined.high
        short += apart.low < 0 < apart.high
    assert held / 200 >= 0.82 and short / 200 < 0.66


def test_a_ratio_is_that_of_the_means():
    a, b = np.array([1.0, 3.0, 2.0, 2.5, 1.5, 2.0, 2.2, 1.8]), np.full(8, 4.0)
    found = blocks.ratio(a, b)
    assert found.mean == pytest.approx(0.5) and found.low < 0.5 < found.high


def test_blocks_of_unequal_size_do_not_vary_by_their_size():
    """A constant that is added to all rounds moves the means of blocks by itself."""
    x = np.random.default_rng(0).normal(size=17)
    means = blocks.block_means(x, 3)
    assert means.mean() == pytest.approx(x.mean()) and len(means) == 5
    np.testing.assert_allclose(blocks.block_means(10.0 + x, 3), 10.0 + means)
    assert np.ptp(blocks.block_means(np.full(17, 10.0), 3)) == 0.0


def test_a_fixed_record_is_sampled_by_blocks_of_rounds(tmp_path):
    with xr.open_dataset(example_results.write(tmp_path, "ozone", "real", horizon=90, seeds=4)) as opened:
        data = opened.load()
    runs, record = results.read(data.copy()), results.read(data.assign_attrs(sampled="rounds"))
    ours = results.final_average(results.at_alpha(record), "gp_ucb")
    assert len(ours) == 90 // record.attrs["block"]
    base = f"{len(ours)} blocks of {record.attrs['block']} days"
    assert results.sample_words(record, len(ours)) == base
    assert results.sample_words(record) == f"{base}, or fewer and longer ones"
    theirs = results.final_average(results.at_alpha(runs), "gp_ucb")
    assert len(theirs) == 4 and ours.mean() == pytest.approx(theirs.mean())
    assert results.sample_words(runs) == "4 runs"


@pytest.mark.parametrize(("phi", "least"), [(0.0, 0.90), (0.6, 0.82)])
def test_bootstrap_interval_covers_a_dependent_mean(phi, least):
    """Of 200 series of 191 days: .937 and .884 (1,000 series), so a right implementation fails in fewer than
    one of 100 seeds; blocks of one day cover 65 % at phi = .6."""
    rng, held, single = np.random.default_rng(2), 0, 0
    for number in range(200):
        x = autoregressive(phi, 191, rng)
        low, high = blocks.bootstrap_interval(x, blocks.block_length(x), "test", str(number))
        held += low < 0 < high
        low, high = blocks.bootstrap_interval(x, 1, "test", str(number))
        single += low < 0 < high
    assert held / 200 >= least
    assert phi == 0 or single / 200 < 0.8


def test_bootstrap_interval_repeats_and_shifts_with_the_series():
    x = autoregressive(0.5, 100, np.random.default_rng(3))
    low, high = blocks.bootstrap_interval(x, 7, "a")
    assert (low, high) == blocks.bootstrap_interval(x, 7, "a") != blocks.bootstrap_interval(x, 7, "b")
    assert blocks.bootstrap_interval(x + 10, 7, "a") == pytest.approx((low + 10, high + 10))
    assert blocks.bootstrap_interval(x, 500, "a") == pytest.approx((x.mean(), x.mean()))


@pytest.mark.parametrize("unit", ["D", "h", "m", "s", "ns"])
def test_the_hour_of_the_day_is_that_of_any_unit(unit):
    time = np.array(["1969-12-31T23:00", "2021-01-30T05:00", "2021-01-30T18:00"], dtype=f"datetime64[{unit}]")
    assert blocks.hours_of_day(time).tolist() == ([0, 0, 0] if unit == "D" else [23, 5, 18])
