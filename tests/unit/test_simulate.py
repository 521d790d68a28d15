"""One run: regret, what is recorded of it, and what is refused."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies, streams
from tvgp.policies.base.policy import NO_ARMS
from tvgp.policies.uniform import Parameters, Uniform
from tvgp.posterior import Prior
from tvgp.simulate import Round, instantaneous_regret, simulate

SINE = environments.make("rkhs_sine", n_arms=51)
KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
HORIZON = 40


def build(name, **values):
    return policies.make(name, arms=SINE.arms, kernel=KERNEL, noise_variance=0.01, **values)


def play(policy, **options):
    names = ("test", 1)
    fields = streams.noise_fields(51, *names)
    return simulate(policy, SINE, HORIZON, rng=streams.generator(*names), **fields, **options)


def test_regret_is_the_gap_to_the_best_available_arm():
    first, second = np.array([1.0, 3.0, np.nan]), np.array([2.0, np.nan, 5.0])
    assert instantaneous_regret(1, first, 0) == 2.0 and instantaneous_regret(2, second, 2) == 0.0
    with pytest.raises(ValueError, match="round 1: arm 2 was played but is not available"):
        instantaneous_regret(1, first, 2)


@pytest.mark.parametrize("name", ["noise", "expert_noise"])
def test_a_generator_is_no_field_of_noise(name):
    world, rng = environments.make("rkhs_sine", n_arms=5), np.random.default_rng(0)
    policy = policies.make("uniform", arms=world.arms, kernel=kernels.make("se"), noise_variance=0.1)
    fields = streams.noise_fields(5, "test") | {name: rng}
    with pytest.raises(ValueError, match=f"simulate: {name} is Generator.*, expected one of tvgp.streams"):
        simulate(policy, world, 3, rng=rng, **fields)


def test_a_site_that_never_reports_has_no_error():
    values = np.array([[1.0, np.nan], [2.0, np.nan], [0.5, np.nan]])
    world = environments.make("field", arms=np.array([[0.0], [1.0]]), values=values)
    kernel = kernels.make("se", length_scale=1.0)
    policy = policies.make("gp_ucb", arms=world.arms, kernel=kernel, noise_variance=0.01)
    noise = streams.noise_fields(2, "test")
    rng = streams.generator("test")
    with np.errstate(all="raise"):
        run = simulate(policy, world, 3, rng=rng, squared_error=True, **noise)
    assert np.isfinite(run.squared_error[0]) and np.isnan(run.squared_error[1])


@pytest.mark.parametrize("name", ["gp_ucb", "sparq_gp_ucb", "w_sparq_gp_ucb", "yesterdays_best"])
def test_rounds_are_recorded_as_they_were_played(name):
    rounds: list[Round] = []
    run, unseen = play(build(name), on_round=rounds.append), play(build(name))
    np.testing.assert_array_equal(run.arm, unseen.arm)
    assert [one.t for one in rounds] == list(range(1, HORIZON + 1))
    np.testing.assert_array_equal([one.arm for one in rounds], run.arm)
    np.testing.assert_array_equal([one.reward for one in rounds], run.reward)
    np.testing.assert_array_equal([len(one.queries) for one in rounds], run.expert_queries)


@pytest.mark.parametrize(
    ("name", "values"),
    [("gp_ucb", {}), ("gp_ucb", {"prior_mean": 2.0}), ("w_gp_ucb", {}), ("w_sparq_gp_ucb", {})],
)
def test_a_recorded_band_belongs_to_the_next_choice(name, values):
    """mu + width sigma is largest at the arm that is played next."""
    policy, bands = build(name, **values), []
    run = play(policy, on_round=lambda ended: bands.append(policy.confidence_band(ended.t + 1)))
    for arm, (mean, half, width) in zip(run.arm[1:], bands, strict=False):
        assert (mean + half)[arm] >= (mean + half).max() - 1e-9
        assert width > 0


@pytest.mark.parametrize("name", ["uniform", "gp_ts", "pi_gp_ucb"])
def test_policies_that_choose_otherwise_have_no_band(name):
    policy = build(name)
    with pytest.raises(ValueError, match=f"{type(policy).__name__} has no confidence band"):
        policy.confidence_band(2)


@pytest.mark.parametrize("name", ["uniform", "gp_ts", "pi_gp_ucb", "gp_ucb"])
def test_most_policies_ask_nothing(name):
    policy, rng = build(name), np.random.default_rng(0)
    assert policy.expert_queries(1, rng) is NO_ARMS
    before = policy.posterior(1)
    policy.observe_expert(1, np.array([3]), np.array([9.0]))
    np.testing.assert_array_equal(before, policy.posterior(1))


def test_an_unavailable_arm_is_neither_played_nor_queried():
    world = environments.make("field", arms=SINE.arms[:3], values=np.array([[1.0, np.nan, 2.0]]))
    fields = streams.noise_fields(3, "test")

    class Stubborn(Uniform):
        arm, asked = 1, NO_ARMS

        def choose(self, t, rng, available=None):
            return self.arm

        def expert_queries(self, t, rng, available=None):
            return self.asked

    policy = Stubborn(Prior(world.arms, KERNEL), Parameters())
    with pytest.raises(ValueError, match="round 1: arm 1 was played but is not available"):
        simulate(policy, world, 1, rng=None, **fields)
    policy.arm, policy.asked = 0, np.array([2, 1])
    with pytest.raises(ValueError, match="round 1: the policy asked about an arm that is not available"):
        simulate(policy, world, 1, rng=None, **fields)


class Recorder(Uniform):
    """Records the t of its calls."""

    def __init__(self):
        super().__init__(Prior.of(np.arange(2.0)[:, None], KERNEL), Parameters())
        self.calls = []

    def _choose(self, t, rng, available):
        self.calls.append(t)
        return super()._choose(t, rng, available)


def test_a_gap_of_the_record_is_time_that_passes():
    """Policies receive the t of the readings, references see the table by t."""
    values = np.array([[1.0, 2.0], [4.0, 3.0], [5.0, 6.0], [8.0, 7.0]])
    arms = np.arange(2.0)[:, None]
    world = environments.make("field", arms=arms, values=values, times=np.array([1, 2, 760, 762]))
    fields, policy = streams.noise_fields(2, "test"), Recorder()
    rounds: list[Round] = []
    run = simulate(policy, world, 4, rng=streams.generator("test"), on_round=rounds.append, **fields)
    assert policy.calls == [one.t for one in rounds] == [1, 2, 760, 762]
    np.testing.assert_array_equal(run.reward, values[np.arange(4), run.arm])
    for name, expected in (("oracle", [1, 0, 1, 0]), ("best_fixed_arm", [0] * 4)):
        reference = policies.make(name, arms=arms, kernel=KERNEL, noise_variance=0.01)
        played = simulate(reference, world, 4, rng=streams.generator("test"), **fields)
        np.testing.assert_array_equal(played.arm, expected)
