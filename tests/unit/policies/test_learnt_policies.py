"""`parameters="learn"` for finite arms: as the policy made with what was learnt; in a live system."""

import re
from dataclasses import replace

import numpy as np
import pytest

from tvgp import kernels, policies
from tvgp.fitting.learning import Learner
from tvgp.live import Live, state

ARMS = np.linspace(0.0, 10.0, 31)[:, None]
GIVEN = {"kernel": kernels.make("se", length_scale=4.0), "noise_variance": 1.0}
NAMES = {
    "gp_ucb": None,
    "tv_gp_ucb": "epsilon",
    "ui_gp_ucb": "alpha",
    "w_gp_ucb": "gamma",
    "st_gp_ucb": "l_time",
    "gp_ts": None,
    "tv_gp_ts": "epsilon",
}


def played(name, rounds=30, **values):
    """Rounds 1, 2, 4, 5, 7, ...: every third is skipped."""
    policy = policies.make(name, arms=ARMS, **GIVEN, parameters="learn", **values)
    rng, told = np.random.default_rng(0), []
    for t in (t for t in range(1, rounds) if t % 3):
        arm = policy.choose(t, rng)
        y = 50 + 5 * np.sin(ARMS[arm, 0] - 0.05 * t) + 0.1 * rng.standard_normal()
        policy.observe(t, arm, float(y))
        told.append((t, arm, float(y)))
    return policy, told


@pytest.mark.parametrize("name", NAMES)
def test_it_plays_as_if_the_learnt_values_had_been_given(name):
    policy, told = played(name)
    learnt = policy.learnt
    assert learnt.drift.keys() == ({NAMES[name]} if NAMES[name] else set())
    known = policies.make(
        name,
        arms=ARMS,
        kernel=learnt.kernel,
        noise_variance=learnt.noise_variance,
        prior_mean=learnt.mean,
        **learnt.drift,
    )
    for t, arm, y in told:
        known.observe(t, arm, y)
    for t in (30, 33):
        np.testing.assert_allclose(policy.posterior(t), known.posterior(t), rtol=1e-6, atol=1e-6)
        rngs = [np.random.default_rng(1) for _ in range(2)]
        assert policy.choose(t, rngs[0]) == known.choose(t, rngs[1])
    assert policy.engine == policy.inner.engine and repr(policy) == f"Learning({policy.inner!r})"
    assert abs(learnt.mean - 50) < 6 and learnt.noise_variance < 0.9


@pytest.mark.parametrize("unit", [1e-60, 1e-12, 1e60])
def test_what_is_recommended_does_not_depend_on_the_unit(unit):
    """The unit is learnt too: ties are within 1e-9 of the learnt one, not of the given one."""

    def recommended(unit):
        policy = policies.make("tv_gp_ucb", arms=ARMS, **GIVEN, parameters="learn")
        for t in range(1, 25):
            policy.observe(t, arm := 7 * t % len(ARMS), unit * float(np.sin(ARMS[arm, 0])))
        return policy.recommend(25)

    assert recommended(unit) == recommended(1.0) != 0


def test_prior_means_per_arm_are_kept_in_the_learnt_ones():
    """As without them, for the same arms with rewards that are higher by as much."""
    means, (plain, told) = np.linspace(40.0, 60.0, 31), played("tv_gp_ucb")
    policy = policies.make("tv_gp_ucb", arms=ARMS, **GIVEN, parameters="learn", prior_mean=tuple(means))
    for t, arm, y in told:
        policy.observe(t, arm, y + means[arm])
    for t in (31, 10**12):
        np.testing.assert_allclose(policy.posterior(t)[0] - means, plain.posterior(t)[0])
    np.testing.assert_allclose(policy.posterior(10**12)[0] - means, policy.learnt.mean)


def test_batches_and_own_noise_are_learnt_from():
    policy = policies.make("tv_gp_ucb", arms=ARMS, **GIVEN, parameters="learn")
    rng = np.random.default_rng(0)
    for t in range(1, 8):
        arms = policy.choose_batch(t, rng, 3)
        assert len(set(arms)) == 3
        policy.observe_batch(t, arms, np.sin(ARMS[arms, 0]), np.full(3, 0.01))
    assert policy.learnt is not None and np.isfinite(policy.posterior(8)).all()


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        (
            "sw_gp_ucb",
            {},
            "policy sw_gp_ucb cannot learn: its drift is none of epsilon, alpha, gamma, l_time",
        ),
        ("st_gp_ucb", {"time_kernel": "periodic"}, "time_kernel is 'periodic', expected ou, matern32, se"),
        ("tv_gp_ucb", {"parameters": "guess"}, "parameters is 'guess', expected given or learn"),
        (
            "tv_gp_ucb",
            {"kernel": kernels.make("constant")},
            "learning needs a kernel of the family se or mat",
        ),
    ],
)
def test_what_cannot_be_learnt_is_named(name, values, message):
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        policies.make(name, arms=ARMS, **{**GIVEN, "parameters": "learn", **values})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_a_live_system_learns_and_resumes(name, tmp_path, monkeypatch):
    """Saved and loaded, from its state and from its log, it answers alike."""
    monkeypatch.setattr("tvgp.live.replay.EVERY", 8)
    live = Live(name, arms=ARMS, **GIVEN, parameters="learn")
    live.save(tmp_path / "state.db")
    for t in range(1, 24):
        arm = live.ask(t)[0]
        live.tell(t, arm, float(np.sin(ARMS[arm, 0] - 0.05 * t)))
    expected = live.ask(24)[0], live.posterior(24)
    live.close()
    with Live.load(tmp_path / "state.db") as loaded:
        assert loaded.ask(24)[0] == expected[0]
        np.testing.assert_array_equal(loaded.posterior(24), expected[1])


def test_a_model_that_fails_leaves_the_round_alone(monkeypatch):
    policy, told = played("tv_gp_ucb", 20)
    before = policy.inner
    learnt = replace(policy.learnt, noise_variance=1e-300)
    monkeypatch.setattr(Learner, "update", lambda self, *data: learnt)
    with pytest.warns(UserWarning, match="round 20: parameters stay as they are: noise variance is 1e-300"):
        policy.observe(20, 3, 50.0)
    assert policy.inner is before and np.isfinite(policy.posterior(21)).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_state_of_a_learning_policy_is_data(name):
    policy, _ = played(name)
    fresh = policies.make(name, arms=ARMS, **GIVEN, parameters="learn")
    again = state.load(state.dump(policy, fresh), fresh)
    for each in (policy, again):
        each.observe(31, 3, 51.0)
    np.testing.assert_array_equal(again.posterior(32), policy.posterior(32))
