"""The arms to ask about, against the k-DPP and the greedy order of their kernel matrix."""

import numpy as np
import pytest

from tvgp import dpp, kernels
from tvgp.policies.base.designs import Subset
from tvgp.posterior import Prior

KERNEL = kernels.make("se", variance=0.5, length_scale=1.0)


def grown(arms, played):
    """A subset rule that has seen arms one after the other, some of them twice."""
    prior = Prior(np.asarray(arms, dtype=float).reshape(-1, 1), KERNEL)
    subset = Subset(prior, "dpp")
    for arm in played:
        subset.add(int(arm))
    return prior, subset


@pytest.mark.parametrize("size", [3, 15])
def test_samples_equal_those_from_the_kernel_matrix(size):
    order = np.random.default_rng(0).permutation(120)
    prior, subset = grown(np.linspace(-10, 10, 120), order[:10])
    assert prior.factor(256).shape[1] <= 60
    ours, theirs = np.random.default_rng(7), np.random.default_rng(7)
    for i, arm in enumerate([*order[10:], *order[10:20]]):
        subset.add(int(arm))
        ground = np.unique(order[: 11 + i])
        mask = None
        if i % 5 == 3:  # some arms cannot be asked about now
            mask = np.arange(120) % 7 != i % 7
            ground = ground[mask[ground]]
        if i % 3 == 2:
            expected = ground
            if size < len(ground):
                K = prior.gram[np.ix_(ground, ground)]
                expected = ground[dpp.KDPP(K).sample(size, theirs)]
            np.testing.assert_array_equal(subset.draw(size, ours, mask), expected)


def test_playing_an_unavailable_arm_leaves_the_sampler_unchanged():
    mask = np.arange(120) != 100
    _, subset = grown(np.linspace(-10, 10, 120), range(90))
    _, fresh = grown(np.linspace(-10, 10, 120), range(90))
    first = [s.draw(4, np.random.default_rng(1), mask) for s in (subset, fresh)]
    np.testing.assert_array_equal(*first)
    subset.add(100)
    # a size that takes all rows of the factor, and so looks at the dual once more
    later = [s.draw(40, np.random.default_rng(2), mask) for s in (subset, fresh)]
    np.testing.assert_array_equal(*later)


def test_equal_arms_are_never_drawn_together():
    arms = np.concatenate([np.linspace(-10, 10, 60), np.linspace(-10, 10, 60)])
    prior, subset = grown(arms, range(120))
    assert prior.factor(256).shape[1] <= 60
    rng = np.random.default_rng(3)
    for _ in range(50):
        drawn = arms[subset.draw(20, rng, None)]
        assert len(np.unique(drawn)) == len(drawn) == 20


@pytest.mark.parametrize("place", ["past", "domain"])
def test_subsets_are_drawn_from_their_ground_set(place):
    """Greedy: the sets of the kernel matrix of the arms played or of all; dpp: drawn within them."""
    prior, played = Prior(np.linspace(-10, 10, 60)[:, None], KERNEL), np.arange(10, 40)
    ground = played if place == "past" else np.arange(60)
    K, mask, rng = prior.gram, np.arange(60) % 5 != 0, np.random.default_rng(0)
    for rule in ("greedy", "dpp"):
        subset = Subset(prior, rule, place=place)
        for arm in played.tolist():
            subset.add(arm)
        for size, available in ((9, None), (4, None), (12, None), (6, mask), (11, mask)):
            among = ground if available is None else ground[mask[ground]]
            drawn = subset.draw(size, rng, available)
            assert len(drawn) == size and set(drawn) <= set(among)
            if rule == "greedy":
                np.testing.assert_array_equal(
                    drawn, np.sort(among[dpp.greedy(K[np.ix_(among, among)], size)])
                )
    assert (set(drawn) <= set(played)) == (place == "past")


def test_swap_steps_follow_the_greedy_set():
    """The chain starts at the greedy set of the present ground set and makes that many steps."""
    prior = Prior(np.linspace(-10, 10, 40)[:, None], KERNEL)
    for steps in (1, 25):
        subset = Subset(prior, "swap", steps)
        for arm in range(0, 40, 2):
            subset.add(arm)
        for extra in (1, 3):
            subset.add(extra)
            ground = np.union1d(range(0, 40, 2), range(1, extra + 1, 2))
            K = prior.gram[np.ix_(ground, ground)]
            expected = dpp.swap_chain(K, dpp.greedy(K, 7), steps, np.random.default_rng(extra))
            drawn = subset.draw(7, np.random.default_rng(extra), None)
            np.testing.assert_array_equal(drawn, ground[expected])
