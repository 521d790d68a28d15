"""`tvgp run` around a stub of Snakemake: exit codes, signals, what is shown and what is kept."""

import io
import os
import signal
import subprocess
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest

from tvgp.study.command import checkout, main, plan
from tvgp.study.config import jobs
from tvgp.study.execution import files, processor, provenance

CALL = "import sys; from tvgp.study.command import main; sys.exit(main(sys.argv[1:]))"
STUB = """
import os, signal, sys, time
from pathlib import Path
Path("arguments").write_text(" ".join(sys.argv[1:]))
say = lambda text: print(text, file=sys.stderr, flush=True)
lock = Path(".snakemake/locks/0.input.lock")
if "--unlock" in sys.argv:
    lock.unlink()
    sys.exit()
if lock.exists():
    say("LockException: it can be removed with the --unlock argument.")
    sys.exit(1)
say("Building DAG of jobs...")
say("Job stats:\\njob  count\\ntotal  2\\n")
say("Job 1: Running a")
say("1 of 2 steps (50%) done")
def ended(number, frame):
    say(f"WorkflowError: signal {number}")
    sys.exit(5)
signal.signal(signal.SIGTERM, ended)
if Path("wait").exists():
    try:
        while not Path("more").exists():
            time.sleep(0.05)
        say("another line")
        time.sleep(60)
    except KeyboardInterrupt:
        say("KeyboardInterrupt came once")
        time.sleep(0.3)
        sys.exit(1)
if Path("die").exists():
    os.kill(os.getpid(), signal.SIGKILL)
if Path("fail").exists():
    say("ERROR: no such thing")
    sys.exit(3)
say("2 of 2 steps (100%) done")
"""

CLI = """
import argparse
def parse_args(arguments):
    return None, argparse.Namespace()
def args_to_api(given, parser):
    import snakemake.played
    return True
"""


@pytest.fixture
def folder(tmp_path, project) -> Path:
    """A checkout whose Snakemake is a stub."""
    (tmp_path / "snakemake").mkdir()
    stub = {"__init__": "", "cli": CLI, "exceptions": "print_exception = None", "played": STUB}
    for module, text in stub.items():
        (tmp_path / "snakemake" / f"{module}.py").write_text(text)
    (tmp_path / "workflow").mkdir()
    (tmp_path / "workflow" / "unlimited.py").symlink_to(project / "workflow" / "unlimited.py")
    (tmp_path / "Snakefile").touch()
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "default.yaml").write_text(
        "{scale: paper, results: results/paper, resources: resources/paper, selection: {}}\n"
    )
    (tmp_path / "config" / "quick.yaml").write_text("{results: results/quick, resources: resources/quick}\n")
    return tmp_path


@cache
def pinned() -> dict[str, str]:
    """The variables of a processor that has been tried, which takes a second."""
    environment = dict(os.environ)
    processor.pin(environment)
    return environment


@pytest.fixture
def run(folder, monkeypatch, capfd):
    """The command, called in the checkout: exit code and the lines of stdout and stderr."""
    for name, value in (pinned() | {"PYTHONPATH": str(folder)}).items():
        monkeypatch.setenv(name, value)

    def call(*arguments: str, at: Path = folder) -> tuple[int, list[str], list[str]]:
        monkeypatch.chdir(at)
        try:
            code = main(arguments)
        except SystemExit as end:
            code = end.code
        out, err = capfd.readouterr()
        return code, out.splitlines(), err.splitlines()

    return call


