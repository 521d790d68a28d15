"""One run: regret, what is recorded of it, and what is refused."""

import numpy as np
import pytest

from tvgp import environments, kernels, policies, streams
from tvgp.plugins import NoParameters
from tvgp.policies.base.policy import NO_ARMS
from tvgp.policies.uniform import Uniform
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


VALUES = np.array([[1.0, 3.0, np.nan], [2.0, 0.5, 4.0], [np.nan, 1.5, 2.5], [0.0, 2.0, 1.0]])


class Table:
    """Four rounds over three arms; answers have other noise than rewards."""

    arms, noise_std, expert_noise_std = np.arange(3.0)[:, None], 0.5, 0.2

    def __init__(self, law):
        self.noise_law = law

    def times(self, horizon):
        return np.arange(1, horizon + 1)

    def mean_rewards(self, t):
        return VALUES[t - 1]


class Script:
    """Plays and asks what is written, and writes down what it is told."""

    plays = (1, 2, 1, 0)
    asks = (
        (0, 0),
        (1, 0),
        (1, 2, 2),
        (),
        (1,),
        (2, 1, 1),
        (2, 0),
        (0,),
    )  # two about an arm, or none

    def __init__(self):
        self.told, self._asks = [], iter(self.asks)

    def choose(self, t, rng, available=None):
        self.told.append(("choose", t, None if available is None else available.tolist()))
        return self.plays[t - 1]

    def observe(self, t, arm, reward):
        self.told.append(("observe", t, arm, reward))

    def expert_queries(self, t, rng, available=None):
        self.told.append(("ask", t, None if available is None else available.tolist()))
        return np.array(next(self._asks), dtype=int)

    def observe_expert(self, t, arms, values):
        self.told.append(("answers", t, arms.tolist(), values.tolist()))

    def posterior(self, t):
        return np.full(3, float(t)), np.ones(3)


@pytest.mark.parametrize("law", ["gaussian", "uniform"])
@pytest.mark.parametrize("queries", ["before", "after", "both"])
def test_a_run_is_what_its_definition_says(queries, law):
    fields, policy, asks = streams.noise_fields(3, "script"), Script(), iter(Script.asks)
    told, played = [], []
    for t, arm in enumerate(Script.plays, 1):
        f, asked = VALUES[t - 1], []
        available = None if np.isfinite(f).all() else np.isfinite(f).tolist()

        def ask(t=t, f=f, asked=asked, available=available):
            arms = list(next(asks))
            told.append(("ask", t, available))
            if arms:
                noise = streams.shaped(fields["expert_noise"].at(t)[arms], law)
                told.append(("answers", t, arms, (f[arms] + 0.2 * noise).tolist()))
            asked += arms

        if queries in ("before", "both"):
            ask()
        told.append(("choose", t, available))
        told.append(("observe", t, arm, f[arm] + 0.5 * streams.shaped(fields["noise"].at(t), law)[arm]))
        if queries in ("after", "both"):
            ask()
        played.append((arm, np.nanmax(f) - f[arm], asked))
    rng = streams.generator("script")
    run = simulate(policy, Table(law), 4, rng=rng, queries=queries, squared_error=True, **fields)
    assert policy.told == told
    np.testing.assert_array_equal(run.arm, Script.plays)
    np.testing.assert_array_equal(run.reward, [each[3] for each in told if each[0] == "observe"])
    np.testing.assert_allclose(run.regret, [regret for _, regret, _ in played])
    assert run.expert_queries.tolist() == [len(asked) for *_, asked in played]
    assert run.places.tolist() == [len({arm, *asked}) for arm, _, asked in played]
    every = [arm for *_, asked in played for arm in asked]
    assert run.asked.tolist() == np.bincount(every, minlength=3).tolist()
    errors = (np.arange(1.0, 5.0)[:, None] - VALUES) ** 2
    np.testing.assert_allclose(run.squared_error, np.nanmean(errors, axis=0))


def test_a_first_arm_is_played_but_by_who_knows_the_future():
    assert play(build("gp_ucb"), first_arm=7).arm[0] == 7
    best = play(build("oracle"), first_arm=7)
    np.testing.assert_array_equal(best.arm, play(build("oracle")).arm)


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

    policy = Stubborn(Prior(world.arms, KERNEL), NoParameters())
    with pytest.raises(ValueError, match="round 1: arm 1 was played but is not available"):
        simulate(policy, world, 1, rng=None, **fields)
    for arm in (3, -1):
        policy.arm = arm
        with pytest.raises(ValueError, match=f"round 1: there is no arm {arm}, expected 0 to 2"):
            simulate(policy, world, 1, rng=None, **fields)
    policy.arm, policy.asked = 0, np.array([2, 1])
    with pytest.raises(ValueError, match="round 1: the policy asked about an arm that is not available"):
        simulate(policy, world, 1, rng=None, **fields)


class Recorder(Uniform):
    """Records the t of its calls."""

    def __init__(self):
        super().__init__(Prior.of(np.arange(2.0)[:, None], KERNEL), NoParameters())
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
