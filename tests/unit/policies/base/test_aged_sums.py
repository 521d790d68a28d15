"""Sums of a function of lag by blocks of rounds, against direct sums."""

import math

import numpy as np
import pytest

from tvgp.policies.base.aged_sums import AgedRounds, AgedSums, DiscountedSums


@pytest.mark.parametrize("alpha", [0.1, 0.333, 1.0, 1.25, 2.0])
@pytest.mark.parametrize("inverse", [False, True])
def test_sums_equal_direct_sums(alpha, inverse):
    def weight(lags):
        law = np.where(lags > 0, 1.0 + np.abs(lags) ** alpha, 1.0)
        return 1.0 / law if inverse else law

    rng = np.random.default_rng(2)
    sums = AgedSums(weight, 7, columns=2)
    arms, values = rng.integers(7, size=9000), rng.standard_normal(9000)
    looked = [1, 2, 63, 64, 65, 191, 192, 193, 256, 257, 700, 2047, 4096, 5001, 9000]
    for t in range(1, 9001):
        sums.append(int(arms[t - 1]), 1.0, values[t - 1])
        if t in looked:
            w = weight(np.arange(t - 1, -1, -1.0))
            for found, y in zip(sums.sums(), (np.ones(t), values[:t]), strict=True):
                every = np.bincount(arms[:t], w * y, 7)
                scale = np.bincount(arms[:t], w * np.abs(y), 7)
                np.testing.assert_array_less(np.abs(found - every), 3e-12 * scale + 1e-300)


@pytest.mark.parametrize("alpha", [0.1, 1.0, 2.0])
@pytest.mark.parametrize("skipped", [1, 63, 64, 385, 1000, 10**6, 10**15])
def test_rounds_of_many_values_and_none(skipped, alpha):
    """400 rounds with several values each and every tenth without, twice, and `skipped` rounds in between;
    compared every seventh round, so at every place in a block, and right after those that were skipped."""
    weight = lambda lags: 1.0 / (1.0 + np.asarray(lags) ** alpha)  # noqa: E731
    rng, sums = np.random.default_rng(2), AgedRounds(weight, 7, columns=2)
    rounds, arms, values = np.empty(0), np.empty(0, dtype=int), np.empty(0)
    np.testing.assert_array_equal(sums.sums_at(5), np.zeros((2, 7)))
    for t in (*range(10, 410), *range(410 + skipped, 810 + skipped)):
        if t % 10:
            asked, told = rng.integers(7, size=5), rng.standard_normal(5)
            sums.add(t, asked[:3], np.ones(3), told[:3])
            sums.add(t, asked[3:], np.ones(2), told[3:])
            rounds = np.append(rounds, np.full(5, float(t)))
            arms, values = np.append(arms, asked), np.append(values, told)
        if t % 7 and t - skipped not in range(408, 412):
            continue
        w = weight(t - rounds)
        for found, y in zip(sums.sums_at(t), (np.ones(len(values)), values), strict=True):
            scale = np.bincount(arms, w * np.abs(y), 7)
            np.testing.assert_array_less(np.abs(found - np.bincount(arms, w * y, 7)), 3e-12 * scale + 1e-300)


def test_blocks_of_aged_sums_grow_logarithmically():
    sums = AgedSums(lambda lags: 1.0 / (1.0 + lags), 2)
    most = 0
    for t in range(40_000):
        sums.append(t % 2, 1.0)
        most = max(most, len(sums._blocks))
    assert most <= 3 * np.log2(40_000 / 64) and sums.n == 40_000


def test_blocks_of_many_values_grow_logarithmically():
    sums, most = AgedRounds(lambda lags: 1.0 / (1.0 + lags), 2), 0
    for t in (*range(1, 20_000), *range(10**9, 10**9 + 20_000)):
        sums.add(t, np.array([0, 1]), np.ones(2))
        most = max(most, len(sums._blocks))
    assert most <= 6 * np.log2(20_000 / 64)


@pytest.mark.parametrize("pause", [385, 600, 5000])
def test_blocks_grow_logarithmically_with_pauses(pause):
    """400 stretches of a few rounds, so that no two blocks of one size are neighbours."""
    weight = lambda lags: 1.0 / (1.0 + lags)  # noqa: E731
    sums, most, t = AgedRounds(weight, 1), 0, 0
    rounds, values = np.empty(0), np.random.default_rng(4).standard_normal(1200)
    for value in values:
        t += 1 if len(rounds) % 3 else pause
        sums.add(t, np.array([0]), np.array([value]))
        rounds, most = np.append(rounds, t), max(most, len(sums._blocks))
    assert most <= 4 * np.log2(t / 64)
    w = weight(t - rounds)
    assert abs(sums.sums_at(t).item() - w @ values) < 3e-12 * (w @ np.abs(values))


def test_discounted_sums_equal_direct_sums():
    sums = DiscountedSums(0.9, 3, columns=2)
    arms, values = np.random.default_rng(3).integers(2, size=400), np.linspace(-1, 1, 400)
    for arm, value in zip(arms, values, strict=True):
        sums.append(int(arm), 1.0, value)
    w = 0.9 ** np.arange(399, -1, -1.0)
    for found, y in zip(sums.values, (np.ones(400), values), strict=True):
        np.testing.assert_allclose(found, np.bincount(arms, w * y, 3), rtol=1e-10)


def test_negligible_arms_are_dropped():
    sums = DiscountedSums(0.5, 2, columns=2)
    sums.append(0, 1.0, 5.0)
    for _ in range(2000):
        sums.append(1, 1.0, 1.0)
    np.testing.assert_allclose(sums.values, [[0.0, 2.0], [0.0, 2.0]])


@pytest.mark.parametrize(("gamma", "late"), [(0.6, 6), (0.99, 128), (1e-3, 1)])
def test_negligible_arms_are_dropped_promptly(gamma, late):
    """Not only once in 128 rounds: an engine would carry dozens of arms that no longer count."""
    sums = DiscountedSums(gamma, 2)
    sums.append(0, 1.0)
    memory = math.ceil(math.log(1e-12) / math.log(gamma))
    for lag in range(1, memory + late + 1):
        sums.append(1, 1.0)
        if lag < memory:
            assert sums.values[0, 0] == pytest.approx(gamma**lag, rel=1e-9)
    assert sums.values[0, 0] == 0.0


def test_restart_forgets_everything():
    weight = lambda lags: 1.0 / (1.0 + lags)  # noqa: E731
    again, fresh = AgedSums(weight, 4), AgedSums(weight, 4)
    for t in range(1000):
        again.append(t % 3, 1.0)
    again.restart()
    np.testing.assert_array_equal(again.sums(), np.zeros((1, 4)))
    for t in range(700):
        again.append(t % 4, 2.0)
        fresh.append(t % 4, 2.0)
        if t in (0, 200, 699):
            np.testing.assert_array_equal(again.sums(), fresh.sums())
