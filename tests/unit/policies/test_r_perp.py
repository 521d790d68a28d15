"""R-PERP: batches, elimination and restarts."""

import numpy as np
import pytest

from tvgp import kernels, policies
from tvgp.posterior import Prior
from tvgp.theory.schedules import information_gains, permuted_block_length

ARMS = np.linspace(-15, 15, 61)[:, None]
KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
K = KERNEL(ARMS, ARMS)


def build(**values):
    return policies.make("r_perp", arms=ARMS, kernel=KERNEL, noise_variance=0.01, **{"horizon": 300} | values)


def play(policy, rounds, f):
    rng, arms = np.random.default_rng(0), []
    for t in range(1, rounds + 1):
        arms.append(policy.choose(t, rng))
        policy.observe(t, arms[-1], f[arms[-1]] + 0.1 * rng.standard_normal())
    return np.array(arms)


def deviations(played):
    """Posterior standard deviations, by the textbook formula."""
    k = K[played]
    half = np.linalg.solve(k[:, played] + 0.01 * np.eye(len(played)), k)
    return np.sqrt(0.5 - np.einsum("ng,ng->g", k, half))


def greedy_after(chosen, survivors):
    """The arm of the largest posterior variance."""
    left = np.where(survivors, deviations(chosen) ** 2, -np.inf)
    return int(np.flatnonzero(left >= left.max() - 1e-9)[0])


def greedy(survivors, size):
    """Arms of largest posterior variance, one after another."""
    chosen = []
    for _ in range(size):
        chosen.append(greedy_after(chosen, survivors))
    return chosen


def test_the_first_batches_by_brute_force():
    """H = 100: batches of 10, 32 and 57 observations, which hold a block with one round to spare."""
    f = np.sin(ARMS[:, 0] / 3)
    policy = build(block_length=100)
    arms = play(policy, 42, f)
    assert sorted(arms[:10]) == sorted(greedy(np.ones(61, dtype=bool), 10))
    first = build(block_length=100)
    play(first, 10, f)
    mean, std = first.posterior(11)
    survivors = mean + 2 * std >= (mean - 2 * std).max()
    np.testing.assert_array_equal(first.survivors, survivors)
    assert 5 < survivors.sum() < 61 and survivors[f.argmax()]
    assert sorted(arms[10:]) == sorted(greedy(survivors, 32))


def test_the_order_within_a_batch_is_random():
    rng = np.random.default_rng(5)
    first = []
    for _ in range(60):
        first.append(build(block_length=100).choose(1, rng))
    # each of ten arms opens with probability 0.1; one arm in more than 20 of 60 plays: below 1e-5
    assert np.bincount(first).max() <= 20 and len(set(first)) >= 6


def test_a_block_starts_anew():
    policy = build(block_length=40)
    play(policy, 39, np.sin(ARMS[:, 0] / 3))
    assert not policy.survivors.all()
    policy.observe(40, 0, 0.0)
    assert policy.survivors.all()
    np.testing.assert_array_equal(policy.posterior(41)[0], 0.0)
    rng, arms = np.random.default_rng(0), []
    for t in range(41, 48):
        arms.append(policy.choose(t, rng))
        policy.observe(t, arms[-1], 0.0)
    assert sorted(arms) == sorted(greedy(np.ones(61, dtype=bool), 7))


def test_the_last_batch_of_a_block_has_the_rounds_left():
    """H = 20: batches of 5 and 10, and 5 of the 15 that would come next."""
    policy = build(block_length=20)
    arms = play(policy, 15, np.sin(ARMS[:, 0] / 3))
    survivors, rng = policy.survivors.copy(), np.random.default_rng(1)
    last = []
    for t in range(16, 21):
        last.append(policy.choose(t, rng))
        policy.observe(t, last[-1], 0.0)
    assert sorted(last) == sorted(greedy(survivors, 5)) and len(arms) == 15


