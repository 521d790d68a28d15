"""What holds for every policy in every variant: the posterior before a choice is the one it uses."""

import copy
import importlib
import re
import tracemalloc

import numpy as np
import pytest
from example_policies import HINDSIGHT, HORIZON, VARIANTS, build, f, tell

from tvgp import kernels, policies
from tvgp.log_scale import LogScale
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


@pytest.mark.parametrize("c", [0.5, -0.5])
@pytest.mark.parametrize(("name", "values"), VARIANTS)
def test_on_a_log_scale_a_policy_plays_as_if_told_logarithms(name, values, c):
    """Its posterior is that of rewards. Pandora's index, whose prices are of rewards, has its own tests."""
    if name in HINDSIGHT:
        pytest.skip("is told f of every round")
    if name == "pandora_gp_ucb":
        values = {**values, "rule": "upper_bound"}
    scale = LogScale(c, 0.1)
    ours, theirs = build(name, **values, log_scale=(c, 0.1)), build(name, **values)
    draws = [np.random.default_rng(0) for _ in range(2)]
    for t in range(1, 25):
        mean, std = ours.posterior(t)
        np.testing.assert_array_equal((mean, std), scale.moments(*theirs.posterior(t)))
        arm = ours.choose(t, draws[0])
        assert theirs.choose(t, draws[1]) == arm
        y = f(t) + np.sign(c)
        ours.observe(t, arm, y[arm])
        theirs.observe(t, arm, scale.of(y[arm]).item())
        asked = ours.expert_queries(t, draws[0])
        np.testing.assert_array_equal(theirs.expert_queries(t, draws[1]), asked)
        if len(asked):
            ours.observe_expert(t, asked, y[asked])
            theirs.observe_expert(t, asked, scale.of(y[asked]))
    both = np.array([3, 9])
    ours.observe_batch(30, both, y[both])
    theirs.observe_batch(30, both, scale.of(y[both]))
    chosen = [p.choose_batch(31, np.random.default_rng(1), 3) for p in (ours, theirs)]
    np.testing.assert_array_equal(*chosen)
    with pytest.raises(ValueError, match="has a confidence band on its log scale|has no confidence band"):
        ours.confidence_band(31)


def test_a_policy_that_is_not_ours_has_no_log_scale(monkeypatch):
    """It is told rewards, and nothing maps them."""
    monkeypatch.setattr(policies, "_made", lambda *_: object())
    with pytest.raises(
        ValueError, match="policy uniform: it is not built on BasePolicy and has no log scale"
    ):
        build("uniform", log_scale=(1.0, 0.0))


@pytest.mark.parametrize(("name", "values"), VARIANTS)
def test_the_largest_rewards_overflow_nowhere(name, values):
    policy, rng = build(name, **values), np.random.default_rng(0)
    for t in range(1, 50):
        mean, std = policy.posterior(t)
        assert policy.engine == "none" or np.isfinite(mean).all() and np.isfinite(std).all()
        policy.observe(t, policy.choose(t, rng), rng.choice([1e100, -1e100]))


@pytest.mark.parametrize("name", [*policies.names()])
def test_a_method_says_its_family_and_when_to_use_it(name):
    said = importlib.import_module(policies.module_of(name)).__doc__
    references = {*HINDSIGHT, "uniform", "prior_order", "yesterdays_best"}
    assert re.search(r"^Family: .+\.\nUse it when ", said, re.M) or name in references


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
def test_rewards_less_the_prior_mean_are_learnt(name, values):
    """Told rewards above the prior mean of each arm, as one without it: posterior means are apart by it."""
    if "prior_mean" not in policies.parameters(name):
        pytest.skip("has no prior mean")
    means = np.full(31, 7.0) if name == "pi_gp_ucb" else np.linspace(5.0, 9.0, 31)
    given = 7.0 if name == "pi_gp_ucb" else tuple(means)
    still, raised = build(name, **values), build(name, **values, prior_mean=given)
    rng = np.random.default_rng(0)
    for t in (*range(1, 14), 20):
        arm, reward = int(rng.integers(31)), rng.normal()
        still.observe(t, arm, reward)
        raised.observe(t, arm, reward + means[arm])
        asked, same = (policy.expert_queries(t, np.random.default_rng(t)) for policy in (still, raised))
        if np.array_equal(asked, same):  # where they do not depend on means
            still.observe_expert(t, asked, f(t)[asked])
            raised.observe_expert(t, same, f(t)[same] + means[same])
        (mean, std), (other, spread) = still.posterior(t + 1), raised.posterior(t + 1)
        np.testing.assert_allclose(other - mean, np.where(np.isnan(mean), np.nan, means), atol=1e-6)
        np.testing.assert_allclose(spread, std, atol=1e-6)


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
