"""Batches of arms, recommendations, and policies as pickles."""

import pickle

import numpy as np
import pytest

from tvgp import kernels, policies, streams

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
ARMS = np.linspace(-15, 15, 31)[:, None]
NOISE = 0.01


def played(name, rounds=12, **values):
    policy = policies.make(name, arms=ARMS, kernel=KERNEL, noise_variance=NOISE, **values)
    rng = streams.generator("batches", name)
    if hasattr(policy, "foresee"):
        policy.foresee(np.sin(np.arange(40)[:, None] + ARMS[:, 0]))
    for t in range(1, rounds + 1):
        arm = policy.choose(t, rng)
        policy.observe(t, arm, float(np.sin(ARMS[arm, 0])))
        asked = policy.expert_queries(t, rng)
        policy.observe_expert(t, asked, np.sin(ARMS[asked, 0]))
    return policy


def rng():
    return streams.generator("next")


@pytest.mark.parametrize("name", policies.names())
def test_batches_hold_distinct_available_arms_the_choice_first(name):
    policy = played(name)
    available = np.arange(31) % 3 > 0
    batch = policy.choose_batch(13, rng(), 8, available)
    assert len(set(batch.tolist())) == 8 and available[batch].all()
    assert batch[0] == played(name).choose(13, rng(), available)
    few = np.arange(31) < 3
    assert sorted(policy.choose_batch(13, rng(), 8, few)) == [0, 1, 2]


@pytest.mark.parametrize("name", policies.names())
def test_choosing_a_batch_changes_nothing(name):
    policy, other = played(name), played(name)
    policy.choose_batch(13, rng(), 5)
    for ours, theirs in zip(policy.posterior(13), other.posterior(13), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert policy.choose(13, rng()) == other.choose(13, rng())


def test_a_batch_is_that_of_gp_bucb():
    """By brute force: the width stays, the variance is that after the arms before it."""
    policy = policies.make("gp_ucb", arms=ARMS, kernel=KERNEL, noise_variance=NOISE, width="logarithmic")
    data = [3, 9, 22]
    for t, arm in enumerate(data, start=1):
        policy.observe(t, arm, float(np.sin(ARMS[arm, 0])))
    mean, _, width = policy.confidence_band(4)
    K, chosen = KERNEL(ARMS, ARMS), []
    for _ in range(5):
        seen = data + chosen
        half = np.linalg.solve(K[np.ix_(seen, seen)] + NOISE * np.eye(len(seen)), K[seen])
        scores = mean + width * np.sqrt(K.diagonal() - np.einsum("ng,ng->g", K[seen], half))
        scores[chosen] = -np.inf
        chosen.append(int(scores.argmax()))
    assert policy.choose_batch(4, rng(), 5).tolist() == chosen


@pytest.mark.parametrize("name", policies.names())
def test_a_batch_of_one_is_an_observation(name):
    one, batch = played(name), played(name)
    one.observe(13, 4, 0.5)
    batch.observe_batch(13, np.array([4]), np.array([0.5]))
    for ours, theirs in zip(one.posterior(14), batch.posterior(14), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("arms", "rewards", "noise", "message"),
    [
        ([], [], None, "the batch is empty"),
        ([1, 2], [0.0], None, "expected numbers of shape"),
        ([1], [0.0], [0.0], "noise variance of arm 1 is 0.0, expected a positive number"),
        ([1], [np.nan], None, "the reward of arm 1 is nan"),
    ],
)
def test_bad_batches_are_refused(arms, rewards, noise, message):
    policy = played("gp_ucb")
    with pytest.raises(ValueError, match=f"round 13: .*{message}"):
        policy.observe_batch(
            13, np.array(arms), np.array(rewards), None if noise is None else np.array(noise)
        )
    policy.observe(13, 1, 0.0)  # nothing was learnt, the round is not over
    with pytest.raises(ValueError, match="size of the batch is 0"):
        policy.choose_batch(14, rng(), 0)
    with pytest.raises(ValueError, match="noise variance of arm 1 is -1.0"):
        policy.observe(14, 1, 0.0, noise_variance=-1.0)


def test_the_recommended_arm_has_the_largest_mean():
    policy = played("gp_ucb", 30)
    mean, _ = policy.posterior(31)
    assert policy.recommend(31) == mean.argmax()
    available = mean < mean.max()
    assert policy.recommend(31, available) == np.where(available, mean, -np.inf).argmax()
    with pytest.raises(ValueError, match="Uniform has no model of f, so it recommends no arm"):
        played("uniform").recommend(13)


@pytest.mark.parametrize("name", policies.names())
def test_a_pickled_policy_plays_on(name):
    policy = played(name)
    other = pickle.loads(pickle.dumps(policy))
    stream, same = rng(), rng()
    for t in range(13, 25):
        arm = policy.choose(t, stream)
        assert other.choose(t, same) == arm
        for each, numbers in ((policy, stream), (other, same)):
            each.observe(t, arm, float(np.cos(arm)))
            asked = each.expert_queries(t, numbers)
            each.observe_expert(t, asked, np.sin(ARMS[asked, 0]))
