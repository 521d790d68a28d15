"""Ask and tell: what was saved plays on, late and partial data count as if they had come in time."""

import contextlib
import copy
import hashlib
import io
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import threading
import zlib
from functools import partial
from typing import get_type_hints

import numpy as np
import pytest

from tvgp import kernels, policies
from tvgp.contracts import Hindsight
from tvgp.live import Live, state
from tvgp.live.calls import Calls
from tvgp.live.log import Log
from tvgp.policies.base.policy import BasePolicy
from tvgp.posterior import Prior

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
MASKED = np.ma.array([0.1, 999.0], mask=[False, True])
ARMS = np.linspace(-15, 15, 31)[:, None]
REFERENCES = {
    name
    for name in policies.names()
    if isinstance(policies.make(name, arms=ARMS, kernel=KERNEL, noise_variance=0.01), Hindsight)
}
NAMES = sorted(set(policies.names()) - REFERENCES)


def live(name, **values):
    return Live(name, arms=ARMS, kernel=KERNEL, noise_variance=0.01, seed=3, **values)


def reloaded(system, folder):
    """The system that its file gives, which is copied: the file itself is the system's own."""
    system.save(folder / "system.db")
    return Live.load(shutil.copy(folder / "system.db", folder / "copy.db"))


def rewards(t, arms):
    return np.sin(ARMS[arms, 0] + 0.1 * t)


def turn(system, t, size=2):
    arms = system.ask(t, size)
    system.tell(t, arms, rewards(t, arms))
    for _ in range(1 + len(ARMS)):
        asked = system.queries(t)
        if not len(asked):
            return arms.tolist()
        system.tell_expert(t, asked, rewards(t, asked))
    raise AssertionError("queries never end")


def assert_alike(system, other, t):
    """Both have the same posterior and play alike from round t on."""
    np.testing.assert_array_equal(system.posterior(t), other.posterior(t))
    for each in (t, t + 1, t + 4):
        assert turn(system, each, 3) == turn(other, each, 3)
    np.testing.assert_array_equal(system.posterior(t + 5), other.posterior(t + 5))


@pytest.mark.parametrize("name", NAMES)
def test_a_stored_state_does_not_depend_on_what_came_later(name, monkeypatch, tmp_path):
    """The prior is shared, and its buffers are filled as arms are seen: when a round comes late they hold
    more than when the state before it was stored."""
    monkeypatch.setattr("tvgp.live.replay.EVERY", 30)
    monkeypatch.setattr(Prior, "_recent", [])
    grid = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0)), axis=-1).reshape(-1, 2)
    values = {"arms": grid, "kernel": kernels.make("matern32", length_scale=2.5), "noise_variance": 0.01}
    rng, system = np.random.default_rng(0), Live(name, **values)
    told = [(t, t % 4, 0.5) for t in range(1, 36)] + [(t, int(rng.integers(64)), 1.0) for t in range(36, 96)]
    system.save(tmp_path / "system.db")
    for t, arm, reward in told:
        system.tell(t, arm, reward)
        system.posterior(t + 1)
    system.tell(35, 3, 0.7)
    monkeypatch.setattr(Prior, "_recent", [])
    prompt = Live(name, **values)
    for t, arm, reward in [*told[:35], (35, 3, 0.7), *told[35:]]:
        prompt.tell(t, arm, reward)
    np.testing.assert_allclose(system.posterior(96), prompt.posterior(96), rtol=1e-9)


def test_learnt_noise_stands_beside_noise_that_is_told():
    """A value with its own noise leaves that of the others in its round to the policy, learnt or given."""
    rng, arms = np.random.default_rng(0), np.linspace(0, 15, 31)[:, None]
    made = {"arms": arms, "kernel": KERNEL, "noise_variance": 10.0, "parameters": "learn"}
    system, other = Live("tv_gp_ucb", **made), Live("tv_gp_ucb", **made)
    for each in (system, other):
        rng = np.random.default_rng(0)
        for t in range(1, 41):
            arm = int(rng.integers(31))
            each.tell(t, arm, np.sin(arms[arm, 0]) + 0.03 * rng.standard_normal())
        each.tell(41, 15, 3.0)
    other.tell(41, 0, 0.0, 0.0025)
    assert other.posterior(42)[0][15] == pytest.approx(system.posterior(42)[0][15], abs=0.1)


def test_noise_below_what_float64_allows_is_refused():
    system = live("gp_ucb")
    with pytest.raises(ValueError, match="noise variance of arm 3 is 1e-16, expected at least 5e-11"):
        system.tell(1, 3, 1.0, 1e-16)
    with pytest.raises(ValueError, match="expected a finite number"):
        system.tell(1, [3, 4], [1.0, 1.0], [0.1, np.nan])
    assert system.next_round == 1


@pytest.mark.parametrize("name", ["gp_ucb", "tv_gp_ucb", "sparq_gp_ucb"])
def test_a_state_leaves_out_what_a_fresh_policy_has(name):
    """Arms and the covariance of an empirical kernel among it."""
    arms = np.arange(300.0)[:, None]
    covariance = np.cov(np.random.default_rng(0).standard_normal((300, 400)))
    kernel = kernels.make("empirical", covariance=covariance)
    made = {"arms": arms, "kernel": kernel, "noise_variance": 0.1}
    data = state.dump(policies.make(name, **made), policies.make(name, **made))
    assert len(data) and not any(rows[:50].tobytes() in data for rows in (arms, covariance))


@pytest.mark.parametrize("name", NAMES)
def test_copies_and_states_learn_as_their_originals(name):
    """With most of many arms seen, evenly spaced on a line, where engines have other forms than for few."""
    arms = np.linspace(-50, 50, 201)[:, None]

    def fresh():
        return policies.make(name, arms=arms, kernel=KERNEL, noise_variance=0.01)

    policy, rng = fresh(), np.random.default_rng(0)

    def learn(each, t):
        seen = np.random.default_rng(t).integers(0, 201, 50)
        each.observe_batch(t, seen, np.sin(arms[seen, 0] / 5 + 0.1 * t))

    for t in range(1, 5):
        policy.choose(t, rng)
        learn(policy, t)
    others = [copy.deepcopy(policy)]
    others.append(state.load(state.dump(policy, fresh()), fresh()))
    for each in (policy, *others):
        learn(each, 5)
        learn(each, 8)
    for each in others:
        np.testing.assert_array_equal(each.posterior(9), policy.posterior(9))


