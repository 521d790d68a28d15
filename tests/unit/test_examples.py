"""The examples run as their texts say."""

import importlib.util
from functools import cache
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@cache
def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["own_rewards", "own_policy", "own_data", "live_system", "morning_calls"])
def test_the_tutorials_run(name, monkeypatch, capsys):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr("sys.argv", [name])  # pytest's own would name a picture
    load(name)
    assert capsys.readouterr().out


def test_calls_end_where_no_index_exceeds_the_largest_mean(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr("sys.argv", ["morning_calls"])
    example = load("morning_calls")
    for readings, (calls, beliefs, choice) in zip(example.test, example.rounds, strict=False):
        free = np.isfinite(readings)
        for (mean, _, index), call in zip(beliefs, [*calls, None], strict=True):
            best = np.flatnonzero(free)[index[free].argmax()]
            largest = mean[np.isfinite(readings)].max()
            assert best == call if index[best] > largest else call is None
            if call is not None:
                free[call] = False
        assert mean[choice] == largest
