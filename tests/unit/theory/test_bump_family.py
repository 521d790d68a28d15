"""The bump family and the frozen horizon, against numbers computed by hand."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from tvgp.study.analyses import lower_bounds as analysis
from tvgp.theory import bump_family, query_counts, schedules

ROWS = [(0.5, 3.48, 28, 1.46), (0.2, 2.73, 36, 0.63), (0.1, 2.40, 41, 0.35)]
ROWS += [(0.05, 2.17, 46, 0.21), (0.01, 1.82, 55, 0.07)]


def test_constants_of_the_bump_are_the_published_ones():
    assert pytest.approx(0.443994, abs=5e-7) == bump_family.H0
    assert pytest.approx(0.446479, abs=5e-7) == bump_family.ZETA
    x = np.linspace(0, 12, 4001)
    assert bump_family.h(x).min() / bump_family.H0 == pytest.approx(-0.098, abs=1e-3)
    assert (np.abs(bump_family.h(x[x > 0.4465])) < bump_family.H0 / 2).all()
    midpoint = bump_family.bump(0.5, 1.0, 1.0) / 2
    assert midpoint == pytest.approx(0.853, abs=1e-3)


@pytest.mark.parametrize(("gap", "width", "count", "norm"), ROWS)
def test_widths_and_norms_equal_the_table(gap, width, count, norm):
    w = bump_family.published_width(gap)
    assert w == pytest.approx(width, abs=6e-3)
    assert int(100 / w) == count
    assert bump_family.bump_norm(gap, w) == pytest.approx(norm, abs=6e-3)


@pytest.mark.parametrize("gap", [1.6, 0.5, 0.1])  # the published width of the first is outside the ball
def test_a_family_has_separate_bumps_of_twice_the_gap(gap):
    w = bump_family.narrowest_width(gap)
    assert w < bump_family.published_width(gap)
    bumps = bump_family.family(gap, w)
    assert len(bumps.centres) == int(50 / w)
    values = bumps.values(np.linspace(-50, 50, 801))
    peaks = np.diagonal(bumps.values(bumps.centres))
    np.testing.assert_allclose(peaks, 2 * gap, rtol=1e-12)
    assert values.max() <= 2 * gap * (1 + 1e-12)
    assert ((values > gap * (1 + 1e-9)).sum(axis=1) <= 1).all()
    assert bump_family.bump_norm(gap, w) == pytest.approx(5.0, rel=1e-9)
    # step w, as printed, does have points that are good for two
    half = bump_family.bump(np.array([w / 2, -w / 2]), gap, w)
    assert (half > gap).all()


def test_norm_by_other_quadrature():
    """|g|^2 = int |g^(s)|^2 / k^(s) ds with the transforms of g and k, adaptively."""
    gap, w, length, variance = 0.2, 2.0, 3.0, 0.5
    w0 = w / bump_family.ZETA

    def density(s):
        u = w0 * s
        hat = 2 * gap / bump_family.H0 * w0 * np.exp(-1 / (1 - u * u)) if abs(u) < 1 else 0.0
        k = variance * np.sqrt(2 * np.pi) * length * np.exp(-2 * (np.pi * length * s) ** 2)
        return hat * hat / k

    square = quad(density, -1 / w0, 1 / w0, limit=200)[0]
    assert bump_family.bump_norm(gap, w) == pytest.approx(np.sqrt(square), rel=1e-7)


@pytest.mark.parametrize("alpha", [1.5, 2.0, 3.0])
def test_counting_bound_holds_for_every_schedule(alpha):
    horizon = 2000
    w_sparq = np.zeros(horizon, dtype=int)
    starts = schedules.window_starts(horizon, alpha)
    w_sparq[starts - 1] = query_counts.nominal_queries(starts)
    early = np.zeros(horizon, dtype=int)
    early[0] = 500
    even = bump_family.even(horizon, round(horizon**0.8))
    for n in (w_sparq, early, even, np.ones(horizon, dtype=int)):
        s = bump_family.cumulative_precision(n, alpha, 0.01)
        bound = bump_family.counting_bound(n.sum(), horizon, alpha, 0.01)
        assert s.mean() <= bound
    lags = np.arange(1, 400)
    direct = (early[0] / (0.01 * (1 + lags.astype(float) ** alpha))).tolist()
    early_s = bump_family.cumulative_precision(early, alpha, 0.01)
    np.testing.assert_allclose(early_s[1:400], direct, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("horizon", "mean"), [(500, 26.7), (5000, 32.0)])
def test_mean_precision_of_w_sparq(horizon, mean):
    """sigma^2 S_tau under W-SparQ's schedule at alpha = 2."""
    n = np.zeros(horizon)
    starts = schedules.window_starts(horizon, 2.0)
    n[starts - 1] = query_counts.nominal_queries(starts)
    assert bump_family.cumulative_precision(n, 2.0, 1.0).mean() == pytest.approx(mean, rel=0.05)