@pytest.mark.parametrize("name", NAMES)
def test_a_state_holds_nothing_of_memory_freed_before(name, monkeypatch):
    """The file would show a stranger what the process held elsewhere, and differ from run to run."""
    arms = np.linspace(-50, 50, 201)[:, None]

    def left(empty, rest, *args, **kwargs):
        array = empty(*args, **kwargs)
        array.ravel(order="K").view(np.uint8).fill(rest)
        return array

    def played(rest):
        monkeypatch.undo()
        for empty in (np.empty, np.empty_like):
            monkeypatch.setattr(np, empty.__name__, partial(left, empty, rest))
        policy, fresh = (policies.make(name, arms=arms, kernel=KERNEL, noise_variance=0.01) for _ in range(2))
        rng = np.random.default_rng(0)
        for t in range(1, 5):
            seen = np.append(policy.choose(t, rng), rng.integers(0, 201, 5))
            policy.observe_batch(t, seen, np.sin(arms[seen, 0] / 5 + 0.1 * t))
        return state.dump(policy, fresh)

    same = played(0x55) == played(0xAA)  # pytest would compare megabytes
    assert same


@pytest.mark.parametrize("name", NAMES)
def test_every_policy_plays_on_from_its_file(name, tmp_path):
    system = live(name)
    for t in (1, 2, 3, 5, 8):
        turn(system, t)
    assert_alike(system, reloaded(system, tmp_path), 9)


FEW = ARMS[:7]
NUMBERS = {
    float: (float, np.float32, np.float64),
    int: (int, np.int64, np.uint16),
    bool: (bool, np.bool_),
}
EACH_ARM = (np.array, tuple, list, lambda each: np.array(each, np.float32))


def values_of(name, key, draw):
    """Of a parameter: another than its default and then this, as any type of number that it may have."""
    declared = policies.declaration(name)
    default, hint = getattr(declared(), key), str(get_type_hints(declared)[key])
    kind = next((kind for kind in (float, int, bool) if kind.__name__ in hint), None)
    if kind is None:
        return [default]
    other = {
        float: lambda: draw.uniform(0.01, 0.99),
        int: lambda: draw.randint(1, 6),
        bool: lambda: draw.random() < 0.5,
    }[kind]
    if "tuple" in hint and (kind is int or draw.random() < 0.5):
        size = len(FEW) if kind is float else 3
        return [draw.choice(EACH_ARM)([other() for _ in range(size)]), default]
    number = draw.choice(NUMBERS[kind])
    return [number(other()), number(default) if isinstance(default, kind) else default]


def made(name, values):
    """Whether there is such a policy."""
    with contextlib.suppress(ValueError):
        policies.make(name, **values)
        return True
    return False


@pytest.mark.parametrize("name", NAMES)
def test_every_value_accepted_by_make_can_be_saved(name, tmp_path_factory):
    """One of each parameter: the default where another does not go with the defaults of the rest."""
    draw = random.Random(name)
    for key in sorted(policies.parameters(name)):
        what = {
            "arms": FEW,
            "kernel": kernels.make("se", variance=draw.choice([0.5, np.float32(0.3)]), length_scale=3.0),
            "noise_variance": np.float32(0.01),
        }
        what[key] = next(each for each in values_of(name, key, draw) if made(name, what | {key: each}))
        system = Live(name, **what, seed=np.int64(3))
        system.ask(np.int32(1), np.int64(2))
        told = np.array([0.1, 0.2], np.longdouble)
        system.tell(np.int64(1), np.array([3, 4], np.uint8), told, np.float32(0.01), key=np.str_("a"))
        other = reloaded(system, tmp_path_factory.mktemp("live"))
        np.testing.assert_array_equal(system.posterior(2), other.posterior(2))
        assert turn(system, 2) == turn(other, 2), what


@pytest.mark.parametrize(
    "kernel",
    [
        kernels.make("matern32", variance=1, length_scale=np.float32(0.1)),
        kernels.make("se", length_scale=[np.float32(0.1)]),
        kernels.make("empirical", covariance=np.eye(31, dtype=np.float32)),
        kernels.make("sum", left=kernels.make("constant", variance=np.float32(0.1)), right=KERNEL),
        kernels.make("periodic", variance=np.int64(1), length_scale=np.float32(1.1), period=np.float32(2.1)),
    ],
    ids=lambda kernel: kernel.name,
)
def test_every_kernel_can_be_saved(kernel, tmp_path):
    arms = np.arange(31.0)[:, None]
    system = Live("gp_ucb", arms=arms, kernel=kernel, noise_variance=0.01)
    turn(system, 1)
    assert_alike(system, reloaded(system, tmp_path), 2)


def test_an_unsaveable_kernel_is_refused_at_the_start():
    class Mine(type(KERNEL)):
        pass

    with pytest.raises(ValueError, match="kernel .* cannot be saved"):
        Live("gp_ucb", arms=ARMS, kernel=Mine(0.5, 3.0), noise_variance=0.01)


@pytest.mark.parametrize("name", NAMES)
def test_reading_ahead_changes_nothing(name):
    system, other = live(name), live(name)
    for t in (1, 2, 5, 6, 7):
        if t < 7:
            turn(system, t), turn(other, t)
        for ahead in (t, t + 1, t + 100):
            system.posterior(ahead)
            if np.isfinite(system.posterior(ahead)[0]).all():
                system.recommend(ahead)
    assert_alike(system, other, 7)


@pytest.mark.parametrize("name", NAMES)
def test_a_call_ignores_later_rounds(name):
    """A wrong round far ahead leaves the rounds before it as they are."""
    system, other = live(name), live(name)
    turn(system, 1), turn(other, 1)
    system.tell(10**12, 3, 50.0)
    system.ask(10**12 + 9)
    assert_alike(system, other, 2)
    system.tell(4, 9, 0.5), other.tell(4, 9, 0.5)
    np.testing.assert_array_equal(system.posterior(9), other.posterior(9))
    other.tell(10**12, 3, 50.0)
    other.ask(10**12 + 9)
    assert_alike(system, other, 10**12 + 10)


def counted(monkeypatch):
    """The rounds whose rewards policies take from now on: when told, checked or replayed."""
    rounds, observe = [], BasePolicy.observe_batch
    monkeypatch.setattr(
        BasePolicy, "observe_batch", lambda self, t, *data: rounds.append(t) or observe(self, t, *data)
    )
    return rounds


def test_a_wrong_round_far_ahead_costs_one_replay(monkeypatch):
    system = live("tv_gp_ucb")
    for t in range(1, 51):
        system.tell(t, system.ask(t), 0.1)
    system.tell(10**12, 3, 50.0)
    rounds = counted(monkeypatch)
    for t in range(51, 71):
        system.tell(t, system.ask(t), 0.1)
        system.recommend(t + 1)
    assert rounds == list(range(1, 71))


