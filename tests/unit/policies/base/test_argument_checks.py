"""Every call to a policy is checked before it changes anything."""

import numpy as np
import pytest

from tvgp import kernels, policies

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
ARMS = np.linspace(-5, 5, 6)[:, None]
RNG = np.random.default_rng(0)


def build(name):
    return policies.make(name, arms=ARMS, kernel=KERNEL, noise_variance=0.01)


def mask(*arms):
    return np.isin(np.arange(6), arms)


def masked(values):
    """The last one missing."""
    return np.ma.array(values, mask=np.arange(len(values)) == len(values) - 1)


T = "t is .*, expected an integer of 1 or more"
CALLS = [
    (lambda p: p.choose(0, RNG), r"round 0: expected t from 1 to 2\*\*53"),
    (lambda p: p.choose(-3, RNG), "round -3: expected t from 1"),
    (lambda p: p.choose(2**60, RNG), "expected t from 1"),
    (lambda p: p.choose(1.0, RNG), T),
    (lambda p: p.choose(True, RNG), T),
    (lambda p: p.choose("1", RNG), T),
    (lambda p: p.choose(None, RNG), T),
    (lambda p: p.choose(1, 0), "rng is 0, expected a generator"),
    (lambda p: p.choose(1, np.random.RandomState(0)), "expected a generator"),
    (
        lambda p: p.choose(1, RNG, np.array([0, 2])),
        r"array of int64 of shape \(2,\), expected a boolean array",
    ),
    (lambda p: p.choose(1, RNG, np.arange(6)), r"expected a boolean array of shape \(6,\)"),
    (lambda p: p.choose(1, RNG, np.ones(6)), "expected a boolean array"),
    (lambda p: p.choose(1, RNG, [True] * 6), "available is a list, expected a boolean array"),
    (lambda p: p.choose(1, RNG, mask(1)[:5]), "expected a boolean array"),
    (lambda p: p.choose(1, RNG, mask(1)[:, None]), "expected a boolean array"),
    (lambda p: p.choose(1, RNG, mask()), "no arm is available"),
    (lambda p: p.observe(0, 1, 1.0), "expected t from 1"),
    (lambda p: p.observe(1.5, 1, 1.0), T),
    (lambda p: p.observe(1, 1.0, 1.0), "arm is 1.0, expected an integer"),
    (lambda p: p.observe(1, True, 1.0), "arm is True, expected an integer"),
    (lambda p: p.observe(1, np.array([1]), 1.0), r"array of int64 of shape \(1,\), expected an integer"),
    (lambda p: p.observe(1, 6, 1.0), "there is no arm 6, expected 0 to 5"),
    (lambda p: p.observe(1, -1, 1.0), "there is no arm -1, expected 0 to 5"),
    (lambda p: p.observe(1, 1, np.inf), "the reward of arm 1 is inf, expected a finite number"),
    (lambda p: p.observe(1, 1, np.array([1.0])), "expected one number"),
    (lambda p: p.observe(1, 1, "1"), "expected one number"),
    (lambda p: p.observe(1, 1, None), "expected one number"),
    (lambda p: p.observe(1, 1, 1j), "expected one number"),
    (lambda p: p.expert_queries(0, RNG), "expected t from 1"),
    (lambda p: p.expert_queries(1, 0), "expected a generator"),
    (lambda p: p.expert_queries(1, RNG, np.array([0, 2])), "expected a boolean array"),
    (
        lambda p: p.observe_expert(1, np.array([1, 2, 3]), np.array([1.0])),
        r"expected numbers of shape \(3,\)",
    ),
    (lambda p: p.observe_expert(1, np.array([1, 2]), 1.0), r"expected numbers of shape \(2,\)"),
    (lambda p: p.observe_expert(1, np.array([1, 2]), np.ones((2, 1))), r"expected numbers of shape \(2,\)"),
    (lambda p: p.observe_expert(1, np.array([1, 2]), np.array(["a", "b"])), "expected numbers"),
    (lambda p: p.observe_expert(1, mask(1, 2), np.ones(6)), r"expected integers of shape \(m,\)"),
    (lambda p: p.observe_expert(1, np.array([1.0]), np.ones(1)), "expected integers"),
    (lambda p: p.observe_expert(1, 1, 1.0), "expected integers"),
    (lambda p: p.observe_expert(1, np.array([1, 6]), np.ones(2)), "there is no arm 6"),
    (lambda p: p.observe_expert(1, np.array([1, 2]), np.array([1.0, np.nan])), "reward of arm 2 is nan"),
    (lambda p: p.choose(1, RNG, masked(mask(1, 2))), "some entries of available are masked, expected all"),
    (lambda p: p.observe_expert(1, masked([1, 2]), np.ones(2)), "some arms are masked"),
    (lambda p: p.observe_expert(1, [1, [2, 3]], np.ones(2)), "the arms are lists of several lengths"),
    (lambda p: p.observe_batch(1, [1, 2], [1.0, [2.0, 3.0]]), "the rewards are lists of several lengths"),
    (lambda p: p.observe_expert(1, np.array([1, 2]), masked([1.0, 999.0])), "some rewards are masked"),
    (lambda p: p.posterior(0), "expected t from 1"),
    (lambda p: p.posterior(1.0), T),
    (lambda p: p.confidence_band(0), "expected t from 1"),
]