def test_bursts_spread_the_budget_over_equal_intervals():
    n = bump_family.bursts(100, 17, 4)
    assert n.sum() == 17 and np.flatnonzero(n).tolist() == [24, 49, 74, 99]


def test_decisions_guess_without_data_and_are_right_with_much():
    """No data: error 1 - 1/M; much data: none. 400 trials, |z| < 5: false-alarm rate 1e-6."""
    bumps = bump_family.family(0.5, bump_family.narrowest_width(0.5))
    m, rng = len(bumps.centres), np.random.default_rng(2)
    at = np.array([50])
    for decide in (bump_family.decide, bump_family.decide_adaptively):
        blind, _ = decide(bumps, np.zeros(50, dtype=int), at, 2.0, 0.01, 400, rng)
        spread = np.sqrt((1 - 1 / m) / m / 400)
        assert abs(blind.mean() - (1 - 1 / m)) < 5 * spread
        much = np.full(50, 40)
        error, regret = decide(bumps, much, at, 2.0, 0.01, 50, rng)
        assert not error.any() and np.abs(regret).max() < 1e-12


def _play(bumps, evaluations, tau, alpha, adaptive, rng):
    """One run, observation by observation: whether the largest Gaussian likelihood of all raw values
    belongs to another function."""
    F, m = bumps.at_centres, len(bumps.centres)
    truth = rng.integers(m)
    cells, values, variances = [], [], []
    for t in range(1, tau + 1):
        for _ in range(evaluations[t - 1]):
            variance = 0.01 * (1 + (tau - t) ** alpha)
            cell = int(rng.integers(m))
            if adaptive:
                bounds = np.full(m, np.inf)
                for j in set(cells):
                    mine = [i for i, c in enumerate(cells) if c == j]
                    weights = np.array([1 / variances[i] for i in mine])
                    bounds[j] = weights @ [values[i] for i in mine] / weights.sum()
                    bounds[j] += 2 / np.sqrt(weights.sum())
                cell = int(rng.choice(np.flatnonzero(bounds == bounds.max())))
            cells.append(cell)
            values.append(F[cell, truth] + np.sqrt(variance) * rng.standard_normal())
            variances.append(variance)
    fit = norm.logpdf(np.array(values)[:, None], F[cells], np.sqrt(variances)[:, None])
    return fit.sum(axis=0).argmax() != truth


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("main", [0, 1])
def test_decisions_err_as_often_as_the_full_likelihood(adaptive, main):
    """Against one run after another from raw observations: 400 and 2,000 runs, |z| < 4.5, in four
    settings: false-alarm rate 3e-5."""
    bumps = bump_family.Family(0.12, 1.0, 2.0 * np.arange(6))
    evaluations = bump_family.even(12, 6) + main
    decide = bump_family.decide_adaptively if adaptive else bump_family.decide
    rng = np.random.default_rng([7, main])
    theirs = np.mean([_play(bumps, evaluations, 12, 1.5, adaptive, rng) for _ in range(400)])
    ours = decide(bumps, evaluations, np.array([6, 12]), 1.5, 0.01, 2000, rng)[0][1].mean()
    spread = np.sqrt(theirs * (1 - theirs) * (1 / 400 + 1 / 2000))
    assert 0.02 < theirs < 0.8 and abs(ours - theirs) < 4.5 * spread