def test_calls_in_time_look_at_their_own_round_alone(monkeypatch):
    read, calls = [], Log.calls
    monkeypatch.setattr(Log, "calls", lambda log, t: read.append(t) or calls(log, t))
    system = live("tv_gp_ucb")
    for t in range(1, 9):
        system.tell(t, system.ask(t), 0.1)
        system.recommend(t + 1), system.queries(t)
        assert set(read) == {t}
        read.clear()


EXPERTS = [
    ("sparq_gp_ucb", {}),
    ("sparq_gp_ucb", {"version": "2025a"}),
    ("w_sparq_gp_ucb", {}),
    ("aw_sparq_gp_ucb", {}),
    ("ui_sparq_gp_ucb", {}),
    ("sequential_query_ucb", {"model": "tv"}),
    ("sequential_query_ucb", {"model": "sw", "window": 4, "schedule": "w_sparq"}),
    ("sequential_query_ucb", {"model": "field"}),
    ("pandora_gp_ucb", {"model": "tv", "price": 0.01}),
    ("pandora_gp_ucb", {"model": "gp", "price": 0.01, "batch": 3}),
    ("pandora_gp_ucb", {"model": "field", "rule": "upper_bound", "number": 2}),
    ("yesterdays_best", {}),
]


def test_the_listed_experts_are_all_policies_that_ask():
    def asks(name):
        system = live(name)
        return any(len(system.queries(t)) for t in range(1, 6) if system.tell(t, [t, 9], [0.1, 0.2]) is None)

    assert {name for name in NAMES if asks(name)} == {name for name, _ in EXPERTS}


@pytest.mark.parametrize(("name", "values"), EXPERTS)
def test_late_answers_in_parts_count_as_if_they_had_come_in_time(name, values, tmp_path):
    prompt, late, owed = live(name, **values), live(name, **values), []
    for t in (1, 2, 3, 5, 6):
        for system in (prompt, late):
            system.tell(t, [t, 2 * t], [0.1, 0.2 * t])
        while len(asked := prompt.queries(t)):
            prompt.tell_expert(t, asked, rewards(t, asked))
    for t in (1, 2, 3, 5, 6):
        while len(asked := late.queries(t)):
            assert late.queries(t).tolist() == asked.tolist()  # until they are answered
            assert late.queries(t, np.arange(31) == asked[0]).tolist() == [asked[0]]
            if name.startswith(("sequential", "pandora")):  # the next query waits for the answers
                late.tell_expert(t, asked, rewards(t, asked))
                continue
            owed += [(t, arm) for arm in asked]
            break
    random.Random(0).shuffle(owed)
    for t, arm in owed:
        late.tell_expert(t, arm, rewards(t, arm))
    np.testing.assert_array_equal(prompt.posterior(7), late.posterior(7))
    assert_alike(prompt, reloaded(late, tmp_path), 7)


@pytest.mark.parametrize(("name", "values"), EXPERTS)
def test_queries_before_the_choice_are_replayed_before_it(name, values, tmp_path):
    """Whether asked before or after a first look at the choice, in time or after the rewards."""
    prompt, late = live(name, **values), live(name, **values)
    for t in (1, 2, 3, 5, 6):
        late.ask(t)
        for system in (prompt, late):
            while len(asked := system.queries(t)):
                system.tell_expert(t, asked, rewards(t, asked))
        assert prompt.ask(t, 2).tolist() == late.ask(t, 2).tolist()
        for system in (prompt, late):
            system.tell(t, [t, 2 * t], [0.1, 0.2 * t])
    np.testing.assert_array_equal(prompt.posterior(7), late.posterior(7))
    assert_alike(prompt, reloaded(late, tmp_path), 7)
    assert any(calls.before for calls in rounds_of(late).values())


def test_a_policy_that_is_looked_into_is_a_copy():
    system, fresh = (live("pandora_gp_ucb", price=0.05) for _ in range(2))
    for each in (system, fresh):
        each.tell(1, 3, 0.5)
    looked = system.policy(2)
    np.testing.assert_array_equal(looked.posterior(2), system.posterior(2))
    looked.observe(2, 4, 100.0)
    assert looked.indices(3)[4] > 10 > system.policy(2).indices(2).max()
    np.testing.assert_array_equal(system.ask(2), fresh.ask(2))


def test_the_next_query_is_an_arm_until_no_reading_pays():
    system, asked = live("pandora_gp_ucb", price=0.05), []
    while (arm := system.next_query(1)) is not None:
        system.tell_expert(1, arm, rewards(1, [arm])[0])
        asked.append(arm)
    assert 1 <= len(asked) < 31 and system.next_query(1) is None
    assert system.ask(1)[0] == system.recommend(1)
    with pytest.raises(ValueError, match="round 2: the policy asks about 3 arms at once"):
        both = live("sparq_gp_ucb")
        both.tell(1, [3, 9, 20], [0.1, 0.2, 0.3])
        both.next_query(2)


def rounds_of(system):
    """The calls of each round."""
    rows = list(system.history())
    return {t: Calls.of(row for each, row in rows if each == t) for t in sorted({t for t, _ in rows})}


@pytest.mark.parametrize(("name", "values"), EXPERTS)
def test_answers_are_taken_once_and_only_about_what_was_asked(name, values, tmp_path):
    system = live(name, **values)
    system.tell(1, [3, 9], [0.1, 0.2])
    with pytest.raises(ValueError, match=r"round 1: answers about 3; expected .*: none"):
        system.tell_expert(1, [3], [0.0])
    t = 1 + (not len(system.queries(1)))
    if t == 2:
        system.tell(2, 4, 0.1)
    asked = system.queries(t)
    logged = rounds_of(system)
    assert system.queries(t).tolist() == asked.tolist() and rounds_of(system) == logged
    others = np.setdiff1d(np.arange(31), asked)
    twice, beside = [asked[0], asked[0]], [*asked, *others[:1]]
    for wrong in (twice, *[beside] * (len(others) > 0)):
        with pytest.raises(ValueError, match=f"round {t}: answers about "):
            system.tell_expert(t, wrong, np.zeros(len(wrong)))
    system.tell_expert(t, asked, np.zeros(len(asked)))
    again = copy.deepcopy(system)
    again.tell_expert(t, asked, np.zeros(len(asked)))
    with pytest.raises(ValueError, match=f"round {t}: answers about "):
        system.tell_expert(t, asked, np.ones(len(asked)))
    assert_alike(system, again, 3)


