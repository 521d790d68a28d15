"""Indices and gains of readings: against integrals, all orders of opening, and dynamic programming."""

import functools
import itertools

import numpy as np
import pytest
from scipy import integrate, stats

from tvgp import value_of_information as voi
from tvgp.log_scale import LogScale


@pytest.mark.parametrize("price", [1e-12, 1e-6, 0.01, 0.3, 0.3989, 2.0, 50.0])
@pytest.mark.parametrize("std", [0.01, 1.0, 30.0])
def test_the_expected_excess_over_the_index_is_the_price(price, std):
    index = voi.pandora_index(np.array([1.5]), np.array([std]), price)[0]
    z = (index - 1.5) / std
    x = np.linspace(max(z, -12.0), max(z, -12.0) + 24.0, 100_001)
    excess = integrate.simpson((x - z) * stats.norm.pdf(x), x=x)
    assert std * excess == pytest.approx(price, rel=1e-6)


@pytest.mark.parametrize("c", [0.5, 20.0, -0.5, -20.0])
@pytest.mark.parametrize("std", [1e-9, 0.01, 1.0, 4.0])
@pytest.mark.parametrize("price", [1e-9, 1e-3, 0.3, 2.0, 50.0])
def test_a_lognormal_excess_over_its_index_is_the_price(c, std, price):
    """For rewards above -c, and below it; a standard deviation is c's unit."""
    std *= abs(c)
    mean = np.array([-0.4, 0.0, 1.5]) * c
    index = voi.lognormal_index(mean, np.full(3, std), price, c)
    v, F = std / abs(c), np.abs(c + mean)
    # the pieces on both sides of the kink of (y - g)^+
    for i in range(3):
        inside = np.sign(c) * (index[i] + c) / F[i]
        kink = (np.log(inside) / v + 0.5 * v) if inside > 0 else -np.inf
        low, high = (max(kink, -14.0), 14.0 + 2 * v) if c > 0 else (-14.0, min(kink, 14.0))
        x = np.linspace(low, max(low, high), 20_001)
        y = np.sign(c) * F[i] * np.exp(v * x - 0.5 * v * v) - c
        excess = integrate.simpson((y - index[i]) * stats.norm.pdf(x), x=x)
        if std > 1e-6 * abs(c):
            assert excess == pytest.approx(price, rel=1e-4)
        else:
            assert index[i] == pytest.approx(mean[i] - price, abs=1e-6)


def test_with_a_large_c_lognormal_rewards_are_normal():
    rng = np.random.default_rng(1)
    mean, std, price = rng.normal(size=50), np.exp(rng.normal(size=50)), np.exp(rng.normal(size=50) - 2)
    normal = voi.pandora_index(mean, std, price)
    for c in (1e7, -1e7):
        np.testing.assert_allclose(voi.lognormal_index(mean, std, price, c), normal, atol=1e-4)
    root = rng.normal(size=(50, 50))
    K = root @ root.T
    readings = K, np.diagonal(K), 0.3
    gains = [voi.knowledge_gradient(mean, *readings, None, scale) for scale in (None, LogScale(1e6))]
    np.testing.assert_allclose(gains[1], gains[0], rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("c", [1.0, 8.0, -1.0, -8.0])
def test_gains_on_a_log_scale_agree_with_quadrature(c):
    rng = np.random.default_rng(0)
    root = rng.normal(size=(6, 6))
    K, mean = 0.05 * root @ root.T, 0.3 * rng.normal(size=6)
    variance = np.diagonal(K)
    rewards, _ = LogScale(c).moments(mean, np.sqrt(variance))
    ours = voi.knowledge_gradient(rewards, K, variance, 0.1, None, LogScale(c))
    x = np.linspace(-12.0, 12.0, 100_001)
    for i in range(6):
        b = (K[i] / np.sqrt(variance[i] + 0.1) / c)[:, None]
        after = c * ((1 + rewards / c)[:, None] * np.exp(b * x - 0.5 * b * b) - 1)
        gain = integrate.simpson(after.max(axis=0) * stats.norm.pdf(x), x=x) - rewards.max()
        assert ours[i] == pytest.approx(gain, abs=1e-6)


def test_free_readings_have_no_bound_and_certain_arms_their_mean():
    index = voi.pandora_index(np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.5]))
    np.testing.assert_array_equal(index, [np.inf, 2.0, 2.5])


