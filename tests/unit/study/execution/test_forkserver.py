"""Jobs in forks of the fork server: streams, exit codes, ends; and without a server."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tvgp.study.execution import forkserver

START = (
    "import os\nfrom tvgp.study.execution import forkserver\nbefore = os.getpid()\nforkserver.hand_over()\n"
)
REPORT = "import sys\nprint(os.getcwd(), *sys.argv[1:], os.environ['OWN'], sys.stdin.read())\n"


@pytest.fixture(scope="module")
def found():
    """The environment of jobs, when the server is ready."""
    with forkserver.running(dict(os.environ) | {"OWN": "the server's"}) as environment:
        address = environment[forkserver.ADDRESS].rpartition(":")[2]
        until = time.monotonic() + 120
        while not os.path.exists(address):
            assert time.monotonic() < until, "the fork server does not start"
            time.sleep(0.05)
        yield environment


@pytest.fixture
def job(tmp_path):
    """A function that starts a script in a folder of its own."""

    def start(script, environment, python=sys.executable):
        (tmp_path / "script.py").write_text(START + script)
        environment = environment | {"OWN": "the job's"}
        command = [python, "script.py", "argument"]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return subprocess.Popen(command, cwd=tmp_path, env=environment, text=True, **pipes)

    return start


@pytest.mark.skipif(sys.platform != "linux", reason="the server runs on Linux, whose /proc the test reads")
def test_a_server_imports_when_a_job_is_there(job, tmp_path):
    """Also without optuna, numba and zarr, of extras: a server that cannot import would stop every study."""
    address = str(tmp_path / "socket")
    script = (
        "import sys; sys.modules.update(dict.fromkeys(['optuna', 'numba', 'zarr']));"
        " from tvgp.study.execution import forkserver; forkserver.main(sys.argv[1])"
    )
    command = [sys.executable, "-c", script, address]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as server:

        def has_imported():
            with open(f"/proc/{server.pid}/maps") as maps:
                return "numpy" in maps.read()

        until = time.monotonic() + 120
        while not os.path.exists(address):
            assert time.monotonic() < until, "the fork server does not start"
            time.sleep(0.05)
        assert not has_imported()
        environment = dict(os.environ) | {forkserver.ADDRESS: f"{forkserver.PYTHON}:{address}"}
        assert job("print(os.getppid())", environment).communicate("")[0] == f"{server.pid}\n"
        assert has_imported()
        server.stdin.close()


def test_a_fork_inherits_what_its_job_was_started_with(job, found, tmp_path):
    with job("print('forked', os.getppid() != before)\n" + REPORT, found) as process:
        out, err = process.communicate("input")
    assert (out, err) == (f"forked True\n{tmp_path} argument the job's input\n", "")
    assert process.returncode == 0


def test_python_by_another_path_is_the_same_python(job, found, tmp_path):
    (tmp_path / "linked").symlink_to(sys.prefix)
    python = tmp_path / "linked" / os.path.relpath(sys.executable, sys.prefix)
    with job("print(os.getpid())\n", found, python) as process:
        assert int(process.communicate()[0]) != process.pid


@pytest.mark.parametrize(
    ("script", "code", "text"),
    [
        ("sys.exit(3)", 3, ""),
        ("sys.exit()", 0, ""),
        ("raise LookupError('a bug')", 1, "LookupError: a bug"),
        ("import os; os.kill(os.getpid(), 9)", 128 + 9, "ended by SIGKILL"),
        ("import os; os.abort()", 128 + 6, "ended by SIGABRT"),
    ],
)
def test_a_job_ends_as_its_fork_does(job, found, script, code, text):
    with job(f"import sys\n{script}\n", found) as process:
        assert text in process.communicate()[1]
    assert process.returncode == code


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_fork_ends_with_its_job(job, found, number):
    with job("import time\nprint(os.getpid(), flush=True)\ntime.sleep(600)\n", found) as process:
        fork = int(process.stdout.readline())
        assert fork != process.pid
        process.send_signal(number)
        assert process.stdout.read() == ""  # ends when the fork has closed its end
    with pytest.raises(ProcessLookupError):
        while True:
            os.kill(fork, 0)  # gone as soon as the server has noticed
            time.sleep(0.01)


def test_a_server_that_ends_leaves_its_forks(job, found):
    """The last test that needs the server."""
    script = (
        "import os, signal, time\nserver = os.getppid()\nos.kill(server, signal.SIGTERM)\n"
        "while os.getppid() == server:\n    time.sleep(0.01)\nprint('alone')\n"
    )
    with job(script, found) as process:
        assert process.communicate()[0] == "alone\n"
    assert process.returncode == 0


@pytest.mark.parametrize("address", [f"{forkserver.PYTHON}:/nowhere", "/another/python:/nowhere", ""])
def test_without_a_server_a_job_runs_its_script_itself(job, tmp_path, address):
    environment = dict(os.environ) | {forkserver.ADDRESS: address}
    with job("print(os.getpid() == before)\n" + REPORT, environment) as process:
        out, _ = process.communicate("input")
    assert out == f"True\n{tmp_path} argument the job's input\n"
