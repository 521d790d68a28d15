"""How a shell completes `tvgp`."""

import os
import subprocess
import sys

import pytest


def completed(line, folder):
    """What argcomplete answers to a shell for this line."""
    answer = folder / "answer"
    told = {
        "_ARGCOMPLETE": "1",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "_ARGCOMPLETE_SHELL": "bash",
    }
    told |= {"_ARGCOMPLETE_STDOUT_FILENAME": str(answer), "_ARGCOMPLETE_IFS": "\n"}
    command = "from tvgp.study.command import main; main([])"
    subprocess.run([sys.executable, "-c", command], cwd=folder, env=os.environ | told, capture_output=True)
    return set(answer.read_text().split())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tvgp ver", {"verify"}),
        ("tvgp run smo", {"smoke"}),
        ("tvgp run smoke mi", {"mine.yaml"}),
        ("tvgp explain w_sparq", {"w_sparq_gp_ucb"}),
        ("tvgp list ker", {"kernels"}),
        ("tvgp add-data --time-z", {"--time-zone"}),
    ],
)
def test_names_are_completed(tmp_path, line, words):
    pytest.importorskip("argcomplete")
    (tmp_path / "mine.yaml").touch()
    assert completed(line, tmp_path) == words