@pytest.mark.parametrize("name", NAMES)
def test_late_rewards_count_as_if_they_had_come_in_time(name):
    prompt, late = live(name), live(name)
    for system in (prompt, late):
        system.tell(1, 4, 0.1)
        system.tell(2, [5, 9], [0.2, 0.3], [0.02, 0.01])
        if system is prompt:
            system.tell(3, 20, 0.7)
        system.tell(5, 8, 0.4)
    late.tell(3, 20, 0.7)
    assert prompt.ask(6, 3).tolist() == late.ask(6, 3).tolist()
    for ours, theirs in zip(prompt.posterior(6), late.posterior(6), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", NAMES)
def test_late_rewards_in_any_order_give_the_policy_of_the_file(name, tmp_path):
    """A policy that is replayed in part is the one that is replayed in whole."""
    system = live(name)
    for t in range(1, 9):
        turn(system, t)
        for late in {4: (3,), 6: (5, 2), 8: (7, 4)}.get(t, ()):
            system.tell(late, late, 0.3)
            system.ask(t + 1)
    other = reloaded(system, tmp_path)
    assert turn(system, 9) == turn(other, 9) and turn(system, 10) == turn(other, 10)


def test_late_rewards_replay_only_the_rounds_since_the_last(monkeypatch):
    system, rounds = live("sw_gp_ucb"), counted(monkeypatch)
    for t in range(1, 101):
        system.tell(t, system.ask(t), 0.1)
        if t % 10 == 0:
            system.tell(t - 5, 3, 0.2)
    assert system.recommend(101) >= 0
    replayed = 10 + 9 * 16  # the first ten, then round 5 to 20 and so on
    assert len(rounds) == 100 + 10 + replayed


def test_late_data_are_replayed_together_at_the_next_answer(monkeypatch):
    system, asked = live("sparq_gp_ucb"), {}
    for t in range(2, 22, 2):
        system.tell(t, t, 0.1)
        asked[t] = system.queries(t)
    rounds = counted(monkeypatch)
    for t in range(19, 5, -2):
        system.tell(t, t, 0.1)
        system.tell_expert(t + 1, asked[t + 1], np.zeros(len(asked[t + 1])))
    assert rounds == list(range(19, 5, -2))  # to check the calls


def test_rewards_of_a_round_may_come_one_by_one():
    together, apart = live("w_gp_ucb"), live("w_gp_ucb")
    together.tell(4, [5, 9], [0.2, 0.3])
    for arm, reward in ((5, 0.2), (9, 0.3)):
        apart.tell(4, arm, reward)
    np.testing.assert_array_equal(together.posterior(5)[0], apart.posterior(5)[0])
    assert apart.recommend(5) == together.recommend(5)


def test_asking_again_gives_the_same_arms():
    system = live("gp_ts")
    turn(system, 1)
    assert system.ask(2, 3).tolist() == system.ask(2, 3).tolist()


def test_a_round_with_rewards_is_not_asked_for_again():
    system = live("tv_gp_ucb")
    system.tell(3, 5, 0.1)
    with pytest.raises(ValueError, match="round 3: has rewards already; ask for the next one, or take_back"):
        system.ask(3)
    assert len(system.ask(2)) == 1


def test_a_call_that_is_refused_leaves_no_trace():
    system, other = live("gp_ucb"), live("gp_ucb")
    for each in (system, other):
        turn(each, 1)
    for call in (
        lambda: system.tell(2, 31, 0.0),
        lambda: system.tell(2, 3, np.nan),
        lambda: system.tell(1, [3], [np.inf]),
        lambda: system.ask(0),
        lambda: system.ask(2, 0),
        lambda: system.ask(2, 1, [0, 1]),
        lambda: system.tell_expert(2, np.array([40]), np.array([0.0])),
    ):
        with pytest.raises(ValueError, match="round [012]"):
            call()
    assert list(system.history()) == list(other.history())


@pytest.mark.parametrize(
    "given", [{}, {1}, "x", object(), [0.1, {}], ["a", "b"], [0.1] * 3, [0.1, np.nan], [0.1, [0.2, 0.3]]]
)
@pytest.mark.parametrize("what", ["arms", "rewards", "noise_variances"])
def test_what_is_no_number_per_arm_is_named_in_one_line(what, given):
    system, said = live("gp_ucb"), what.replace("_", " ")
    told = {"arms": [3, 4], "rewards": [0.1, 0.2], what: given}
    with pytest.raises(ValueError, match=f"^round 1: the {said[:-1]}.*, expected .*(integer|number)"):
        system.tell(1, **told)
    assert not list(system.history())


@pytest.mark.parametrize("what", ["arms", "values"])
def test_answers_in_lists_of_several_lengths_are_refused(what):
    told = {"arms": [3, 4], "values": [0.1, 0.2], what: [3, [4, 5]]}
    with pytest.raises(ValueError, match=f"^round 1: the {what} are lists of several lengths, expected a"):
        live("gp_ucb").tell_expert(1, **told)


@pytest.mark.parametrize("t", [np.datetime64(3, "D"), np.timedelta64(3, "D"), "3", 3.0, True, None, [3]])
@pytest.mark.parametrize(
    "call",
    [
        lambda system, t: system.ask(t),
        lambda system, t: system.tell(t, 3, 0.1),
        lambda system, t: system.queries(t),
        lambda system, t: system.tell_expert(t, [3], [0.1]),
        lambda system, t: system.recommend(t),
        lambda system, t: system.posterior(t),
    ],
)
def test_rounds_that_are_no_whole_numbers_are_refused(call, t):
    with pytest.raises(ValueError, match=r"round .*: t is .*, expected an integer of 1 or more"):
        call(live("gp_ucb"), t)


def test_no_damage_of_a_file_goes_unnoticed(tmp_path):
    """One byte flipped, or the end cut off: the file is refused, or the answers are the right ones."""
    path, draw, refused = tmp_path / "system.db", random.Random(0), 0
    system = Live("tv_gp_ucb", arms=ARMS[:2], kernel=KERNEL, noise_variance=0.01)
    system.save(path)
    for t in range(1, 4):
        system.tell(t, 1, 0.1 * t, key="a")
        system.ask(t + 1)
    right = system.posterior(5)
    system.close()
    data = path.read_bytes()
    damaged = [data[:end] for end in range(0, len(data), 512)]
    for place in draw.sample(range(len(data)), 700) + list(range(100)):
        damaged.append(data[:place] + bytes([data[place] ^ 1 << draw.randrange(8)]) + data[place + 1 :])
    for number, each in enumerate(damaged):
        (other := tmp_path / f"{number}.db").write_bytes(each)
        try:
            with Live.load(other) as found:
                np.testing.assert_array_equal(found.posterior(5), right)
        except ValueError as error:
            assert str(error).startswith(str(other)) and "\n" not in str(error)
            refused += 1
    assert refused > len(data) // 512


def test_a_file_that_lost_a_call_is_refused(tmp_path):
    system, path = live("tv_gp_ucb"), tmp_path / "system.db"
    system.save(path)
    for t in (1, 2):
        system.tell(t, 5, 0.1)
    system.close()
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM calls WHERE t = 2")
    database.close()
    with pytest.raises(ValueError, match=f"^{path}: damaged; take an older copy$"):
        Live.load(path)


def test_the_latest_whole_state_before_a_round_is_used(tmp_path):
    system, path = live("tv_gp_ucb"), tmp_path / "system.db"
    system.save(path)
    system.tell(9, 5, 0.1)
    log = Log.open(path)
    for t in (2, 4, 6):
        log.keep_state(t, b"state %d" % t)
    assert [log.state(before) for before in (7, 6, 2)] == [(6, b"state 6"), (4, b"state 4"), None]
    with sqlite3.connect(path) as database:
        database.execute("UPDATE states SET policy = ? WHERE t = 4", (b"state 5",))
    database.close()
    assert log.state(6) == (2, b"state 2")


def first_format(system, **changed):
    """The file that the first format has for a system."""
    rounds = {}
    for t, calls in rounds_of(system).items():
        fields = copy.deepcopy(vars(calls))
        for call in fields["before"] + fields["expert"]:
            call["arms"] = call.pop("queries") if "queries" in call else call.pop("expert")
        rounds[str(t)] = fields
    content = {**system._definition(), "rounds": rounds, **changed}
    del content["format"]
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return json.dumps({"format": "tvgp live 1", "sha256": digest, **content})


@pytest.mark.parametrize(("name", "values"), [*EXPERTS, ("tv_gp_ucb", {})])
def test_files_of_the_first_format_are_read(name, values, tmp_path):
    system, path = live(name, **values), tmp_path / "system.json"
    for t in (1, 2, 4):
        turn(system, t)
    system.tell(4, 7, 0.3, 0.02, key="late")
    path.write_text(first_format(system))
    other = Live.load(path)
    other.tell(4, 7, 0.3, 0.02, key="late")  # counts once
    assert rounds_of(other) == rounds_of(system)
    assert_alike(system, other, 5)
    with pytest.raises(ValueError, match="exists already"):
        other.save(path)


def test_damaged_files_of_the_first_format_are_refused(tmp_path):
    system, path = live("sw_gp_ucb", window=7), tmp_path / "system.json"
    turn(system, 1)
    text = first_format(system)
    whole = json.loads(text)
    del whole["seed"]
    wrong = [text[:-20], "{}", '{"a": 1}', text.replace("live 1", "live 0"), json.dumps(whole)]
    wrong += [text.replace('"seed": 3', '"seed": 4'), first_format(system, unheard=1), "{" + text]
    wrong += [first_format(system, rounds={"1": {"asked": []}}), first_format(system, kernel={"name": "no"})]
    for each in wrong:
        path.write_text(each)
        with pytest.raises(ValueError, match=rf"^{path}: [^\n]*$"):
            Live.load(path)


def test_other_files_are_refused(tmp_path):
    for number, content in enumerate((b"", b"[]", b"a,b\n1,2\n", os.urandom(5000))):
        (path := tmp_path / str(number)).write_bytes(content)
        with pytest.raises(ValueError, match=f"^{path}: .*not a file of tvgp.live"):
            Live.load(path)
        assert path.read_bytes() == content
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE calls (t)")
    database.close()
    content = foreign.read_bytes()
    with pytest.raises(ValueError, match="not a file of tvgp.live"):
        Live.load(foreign)
    assert foreign.read_bytes() == content
    with pytest.raises(OSError, match="nothing.db"):
        Live.load(tmp_path / "nothing.db")


def test_a_file_that_cannot_be_made_is_named(tmp_path):
    with pytest.raises(OSError, match=f"^{tmp_path}/none/system.db: unable to open"):
        live("gp_ucb").save(tmp_path / "none" / "system.db")


def test_each_call_is_in_the_file_when_it_returns(tmp_path):
    system, path = live("tv_gp_ucb"), tmp_path / "system.db"
    system.save(path)
    for t in range(1, 6):
        system.tell(t, system.ask(t), 0.1 * t)
        np.testing.assert_array_equal(Live.load(path).posterior(t + 1), system.posterior(t + 1))


def test_a_second_writer_is_refused(tmp_path):
    path = tmp_path / "system.db"
    first = live("gp_ucb")
    first.save(path)
    second = Live.load(path)
    first.tell(1, 3, 0.5)
    for _ in range(2):
        with pytest.raises(OSError, match="another process has added calls"):
            second.tell(1, 4, 0.5)
    with pytest.raises(ValueError, match="exists already"):
        live("gp_ucb").save(path)
    assert rounds_of(first)[1].arms == [3]
    Live.load(path).tell(2, 4, 0.5)


def test_no_call_is_added_to_a_file_that_is_gone(tmp_path):
    path, other = tmp_path / "system.db", tmp_path / "other.db"
    system = live("gp_ucb")
    system.save(path)
    system.tell(1, 3, 0.5)
    path.unlink()
    for _ in range(2):
        with pytest.raises(OSError, match="system.db"):
            system.tell(2, 4, 0.5)
    system.save(path)
    system.tell(2, 4, 0.5)
    assert rounds_of(Live.load(path)).keys() == {1, 2}
    live("gp_ucb").save(other)
    other.replace(path)
    with pytest.raises(OSError, match="system.db: it or its -wal was deleted or replaced"):
        system.tell(3, 4, 0.5)


def test_a_file_opened_twice_keeps_its_calls(tmp_path):
    """Another process that closes it joins the -wal to it, and deletes it, unless SQLite has its locks."""
    path, systems = tmp_path / "system.db", []
    live("gp_ucb").save(path)
    systems += [Live.load(path), Live.load(path)]
    script = f"from tvgp.live import Live; Live.load({str(path)!r}).close()"
    for t in (1, 2):
        systems[0].tell(t, 3, 0.5)
        subprocess.run([sys.executable, "-c", script], check=True)
    assert rounds_of(Live.load(path)).keys() == {1, 2}
    path.read_bytes()  # ends the locks
    subprocess.run([sys.executable, "-c", script], check=True)
    with pytest.raises(OSError, match="system.db: it or its -wal was deleted or replaced"):
        systems[0].tell(3, 3, 0.5)
    assert rounds_of(Live.load(path)).keys() == {1, 2}


def test_a_file_can_be_loaded_while_calls_are_added(tmp_path, monkeypatch):
    path, header = tmp_path / "system.db", Log._header
    system = live("gp_ucb")
    system.save(path)

    def then_others(log, name):
        found = header(log, name)
        if name == "user_version":
            monkeypatch.setattr(Log, "_header", header)
            system.tell(1, 3, 0.5)
        return found

    monkeypatch.setattr(Log, "_header", then_others)
    assert rounds_of(Live.load(path)).keys() == {1}


def test_a_new_file_takes_no_calls_of_one_that_is_gone(tmp_path):
    """Those beside it that a process which was killed has left, and that SQLite joins to any file."""
    path, ahead = tmp_path / "system.db", tmp_path / "system.db-wal"
    old, new = live("gp_ucb"), live("tv_gp_ucb")
    old.save(path)
    old.tell(1, 3, 0.5)
    left = ahead.read_bytes()
    old.close()
    path.unlink()
    ahead.write_bytes(left)
    with pytest.raises(ValueError, match="system.db-wal: has calls of a file that is gone"):
        new.save(path)
    assert os.listdir(tmp_path) == ["system.db-wal"]
    ahead.unlink()
    new.save(path)
    assert rounds_of(Live.load(path)) == {}


@pytest.mark.parametrize("told", [0, 2])
def test_a_copy_put_over_a_file_takes_no_calls_of_it(told, tmp_path):
    """Those of a process that was killed; here both systems have as many arms, and so files of one layout."""
    path, ahead, backup = tmp_path / "system.db", tmp_path / "system.db-wal", live("tv_gp_ucb")
    for t in range(told):
        backup.tell(t + 1, 8, -0.5)
    backup.save(tmp_path / "backup.db")
    backup.close()
    old = live("gp_ucb")
    old.save(path)
    for t in range(4):
        old.tell(t + 1, 3, 0.5)
    left = ahead.read_bytes()
    old.close()
    shutil.copy(tmp_path / "backup.db", path)
    ahead.write_bytes(left)
    for _ in range(2):  # the first try joined nothing
        with pytest.raises(
            ValueError, match="system.db-wal: damaged, or of another file than system.db; move"
        ):
            Live.load(path)
    ahead.unlink()
    assert rounds_of(Live.load(path)).keys() == set(range(1, told + 1))


def test_calls_that_a_kill_left_are_loaded(tmp_path):
    """Also where a page of them has been joined to the file, and the first row is of before rows named their
    system."""
    path, copied = tmp_path / "system.db", tmp_path / "copy.db"
    live("gp_ucb").save(path)
    text = json.dumps({"ask": 1, "available": None})
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        row = (1, 1, text, zlib.crc32(f"1 1 {text}".encode()))
        database.execute("INSERT INTO calls VALUES (?, ?, ?, ?)", row)
        database.execute("PRAGMA user_version = 1")
    system = Live.load(path)
    for t in range(2, 150):
        system.tell(t, 3, 0.5)
    left = (tmp_path / "system.db-wal").read_bytes()
    before = path.read_bytes()
    system.close()
    for page in (None, *range(0, path.stat().st_size, 4096)):
        joined = bytearray(before.ljust(path.stat().st_size, b"\0"))
        if page is not None:
            joined[page : page + 4096] = path.read_bytes()[page : page + 4096]
        copied.write_bytes(joined)
        (tmp_path / "copy.db-wal").write_bytes(left)
        with Live.load(copied) as found:
            assert rounds_of(found).keys() == set(range(1, 150))


def test_a_closed_file_is_read_where_nothing_can_be_written(tmp_path):
    """As on a read-only medium: SQLite cannot make its files beside it."""
    path, system = tmp_path / "system.db", live("gp_ucb")
    system.tell(1, 3, 0.5)
    system.save(path)
    system.close()
    (tmp_path / "system.db-wal").symlink_to(tmp_path / "none" / "wal")
    found = Live.load(path)
    assert found.recommend(2) == 3
    with pytest.raises(OSError, match="system.db: attempt to write a readonly database"):
        found.tell(2, 4, 0.9)
    (tmp_path / "system.db-wal").unlink()
    with Live.load(path) as other:
        other.tell(2, 4, 0.9)
        assert found.last_round == 2
        assert found.recommend(3) == other.recommend(3)


def test_a_new_file_shares_nothing_with_an_open_one(tmp_path):
    """Whose file and -wal were deleted."""
    path, system = tmp_path / "system.db", live("gp_ucb")
    system.save(path)
    system.tell(1, 3, 0.5)
    path.unlink(), (tmp_path / "system.db-wal").unlink()
    script = f"""if True:
        import numpy
        from tvgp import kernels
        from tvgp.live import Live

        kernel = kernels.make("se")
        new = Live("gp_ucb", arms=numpy.eye(3), kernel=kernel, noise_variance=1.0)
        new.save({str(path)!r})
        new.tell(2, 0, 0.5)
    """
    subprocess.run([sys.executable, "-c", script], check=True)
    with pytest.raises(OSError, match="deleted or replaced"):
        system.tell(2, 3, 0.5)
    assert rounds_of(Live.load(path)).keys() == {2}


def test_a_full_disk_leaves_no_half_file(tmp_path):
    """As where no file may grow beyond a page."""
    system, (least, most) = live("gp_ucb"), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, most))
    try:
        with pytest.raises(OSError, match="^.*/system.db: "):
            system.save(tmp_path / "system.db")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (least, most))
    assert os.listdir(tmp_path) == []