def test_the_index_rises_with_doubt_and_falls_with_the_price():
    std = np.linspace(0.1, 5.0, 50)
    assert (np.diff(voi.pandora_index(np.zeros(50), std, 0.2)) > 0).all()
    assert (np.diff(voi.pandora_index(np.zeros(50), np.ones(50), np.linspace(0.01, 3.0, 50))) < 0).all()


LEVELS = np.linspace(0.0, 10.0, 1001)  # of the best value at hand
DRAWS, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


def worth(boxes, choose):
    """Expected value, by best value at hand, of opening boxes (mean, std, price) that are opened before they
    are taken: `choose(rest, by_box)` gives that of going on, (levels,), from what each next box is worth."""
    known = {frozenset(): LEVELS.copy()}
    for size in range(1, len(boxes) + 1):
        for rest in map(frozenset, itertools.combinations(range(len(boxes)), size)):
            by_box = {}
            for box in sorted(rest):
                mean, std, price = boxes[box]
                best = np.maximum(LEVELS[:, None], mean + std * DRAWS)
                later = np.interp(best, LEVELS, known[rest - {box}])
                by_box[box] = later @ WEIGHTS / WEIGHTS.sum() - price
            known[rest] = choose(rest, by_box)
    return known[frozenset(range(len(boxes)))]


@pytest.mark.parametrize("seed", range(6))
def test_no_order_of_independent_boxes_beats_the_index(seed):
    """Against the best of all adaptive orders and stopping rules, three or four boxes that must be opened
    to be taken and 0 at hand; both by one quadrature, so that they differ by its error only."""
    rng = np.random.default_rng(seed)
    n = 3 + seed % 2
    boxes = list(zip(rng.normal(0, 0.7, n), rng.uniform(0.3, 2.0, n), rng.uniform(0.02, 0.4, n), strict=True))
    index = voi.pandora_index(*(np.array(column) for column in zip(*boxes, strict=True)))

    def by_index(rest, by_box):
        box = max(rest, key=lambda each: index[each])
        return np.where(index[box] > LEVELS, by_box[box], LEVELS)

    def optimal(rest, by_box):
        return np.maximum.reduce([LEVELS, *by_box.values()])

    ours, best = worth(boxes, by_index)[0], worth(boxes, optimal)[0]
    assert best > 0.05
    assert ours == pytest.approx(best, abs=2e-3)
    worst = worth(boxes, lambda rest, by_box: by_box[min(rest, key=lambda each: index[each])])[0]
    assert worst < best - 0.02


def worth_unopened(boxes, choose):
    """As `worth`, of boxes that may be taken unopened, from nothing at hand: `choose(rest, by_box, held)`."""
    levels, known = np.linspace(-8.0, 12.0, 401), {frozenset(): np.linspace(-8.0, 12.0, 401)}
    for size in range(1, len(boxes) + 1):
        for rest in map(frozenset, itertools.combinations(range(len(boxes)), size)):
            by_box = {}
            for box in rest:
                mean, std, price = boxes[box]
                best = np.maximum(levels[:, None], mean + std * DRAWS)
                by_box[box] = np.interp(best, levels, known[rest - {box}]) @ WEIGHTS / WEIGHTS.sum() - price
            held = np.maximum(levels, max(boxes[box][0] for box in rest))
            known[rest] = choose(rest, by_box, held)
    return known[frozenset(range(len(boxes)))][0]


def by_rule(boxes, indices):
    """The procedure that opens the largest of `indices(known)` until none exceeds what is held; known: the
    means of the boxes that are left, minus infinity for the others, and the best value at hand."""
    n, levels = len(boxes), np.linspace(-8.0, 12.0, 401)

    def choose(rest, by_box, held):
        value, left = held.copy(), sorted(rest)
        for row, level in enumerate(levels):
            known = np.array([boxes[box][0] if box in rest else -np.inf for box in range(n)] + [level])
            index = indices(known)
            box = max(left, key=lambda each: index[each])
            value[row] = by_box[box][row] if index[box] > held[row] else held[row]
        return value

    return choose