def start(folder: Path) -> subprocess.Popen:
    """`tvgp run` as a process, once its Snakemake waits."""
    (folder / "wait").touch()
    source = Path(__file__).parents[4] / "src"
    process = subprocess.Popen(
        [sys.executable, "-c", CALL, "run"],
        cwd=folder,
        env=pinned() | {"PYTHONPATH": f"{source}{os.pathsep}{folder}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while process.stderr.readline() != "1 of 2 steps (50 %), 10 s left\n":
        assert process.poll() is None
    return process


def test_a_run_shows_progress_and_names_report_and_log(folder, run):
    code, out, err = run("run", "--cores", "3")
    assert code == 0 and out == [f"Report: {folder}/results/quick/report.html"]
    (log,) = (folder / "results" / "quick" / "logs").iterdir()
    assert err[-2:] == ["2 of 2 steps (100 %)", f"Log: {log}"]
    assert err[0].startswith("paper: nothing selected, all 0 jobs are done")
    assert all("of 2 steps" in line for line in err[1:-1])  # one or two, as they come
    assert "Building DAG" in log.read_text() and "1 of 2 steps" in log.read_text()
    assert (folder / "arguments").read_text() == (
        f"--cores 3 --config repair=1 overlay={folder}/config/quick.yaml"
    )


def test_the_machines_that_a_study_ran_on_are_noted_once_each(folder, run):
    noted = folder / "results" / "quick" / processor.MACHINES
    files.write_object(noted, {"machines": ["another"]})
    run("run")
    run("run")
    assert files.read_object(noted)["machines"] == ["another", processor.model()]


def test_the_papers_scale_has_no_overlay(folder, run):
    assert run("run", "paper", "--cores", "1")[0] == 0
    assert (folder / "arguments").read_text() == "--cores 1 --config repair=1"


def test_verbose_shows_snakemakes_own_output(folder, run):
    code, out, err = run("run", "-v")
    assert code == 0 and err[1] == "Building DAG of jobs..." and len(err) == 9
    assert not (folder / "results" / "quick" / "logs").exists()


@pytest.mark.parametrize("verbose", [[], ["-v"]])
def test_errors_are_shown_and_the_exit_code_is_kept(folder, run, verbose):
    (folder / "fail").touch()
    code, out, err = run("run", *verbose)
    assert code == 3 and not out and "ERROR: no such thing" in err
    assert verbose or err[-1].startswith(f"Failed (exit code 3). Log: {folder}/results/quick/logs/snakemake-")


def test_a_killed_snakemake_is_a_failure(folder, run):
    (folder / "die").touch()
    assert run("run")[0] == 137


def interrupted(folder: Path, number: int, group: bool) -> tuple[int, str]:
    """Send a signal to the command alone or, as a terminal does, to its group."""
    process = start(folder)
    (os.killpg if group else os.kill)(process.pid, number)
    return process.wait(), process.stderr.read()


def test_ctrl_c_reaches_snakemake_once_and_is_one_line(folder):
    """Its end is awaited; what it says meanwhile is in the log."""
    code, err = interrupted(folder, signal.SIGINT, group=True)
    (log,) = (folder / "results" / "quick" / "logs").iterdir()
    assert (code, err) == (130, f"Interrupted; the same command resumes. Log: {log}\n")
    assert "KeyboardInterrupt came once" in log.read_text()


def test_ctrl_c_outside_a_run_is_one_line(monkeypatch, capsys):
    def interrupted(name):
        raise KeyboardInterrupt

    monkeypatch.setattr("tvgp.study.command.checkout.study", interrupted)
    assert main(["run"]) == 130 and capsys.readouterr() == ("", "Interrupted\n")


def test_a_closed_pipe_ends_snakemake(folder):
    process = start(folder)
    process.stderr.close()
    process.stdout.close()
    (folder / "more").touch()
    assert process.wait() == 141
    (log,) = (folder / "results" / "quick" / "logs").iterdir()
    assert log.read_text().endswith("WorkflowError: signal 15\n")


def test_the_lock_of_a_killed_run_is_removed_only_if_asked(folder, run):
    lock = folder / ".snakemake" / "locks" / "0.input.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    code, _, err = run("run")
    assert code == 1 and lock.exists() and err[-1].endswith("is going on there: tvgp run quick --unlock")
    code, _, _ = run("run", "--unlock")
    assert code == 0 and not lock.exists()


def test_a_termination_of_the_command_is_passed_on(folder):
    code, err = interrupted(folder, signal.SIGTERM, group=False)
    assert code == 5 and "WorkflowError: signal 15" in err


def test_stand_ins_that_the_study_uses_are_named(folder, run):
    (folder / "config" / "fields.yaml").write_text(
        "results: results/fields\nresources: resources/fields\nselection: {experiments: [lab, ozone]}\n"
        "experiments: {ozone: {dataset: ozone}, lab: {dataset: lab}}\n"
        "datasets: {ozone: {loader: ozone}, lab: {loader: lab}}\n"
    )
    for name, source in (("ozone", "real"), ("lab", "standin"), ("of_another_study", "standin")):
        path = folder / "resources" / "fields" / name / "raw.json"
        path.parent.mkdir(parents=True)
        files.write_object(path, {"source": source})
    _, out, _ = run("run", "fields")
    assert out[0].startswith("Stand-in data, and marked as such: lab. For real data: drop files into")
    (folder / "Makefile").touch()
    assert "For real data: make data, or drop files" in run("run", "fields")[1][0]


def test_the_answer_on_data_of_ones_own_is_printed(folder, run):
    (folder / "config" / "mine.yaml").write_text(
        "results: results/mine\nselection: {experiments: [mine]}\n"
        "experiments: {mine: {dataset: mine, round_label: day}}\ndatasets: {mine: {loader: table}}\n"
    )
    table = folder / "results" / "mine" / "tables" / "answer.csv"
    table.parent.mkdir(parents=True)
    columns = "experiment,question,name,label,setting,value,low,high,units,verdict,sample"
    rows = [f"mine,{question},gp_ucb,GP-UCB,,2,1,3,ppb,least," for question in ("advice", "method")]
    table.write_text("\n".join([columns, *rows, ""]))
    _, out, _ = run("run", "mine")
    assert out[0] == "What to do: Use GP-UCB: one reading per day."
    assert out[1].startswith("What to expect: A regret of 2 ppb [1, 3] per day with one reading: the gap")
    assert out[-2:] == [
        f"Take it live: {folder}/results/mine/live/mine/ starts it; the report has the lines.",
        f"Report: {folder}/results/mine/report.html",
    ]


def test_an_unknown_study_is_refused_in_one_line(run):
    code, out, err = run("run", "quik")
    assert code == 1 and err == [
        "ERROR: no study 'quik' (did you mean quick?); known: paper, quick;"
        " or give the path of an overlay file"
    ]
    assert "(did you mean quick?)" in run("run", "quick.yaml")[2][0]


def test_a_checkout_path_with_braces_is_refused_in_one_line(folder, run):
    moved = folder.rename(folder.with_name("{a}"))
    code, out, err = run("run", at=moved)
    assert (code, out) == (1, []) and len(err) == 1 and err[0].startswith(f"ERROR: {moved}: Snakemake takes")


def test_an_overlay_elsewhere_is_a_study(folder, run):
    (folder / "mine").mkdir()
    (folder / "mine" / "own.yaml").write_text("{results: results/own, selection: {analyses: [a]}}\n")
    code, out, _ = run("run", "mine/own.yaml")
    assert code == 0 and out == [f"Report: {folder}/results/own/report.html"]


def test_a_folder_that_is_no_checkout_holds_results_and_overlays(project, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "own.yaml").write_text("{results: results/own, selection: {analyses: [a]}}\n")
    quick, own = checkout.study("quick"), checkout.study("own")
    assert (quick.root, quick.source) == (own.root, own.source) == (tmp_path, project)
    assert quick.overlays == (project / "config" / "quick.yaml",)
    assert own.results == tmp_path / "results" / "own"
    (tmp_path / "config" / "own.yaml").write_text("policies: {}\n")
    with pytest.raises(ValueError, match="^own: alone it would play"):
        checkout.study("own")


@pytest.mark.parametrize("text", ["policies: {}", "{results: results/own}", "selection: {analyses: [a]}"])
def test_a_file_alone_does_not_start_the_papers_study(folder, run, text):
    (folder / "mine.yaml").write_text(text)
    code, _, err = run("run", "mine.yaml")
    assert code == 1 and err[0].startswith("ERROR: mine.yaml: alone it would play")
    assert not (folder / "arguments").exists()
    for base, overlays in (("paper", []), ("quick", [folder / "config" / "quick.yaml"])):
        assert checkout.study(base, "mine.yaml").overlays == (*overlays, folder / "mine.yaml")


def test_several_overlays_are_given_to_snakemake_in_their_order(folder, run):
    (folder / "mine.yaml").write_text("policies: {}")
    assert run("run", "paper", "mine.yaml", "--cores", "1")[0] == 0
    assert (folder / "arguments").read_text() == f"--cores 1 --config repair=1 overlay={folder}/mine.yaml"
    assert run("run", "quick", "mine.yaml", "--cores", "1")[0] == 0
    paths = f'["{folder}/config/quick.yaml", "{folder}/mine.yaml"]'
    assert (folder / "arguments").read_text() == f"--cores 1 --config repair=1 overlay={paths}"


def test_no_core_is_refused(run):
    code, _, err = run("run", "--cores", "0")
    assert code == 1 and err == ["ERROR: --cores 0: expected 1 or more"]


@pytest.mark.parametrize("seconds", [601.0, None])
@pytest.mark.parametrize(
    ("said", "arguments", "started"),
    [("y\n", (), True), ("\n", (), False), ("", (), False), ("", ("--yes",), True)],
)
def test_a_long_study_asks_on_a_terminal(folder, run, monkeypatch, said, arguments, started, seconds):
    monkeypatch.setattr(plan.Plan, "of", lambda study, cores: plan.Plan(1, 1, 2, 2, seconds))
    assert run("run", "--cores", "1")[0] == 0  # off a terminal
    (folder / "arguments").unlink()
    terminal = io.StringIO(said)
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stdin", terminal)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    code, _, err = run("run", "--cores", "1", *arguments)
    assert (code == 0) == started == (folder / "arguments").exists()
    assert ("Start? [y/N]" in "".join(err)) == (not arguments)


@pytest.mark.parametrize(
    "faulty",
    ["{}", "{experiments: {a: {seeds: 1, alphas: ['1'], horizon: 1}}, policies: {p: {}}, seeds_per_job: 0}"],
)
def test_a_faulty_configuration_is_left_to_the_workflow(folder, run, faulty):
    (folder / "config" / "bad.yaml").write_text("{results: results/bad, selection: {experiments: [a]}}\n")
    (folder / "mine.yaml").write_text(faulty)
    assert run("run", "bad", "mine.yaml")[0] == 0


@pytest.mark.parametrize("command", ["run", "report", "verify"])
@pytest.mark.parametrize("key", ["results", "resources"])
def test_a_folder_that_is_no_text_is_refused_in_one_line(folder, run, command, key):
    (folder / "mine.yaml").write_text(f"{key}: [a]")
    code, _, err = run(command, "quick", "mine.yaml")
    assert code == 1 and err == [f"ERROR: config: {key}: ['a'] is not a folder; expected such as {key}/own"]


def test_the_bare_command_lists_its_commands(run):
    assert any(line.split()[:1] == ["add-data"] for line in run()[1])
    assert run("--version")[1] == [f"tvgp {version('tvgp')}"]


@pytest.mark.parametrize("command", ["report", "verify"])
def test_an_archive_that_is_not_there(run, command):
    code, _, err = run(command, "quick.zip")
    assert code == 1 and err[0].startswith("ERROR: quick.zip: no such file; tvgp archive writes to results/")


def test_a_report_is_written_if_only_results_are_there(folder, run):
    code, out, err = run("report")
    assert code == 1 and err == [f"ERROR: {folder}/results/quick: no results yet; run: tvgp run quick"]
    (folder / "results" / "quick" / "collected").mkdir(parents=True)
    code, out, err = run("report")
    assert code == 0 and out == [f"{folder}/results/quick/report.html"]
    assert (folder / "arguments").read_text().endswith("quick.yaml -- results/quick/report.html")
    (folder / "results" / "quick" / "report.html").touch()
    (folder / "arguments").unlink()
    code, out, err = run("report")
    assert (code, len(out), err) == (0, 1, []) and not (folder / "arguments").exists()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ("", ""),
        ("data/raw/a/a.csv", "the data have"),
        ("results/quick/tables/regret.csv", "the results have"),
        ("config/quick.yaml", "the data or settings have"),
    ],
)
def test_a_page_older_than_its_data_or_settings_is_said_to_be(folder, run, monkeypatch, changed, said):
    monkeypatch.chdir(folder)
    results, manifest = Path("results/quick"), Path("resources/quick/a/raw.json")
    for path in ("data/raw/a/a.csv", results / "report.html", results / "tables/regret.csv"):
        files.write_text(path, "1\n")
    raw = {"path": "data/raw/a/a.csv", "sha256": files.digest("data/raw/a/a.csv")}
    files.write_object(manifest, {"files": [raw]})
    made = provenance.recipe({"config": jobs.of_results(checkout.study("quick").config)}, "code")
    inputs = [manifest, results / "tables/regret.csv"]
    provenance.record(results / "records/report.json", made, inputs, [results / "report.html"])
    if changed:
        text = Path(changed).read_text()
        Path(changed).write_text(text.replace("{", "{scale: other, ", 1).rstrip("\n"))
    code, out, err = run("report")
    line = f"Old page: {said} changed since it was written; to play anew run: tvgp run quick"
    assert (code, out, err) == (0, [f"{folder}/results/quick/report.html"], [line] if said else [])
