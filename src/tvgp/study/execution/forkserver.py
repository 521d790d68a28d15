"""Jobs as forks of one process that has imported everything: a job spends half a second or more on imports.

`tvgp run` keeps such a process while it runs (`running`). A job's script starts with `hand_over`: a fork
then runs the script, with the job's own streams, folder and environment, while the job's process waits for
its exit code. When that process ends, so does the fork. Where there is no such process, or it is on another
machine, `hand_over` returns and the job runs its script itself.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import tvgp

ADDRESS = "TVGP_FORKSERVER"  # in the environment: where it listens
_SIGNALS = 128  # exit codes above are of processes that a signal ended, as the shell has it
# by real paths, whatever the path to it: its folder, which may be a virtual environment's, and the program
PYTHON = " ".join(map(os.path.realpath, (os.path.dirname(sys.executable), sys.executable)))


def hand_over() -> None:
    """Have the fork server run this process's script and exit as it does; return where there is none."""
    python, _, address = os.environ.pop(ADDRESS, "").rpartition(":")
    if python != PYTHON:
        return
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.connect(address)
        except OSError:
            return
        socket.send_fds(server, [b"\0"], [0, 1, 2])
        server.sendall(json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode() + b"\n")
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the fork has it too, and says so
        code = server.recv(1)
    if code and code[0] > _SIGNALS:
        sys.stderr.write(f"The job's process was ended by {signal.Signals(code[0] - _SIGNALS).name}\n")
        sys.stderr.flush()
    os._exit(code[0] if code else 1)


@contextmanager
def running(environment: dict[str, str]) -> Iterator[dict[str, str]]:
    """Keep a fork server, on Linux; the environment with which jobs find it."""
    if sys.platform != "linux":  # macOS has libraries that do not work in forks
        yield environment
        return
    with tempfile.TemporaryDirectory() as folder:
        address = str(Path(folder, "socket"))
        command = [sys.executable, "-m", "tvgp.study.execution.forkserver", address]
        quiet = subprocess.DEVNULL  # a module that cannot be imported is reported by the jobs that need it
        with subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet
        ) as server:
            try:
                yield environment | {ADDRESS: f"{PYTHON}:{address}"}
            finally:
                server.terminate()


def main(address: str) -> None:
    """Fork a process for each job, until standard input ends because the process that started this did.

    It imports when the first job connects: where everything is up to date, none does.
    """
    jobs: dict[int, socket.socket] = {}  # by process

    def reap(number: int, frame: object) -> None:
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                _tell(jobs.pop(ended[0]), os.waitstatus_to_exitcode(ended[1]))

    signal.signal(signal.SIGINT, lambda number, frame: None)  # Ctrl-C is for the jobs
    signal.signal(signal.SIGCHLD, reap)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            _import()
            connection, _ = listener.accept()
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])  # until the process is known
            if (process := os.fork()) == 0:
                for each in (listener, *jobs.values()):
                    each.close()
                signal.signal(signal.SIGINT, signal.default_int_handler)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
                _run(connection)
            jobs[process] = connection
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


@cache
def _import() -> None:
    """Everything that jobs import."""
    for module in pkgutil.walk_packages(tvgp.__path__, "tvgp."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):  # of an extra that is missing: a job that needs it says so
                importlib.import_module(module.name)
    for name in ("matplotlib.backends.backend_agg", "matplotlib.backends.backend_pdf", "scipy.stats"):
        importlib.import_module(name)  # which modules import when they are needed
    gc.freeze()  # a collection in a fork would go through, and so copy, all that forks share


def _tell(job: socket.socket, code: int) -> None:
    """End the connection to a job's process; which signal ended its fork, the fork could not say itself."""
    with job, suppress(OSError):
        if code < 0:
            job.sendall(bytes([_SIGNALS - code]))


def _run(connection: socket.socket) -> None:
    """Be the job at the other end of a connection; does not return."""

    def end_with_job() -> None:
        connection.recv(1)
        os._exit(1)

    code = 1
    try:
        _, streams, _, _ = socket.recv_fds(connection, 1, 3)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        with connection.makefile("rb") as request:
            sys.argv, folder, environment = json.loads(request.readline())
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        threading.Thread(target=end_with_job, daemon=True).start()
        runpy.run_path(sys.argv[0], run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    with suppress(OSError):
        connection.sendall(bytes([code]))
    os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1])
