"""Ask and tell from a shell."""

import hashlib
import json
import re

import numpy as np
import pytest

from tvgp import kernels
from tvgp.live import Live
from tvgp.live.log import Log
from tvgp.study.command import main
from tvgp.study.command.live import parameter

ARMS = "name,x\nnorth,0.0\nsouth,1.5\n028468,4.0\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arms.csv").write_text(ARMS)
    start("tv_gp_ucb", "--set", "epsilon=0.1")
    return tmp_path


def start(policy, *more, arms="arms.csv", file="state.db"):
    given = ["--policy", policy, "--arms", arms, "--length-scale", "2", "--noise-variance", "0.01", *more]
    return main(["live", "init", file, *given])


def call(capsys, *words):
    """What a call prints."""
    capsys.readouterr()
    main(["live", words[0], "state.db", *words[1:]])
    return capsys.readouterr().out.splitlines()


def refusal(capsys, *words):
    """The one line with which a call is refused."""
    capsys.readouterr()
    with pytest.raises(SystemExit, match="1"):
        main(["live", words[0], "state.db", *words[1:]])
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_a_system_in_the_shell_plays_as_in_python(folder, capsys):
    kernel = kernels.make("matern52", variance=1.0, length_scale=2.0)
    places = np.array([[0.0], [1.5], [4.0]])
    live = Live("tv_gp_ucb", arms=places, kernel=kernel, noise_variance=0.01, epsilon=0.1)
    names = ["north", "south", "028468"]
    for t in range(1, 6):
        arm = int(live.ask(t)[0])
        assert call(capsys, "ask") == call(capsys, "ask") == [names[arm]]
        live.tell(t, arm, 0.1 * arm)
        call(capsys, "tell", names[arm], str(0.1 * arm))
    best = live.recommend(6)
    assert call(capsys, "recommend")[0].split()[0] == names[best]
    assert float(call(capsys, "recommend")[0].split()[1]) == pytest.approx(
        live.posterior(6)[0][best], rel=1e-5
    )


def test_history_take_back_and_keys(folder, capsys):
    call(
        capsys, "tell", "--t", "1", "north", "0.5", "south", "0.25", "--noise-variance", "0.02", "--key", "a"
    )
    call(
        capsys, "tell", "--t", "1", "north", "0.5", "south", "0.25", "--noise-variance", "0.02", "--key", "a"
    )
    call(capsys, "tell", "--t", "700", "028468", "-3")
    call(capsys, "take-back", "--t", "700")
    assert call(capsys, "history") == [
        "t,call,arm,value,noise_variance,key",
        "1,tell,north,0.5,0.02,a",
        "1,tell,south,0.25,0.02,a",
        "700,tell,028468,-3.0,,",
        "700,take_back,,,,",
    ]
    assert call(capsys, "ask", "--size", "3")
    assert Live.load("state.db").last_round == 2


def test_take_back_says_which_rounds_are_left(folder, capsys):
    """The ask without a round was of the one after the wrong one."""
    call(capsys, "tell", "--t", "700", "north", "0.5")
    call(capsys, "ask")
    assert call(capsys, "take-back", "--t", "700") == ["the last round with a call is 701 now"]
    assert call(capsys, "take-back", "--t", "701") == ["no round has a call now"]


def test_a_call_that_others_overtake_is_made_again(folder, capsys, monkeypatch):
    load, others = Live.load, [0.1, 0.2]

    def overtaken(path):
        found = load(path)
        if others:
            with load(path) as other:
                other.tell(1, 0, others.pop())
        return found

    monkeypatch.setattr(Live, "load", overtaken)
    call(capsys, "tell", "--t", "1", "south", "0.5")
    assert sorted(load("state.db").rewards()[2]) == [0.1, 0.2, 0.5]


def test_an_expert_is_asked_from_the_shell(folder, capsys):
    start("pandora_gp_ucb", "--set", "price=0.05", "epsilon=0.1", file="other.db")
    (folder / "state.db").unlink()
    (folder / "other.db").rename(folder / "state.db")
    asked = []
    while arm := call(capsys, "queries"):
        asked += arm
        call(capsys, "tell-expert", *arm, "0.5")
    assert asked and call(capsys, "ask")[0] in {"north", "south", "028468"}


def test_arms_are_left_out_by_name(folder, capsys):
    """Of a choice, of queries and of a recommendation; as masks do in Python."""
    start("pandora_gp_ucb", "--set", "price=0.05", "epsilon=0.1", file="other.db")
    (folder / "state.db").unlink()
    (folder / "other.db").rename(folder / "state.db")
    without = ["--without", "north", "south"]
    for _ in range(2):
        assert call(capsys, "queries", *without) in ([], ["028468"])
    assert call(capsys, "ask", *without) == ["028468"]
    assert call(capsys, "recommend", *without)[0].split()[0] == "028468"
    with Live.load("state.db") as system:
        assert all(row["available"] == [2] for _, row in system.history())
    assert "no arm 'west'; the 3 arms are" in refusal(capsys, "ask", "--without", "west")
    assert "no arm is available" in refusal(capsys, "ask", *without, "028468", "--t", "9")
    call(capsys, "queries", "--t", "10")
    line = refusal(capsys, "tell-expert", "--t", "10", "north", "0.1", "north", "0.2")
    assert "round 10: answers about north, north; expected each arm once" in line


