"""Every comparison of the benchmark runs, and its contenders do the same job."""

import inspect

import numpy as np
import pytest


@pytest.fixture
def benchmarks(project, monkeypatch):
    monkeypatch.syspath_prepend(str(project))
    from benchmarks import comparisons, harness

    return comparisons, harness


@pytest.fixture
def scaling(benchmarks):
    from benchmarks import scaling

    return scaling


NAMES = (
    "constant_noise",
    "time_kernel",
    "changing_noise",
    "discounts_and_windows",
    "kdpp_first",
    "kdpp_again",
    "kdpp_chain",
    "figure",
    "methods",
)


@pytest.mark.parametrize("name", NAMES)
def test_contenders_do_the_same_job(benchmarks, name):
    """The first call of each contender, 12 rounds where there are any; BoTorch takes its time."""
    comparisons, harness = benchmarks
    assert set(NAMES) == set(comparisons.NAMES)
    make = comparisons.load(name).make
    shorter = "horizon" in inspect.signature(make).parameters
    comparison = make(horizon=12) if shorter else make()
    spent = harness.measure(comparison, rounds=0)
    left_out = {c.name for c in comparison.contenders if c.missing}
    assert left_out <= {
        "GPyTorch",
        "BoTorch",
        "DPPy exact",
        "DPPy exchange chain",
        "scikit-learn and DPPy loop",
    }
    assert {c.name for c in comparison.contenders} - left_out == set(spent)
    assert any(label.startswith("tvgp") for label in spent)
    assert all(t.fast in spent for t in comparison.targets)


def test_contender_with_different_answer_is_rejected(benchmarks):
    _, harness = benchmarks
    comparison = harness.Comparison(
        "runs",
        "",
        "",
        [harness.Contender("a", lambda: [1, 2]), harness.Contender("b", lambda: [1, 3])],
    )
    with pytest.raises(ValueError, match="runs: b: other arms from round 2 on"):
        harness.measure(comparison, rounds=1)


def test_contender_runs_in_its_own_process(benchmarks):
    _, harness = benchmarks
    from benchmarks import process

    with process.Player("kdpp_again", "tvgp exact", quick=True) as player:
        first, more = player(1), player(3)
    assert first.seconds > 0 and more.seconds > 0
    assert len(set(first.answer)) == 37 and first.answer != more.answer
    assert 0 < player.once["before_mb"] <= player.once["peak_mb"]
    with pytest.raises(RuntimeError, match="kdpp_again nobody quick stopped"):
        with process.Player("kdpp_again", "nobody", quick=True) as player:
            player(1)


# What makes each measurement of growth a short one, beside its own quick version.
SHORTER = {
    "rounds": {"CHECKPOINTS": (20, 40, 100_000), "WARM_UP": 30, "BLOCK": 3, "BLOCKS": 1},
    "arms": {"SIDES": (2, 3, 4), "_HORIZON": 20},
    "seeds": {"COUNTS": (1, 2)},
    "long": {"CHECKPOINTS": (20,), "HALF": 5},
    "many_arms": {"SIDE": 3, "CHECKPOINTS": (8, 20)},
}


@pytest.mark.parametrize("name", SHORTER)
def test_growth_is_measured_for_every_line(scaling, monkeypatch, name):
    assert set(SHORTER) == {*scaling.NAMES, *scaling.LONG}
    module = scaling.load(name)
    for constant, value in SHORTER[name].items():
        monkeypatch.setattr(module, constant, value)
    for label in module.LABELS:
        rows = module.measure(label, quick=True)
        assert rows and all(row["line"] == label and row["seconds"] > 0 for row in rows)
        assert all(0 <= row.get("weights", 0) < row["seconds"] for row in rows)


@pytest.mark.parametrize("label", ["UI-GP-UCB", "W-GP-UCB, gamma 0.99", "W-SparQ-GP-UCB"])
@pytest.mark.parametrize("horizon", [1_000, 100_000])
def test_steps_are_timed_on_the_data_of_a_full_run(scaling, label, horizon):
    """A policy that recomputes its posterior reaches round t without doing so, in the state of a run."""
    rounds = scaling.load("rounds")
    problem = rounds.sine(60)
    algorithm, parameters = rounds._POLICIES[label]
    shape = (problem.arms, problem.kernel, problem.noise_variance, rounds._Length(horizon))
    quick, full = (rounds.Problem(*shape).policy(algorithm, **parameters) for _ in range(2))
    played = np.arange(0, 500, 7)[:60]
    rounds._bring_to(quick, problem, played, 120, np.random.default_rng(1))
    rng = np.random.default_rng(1)
    for t in range(1, 120):
        arm = int(played[(t - 1) % 60])
        full.observe(t, arm, float(problem.rewards[(t - 1) % 60, arm]))
        asked = full.expert_queries(t, rng)
        if len(asked):
            full.observe_expert(t, asked, problem.rewards[(t - 1) % 60, asked])
    for ours, theirs in zip(quick.posterior(120), full.posterior(120), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_separate_solution_runs_in_every_step(scaling, monkeypatch):
    """Unchanged precisions would only be looked up."""
    rounds, made = scaling.load("rounds"), []
    cheapest = rounds.Merged.cheapest
    monkeypatch.setattr(rounds.Merged, "cheapest", lambda *args: made.append(1) or cheapest(*args))
    steps = rounds._without_weights(rounds.sine(20), 60)
    made.clear()
    steps(5)
    assert len(made) == 5
