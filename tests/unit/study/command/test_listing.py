"""`tvgp list`, and what the command needs."""

import subprocess
import sys

import pytest

from tvgp import environments, kernels, policies
from tvgp.study.command import KINDS, listing, main

WITHOUT_EXTRA = """
import sys
for name in ("yaml", "xarray", "netCDF4", "pandas", "matplotlib", "requests", "pooch", "snakemake"):
    sys.modules[name] = None
from tvgp.study.command import main
sys.exit(main(sys.argv[1:]))
"""


def test_everything_is_listed_with_a_line_of_its_own(capsys, definitions):
    names = {
        "policies": policies.names(),
        "kernels": kernels.names(),
        "environments": environments.names(),
        "experiments": list(definitions["experiments"]),
        "datasets": list(definitions["datasets"]),
    }
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == sum(map(len, names.values())) + 2 * len(KINDS)
    for listed in names.values():
        for name in listed:
            assert any(len(line.split()) > 2 and line.split()[0] == name for line in lines), name
    assert not any(line.endswith("...") for line in lines)


def test_a_terminal_has_lines_that_fit(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert main(["list", "policies"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= listing.WIDTH and any(line.endswith(" ...") for line in lines)


@pytest.mark.parametrize("kind", KINDS)
def test_the_texts_tell_the_entries_apart(kind):
    texts = listing.entries(kind)
    assert all(len(text) > 10 for text in texts.values())
    if kind in ("policies", "kernels", "environments"):
        assert len(set(texts.values())) == len(texts)


def test_an_unknown_kind_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["list", "polices"])
    assert "known: experiments, policies, datasets" in capsys.readouterr().err


def run(*arguments, before=""):
    code = before + WITHOUT_EXTRA
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)


def test_the_library_parts_need_no_extra():
    done = run("list")
    assert done.returncode == 0, done.stderr
    assert "W-SparQ-GP-UCB (Mauduit25b" in done.stdout and "matern52" in done.stdout
    assert done.stdout.count("need the extra `study`") == 2
    done = run("explain", "w_sparq_gp_ucb")
    assert done.returncode == 0 and "alpha_tilde = 0.25" in done.stdout


def test_the_doctor_needs_no_extra():
    hidden = """
from importlib import metadata
every = metadata.distributions
metadata.distributions = lambda: [each for each in every() if each.metadata["Name"] != "PyYAML"]
"""
    done = run("doctor", "--offline", before=hidden)
    assert done.returncode == 1 and not done.stderr
    assert "FIX   packages: missing: pyyaml; run make study, or pip install" in done.stdout
    assert "disk: " in done.stdout and "data ozone" not in done.stdout


@pytest.mark.parametrize("arguments", [("run",), ("report",), ("list", "datasets")])
def test_the_rest_names_the_extra_in_one_line(arguments):
    done = run(*arguments)
    assert done.returncode == 1 and not done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"ERROR: tvgp {arguments[0]} needs the extra `study` (")
