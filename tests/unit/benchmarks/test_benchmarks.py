"""Every comparison of the benchmark runs, and its contenders do the same job."""

from functools import partial

import pytest

from benchmarks import comparisons, harness, scaling
from benchmarks.harness import take_turn

OPTIONAL = {"GPyTorch", "BoTorch", "DPPy exact", "DPPy exchange chain", "scikit-learn and DPPy loop"}


def first_calls(comparison):
    return harness.measure(comparison, 0, {c.name: partial(take_turn, c) for c in comparison.able()})[0]


@pytest.mark.parametrize("name", comparisons.NAMES)
def test_contenders_do_the_same_job(name):
    """The first call of each contender, 12 rounds where there are any; BoTorch takes its time."""
    comparison = comparisons.make(name, 12)
    spent = first_calls(comparison)
    names = {c.name for c in comparison.contenders}
    assert names - set(spent) <= OPTIONAL
    assert any(label.startswith("tvgp") for label in spent)
    assert all(t.fast in spent and t.slow in names for t in comparison.targets)


def test_contender_with_different_answer_is_rejected():
    contenders = [harness.Contender("a", lambda: [1, 2]), harness.Contender("b", lambda: [1, 3])]
    with pytest.raises(ValueError, match="runs: b: other arms from round 2 on"):
        first_calls(harness.Comparison("runs", "", contenders))


def test_contender_keeps_its_own_process():
    with harness.process() as call:
        first, more = (call(comparisons.turn, "kdpp_again", "tvgp exact", 12, calls) for calls in (1, 3))
        assert first.seconds > 0 and more.seconds > 0
        assert len(set(first.answer)) == 37 and first.answer.tolist() != more.answer.tolist()
        assert 0 < first.peak_mb <= more.peak_mb
        with pytest.raises(StopIteration):
            call(comparisons.turn, "kdpp_again", "nobody", 12, 1)


def test_ratio_is_the_median_over_rounds():
    spent = {"slow": [2.0, 9.0, 4.0], "fast": [1.0, 1.0, 1.0]}
    assert harness.ratio(spent, "slow", "fast") == (4.0, 2.0, 9.0)


# What makes each measurement of growth a short one, beside its own quick version.
SHORTER = {
    "rounds": {"QUICK": 40, "CHECKPOINTS": (20, 40), "N_ARMS": 31},
    "many_arms": {"SIDE": 3, "QUICK": 40, "CHECKPOINTS": (20, 40)},
    "sites": {"SITES": (4, 9, 12), "LONG": (20, 40)},
    "arms": {"ARMS": (20, 40), "STEPS": 5},
    "set_up": {"ARMS": (20, 40), "STEPS": 5},
    "queries": {"DECISIONS": (20, 40), "STEPS": 5},
}


@pytest.mark.parametrize("table", scaling.LINES)
def test_growth_is_measured_for_every_line(monkeypatch, table):
    for constant, value in SHORTER[table].items():
        monkeypatch.setattr(scaling, constant, value)
    for line in scaling.LINES[table]:
        rows = scaling.measure(table, line, quick=True)
        assert len(rows) >= 2 and all(row["line"] == line and row["seconds"] > 0 for row in rows)
