"""Ask and tell: what was saved plays on, late and partial rewards count as if they had come in time."""

import json

import numpy as np
import pytest

from tvgp import kernels, policies
from tvgp.contracts import Hindsight
from tvgp.live import Live

KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
ARMS = np.linspace(-15, 15, 31)[:, None]
REFERENCES = {
    name
    for name in policies.names()
    if isinstance(policies.make(name, arms=ARMS, kernel=KERNEL, noise_variance=0.01), Hindsight)
}
NAMES = sorted(set(policies.names()) - REFERENCES)


def live(name, **values):
    return Live(name, arms=ARMS, kernel=KERNEL, noise_variance=0.01, seed=3, **values)


def rewards(t, arms):
    return np.sin(ARMS[arms, 0] + 0.1 * t)


def turn(system, t, size=2):
    arms = system.ask(t, size)
    system.tell(t, arms, rewards(t, arms))
    for _ in range(3):  # more than once for a policy that asks one by one
        asked = system.queries(t)
        if len(asked):
            system.tell_expert(t, asked, rewards(t, asked))
    return arms.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_every_policy_plays_on_from_its_file(name, tmp_path):
    system, path = live(name), tmp_path / "system.json"
    for t in (1, 2, 3, 5, 8):
        turn(system, t)
    system.save(path)
    other = Live.load(path)
    for t in (9, 10, 14):
        assert turn(system, t, 3) == turn(other, t, 3)
    for ours, theirs in zip(system.posterior(15), other.posterior(15), strict=True):
        np.testing.assert_array_equal(ours, theirs)


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
    system, path = live(name), tmp_path / "system.json"
    for t in range(1, 9):
        turn(system, t)
        for late in {4: (3,), 6: (5, 2), 8: (7, 4)}.get(t, ()):
            system.tell(late, late, 0.3)
            system.ask(t + 1)
    system.save(path)
    other = Live.load(path)
    assert turn(system, 9) == turn(other, 9) and turn(system, 10) == turn(other, 10)


def test_late_rewards_replay_the_rounds_since_the_late_one_before():
    system = live("sw_gp_ucb")
    replayed = []
    replay = system._replay
    system._replay = lambda policy, t, calls: replayed.append(t) or replay(policy, t, calls)
    for t in range(1, 101):
        system.tell(t, system.ask(t), 0.1)
        if t % 10 == 0:
            system.tell(t - 5, 3, 0.2)
    assert system.recommend(101) >= 0
    assert len(replayed) == 10 + 9 * 16  # the first ten, then round 5 to 20 and so on


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


def test_a_call_that_is_refused_leaves_no_trace(tmp_path):
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
    system.save(tmp_path / "a")
    other.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_files_that_are_not_whole_are_refused(tmp_path):
    system, path = live("sw_gp_ucb", window=7), tmp_path / "system.json"
    turn(system, 1)
    system.save(path)
    text = path.read_text()
    path.write_text(text.replace('"seed": 3', '"seed": 4'))
    with pytest.raises(ValueError, match="damaged, wrong digest"):
        Live.load(path)
    for broken in (text[:-20], "[]", "", "{}"):
        path.write_text(broken)
        with pytest.raises(ValueError, match="not a file of tvgp.live"):
            Live.load(path)
    path.write_text(text.replace("tvgp live 1", "tvgp live 0"))
    with pytest.raises(ValueError, match="format is 'tvgp live 0'"):
        Live.load(path)


def test_another_version_is_said(tmp_path, monkeypatch):
    system, path = live("gp_ucb"), tmp_path / "system.json"
    monkeypatch.setattr("tvgp.__version__", "0.0.7", raising=False)
    system.save(path)
    assert json.loads(path.read_text())["version"] == "0.0.7"
    monkeypatch.undo()
    with pytest.warns(UserWarning, match=r"saved by tvgp 0\.0\.7"):
        Live.load(path)


@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_references_are_refused(name):
    with pytest.raises(ValueError, match=f"policy {name} cannot run live"):
        live(name)
