"""MASTER + GP-UCB: which instance plays, on what data, and when it detects a change."""

import numpy as np
import pytest

from tvgp import kernels, policies
from tvgp.posterior import Prior
from tvgp.theory.schedules import master_threshold, maximum_information_gain

ARMS = np.linspace(-15, 15, 31)[:, None]
KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
K = KERNEL(ARMS, ARMS)


def build(**values):
    return policies.make(
        "master_gp_ucb", arms=ARMS, kernel=KERNEL, noise_variance=0.01, **{"horizon": 500} | values
    )


def play(policy, rounds, f, noise=0.1):
    """Yields t, the policy, arms and rewards so far, before each round's observation."""
    rng, arms, rewards = np.random.default_rng(0), [], []
    for t in range(1, rounds + 1):
        arms.append(policy.choose(t, rng))
        yield t, policy, arms, rewards
        rewards.append(f(t)[arms[-1]] + noise * rng.standard_normal())
        policy.observe(t, arms[-1], rewards[-1])


def wave(t):
    return np.sin(ARMS[:, 0] / 3 + 0.05 * t)


def test_the_instance_of_least_order_plays_on_its_own_data():
    """By brute force from the schedule: blocks start at rounds 1, 2, 4, 8, ...; each stretch has its data."""
    seen = set()
    stretches = []  # per round: the block, order and number of the stretch that played
    for t, policy, arms, rewards in play(build(width=2.0), 127, wave):
        block = t.bit_length() - 1
        done = t - (1 << block)
        order = min(m for m in range(block + 1) if policy.scheduled[m][done >> m])
        stretches.append((block, order, done >> order))
        seen.add(order)
        own = [s for s in range(t - 1) if stretches[s] == stretches[-1]]
        own_arms = np.array(arms, dtype=int)[own]
        k = K[own_arms]
        half = np.linalg.solve(k[:, own_arms] + 0.01 * np.eye(len(own)), k)
        mean, std = policy.posterior(t)
        np.testing.assert_allclose(mean, half.T @ np.array(rewards)[own], atol=1e-7)
        np.testing.assert_allclose(std**2, 0.5 - np.einsum("ng,ng->g", k, half), atol=1e-7)
    assert len(seen) >= 4


def test_the_schedule_has_the_chances_of_the_paper():
    """In 400 blocks of 64 rounds: order m on 2^(6-m) stretches each, with probability 2^((m-6)/2)."""
    rng, counts = np.random.default_rng(0), np.zeros(7)
    for _ in range(400):
        policy = build(first_order=6)
        policy.choose(1, rng)
        counts += [starts.sum() for starts in policy.scheduled]
    stretches, chance = 400 * 2.0 ** (6 - np.arange(7)), 2.0 ** ((np.arange(7) - 6) / 2)
    deviation = np.sqrt(stretches * chance * (1 - chance)) + 1e-9
    assert (np.abs(counts - stretches * chance) / deviation).max() < 4


GAIN, LOGARITHM = maximum_information_gain(Prior.of(ARMS, KERNEL), 0.01, 500), np.log(500 / 0.05)
BOUND = 5 + np.sqrt(2 * (GAIN + 1 + np.log(20)))
RHO_HAT = master_threshold(500, 0.05, GAIN, BOUND)


def test_the_threshold_of_tests_is_the_published_formula():
    """6 (log2 T + 1) log(T/delta) rho(1)."""
    rho = BOUND * np.sqrt(GAIN * LOGARITHM)
    assert pytest.approx(6 * (np.log2(500) + 1) * LOGARITHM * rho) == RHO_HAT


def detections(f, rounds, width=2.0, **values):
    policy = build(width=width, **values)
    for _ in play(policy, rounds, f, noise=0.0):
        pass
    return policy.events


def jump(size):
    """Rewards jump in round 20, the fifth round of the block of rounds 16 to 31."""
    return lambda t: wave(0) + size * (t >= 20)


SMALL = 8.0 / RHO_HAT  # thresholds 72/sqrt(length) and 24/sqrt(s)


def test_the_second_test_detects_a_fall_below_the_bounds():
    """By 500 in the fifth round of a block: (g - R) is 100 on average then, the threshold 10.7."""
    assert detections(jump(-500.0), 20, scale=SMALL) == [20]
    assert detections(jump(-500.0), 20, scale=10 * SMALL) == []  # the threshold is 107
    assert detections(jump(0.0), 31, scale=SMALL) == []


def test_the_second_test_has_the_published_threshold():
    """By the largest upper bounds and the rewards of the block's rounds 16 to 20."""
    f, bounds = jump(-500.0), []
    for t, policy, arms, _ in play(build(width=2.0), 20, f, noise=0.0):
        mean, reach, _ = policy.confidence_band(t)
        bounds.append((mean + reach).max() - f(t)[arms[-1]])
    critical = np.mean(bounds[15:]) / (3 * RHO_HAT / np.sqrt(5))
    assert detections(f, 20, scale=0.999 * critical) == [20]
    assert detections(f, 20, scale=1.001 * critical) == []


@pytest.mark.parametrize("later", [0.0, 500.0])
def test_the_first_test_detects_rewards_above_the_bounds(later):
    """By brute force over the block of rounds 16 to 31, from its schedule, the largest upper bounds and the
    rewards: two high ones in a round without an instance of its own."""
    ceilings, rewards, schedules = [], [], []

    def observed(scale, rounds=31):
        policy, rng = build(width=2.0, scale=scale, prior_mean=3.0), np.random.default_rng(3)
        for t in range(1, rounds + 1):
            arm = policy.choose(t, rng)
            schedules.append(policy.scheduled)
            mean, reach, _ = policy.confidence_band(t)
            ceilings.append((mean + reach).max())
            seen = wave(0)[arm] + np.array([500.0, 900.0] if t == 20 else [later * (t > 20)])
            rewards.append(seen.mean())
            policy.observe_batch(t, np.full(len(seen), arm), seen)
        return policy

    observed(1.0)
    scheduled, g, R = schedules[30], np.array(ceilings[15:]), np.array(rewards[15:])
    critical = np.full(16, -np.inf)  # the largest scale at which the end of an instance detects, by round
    for m, starts in enumerate(scheduled):
        for k in np.flatnonzero(starts):
            last = (k + 1) * 2**m
            above = R[k * 2**m : last].mean() - g[:last].min()
            critical[last - 1] = max(critical[last - 1], above / (9 * RHO_HAT / np.sqrt(2**m)))
    found = int(critical.argmax())
    assert not scheduled[0][4] and found > 4 and critical[found] > 0
    assert observed(0.999 * critical[found], found + 16).events == [found + 16]
    assert observed(1.001 * critical[found], found + 16).events == []


def test_after_a_detection_blocks_start_with_one_round():
    policy = build(scale=SMALL, width=2.0)
    for _ in play(policy, 20, jump(-500.0), noise=0.0):
        pass
    assert policy.events == [20] and len(policy.scheduled) == 1
    np.testing.assert_array_equal(policy.posterior(21)[0], 0.0)


def test_as_published_it_never_detects():
    """A change of sign by 3 standard deviations; the second threshold is above 10,000 then."""
    assert detections(lambda t: wave(0) * (-1.0 if t >= 250 else 1.0), 500, width="improved") == []
    assert 3 * RHO_HAT / np.sqrt(500) > 10_000


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"scale": 0.0}, "scale is 0.0, expected positive"),
        ({"first_order": 31}, "first_order is 31, expected 0 to 30"),
        ({"width": "information"}, "width is 'information', expected logarithmic, improved or a number"),
    ],
)
def test_bad_parameters_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        build(**values)