@pytest.mark.parametrize("name", policies.names())
def test_invalid_calls_change_nothing(name):
    policy = build(name)
    for i, (call, message) in enumerate(CALLS):
        with pytest.raises(ValueError, match=message) as caught:
            call(policy)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 160, i
    if hasattr(policy, "foresee"):
        policy.foresee(np.zeros((3, 6)))
    assert policy.choose(1, RNG, mask(2)) in range(6)  # round 1 is not over


@pytest.mark.parametrize("name", policies.names())
def test_numpy_integers_and_plain_numbers_are_accepted(name):
    policy = build(name)
    policy.observe(np.int64(1), np.int32(2), 1)
    policy.observe(np.uint8(2), np.intp(3), np.float32(0.5))
    policy.observe_expert(2, [2, 3], [1, 0.5])
    policy.observe_expert(2, [], [])
    policy.posterior(np.int64(3))


@pytest.mark.parametrize("name", ["sparq_gp_ucb", "w_sparq_gp_ucb", "sequential_query_ucb"])
def test_a_query_cannot_be_changed_into_invalid_arms(name):
    """Arms that a policy asked for itself are not checked again."""
    policy = build(name)
    policy.observe(1, 2, 1.0)
    asked = policy.expert_queries(1, RNG)
    with pytest.raises(ValueError, match="read-only"):
        asked[0] = 9
    with pytest.raises(ValueError, match="there is no arm 9"):
        policy.observe_expert(1, np.full_like(asked, 9), np.ones(len(asked)))
    with pytest.raises(ValueError, match="the reward of arm . is nan"):
        policy.observe_expert(1, asked, np.full(len(asked), np.nan))
    policy.observe_expert(1, asked, np.ones(len(asked)))


@pytest.mark.parametrize("name", ["oracle", "best_fixed_arm", "preference_order"])
def test_references_need_hindsight(name):
    with pytest.raises(ValueError, match="round 1: .*; call foresee before"):
        build(name).choose(1, RNG)


def test_oracle_knows_its_table_only():
    policy = build("oracle")
    policy.foresee(np.zeros((3, 6)))
    with pytest.raises(ValueError, match="round 4: the oracle knows 3 rounds"):
        policy.choose(4, RNG)


def test_a_kernel_by_name_is_refused():
    with pytest.raises(
        ValueError, match="policy gp_ucb: kernel is 'se', expected one as of tvgp.kernels.make"
    ):
        policies.make("gp_ucb", arms=ARMS, kernel="se", noise_variance=0.01)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"noise_variance": True}, "policy tv_gp_ucb: noise variance is True, expected a positive number"),
        ({"noise_variance": "x"}, "policy tv_gp_ucb: noise variance is 'x', expected a positive number"),
        ({"epsilon": "a"}, "policy tv_gp_ucb: epsilon: 'a' is not a number"),
        ({"arms": "abc"}, "arms are 'abc', expected numbers of shape"),
    ],
)
def test_values_of_the_wrong_type_are_refused_in_one_line(given, said):
    settings = {"arms": ARMS, "kernel": kernels.make("se", variance=1.0, length_scale=0.2)}
    settings |= {"noise_variance": 0.01, "epsilon": 0.1}
    with pytest.raises(ValueError, match=said):
        policies.make("tv_gp_ucb", **(settings | given))
