"""Counts of windows and queries equal numbers computed by hand."""

import numpy as np
import pytest

from tvgp.theory import bump_family, query_counts, schedules

TABLE = [
    (0.5, 42, 22, 1135, 5_592),
    (1.0, 123, 5, 3702, 31_994),
    (1.5, 178, 3, 5503, 56_972),
    (2.0, 210, 3, 6481, 77_183),
    (3.0, 250, 2, 7920, 106_311),
]


@pytest.mark.parametrize(("alpha", "windows", "last", "short", "long"), TABLE)
def test_w_sparq_counts_equal_the_table(alpha, windows, last, short, long):
    starts = schedules.window_starts(500, alpha)
    assert len(starts) == windows
    # the last window that ends by T = 500, or the one T cuts
    after = schedules.next_window_start(int(starts[-1]), alpha, 0.25)
    assert last in (starts[-1] - starts[-2], after - starts[-1])
    assert query_counts.w_sparq_total(np.array([500, 5000]), alpha).tolist() == [short, long]


def test_sparq_counts_equal_the_table():
    assert query_counts.sparq_total(np.array([500, 5000])).tolist() == [15_859, 227_956]
    assert query_counts.sparq_total(np.array([1]))[0] == 0


@pytest.mark.parametrize("alpha", [0.1, 0.2, 0.25, 1 / 3, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("alpha_tilde", [0.05, 0.25, 0.33])
def test_stretches_equal_the_rule_step_by_step(alpha, alpha_tilde):
    starts, t = [], 1
    while t <= 200_000:
        starts.append(t)
        t = schedules.next_window_start(t, alpha, alpha_tilde)
    np.testing.assert_array_equal(schedules.window_starts(200_000, alpha, alpha_tilde), starts)


@pytest.mark.parametrize(("horizon", "rate"), [(500_000, 24.5)])
def test_queries_per_round_still_rise_at_alpha_3(horizon, rate):
    total = query_counts.w_sparq_total(np.array([horizon // 10, horizon]), 3.0)
    per_round = total / [horizon // 10, horizon]
    assert per_round[1] == pytest.approx(rate, abs=0.05)
    assert per_round[1] > per_round[0]


@pytest.mark.parametrize("exponent", [0.0, 0.3, 0.5, 1.0])
def test_even_queries_have_equal_gaps(exponent):
    n = bump_family.even(1000, round(1000**exponent))
    assert n.sum() == round(1000**exponent)
    assert n.max() <= 1
    gaps = np.diff(np.flatnonzero(n))
    assert gaps.size == 0 or gaps.max() - gaps.min() <= 1


def test_bad_input():
    with pytest.raises(ValueError, match="query exponent is 1.2; expected"):
        schedules.even_bundles(10, 1.2)
    with pytest.raises(ValueError, match="alpha_tilde is 0.4; expected"):
        schedules.window_starts(10, 1.0, 0.4)
    with pytest.raises(ValueError, match="alpha is 0; expected"):
        schedules.window_starts(10, 0)
