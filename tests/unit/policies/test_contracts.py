"""What holds for every policy in every variant: the posterior before a choice is the one it uses."""

import copy
import importlib
import tracemalloc

import numpy as np
import pytest
from example_policies import HINDSIGHT, HORIZON, VARIANTS, build, tell

from tvgp import kernels, policies
from tvgp.policies.base.ucb import UpperConfidencePolicy


@pytest.mark.parametrize(("name", "values"), VARIANTS)
@pytest.mark.parametrize("rounds", [range(1, 17), range(1, 60, 2)])
def test_the_posterior_is_what_choose_uses(name, values, rounds):
    """Also before the first choice, after rounds that were told alone; asking changes nothing."""
    policy, rng = build(name, **values), np.random.default_rng(0)
    for t in rounds:
        tell(policy, t, int(rng.integers(31)), rng)
    for t in range(rounds[-1] + 1, rounds[-1] + 9):
        unasked, same = copy.deepcopy((policy, rng))
        before = policy.posterior(t)
        arm = policy.choose(t, rng)
        np.testing.assert_allclose(before, policy.posterior(t), rtol=1e-12, atol=1e-12)
        assert unasked.choose(t, same) == arm
        np.testing.assert_allclose(before, unasked.posterior(t), rtol=1e-12, atol=1e-12)
        tell(policy, t, arm, rng)


@pytest.mark.parametrize(("name", "values"), VARIANTS)
def test_rounds_that_nobody_played_cost_nothing(name, values):
    """A loop over them would not end, and a table of them would not fit."""
    if name in HINDSIGHT:
        pytest.skip("is told f of every round")
    policy, rng = build(name, **values), np.random.default_rng(0)
    tracemalloc.start()
    for t in (1, 2, 3, 5, 8, 10**6, 10**6 + 1, 10**6 + 3, 10**9, 10**15, 10**15 + 1):
        mean, std = policy.posterior(t)
        assert policy.engine == "none" or np.isfinite(mean).all() and np.isfinite(std).all()
        tell(policy, t, policy.choose(t, rng), rng)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 50e6


@pytest.mark.parametrize(("name", "values"), VARIANTS)
def test_the_largest_rewards_overflow_nowhere(name, values):
    policy, rng = build(name, **values), np.random.default_rng(0)
    for t in range(1, 50):
        mean, std = policy.posterior(t)
        assert policy.engine == "none" or np.isfinite(mean).all() and np.isfinite(std).all()
        policy.observe(t, policy.choose(t, rng), rng.choice([1e100, -1e100]))


@pytest.mark.parametrize("name", [*policies.names()])
def test_a_method_says_when_to_use_it(name):
    said = "Use it when " in importlib.import_module(policies.module_of(name)).__doc__
    assert said or name in {*HINDSIGHT, "uniform", "prior_order", "yesterdays_best"}  # references


def in_numpy(value, small):
    """Numbers in a small type of NumPy, or in an array of shape ()."""
    if isinstance(value, bool | str | None):
        return value
    if isinstance(value, tuple):
        return np.array(value)
    kind = np.int32 if isinstance(value, int) else np.float32
    return kind(value) if small else np.array(value, dtype=kind)


@pytest.mark.parametrize("small", [True, False], ids=["scalar", "array"])
@pytest.mark.parametrize(("name", "values"), VARIANTS)
def test_numbers_of_numpy_are_those_of_python(name, values, small):
    """The same posterior to the bit, with every parameter, the kernel's, and noise variances."""
    everything = vars(policies.declaration(name)()) | {"horizon": HORIZON} | values
    everything = {key: everything[key] for key in policies.parameters(name)}
    given = {key: in_numpy(value, small) for key, value in everything.items()}
    scales = {"variance": in_numpy(0.3, small), "length_scale": in_numpy(2.7, small)}
    noise = in_numpy(1e-7, small)
    ours = build(name, **given, kernel=kernels.make("se", **scales), noise_variance=noise)
    plain = {key: each if each is None else np.asarray(each).tolist() for key, each in given.items()}
    kernel = kernels.make("se", **{key: each.item() for key, each in scales.items()})
    theirs = build(name, **plain, kernel=kernel, noise_variance=noise.item())
    for policy, variance in ((ours, noise), (theirs, noise.item())):
        rng = np.random.default_rng(0)
        for t in range(1, 12):
            tell(policy, t, policy.choose(t, rng), rng, noise_variance=2 * variance if t % 2 else None)
    np.testing.assert_array_equal(ours.posterior(12), theirs.posterior(12))


@pytest.mark.parametrize(("name", "values"), VARIANTS)
def test_the_arm_chosen_is_at_the_top_of_the_band(name, values):
    policy, rng = build(name, **values), np.random.default_rng(0)
    if not isinstance(policy, UpperConfidencePolicy) or values.get("test") == "arms":
        pytest.skip("does not choose by mu + width sigma alone")
    for t in range(1, 40, 2):
        if t > 30:  # w_dbo plays its first 15 at random
            mean, half, _ = policy.confidence_band(t)
            arm = policy.choose(t, rng)
            assert mean[arm] + half[arm] >= (mean + half).max() - 1e-8
        tell(policy, t, int(rng.integers(31)), rng)