def test_diagnose_and_plot(folder, capsys):
    rng = np.random.default_rng(0)
    with Live.load("state.db") as live:
        for t in range(1, 41):
            arm = int(rng.integers(3))
            live.tell(t, arm, (arm == (0 if t < 21 else 2)) + 0.1 * rng.normal())
    lines = call(capsys, "diagnose")
    assert lines[0] == "40 rewards; a jump: f is new from round 21 on"
    assert lines[-1] == "methods: docs/which_method.md, the row: rare jumps"
    assert re.fullmatch(
        r"a reading before the choice of round 41 gains [\d.e-]+ on average, of arm \w+: ask first .*",
        lines[-2],
    )
    assert call(capsys, "plot", "belief.png") == ["wrote belief.png"]
    assert (folder / "belief.png").stat().st_size > 5000


def test_rewards_taken_back_hinder_no_diagnosis(folder, capsys):
    with Live.load("state.db") as live:
        for t in range(1, 21):
            live.tell(t, t % 3, 0.1 * (t % 3))
        live.tell(30, 0, 99.0, noise_variances=5.0)
        live.take_back(30)
    assert call(capsys, "diagnose")[0].startswith("20 rewards; ")


def test_history_has_a_row_for_queries_without_arms(folder, capsys):
    call(capsys, "ask")
    capsys.readouterr()
    assert main(["live", "queries", "state.db"]) == 0
    out, err = capsys.readouterr()
    assert not out and err == "round 1: no queries\n"
    assert call(capsys, "history")[-1].startswith("1,queries,,")


@pytest.mark.parametrize(
    ("given", "noise", "why"),
    [
        ({}, 1.0, "rewards have noise variances of their own"),
        ({"parameters": "learn"}, None, "the policy learns its kernel"),
        ({"log_scale": (0.5, -9.0)}, None, "the policy learns logarithms"),
    ],
)
def test_a_diagnosis_that_would_mislead_is_refused(folder, capsys, given, noise, why):
    """A function that stands still was a drift by hundreds of nats."""
    policy = "tv_gp_ucb" if "log_scale" not in given else "pandora_gp_ucb"
    kernel = kernels.make("se", length_scale=2.0)
    with Live(policy, arms=np.arange(3.0)[:, None], kernel=kernel, noise_variance=0.01, **given) as live:
        for t in range(1, 21):
            live.tell(t, t % 3, 0.1 * (t % 3), noise)
        live.save("other.db")
    with pytest.raises(SystemExit, match="1"):
        main(["live", "diagnose", "other.db"])
    assert f"diagnose: {why}, but it compares" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("tell", "north"), "1 words, expected arms and numbers in turn"),
        (("tell", "--t", "1", "west", "0.5"), "no arm 'west'; the 3 arms are north, south, 028468, ..."),
        (("tell", "--t", "1", "north", "high"), "'high' is not a finite number"),
        (("tell", "--t", "1", "north", "nan"), "'nan' is not a finite number"),
        (("tell", "--t", "1", "north", "-81,2"), "'-81,2' is not a finite number"),
        (("tell", "north", "0.5"), "no round yet; give --t, or ask first"),
        (("ask", "--t", "0"), "round 0"),
        # a retry after another worker's `ask` would be of the next round, and count again
        (("tell", "north", "0.5", "--key", "K"), "--key needs --t"),
        (("plot", "picture"), "picture: expected a name that ends with .png, .pdf, .svg"),
        (("take-back", "--t", "3"), "round 3: there are no calls to take back"),
        (("diagnose",), "0 rewards, expected 10 or more"),
        (("init", "--arms", "arms.csv", "--length-scale", "2", "--noise-variance", "1"), "exists already"),
        (("init", "--arms", "none.csv", "--length-scale", "2", "--noise-variance", "1"), "none.csv"),
        (
            ("init", "--arms", "arms.csv", "--length-scale", "2", "--noise-variance", "1", "--set", "seed=3"),
            "policy tv_gp_ucb has no parameter 'seed'; it has: c1, c2, delta, engine, epsilon",
        ),
    ],
)
def test_wrong_calls_are_refused_in_one_line(folder, capsys, words, message):
    assert message in refusal(capsys, *words)


def test_small_negative_rewards_are_no_options(folder, capsys):
    (name,) = call(capsys, "ask")
    call(capsys, "tell", name, "-1e-3")
    assert Live.load("state.db").rewards()[2].tolist() == [-0.001]


