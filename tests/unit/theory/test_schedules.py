"""Query sizes, window starts, recommended windows."""

import math

import numpy as np
import pytest

from tvgp import kernels
from tvgp.posterior import Prior
from tvgp.theory import query_counts, schedules

LINE = np.linspace(-50, 50, 501)[:, None]


@pytest.mark.parametrize("alpha", [0.3, 0.5, 1.0, 1.5, 2.0, 3.0])
def test_windows_satisfy_equation_32(alpha):
    starts = schedules.window_starts(20_000, alpha, 0.25)
    assert starts[0] == 1
    power = starts[:-1] ** (0.25 / alpha)
    steps = np.diff(starts)
    assert (power < steps).all() and (steps <= power + 1).all()


@pytest.mark.parametrize(
    ("alpha", "windows", "last", "queries"),
    [(0.5, 42, 22, 1135), (1.0, 123, 5, 3702), (1.5, 178, 3, 5503), (2.0, 210, 3, 6481)],
)
def test_counts_of_the_published_schedule(alpha, windows, last, queries):
    """Nominal counts, by hand; they count no query at t = 1, where log t = 0."""
    starts = schedules.window_starts(500, alpha, 0.25)
    assert len(starts) == windows
    assert schedules.next_window_start(starts[-2], alpha, 0.25) - starts[-2] == last or (
        schedules.next_window_start(starts[-1], alpha, 0.25) - starts[-1] == last
    )
    assert query_counts.nominal_queries(starts).sum() == queries


def test_sparq_asks_15860_in_500_rounds():
    assert sum(min(t, schedules.query_size(t, 6.0)) for t in range(1, 501)) == 15_860
    assert [schedules.query_size(t, 6.0) for t in (1, 2, 500)] == [1, 5, 38]


@pytest.mark.parametrize(
    ("length_scale", "variance", "gain"), [(1, 1, 296), (2, 1, 171), (3, 0.5, 109.5), (5, 1, 84)]
)
def test_information_gain_reference_values(length_scale, variance, gain):
    prior = Prior(LINE, kernels.make("se", variance=variance, length_scale=length_scale))
    assert schedules.maximum_information_gain(prior, 0.01, 500) == pytest.approx(gain, rel=0.015)


def test_recommended_windows_shrink_with_the_budget():
    """gamma_T = 100, T = 500: B_T = 30 -> 13, 60 -> 10, 300 -> 5."""
    prior = Prior(LINE, kernels.make("se", variance=0.5, length_scale=3.0))
    for budget, expected in ((30, 14), (60, 10), (300, 5), (815, 3)):
        assert schedules.recommended_window(prior, 0.01, 500, budget) == expected
    assert schedules.recommended_window(prior, 0.01, 500) == 73
    assert 0.55 < schedules.recommended_discount(prior, 0.01, 500, 815.0) < 0.75
    assert schedules.recommended_discount(prior, 0.01, 500, 1e9) == 1e-3
    assert schedules.recommended_window(prior, 0.01, 500, 0.0) == 500
    assert schedules.recommended_discount(prior, 0.01, 500, 0.0) == 1 - 1 / 500


@pytest.mark.parametrize(
    ("alpha", "alpha_tilde"),
    [(0.001, 0.25), (0.005, 0.25), (0.02, 0.3), (300.0, 0.25), (1.0, 1e-4)],
)
def test_extreme_exponents_have_windows(alpha, alpha_tilde):
    """Windows of 2^(250) rounds end no run, and those of barely more than one are counted."""
    starts = schedules.window_starts(2_000, alpha, alpha_tilde)
    one_by_one = [1]
    while one_by_one[-1] <= 2_000:
        one_by_one.append(schedules.next_window_start(one_by_one[-1], alpha, alpha_tilde))
    assert starts.tolist() == one_by_one[:-1]
    assert np.iinfo(np.int64).max > one_by_one[-1] > 2_000


def test_a_single_round_and_a_bad_budget():
    prior = Prior(LINE[::50], kernels.make("se", length_scale=3.0))
    assert 0 < schedules.recommended_discount(prior, 0.01, 1) <= 1
    for recommended in (schedules.recommended_window, schedules.recommended_discount):
        with pytest.raises(ValueError, match="the variation budget is -1, expected 0 or more"):
            recommended(prior, 0.01, 10, -1)


def test_bad_alpha():
    with pytest.raises(ValueError, match="alpha is 0"):
        schedules.window_starts(10, 0.0)
    with pytest.raises(ValueError, match=r"alpha_tilde is 0.333.*; expected a number in \(0, 1/3\)"):
        schedules.window_starts(10, 1.0, 1 / 3)


def test_bundles_lie_in_the_middle_of_their_shares():
    """T = 100: bundles of about ceil(6 log 100) = 28 arms."""
    for exponent, starts, sizes in ((1.0, [13, 38, 63, 88], [25] * 4), (0.8, [51], [40]), (0.0, [51], [1])):
        found = schedules.even_bundles(100, exponent)
        assert [each.tolist() for each in found] == [starts, sizes]
    assert [each.tolist() for each in schedules.even_bundles(2, 1.0)] == [[2], [2]]


def test_the_threshold_of_master_by_hand():
    """T = 1024, delta = 1024 / e^4, gamma_T = 9, b = 2: 6 (10 + 1) 4 2 sqrt(9 4)."""
    assert schedules.master_threshold(1024, 1024 / math.exp(4), 9.0, 2.0) == pytest.approx(3168)


def test_block_lengths_of_bogunovic():
    rule = schedules.bogunovic_block_length
    assert [rule(e, 200, np.inf) for e in (0.03, 0.01, 0.001)] == [29, 38, 68]
    assert [rule(e, 300, 2.5) for e in (0.03, 0.01, 0.001)] == [67, 92, 178]
    assert rule(1e-9, 200, np.inf) == rule(1e-12, 200, 2.5) == 200
    assert (rule(1.0, 200, np.inf), rule(1.0, 200, 2.5)) == (12, 24)
    with pytest.raises(ValueError, match="epsilon is 0"):
        rule(0.0, 200, np.inf)


def test_the_configured_blocks_follow_the_rule(definitions):
    for name in definitions["policies"]["r_known"]["experiments"]:
        experiment = definitions["experiments"][name]
        smoothness = kernels.make(experiment["model"]["kernel"]).smoothness
        settings = experiment["settings"]
        assert settings["epsilon"] == experiment["environment"]["parameters"]["epsilon"]
        assert settings["block_length"] == schedules.bogunovic_block_length(
            settings["epsilon"], experiment["horizon"], smoothness
        )