def test_a_reader_sees_what_another_process_adds(tmp_path):
    """In rounds that it has seen, too."""
    path, system = tmp_path / "system.db", live("tv_gp_ucb")
    system.save(path)
    turn(system, 1), turn(system, 3)
    reader = Live.load(path)
    reader.posterior(4)
    for call in (lambda: system.tell(2, 7, 0.3), lambda: system.tell(3, 8, 0.9), lambda: system.take_back(1)):
        call()
        np.testing.assert_array_equal(reader.posterior(4), Live.load(path).posterior(4))


def test_a_call_waits_for_another_process(tmp_path, monkeypatch):
    path = tmp_path / "system.db"
    live("gp_ucb").save(path)
    system, other = Live.load(path), sqlite3.connect(path, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.3, other.rollback).start()
    system.tell(1, 3, 0.5)
    monkeypatch.setattr("tvgp.live.log.SECONDS", 0.05)
    impatient = Live.load(path)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(OSError, match="system.db: database is locked"):
        impatient.tell(2, 3, 0.5)
    other.close()
    assert impatient.recommend(2) == system.recommend(2)
    impatient.tell(2, 3, 0.5)
    assert rounds_of(impatient)[2].arms == [3]


@pytest.mark.parametrize(
    ("name", "values"), [*((name, {}) for name in NAMES), ("pandora_gp_ucb", {"log_scale": (0.5, 0.0)})]
)
def test_the_stored_state_replaces_the_replay(name, values, tmp_path, monkeypatch):
    """Every policy can be stored, and plays on from its state."""
    system = live(name, **values)
    for t in (1, 2, 3, 5, 8, 9):
        turn(system, t)
    right = copy.deepcopy(system)
    system.save(tmp_path / "system.db")
    monkeypatch.setattr("tvgp.live.replay.EVERY", 1)
    system.close()
    other = Live.load(tmp_path / "system.db")
    rounds = counted(monkeypatch)
    other.posterior(10)
    assert rounds == []
    assert_alike(right, other, 10)


