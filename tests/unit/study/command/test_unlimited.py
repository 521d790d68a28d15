"""Snakemake as `tvgp run` calls it: no limit on jobs per second, errors as Snakemake prints them."""

from __future__ import annotations

import runpy
from types import SimpleNamespace

import pytest

pytest.importorskip("snakemake")

from snakemake.exceptions import WorkflowError


@pytest.fixture
def unlimited(project) -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(project / "workflow" / "unlimited.py")))


def test_limit_on_jobs_is_gone_and_the_other_arguments_remain(unlimited, monkeypatch):
    asked = []
    monkeypatch.setattr(unlimited.cli, "args_to_api", lambda given, parser: asked.append(given) or True)
    assert unlimited.main(["--cores", "3", "--max-jobs-per-timespan", "7/2s"]) == 0
    assert (asked[0].cores, asked[0].max_jobs_per_timespan) == (3, None)


def test_a_failed_workflow_is_exit_code_1(unlimited, monkeypatch):
    monkeypatch.setattr(unlimited.cli, "args_to_api", lambda given, parser: False)
    assert unlimited.main(["--cores", "1"]) == 1


def test_an_exception_is_printed_and_exit_code_1(unlimited, monkeypatch, caplog, capsys):
    def fails(given, parser):
        raise WorkflowError("no such overlay")

    monkeypatch.setattr(unlimited.cli, "args_to_api", fails)
    assert unlimited.main(["--cores", "1"]) == 1
    assert "no such overlay" in caplog.text + capsys.readouterr().err