@pytest.mark.parametrize(
    ("text", "arms"),
    [
        ("0,1\n2,3\n", [[0, 1], [2, 3]]),
        ("x,y\n0,1\n", [[0, 1]]),
        ("a,0\nb,1\n", [[0], [1]]),
        ("028468,0\nb,1\n", [[0], [1]]),
        ('"room 3; 2nd floor",0\n"room 4; 2nd floor",1\n', [[0], [1]]),
        ("\ufeff1\n2\n", [[1], [2]]),  # as Excel begins a file
    ],
)
def test_tables_of_arms(folder, text, arms):
    (folder / "more.csv").write_text(text)
    start("gp_ucb", arms="more.csv", file="more.db")
    np.testing.assert_array_equal(Live.load("more.db").arms, arms)


@pytest.mark.parametrize("name", ["", '"a\nb"', '" "'])
def test_names_of_arms_are_lines_of_text(folder, capsys, name):
    (folder / "more.csv").write_text(f"c,0\n{name},1\n")
    with pytest.raises(SystemExit, match="1"):
        start("gp_ucb", arms="more.csv", file="more.db")
    assert re.search("more.csv: arm 2 is named .*; expected one line of text", capsys.readouterr().err)
    (folder / "more.csv").write_text("c,0\n b ,1\n")
    start("gp_ucb", arms="more.csv", file="more.db")
    assert list(Live.load("more.db").names) == ["c", "b"]


@pytest.mark.parametrize("text", ["a;0,5\nb;1,5\n", "name;x\na;0\nb;1\n", "a\t0,5\nb\t1,5\n"])
def test_arms_separated_by_other_than_commas_are_refused(folder, capsys, text):
    (folder / "more.csv").write_text(text)
    with pytest.raises(SystemExit, match="1"):
        start("gp_ucb", arms="more.csv", file="more.db")
    assert "more.csv: separated by semicolons or tabs; expected commas" in capsys.readouterr().err


def test_arms_after_a_quotation_mark_are_refused(folder, capsys):
    """Which makes one field of all that follows."""
    (folder / "more.csv").write_text('"a,0\n' + "b,1\n" * 40000)
    with pytest.raises(SystemExit, match="1"):
        start("gp_ucb", arms="more.csv", file="more.db")
    assert "more.csv: field larger than field limit (131072); is a quotation" in capsys.readouterr().err


def test_arms_in_another_encoding_are_refused(folder, capsys):
    (folder / "more.csv").write_bytes("café,0\nb,1\n".encode("latin-1"))
    with pytest.raises(SystemExit, match="1"):
        start("gp_ucb", arms="more.csv", file="more.db")
    assert (
        capsys.readouterr()
        .err.splitlines()[-1]
        .endswith("more.csv: not UTF-8; save the table as UTF-8 (in a spreadsheet: CSV UTF-8)")
    )


def test_init_says_what_it_took_for_coordinates(folder, capsys):
    """Numbers are names in a column that is called so."""
    without, by = "3 coordinates, called 0 to 1 in their order", "2 coordinates, by name"
    for header, words in (("height", without), ("Station", by), ("sensor_id", by), ("site x", without)):
        (folder / "more.csv").write_text(f"{header},x,y\n1001,0,1\n1002,2,3\n")
        start("gp_ucb", "--set", "delta=.1", arms="more.csv", file=f"{header}.db")
        assert f"over 2 arms of {words}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "value"), [("a=[.1,-.25,1.5]", [0.1, -0.25, 1.5]), ("a=.5", 0.5), ("a=b.5", "b.5")]
)
def test_numbers_may_begin_with_a_point(text, value):
    assert parameter(text) == ("a", value)


def test_names_of_arms_are_drawn_as_they_are(folder, capsys):
    """Not as formulae."""
    (folder / "more.csv").write_text("$5 or $6,0\nno ${$1,2\n")
    (folder / "state.db").unlink()
    start("gp_ucb", arms="more.csv")
    assert call(capsys, "plot", "belief.pdf") == ["wrote belief.pdf"]


def test_parameters_are_set_together_or_one_by_one(folder):
    start("tv_gp_ucb", "--set", "epsilon=.2", "--set", "width=2", "delta=.1", file="other.db")
    learnt = ("--set", "width=2", "--set", "parameters=learn")
    start("tv_gp_ucb", *learnt, file="learning.db")
    definitions = [Log.open(folder / name).definition for name in ("other.db", "learning.db")]
    assert [each["parameters"] for each in definitions] == [
        {"epsilon": 0.2, "width": 2, "delta": 0.1},
        {"width": 2, "parameters": "learn"},
    ]


def test_a_file_of_the_first_format_is_read_only(folder, capsys):
    """What would be added is lost with the process."""
    whole = Log.open(folder / "state.db").definition
    del whole["names"], whole["format"]
    whole["rounds"] = {}
    digest = hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()
    text = json.dumps({"format": "tvgp live 1", "sha256": digest, **whole})
    (folder / "state.db").write_text(text)
    for words in (("ask",), ("tell", "1", "0.5"), ("queries",), ("take-back", "--t", "1")):
        assert "state.db: of the first format, to which no calls are added" in refusal(capsys, *words)
    assert call(capsys, "history") == ["t,call,arm,value,noise_variance,key"]
    assert call(capsys, "recommend")[0].split()[0] in "012"
    assert (folder / "state.db").read_text() == text