def test_a_call_leaves_no_trace_where_its_log_fails(monkeypatch):
    """Even if the log can be read neither, for a moment."""
    system, right = live("tv_gp_ucb"), live("tv_gp_ucb")
    for each in (system, right):
        turn(each, 1), turn(each, 2)

    def failing(*given):
        raise OSError("no disk")

    with monkeypatch.context() as patch:
        patch.setattr(Log, "add", failing)
        patch.setattr(Log, "state", failing)
        with pytest.raises(OSError, match="no disk"):
            system.tell(3, 3, 50.0)
    assert_alike(right, system, 3)


@pytest.mark.parametrize("call", ["tell", "ask", "queries", "recommend", "posterior"])
def test_an_interrupted_call_leaves_no_trace(call, monkeypatch, tmp_path):
    """Ctrl-C while it observes, or replays what came late; nor is the policy stored as that of the log."""
    system, right = live("tv_gp_ucb"), live("tv_gp_ucb")
    system.save(tmp_path / "system.db")
    for each in (system, right):
        turn(each, 1), turn(each, 3), turn(each, 5)
        if call != "tell":
            each.tell(2, 7, 0.3)

    def interrupted(policy, t):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(right._replay.at(5)), "_close", interrupted)
        with pytest.raises(KeyboardInterrupt):
            getattr(system, call)(6, *((7, 50.0) if call == "tell" else ()))
    monkeypatch.setattr("tvgp.live.replay.EVERY", 1)
    system._replay.store()
    assert system._log.state(2**60) is None
    np.testing.assert_array_equal(system.posterior(6), right.posterior(6))
    with monkeypatch.context() as patch:
        patch.setattr(type(system._replay), "_before", interrupted)
        with pytest.raises(KeyboardInterrupt):
            system.take_back(3)  # which is in the log
    right.take_back(3)
    assert_alike(right, system, 6)