def test_boxes_taken_unopened_have_nearly_the_optimum():
    """30 draws of three or four independent boxes, against the best of all procedures: 99 % of what it gains
    over opening nothing, never a loss. The index alone has half of it, and loses in many."""
    rng, gains = np.random.default_rng(0), []
    for draw in range(30):
        n = 3 + draw % 2
        columns = rng.normal(size=n), rng.uniform(0.2, 1.5, n), rng.uniform(0.02, 0.3, n)
        boxes, index = list(zip(*columns, strict=True)), np.append(voi.pandora_index(*columns), -np.inf)
        rules = (
            by_rule(boxes, functools.partial(voi.open_or_take, index)),
            by_rule(boxes, lambda known, index=index: index),
            lambda rest, by_box, held: np.maximum.reduce([held, *by_box.values()]),
        )
        gains.append([worth_unopened(boxes, rule) - max(columns[0]) for rule in rules])
    ours, alone, best = np.array(gains).T
    assert ours.sum() > 0.985 * best.sum() and (ours > -1e-3).all()
    assert alone.sum() < 0.7 * best.sum() and (alone < -0.01).sum() > 5


def index_of_two(mean, stds, rho, price):
    covariance = np.outer(stds, stds) * np.array([[1.0, rho], [rho, 1.0]])
    rivals = voi.two_best(mean)
    index = voi.indices(mean, covariance.diagonal(), covariance[rivals], rivals, 1e-12, price)
    return voi.open_or_take(index, mean)


def gains_of_two(mean, stds, rho, price):
    covariance, arms = np.outer(stds, stds) * np.array([[1.0, rho], [rho, 1.0]]), np.arange(2)
    own, rivals, prices = covariance.diagonal(), voi.two_best(mean), np.full(2, price)
    paired = voi.with_rivals(arms, covariance, own, rivals, covariance[rivals], 1e-12, prices)
    readings = [(covariance, own, prices), paired]
    return np.max([voi.knowledge_gradient(mean, c, v, 1e-12) - each for c, v, each in readings], axis=0)


def worth_of_two(first, mean, stds, rho, price):
    """What opening a box first gains over opening none: by the best rule for the other, and by the index."""
    second = 1 - first
    seen, moved = mean[first] + stds[first] * DRAWS, mean[second] + rho * stds[second] * DRAWS
    rest, held = stds[second] * np.sqrt(1.0 - rho**2), np.maximum(seen, moved)
    best = np.maximum(seen[:, None], moved[:, None] + rest * DRAWS)
    go = best @ WEIGHTS / WEIGHTS.sum() - price
    index = [
        index_of_two(each, np.array([0.0, rest]), 0.0, price)[1] for each in np.column_stack([seen, moved])
    ]
    played = np.where(np.array(index) > held, go, held)
    return [each @ WEIGHTS / WEIGHTS.sum() - price - mean.max() for each in (np.maximum(held, go), played)]


@pytest.mark.parametrize("rho", [-0.5, 0.0, 0.5, 0.9, 0.97, 0.99])
def test_the_index_is_nearly_optimal_for_two_correlated_boxes(rho):
    """Either box may be taken unopened. Over nine means and prices it never loses, and gains 96 % of what the
    best procedure does over opening nothing; independent boxes of the same variances lose from 0.9 on. The
    gains of readings and of pairs of them have all of it."""
    stds, gains = np.array([1.0, 1.3]), []
    for behind in (0.0, 0.3, 1.0):
        for price in (0.05, 0.1, 0.2):
            mean = np.array([0.0, -behind])
            worth = [worth_of_two(first, mean, stds, rho, price) for first in (0, 1)]
            ours = index_of_two(mean, stds, rho, price)
            alone = voi.open_or_take(voi.pandora_index(mean, stds, price), mean)
            opened = [
                worth[int(index.argmax())][1] if index.max() > mean.max() else 0.0 for index in (ours, alone)
            ]
            paired = gains_of_two(mean, stds, rho, price)
            opened.append(worth[int(paired.argmax())][0] if paired.max() > 0.0 else 0.0)
            gains.append([*opened, max(0.0, worth[0][0], worth[1][0])])
    ours, alone, paired, best = np.array(gains).T
    assert paired.sum() > 0.999 * best.sum()
    assert (ours > -1e-9).all() and ours.sum() > 0.96 * best.sum() > 0.05
    assert rho < 0.9 or alone.sum() < 0.0