def test_evaluations_of_a_round_come_in_at_most_m_turns():
    """12 of variance 2 v are 6 of variance v, where there are 6 centres."""
    bumps = bump_family.Family(0.12, 1.0, 2.0 * np.arange(6))
    found = [
        bump_family.decide_adaptively(
            bumps, np.full(4, n), np.array([4]), 1.5, noise, 30, np.random.default_rng(0)
        )
        for n, noise in ((6, 0.1), (12, 0.2))
    ]
    np.testing.assert_array_equal(*found)


def test_two_functions_are_told_apart_as_by_the_closed_form():
    """Error Phi(-sqrt(sum_j P_j (f^1 - f^2)(c_j)^2) / 2); one centre at a time, 20,000 runs, |z| < 5."""
    bumps = bump_family.Family(0.05, 1.0, np.array([-1.0, 1.0]))
    P = 1 / (0.01 * (1 + np.array([2.0, 1.0, 0.0]) ** 2))
    apart = (bumps.at_centres[0, 0] - bumps.at_centres[0, 1]) ** 2
    expected = norm.cdf(-np.sqrt(P.sum() * apart) / 2)
    wrong, _ = bump_family.decide(
        bumps, np.ones(3, dtype=int), np.array([3]), 2.0, 0.01, 20000, np.random.default_rng(0)
    )
    assert abs(wrong.mean() - expected) < 5 * np.sqrt(expected * (1 - expected) / 20000)


def test_fano_bound_is_below_the_error_and_needs_a_small_gap():
    bumps = bump_family.family(0.1, bump_family.narrowest_width(0.1))
    evaluations, at = np.ones(60, dtype=int), np.array([60])
    S = bump_family.cumulative_precision(evaluations.astype(float), 1.5, 0.01)[-1]
    assert bump_family.fano_bound(1.0, 100) == pytest.approx(1 - (1 + np.log(2)) / np.log(100))
    floor = bump_family.fano_bound(S * bumps.adaptive_information, len(bumps.centres))
    error = bump_family.decide_adaptively(bumps, evaluations, at, 1.5, 0.01, 400, np.random.default_rng(3))[0]
    assert 0.2 < floor < error.mean()
    # brute force: mean KL over all pairs of functions, at the worst place
    x = np.linspace(bumps.centres[0], bumps.centres[4], 65)
    gaps = bumps.values(x)[:, :, None] - bumps.values(x)[:, None, :]
    pairs = (gaps**2 / 2).mean(axis=(1, 2)).max()
    assert bumps.fixed_information == pytest.approx(pairs, rel=1e-3)
    assert 1.0 <= bumps.adaptive_information / (np.abs(gaps).max() ** 2 / 8) < 1.05
    wide = bump_family.family(0.5, bump_family.narrowest_width(0.5))
    assert bump_family.fano_bound(S * wide.fixed_information, len(wide.centres)) == 0.0


def test_bad_input():
    with pytest.raises(ValueError, match="alpha is 1; expected more than 1"):
        bump_family.counting_bound(10, 10, 1, 0.01)
    with pytest.raises(ValueError, match="gap is 50; too high for the norm bound"):
        bump_family.published_width(50)
    with pytest.raises(ValueError, match="gap is 2.0; too high for the norm bound"):
        bump_family.narrowest_width(2.0)  # a bump of 5.8 at any width
    with pytest.raises(ValueError, match="1 bumps of width 40 fit; expected 2 or more"):
        bump_family.family(0.1, 40.0)


def test_w_sparq_schedule_has_its_query_counts():
    starts = schedules.window_starts(1000, 2.0)
    nominal = query_counts.nominal_queries(starts)
    asked = analysis._asked("w_sparq", 2.0, 1000, nominal.sum() / 1000)
    np.testing.assert_array_equal(asked[starts - 1], nominal)
    assert asked.sum() == nominal.sum() and asked[0] == 0
