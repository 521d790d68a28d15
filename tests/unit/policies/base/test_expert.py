"""The subset of arms to ask about, against the k-DPP of their kernel matrix."""

import numpy as np
import pytest

from tvgp import dpp, kernels
from tvgp.policies.base.expert import Subset
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
    assert not subset._distinct and grown(arms[:60], [])[1]._distinct
    rng = np.random.default_rng(3)
    for _ in range(50):
        drawn = arms[subset.draw(20, rng, None)]
        assert len(np.unique(drawn)) == len(drawn) == 20