def covariance_of(seed, n=6):
    root = np.random.default_rng(seed).standard_normal((n, n))
    return root @ root.T + 0.1 * np.eye(n)


@pytest.mark.parametrize("far", [0.5, 4.0, 8.0])
def test_a_rare_gain_beyond_its_price_is_found(far):
    """Of an arm that is `far` standard deviations behind, in units that make it worth twice the price."""
    unit = 1.0 / voi._psi(np.array([far]))[0][0]
    mean, of_reading = np.array([0.0, -far * unit]), np.array([[0.0, unit**2]])
    gains = voi.knowledge_gradient(mean, of_reading, of_reading[:, 1], 0.0, 0.5)
    assert gains == pytest.approx([1.0], rel=1e-12)


def index_of(mean, covariance, noise=0.01, price=0.2, scale=None):
    rivals = voi.two_best(mean)
    return voi.indices(mean, covariance.diagonal(), covariance[rivals], rivals, noise, price, scale)


@pytest.mark.parametrize("scale", [None, LogScale(5.0, -20.0)])
def test_uncorrelated_arms_have_the_index_of_weitzman(scale):
    rng = np.random.default_rng(0)
    mean, variance, price = rng.normal(size=6), rng.uniform(0.5, 2.0, 6), rng.uniform(0.05, 0.4, 6)
    std = voi.change(variance, 0.01)
    if scale is None:
        expected = voi.pandora_index(mean, std, price)
    else:
        expected = -20.0 + voi.lognormal_index(mean + 20.0, std, price, 5.0)
    found = index_of(mean, np.diag(variance), price=price, scale=scale)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_rival_that_has_been_read_leaves_the_index_as_it_is(seed):
    """But for what the noise leaves open about it."""
    mean, covariance = np.random.default_rng(seed).normal(size=6), covariance_of(seed)
    best = int(mean.argmax())
    known = covariance - np.outer(covariance[best], covariance[best]) / (covariance[best, best] + 1e-6)
    others = np.arange(6) != best
    expected = voi.pandora_index(mean, voi.change(known.diagonal(), 1e-6), 0.2)
    np.testing.assert_allclose(index_of(mean, known, 1e-6)[others], expected[others], atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_a_wave_over_all_arms_is_no_reason_to_read(seed):
    """However large it is, an arm has the variance of its difference to the rival, for two readings."""
    mean, covariance = np.random.default_rng(seed).normal(size=6), covariance_of(seed)
    small, large = (index_of(mean, covariance + wave) for wave in (1e4, 1e7))
    np.testing.assert_allclose(small, large, atol=0.01)
    best, second = voi.two_best(mean)
    rival = np.where(np.arange(6) == best, second, best)
    apart = covariance.diagonal() + covariance.diagonal()[rival] - 2.0 * covariance[np.arange(6), rival]
    std = (apart + 0.01) / np.sqrt(apart + 0.02)  # the readings' noise, once of each
    np.testing.assert_allclose(large, voi.pandora_index(mean, std, 0.4), atol=0.01)


@pytest.mark.parametrize("seed", range(5))
def test_the_knowledge_gradient_is_the_expected_gain(seed):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((12, 12))
    covariance, mean = root @ root.T, rng.normal(scale=3.0, size=12)
    arms, noise = np.arange(12), 0.3
    gains = voi.knowledge_gradient(mean, covariance[arms], covariance.diagonal()[arms], noise)
    z = np.linspace(-9.0, 9.0, 40_001)
    for arm in arms:
        change = covariance[arm] / np.sqrt(covariance[arm, arm] + noise)
        best = (mean + change * z[:, None]).max(axis=1)
        assert gains[arm] == pytest.approx(
            integrate.simpson(best * stats.norm.pdf(z), x=z) - mean.max(), abs=1e-6
        )


@pytest.mark.parametrize("digits", [1, 15])
@pytest.mark.parametrize("n_arms", [1, 2, 7, 400])
def test_gains_of_many_arms_with_ties_are_the_expected_ones(n_arms, digits):
    rng = np.random.default_rng(n_arms)
    arms = np.sort(rng.random(n_arms))
    mean = np.sin(9.0 * arms).round(digits)  # one digit: parallel and equal lines
    slopes = np.exp(-0.5 * ((arms[:5, None] - arms) / 0.05) ** 2).round(digits)
    gains = voi.knowledge_gradient(mean, slopes, np.ones(len(slopes)), 0.0)
    z = np.linspace(-9.0, 9.0, 40_001)
    for gain, row in zip(gains, slopes, strict=True):
        best = (mean + row * z[:, None]).max(axis=1)
        expected = integrate.simpson(best * stats.norm.pdf(z), x=z) - mean.max()
        assert gain == pytest.approx(expected, abs=1e-6)


def test_the_knowledge_gradient_of_equal_lines_is_zero():
    ones = np.ones((3, 3))
    np.testing.assert_array_equal(voi.knowledge_gradient(np.zeros(3), ones, np.ones(3), 0.1), np.zeros(3))
    np.testing.assert_allclose(
        voi.knowledge_gradient(np.array([0.0, 0.0]), np.eye(2), np.ones(2), 1e-12),
        1 / np.sqrt(2 * np.pi),
        rtol=1e-9,
    )


@pytest.mark.parametrize("seed", range(5))
def test_prices_leave_the_best_reading_and_its_gain(seed):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((40, 6))
    covariance, mean, price = root @ root.T, rng.normal(size=40), rng.uniform(0.0, 1.0, 40)
    given = mean, covariance, covariance.diagonal(), 0.1
    every, left = voi.knowledge_gradient(*given), voi.knowledge_gradient(*given, price)
    best = int((every - price).argmax())
    assert left[best] == every[best] and (left - price).argmax() == best
    assert ((left == every) | (left == 0)).all() and (left == 0).sum() > 10


@pytest.mark.parametrize("seed", range(3))
def test_beliefs_with_rivals_read_are_conditional_ones(seed):
    """As by the formula of conditioning, one arm at a time."""
    K, noise, price = covariance_of(seed), 0.3, np.linspace(0.1, 0.6, 6)
    rivals, arms = np.array([4, 2]), np.array([0, 2, 4, 5])
    found = voi.with_rivals(arms, K[arms], K.diagonal(), rivals, K[rivals], noise, price)
    for arm, row, variance, asked in zip(arms, *found, strict=True):
        r = 2 if arm == 4 else 4
        left = K - np.outer(K[r], K[r]) / (K[r, r] + noise)
        np.testing.assert_allclose(row, left[arm], atol=1e-12)
        np.testing.assert_allclose(variance, left[arm, arm], atol=1e-12)
        rho = K[arm, r] / np.sqrt((K[arm, arm] + noise) * (K[r, r] + noise))
        assert asked == pytest.approx(price[arm] + rho**2 * min(price[arm], price[r]))


def test_two_readings_show_a_difference_that_one_does_not():
    """Two arms with a common wave of 10 times their own deviation: one reading gains 2 % of what both do."""
    K, mean, noise = np.full((2, 2), 100.0) + np.eye(2), np.array([0.0, -0.1]), 1e-6
    one = voi.knowledge_gradient(mean, K, K.diagonal(), noise)
    arms, price = np.arange(2), np.full(2, 0.05)
    left, variance, asked = voi.with_rivals(arms, K, K.diagonal(), np.arange(2), K, noise, price)
    both = voi.knowledge_gradient(mean, left, variance, noise)
    assert (one < 0.05).all() and (both > asked).all()
    np.testing.assert_allclose(asked, 0.1, rtol=0.03)