def test_loading_replays_the_rounds_since_the_last_state(tmp_path, monkeypatch):
    monkeypatch.setattr("tvgp.live.replay.EVERY", 20)
    system, path = live("tv_gp_ucb"), tmp_path / "system.db"
    system.save(path)
    for t in range(1, 51):
        system.tell(t, system.ask(t), 0.1)
    rounds, other = counted(monkeypatch), Live.load(path)
    np.testing.assert_array_equal(other.posterior(51), system.posterior(51))
    assert rounds == list(range(41, 51))
    other.tell(35, 3, 0.4)  # late: the state after round 40 does not know it
    other.posterior(51)
    assert rounds[10:] == [35, *range(21, 51)]


def test_a_late_call_of_the_round_of_a_state_counts(tmp_path, monkeypatch):
    """States are stored after rounds 5, 10, ...; the latest three are kept."""
    monkeypatch.setattr("tvgp.live.replay.EVERY", 5)
    system, right, path = live("tv_gp_ucb"), live("tv_gp_ucb"), tmp_path / "system.db"
    system.save(path)
    for t in range(1, 29):
        for each in (system, right):
            each.ask(t), each.tell(t, t, 0.1 * t)
    system.close()
    again, stored = Live.load(path), "SELECT t FROM states ORDER BY t"
    assert sqlite3.connect(path).execute(stored).fetchall() == [(15,), (20,), (25,)]
    for each in (again, right):
        each.tell(20, 5, 0.7)
    np.testing.assert_array_equal(Live.load(path).posterior(29), right.posterior(29))
    for each in (again, right):
        each.tell(3, 6, 0.2)
    assert [t for t, row in again.history() if "tell" in row][-3:] == [28, 20, 3]  # as they were made
    np.testing.assert_array_equal(again.posterior(29), right.posterior(29))


def test_a_state_that_is_damaged_or_of_strangers_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr("tvgp.live.replay.EVERY", 2)
    system, path = live("tv_gp_ucb"), tmp_path / "system.db"
    system.save(path)
    for t in range(1, 9):
        system.tell(t, system.ask(t), 0.1)
    log = Log.open(path)
    for data in (b"", b"PK", log.state(9)[1].replace(b"tvgp.policies", b"os.path.police")):
        log.keep_state(8, data)
        np.testing.assert_array_equal(Live.load(path).posterior(9), system.posterior(9))


def test_a_state_of_other_code_is_not_used(tmp_path, monkeypatch):
    """Its objects may lack attributes, or give them another meaning, in the same version of tvgp."""
    monkeypatch.setattr("tvgp.live.replay.EVERY", 2)
    monkeypatch.setattr("tvgp.live.state.code", lambda: "of yesterday")
    system, path = live("tv_gp_ucb"), tmp_path / "system.db"
    system.save(path)
    for t in range(1, 9):
        system.tell(t, system.ask(t), 0.1)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="of other code"):
        state.load(Log.open(path).state(9)[1], None)
    np.testing.assert_array_equal(Live.load(path).posterior(9), system.posterior(9))


def test_an_update_of_files_is_not_the_code_that_runs():
    """A process that was there before it would else store the states of old code as those of new."""
    script = """if True:
        import pathlib
        from tvgp.live import state

        pathlib.Path.read_bytes = None  # not deleted: where it is defined differs between versions of Python
        assert state.code()
    """
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    ("root", "objects", "reason"),
    [
        ({"name": "os:system"}, [], "os:system is not of tvgp"),
        ({"name": "numpy:load"}, [], "is not of tvgp"),  # which can be told to run a pickle
        ({"name": "tvgp.plugins:load"}, [], "is not of tvgp"),
        ({"name": "tvgp.policies:importlib.import_module"}, [], "is not a class or function of tvgp"),
        ({"method": "tofile", "of": {"object": 0}}, [{"list": []}], "is not a class or function of tvgp"),
        ({"method": "tofile", "of": {"object": 0}}, [{"array": 0}], "is not a class or function of tvgp"),
    ],
)
def test_a_state_can_name_no_program(root, objects, reason):
    """Nothing that a policy would call later may write files or run code."""
    file, graph = io.BytesIO(), {"code": state.code(), "root": root, "objects": objects}
    np.savez(file, graph=np.frombuffer(json.dumps(graph).encode(), np.uint8), a0=np.zeros(3))
    with pytest.raises(ValueError, match=reason):
        state.load(file.getvalue(), None)