def test_arms_that_are_out_set_no_bar():
    f = np.sin(ARMS[:, 0] / 3)
    policy, rng = build(block_length=100), np.random.default_rng(0)
    for t in range(1, 43):
        if t == 11:  # the best of the first batch are out
            policy.survivors &= np.abs(f - f.max()) > 0.05
            before = policy.survivors.copy()
        arm = policy.choose(t, rng)
        policy.observe(t, arm, f[arm])
    mean, std = policy.posterior(43)
    reach = (mean - 2 * std)[before].max()
    assert reach < (mean - 2 * std).max()
    np.testing.assert_array_equal(policy.survivors, before & (mean + 2 * std >= reach))


def test_another_survivor_is_played_where_no_planned_arm_is():
    policy = build(block_length=100)
    play(policy, 10, np.sin(ARMS[:, 0] / 3))
    available = np.ones(61, dtype=bool)
    available[greedy(policy.survivors, 32)] = False
    left = available & policy.survivors
    assert left.any() and (available & ~policy.survivors).any()
    # that of the largest variance given the planned arms
    expected = greedy_after(greedy(policy.survivors, 32), left)
    assert policy.choose(11, np.random.default_rng(0), available) == expected


def test_another_arm_takes_the_place_of_the_last_planned_one():
    policy, known, plan = build(block_length=100), build(block_length=100), []
    policy.choose(1, np.random.default_rng(0))  # which plans a batch
    for t in range(1, 11):
        plan.append(known.choose(t, np.random.default_rng(0)))
        known.observe(t, plan[-1], 0.0)
    other = next(arm for arm in range(61) if arm not in plan)
    policy.observe(1, other, 0.0)
    for t, arm in enumerate(plan[:-1], start=2):
        assert policy.choose(t, np.random.default_rng(0)) == arm and policy.survivors.all()
        policy.observe(t, arm, 0.0)
    mean, std = policy.posterior(11)
    np.testing.assert_allclose(std, deviations([other, *plan[:-1]]), atol=1e-7)
    np.testing.assert_array_equal(policy.survivors, 2 * std >= (-2 * std).max())


def test_rounds_told_without_a_choice_belong_to_no_batch():
    policy = build(block_length=100)
    for t, arm in ((1, 3), (2, 50)):
        policy.observe(t, arm, 1.0)
        assert policy.survivors.all()
    np.testing.assert_allclose(policy.posterior(3)[1], deviations([3, 50]), atol=1e-7)


def test_the_prior_mean_counts_in_the_elimination():
    means = np.sin(ARMS[:, 0] / 3)
    policy, rng = build(block_length=100, prior_mean=tuple(means), confidence=0.0), np.random.default_rng(0)
    for t in range(1, 11):
        arm = policy.choose(t, rng)
        policy.observe(t, arm, means[arm])
    np.testing.assert_array_equal(policy.survivors, np.arange(61) == means.argmax())


def test_it_ends_near_the_best_arms():
    f = np.sin(ARMS[:, 0] / 3)
    arms = play(build(block_length=300), 300, f)
    assert (f.max() - f[arms[200:]]).mean() < 0.3 * (f.max() - f).mean()


def test_the_block_length_solves_its_equation():
    prior = Prior.of(ARMS, KERNEL)
    for budget in (1.0, 40.0):
        H = permuted_block_length(prior, 0.01, 400, budget)
        gains = information_gains(prior, 0.01, np.arange(1, 401))
        right = np.cbrt(gains) * (400 / budget) ** (2 / 3)
        long_enough = np.flatnonzero(np.arange(1, 401) >= right)
        assert H == (long_enough[0] + 1 if len(long_enough) else 400)
    assert build(horizon=400, variation_budget=40.0).block_length == H
    assert build(horizon=30, block_length=100).block_length == 30


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"confidence": -1.0}, "confidence is -1.0, expected 0 or more"),
        ({"block_length": 0}, "block_length is 0, expected 1 or more"),
        ({"horizon": 0}, "horizon is 0, expected 1 or more"),
        ({"variation_budget": -1.0}, "variation budget is -1.0"),
    ],
)
def test_bad_parameters_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        build(**values)
