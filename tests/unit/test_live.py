"""Ask and tell: what was saved plays on, late and partial data count as if they had come in time."""

import copy
import json
import os
import random
import threading
from typing import get_type_hints

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tvgp import kernels, policies
from tvgp import live as module
from tvgp.contracts import Hindsight
from tvgp.live import Live, _digest
from tvgp.policies.base.policy import BasePolicy

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
def test_every_policy_plays_on_from_its_file(name, tmp_path):
    system, path = live(name), tmp_path / "system.json"
    for t in (1, 2, 3, 5, 8):
        turn(system, t)
    system.save(path)
    assert_alike(system, Live.load(path), 9)


FEW = ARMS[:7]
NUMBERS = {
    float: (float, np.float32, np.float64),
    int: (int, np.int64, np.uint8),
    bool: (bool, np.bool_),
}
EACH_ARM = (np.array, tuple, list, lambda each: np.array(each, np.float32))
PAIRS = [(name, key) for name in NAMES for key in sorted(policies.parameters(name))]


def values_of(name, key):
    """Values of a parameter: its default and others, as every type of number that it may have."""
    declared = policies.declaration(name)
    default, hint = getattr(declared(), key), str(get_type_hints(declared)[key])
    kind = next((kind for kind in (float, int, bool) if kind.__name__ in hint), None)
    if kind is None:
        return st.just(default)
    others = {float: st.floats(0.01, 0.99), int: st.integers(1, 6), bool: st.booleans()}[kind]
    numbers = st.just(default) | others if isinstance(default, kind) else others
    values = st.builds(lambda value, cast: cast(value), numbers, st.sampled_from(NUMBERS[kind]))
    if "tuple" in hint:
        size = len(FEW) if kind is float else 3
        arrays = st.lists(others, min_size=size, max_size=size)
        as_array = st.builds(lambda each, cast: cast(each), arrays, st.sampled_from(EACH_ARM))
        values = as_array | values if kind is float else as_array
    return values


@pytest.mark.parametrize(("name", "key"), PAIRS)
@settings(max_examples=2, derandomize=True, deadline=None, database=None, suppress_health_check=HealthCheck)
@given(data=st.data())
def test_every_value_accepted_by_make_can_be_saved(name, key, data, tmp_path_factory):
    value = data.draw(values_of(name, key))
    variance = data.draw(st.sampled_from([0.5, np.float32(0.3)]))
    what = {
        "arms": FEW,
        "kernel": kernels.make("se", variance=variance, length_scale=3.0),
        "noise_variance": np.float32(0.01),
        key: value,
    }
    try:
        policies.make(name, **what)
    except ValueError:
        return
    system, path = Live(name, **what, seed=np.int64(3)), tmp_path_factory.mktemp("live") / "system.json"
    system.ask(np.int32(1), np.int64(2))
    told = np.array([0.1, 0.2], np.longdouble)
    system.tell(np.int64(1), np.array([3, 4], np.uint8), told, np.float32(0.01), key=np.str_("a"))
    system.save(path)
    other = Live.load(path)
    other.save(path)
    np.testing.assert_array_equal(system.posterior(2), other.posterior(2))
    assert turn(system, 2) == turn(other, 2)


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
    system.save(tmp_path / "a")
    assert_alike(system, Live.load(tmp_path / "a"), 2)


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


def test_calls_in_time_look_at_their_own_round_alone():
    class Rounds(dict):
        def __iter__(self):
            raise AssertionError("all rounds are gone through")

    system = live("tv_gp_ucb")
    system._rounds = Rounds()
    for t in range(1, 9):
        system.tell(t, system.ask(t), 0.1)
        system.recommend(t + 1), system.queries(t)


