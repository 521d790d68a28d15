"""Every comparison of the benchmark runs, and its contenders do the same job."""

import inspect

import pytest


@pytest.fixture
def benchmarks(project, monkeypatch):
    monkeypatch.syspath_prepend(str(project))
    from benchmarks import comparisons, harness
    from tvgp import plugins

    return comparisons, harness, plugins


NAMES = (
    "constant_noise", "time_kernel", "changing_noise", "discounts_and_windows",
    "kdpp_first", "kdpp_again", "kdpp_chain", "figure",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_contenders_do_the_same_job(benchmarks, name):
    """The first call of each contender, 12 rounds where there are any; BoTorch takes its time."""
    comparisons, harness, plugins = benchmarks
    assert set(NAMES) == set(comparisons.NAMES)
    make = plugins.load(comparisons.__name__, name).make
    shorter = "horizon" in inspect.signature(make).parameters
    comparison = make(horizon=12) if shorter else make()
    spent, remarks = harness.measure(comparison, rounds=0)
    left_out = {"GPyTorch", "BoTorch", "DPPy exact", "DPPy exchange chain"}
    assert {label for label in remarks if "DPPy" not in label} <= left_out
    assert any(label.startswith("tvgp") for label in spent)
    assert all(t.fast in spent for t in comparison.targets)


def test_a_contender_that_does_another_job_is_refused(benchmarks):
    _, harness, _ = benchmarks
    comparison = harness.Comparison(
        "runs",
        "",
        "",
        [harness.Contender("a", lambda: [1, 2]), harness.Contender("b", lambda: [1, 3])],
    )
    with pytest.raises(ValueError, match="runs: b: other arms from round 2 on"):
        harness.measure(comparison, rounds=1)