@pytest.mark.parametrize("held", [lambda: None, np.load, np.exp, np.zeros(3).tofile, print])
def test_a_policy_that_holds_foreign_code_is_not_stored(held):
    with pytest.raises(TypeError):
        state.dump(held, None)


def test_a_wrong_round_can_be_taken_back(tmp_path):
    system, right = live("tv_gp_ucb"), live("tv_gp_ucb")
    for each in (system, right):
        turn(each, 1), turn(each, 2)
    system.tell(10**9, 3, 50.0)
    assert system.last_round == 10**9 and system.next_round == 10**9 + 1
    system.take_back(10**9)
    assert system.last_round == 2 and system.next_round == 3
    system.tell(3, 3, 0.1), system.take_back(3)
    assert system.last_round == 2
    system.tell(7, 3, 0.1), system.take_back(7), system.ask(7)
    assert system.next_round == 7 and live("gp_ucb").next_round == 1
    system.take_back(7)
    system.ask(2**50), system.take_back(2**50)
    system.tell(2, 9, 5.0), system.take_back(2), turn(system, 2)
    with pytest.raises(ValueError, match="round 5: there are no calls to take back"):
        system.take_back(5)
    assert_alike(right, reloaded(system, tmp_path), 3)


def test_links_and_leftovers(tmp_path):
    folder, system = tmp_path / "there", live("gp_ucb")
    folder.mkdir()
    link, file = tmp_path / "link", folder / "system.db"
    link.symlink_to(file)
    (folder / "system.db.tmp").write_text("of a process that was killed")
    system.save(link)
    system.tell(1, 3, 0.5)
    system.save(file)  # the same file by another name
    system.save(tmp_path / "other.db")
    assert link.is_symlink() and os.listdir(folder) == ["system.db"]
    system.tell(2, 3, 0.5)
    assert rounds_of(Live.load(link)).keys() == {1} and rounds_of(
        Live.load(tmp_path / "other.db")
    ).keys() == {1, 2}


def test_another_version_is_said(tmp_path, monkeypatch):
    path = tmp_path / "system.db"
    monkeypatch.setattr("tvgp.live.version", {"tvgp": "0.0.7"}.__getitem__)
    live("gp_ucb").save(path)
    monkeypatch.undo()
    with pytest.warns(UserWarning, match=r"saved by tvgp 0\.0\.7"):
        Live.load(path)


@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_references_are_refused(name):
    with pytest.raises(ValueError, match=f"policy {name} cannot run live"):
        live(name)


@pytest.mark.parametrize("given", [{"rewards": MASKED, "noise_variances": None}, {"noise_variances": MASKED}])
def test_what_is_masked_is_neither_learnt_nor_logged(given):
    system = live("gp_ucb")
    with pytest.raises(ValueError, match="are masked, expected all; leave those out that are missing"):
        system.tell(1, [3, 4], **{"rewards": [0.1, 0.2]} | given)
    assert not list(system.history())
    with pytest.raises(ValueError, match="prior_mean"):
        live("gp_ucb", prior_mean=np.ma.array(np.ones(31), mask=np.arange(31) == 4))


def test_the_arms_of_a_system_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        live("gp_ucb").arms[0] = 7.0


@pytest.mark.parametrize("name", ["s_gp_ts", "sparq_gp_ucb"])
def test_queries_after_a_choice_void_it_in_the_file_too(name, tmp_path):
    system = live(name, horizon=60)
    for t in range(1, 30):
        arms = system.ask(t)
        late = t == 8  # round 8 has no reward when its queries come, which therefore come before its choice
        system.tell(t - 5 if late else t, arms, rewards(t, arms))
        asked = system.queries(t)
        if len(asked):
            system.tell_expert(t, asked, rewards(t, asked))
    assert_alike(reloaded(system, tmp_path), system, 30)


@pytest.mark.parametrize("name", NAMES)
def test_a_choice_repeated_is_the_same_and_one_call(name, tmp_path):
    """Also in another process, after a late reward, and once the policy has seen one."""
    system = live(name)
    for t in (1, 2, 3):
        first = system.ask(t, 3)
        one = system.ask(t)
        for _ in range(3):
            np.testing.assert_array_equal(system.ask(t, 3), first)
            np.testing.assert_array_equal(system.ask(t), one)
        system.tell(t, first[:1], rewards(t, first[:1]))
    assert sum("ask" in call for _, call in system.history()) == 2 * 3
    np.testing.assert_array_equal(system.ask(4, 3), copy.deepcopy(system).ask(4, 3))
    system.tell(2, 7, 0.1)
    later = system.ask(4, 3)
    np.testing.assert_array_equal(reloaded(system, tmp_path).ask(4, 3), later)


def test_an_arm_that_cannot_be_read_gives_way_to_the_next():
    """Nobody answers the telephone there: a system that is asked with that mask at once asks the same."""
    system, fresh = (live("pandora_gp_ucb", epsilon=0.01, price=0.01) for _ in range(2))
    first, mask = system.next_query(1), np.ones(len(ARMS), dtype=bool)
    assert system.next_query(1) == first
    mask[first] = False
    second = system.next_query(1, mask)
    assert second is not None and second != first and fresh.next_query(1, mask) != first
    system.tell_expert(1, second, 0.3)
    with pytest.raises(ValueError, match="expected each arm once and among"):
        system.tell_expert(1, first, 0.3)
    assert system.next_query(1, mask) not in (first, second)


def test_threads_that_share_a_system_lose_nothing(tmp_path):
    system, failures = live("tv_gp_ucb", epsilon=0.01), []
    system.save(tmp_path / "system.db")

    def work(first):
        try:
            for t in range(first, first + 20):
                system.tell(t, t % 31, 0.1)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(1 + 100 * each,)) for each in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failures and len(system.rewards()[0]) == 60


def test_a_closed_system_says_so(tmp_path):
    system = live("tv_gp_ucb", epsilon=0.01)
    system.save(tmp_path / "system.db")
    system.close()
    with pytest.raises(ValueError, match=r"system\.db: closed; Live\.load it again"):
        system.tell(1, 3, 0.5)