EXPERTS = [
    ("sparq_gp_ucb", {}),
    ("sparq_gp_ucb", {"version": "2025a"}),
    ("w_sparq_gp_ucb", {}),
    ("aw_sparq_gp_ucb", {}),
    ("sequential_query_ucb", {"model": "tv"}),
    ("sequential_query_ucb", {"model": "sw", "window": 4, "schedule": "w_sparq"}),
    ("pandora_gp_ucb", {"model": "tv", "price": 0.01}),
    ("pandora_gp_ucb", {"model": "gp", "price": 0.01, "batch": 3}),
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
    late.save(tmp_path / "a")
    assert_alike(prompt, Live.load(tmp_path / "a"), 7)


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
    late.save(tmp_path / "a")
    assert_alike(prompt, Live.load(tmp_path / "a"), 7)
    assert any(calls["before"] for calls in rounds_of(late, tmp_path).values())


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


def rounds_of(system, folder):
    """The log of its calls."""
    system.save(folder / "system.json")
    return json.loads((folder / "system.json").read_text())["rounds"]


@pytest.mark.parametrize(("name", "values"), EXPERTS)
def test_answers_are_taken_once_and_only_about_what_was_asked(name, values, tmp_path):
    system = live(name, **values)
    system.tell(1, [3, 9], [0.1, 0.2])
    with pytest.raises(ValueError, match=r"round 1: answers about arms \[3\], expected .* among \[\]"):
        system.tell_expert(1, [3], [0.0])
    t = 1 + (not len(system.queries(1)))
    if t == 2:
        system.tell(2, 4, 0.1)
    asked = system.queries(t)
    logged = rounds_of(system, tmp_path)
    assert system.queries(t).tolist() == asked.tolist() and rounds_of(system, tmp_path) == logged
    others = np.setdiff1d(np.arange(31), asked)
    twice, beside = [asked[0], asked[0]], [*asked, *others[:1]]
    for wrong in (twice, *[beside] * (len(others) > 0)):
        with pytest.raises(ValueError, match=f"round {t}: answers about arms"):
            system.tell_expert(t, wrong, np.zeros(len(wrong)))
    system.tell_expert(t, asked, np.zeros(len(asked)))
    again = copy.deepcopy(system)
    again.tell_expert(t, asked, np.zeros(len(asked)))
    with pytest.raises(ValueError, match=f"round {t}: answers about arms"):
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
    system, path = live(name), tmp_path / "system.json"
    for t in range(1, 9):
        turn(system, t)
        for late in {4: (3,), 6: (5, 2), 8: (7, 4)}.get(t, ()):
            system.tell(late, late, 0.3)
            system.ask(t + 1)
    system.save(path)
    other = Live.load(path)
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


def test_every_damaged_file_is_refused(tmp_path):
    """One byte flipped anywhere, emptied, or cut anywhere."""
    path, draw = tmp_path / "system.json", random.Random(0)
    system = Live("uniform", arms=ARMS[:2], kernel=KERNEL, noise_variance=0.01)
    system.tell(1, 1, 0.5, key="a")
    system.save(path)
    data = path.read_bytes()
    damaged = [data[:end] for end in range(0, len(data), 9)]
    for place, byte in enumerate(data):
        damaged.append(data[:place] + bytes([byte ^ 1 << draw.randrange(8)]) + data[place + 1 :])
    for each in damaged:
        path.write_bytes(each)
        with pytest.raises(ValueError, match=f"{path}: (damaged|not a file of|format is)"):
            Live.load(path)
    with pytest.raises(ValueError, match="or it is damaged"):
        system.save(path)


@pytest.mark.parametrize("place", [(), ("rounds", "1"), ("kernel",), ("parameters",)])
def test_missing_and_unknown_keys_are_refused_in_one_line(place, tmp_path):
    """Under a digest that is right, as another version may write them."""
    system, path = live("sw_gp_ucb", window=7), tmp_path / "system.json"
    turn(system, 1)
    system.save(path)
    whole = json.loads(path.read_text())
    del whole["sha256"], whole["format"]

    def part(content):
        for key in place:
            content = content[key]
        return content

    contents = [copy.deepcopy(whole) for _ in range(1 + (len(part(whole)) if not place else 0))]
    part(contents[0])["unheard"] = 1
    for content, key in zip(contents[1:], sorted(whole), strict=False):
        del content[key]
    for content in contents:
        text = json.dumps({"format": module.FORMAT, "sha256": _digest(content), **content})
        path.write_text(text)
        with pytest.raises(ValueError, match=rf"^{path}: [^\n]*$"):
            Live.load(path)


def test_a_second_writer_is_refused(tmp_path):
    path = tmp_path / "system.json"
    first = live("gp_ucb")
    first.save(path)
    second = Live.load(path)
    for t in (1, 2):
        first.tell(t, 3, 0.5)
        first.save(path)
    stored = path.read_bytes()
    for other in (second, live("gp_ucb"), copy.deepcopy(second)):
        other.tell(1, 3, 0.5)
        with pytest.raises(ValueError, match="another process or system saved to this file"):
            other.save(path)
    assert path.read_bytes() == stored
    second = Live.load(path)
    second.save(path)
    path.unlink()
    second.save(path)


def test_simultaneous_saves_are_serialised(tmp_path, monkeypatch):
    path, refused = tmp_path / "system.json", []
    live("gp_ucb").save(path)
    first, second = Live.load(path), Live.load(path)
    first.tell(1, 3, 0.5), second.tell(1, 4, 0.5)
    replace = os.replace

    def save_second():
        try:
            second.save(path)
        except ValueError as error:
            refused.append(str(error))

    thread = threading.Thread(target=save_second)

    def replace_while_second_tries(*paths):
        monkeypatch.setattr(os, "replace", replace)
        thread.start()
        thread.join(0.3)
        replace(*paths)

    monkeypatch.setattr(os, "replace", replace_while_second_tries)
    first.save(path)
    thread.join()
    assert len(refused) == 1
    assert json.loads(path.read_text())["rounds"]["1"]["arms"] == [3]


def test_links_modes_and_leftovers(tmp_path):
    folder, system = tmp_path / "there", live("gp_ucb")
    folder.mkdir()
    link, file = tmp_path / "link", folder / "system.json"
    link.symlink_to(file)
    (folder / "system.json.tmp").write_text("of a saver that was killed")
    system.save(link)
    os.chmod(file, 0o600)
    system.tell(1, 3, 0.5)
    system.save(link)
    assert link.is_symlink() and file.stat().st_mode & 0o777 == 0o600
    assert os.listdir(folder) == ["system.json"]
    Live.load(link).save(file)  # the same file by another name


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
    monkeypatch.setattr("tvgp.live.version", {"tvgp": "0.0.7"}.__getitem__)
    system.save(path)
    assert json.loads(path.read_text())["version"] == "0.0.7"
    monkeypatch.undo()
    with pytest.warns(UserWarning, match=r"saved by tvgp 0\.0\.7"):
        Live.load(path)


@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_references_are_refused(name):
    with pytest.raises(ValueError, match=f"policy {name} cannot run live"):
        live(name)
