"""The accuracy benchmark: an exact reference, engines within rounding, an error that it would show."""

import decimal

import mpmath
import numpy as np
import pytest

from benchmarks import accuracy, harness
from tvgp.posterior import weight_space


@pytest.fixture(autouse=True)
def fifty_digits():
    with decimal.localcontext(prec=50):
        yield


@pytest.mark.parametrize("slow_share", [0.0, 0.3])
def test_reference_equals_mpmath(slow_share):
    """By (K o D + sigma^2 I)^-1 on all observations, with the time kernel D."""
    case, rounds = accuracy.Case("matern32", 1e-6, True, 0.05, slow_share), 12
    prior = case.prior()
    reference = accuracy.Reference(prior, case)
    data = list(case.observations(prior, rounds))
    for arm, value in data:
        reference.observe(arm, value)
        reference.advance()
    mean, std = reference.moments()
    with mpmath.workdps(50):
        rho = [(mpmath.mpf(share), mpmath.sqrt(1 - mpmath.mpf(rate))) for share, rate in case.parts]

        def correlation(lag):
            return sum(share * root**lag for share, root in rho)

        A, cross, K = mpmath.matrix(rounds, rounds), mpmath.matrix(rounds, 1), prior.gram
        for i, (g, _) in enumerate(data):
            cross[i] = mpmath.mpf(K[g, 3]) * correlation(rounds - i)
            for j, (h, _) in enumerate(data):
                A[i, j] = mpmath.mpf(K[g, h]) * correlation(abs(i - j))
                A[i, j] += mpmath.mpf(case.noise) if i == j else 0
        weights = mpmath.lu_solve(A, cross)
        expected = sum(w * mpmath.mpf(value) for w, (_, value) in zip(weights, data, strict=True))
        variance = mpmath.mpf(K[3, 3]) - sum(w * c for w, c in zip(weights, cross, strict=True))
        assert mean[3] == pytest.approx(float(expected), rel=1e-14)
        assert std[3] == pytest.approx(float(mpmath.sqrt(variance)), rel=1e-14)


@pytest.mark.parametrize(("epsilon", "slow_share"), [(0.0, 0.0), (0.01, 0.0), (0.01, 0.3)])
@pytest.mark.parametrize("near_duplicates", [False, True])
def test_engines_are_accurate_over_a_short_run(near_duplicates, epsilon, slow_share):
    case = accuracy.Case("matern32", 1e-6, near_duplicates, epsilon, slow_share)
    names = case.engines
    rows = accuracy.measure(case, names, 1000)
    assert {(row["engine"], row["round"]) for row in rows} == {(n, t) for n in names for t in (100, 1000)}
    assert max(max(row["mean_error"], row["std_error"]) for row in rows) < 1e-5


def test_a_small_error_shows(monkeypatch):
    case = accuracy.Case("matern32", 1e-2, False)
    plain = accuracy.engine

    def biased(name, *arguments):
        engine = plain(name, *arguments)
        engine.mean += 1e-6
        return engine

    monkeypatch.setattr(accuracy, "engine", biased)
    (row,) = accuracy.measure(case, ("append",), 100)
    assert row["mean_error"] > 1e-8


@pytest.mark.parametrize("near_duplicates", [False, True])
def test_the_history_of_weight_space_costs_little(near_duplicates, monkeypatch):
    """Its error is that of a truncated factor: where the last observation recomputes the posterior from sums
    by arm, it is the same."""
    case = accuracy.Case("se", 1e-6, near_duplicates)
    prior, found = case.prior(), []
    for every in (4_000, 4_001):
        monkeypatch.setattr(weight_space, "_REFRESH", every)
        engine = accuracy.engine("weight_space", prior, case, 4_000)
        for arm, value in case.observations(prior, 4_000):
            engine.observe(arm, value)
        found.append((engine.mean, np.sqrt(engine.variance)))
    (mean, std), (with_history, with_history_std) = found
    assert np.max(np.abs(mean - with_history) / std) < 1e-7
    assert 0.0 < np.max(np.abs(std - with_history_std) / std) < 1e-6


def test_smooth_time_kernels_are_accurate_to_what_the_page_says():
    """Dropping data costs nothing that shows; ten states, 1e-4 of a standard deviation."""
    rows = accuracy.smooth(1_000)
    worst = {
        name: max(row["mean_error"] for row in rows if row["engine"] == name)
        for name in ("space_time", "state_space")
    }
    assert worst["space_time"] < 1e-8 and 1e-8 < worst["state_space"] < 1e-4
    assert max(row["std_error"] for row in rows) < 1e-4
    page = (harness.ROOT / "docs" / "accuracy.md").read_text()
    assert accuracy._SMOOTH in page


def test_page_has_every_engine():
    rows = [
        {
            "engine": name,
            "case": f"c {noise}",
            "noise": noise,
            "forgets": False,
            "round": 100,
            "mean_error": 1e-9,
        }
        | {"std_error": 2e-9}
        for name in accuracy.STATIC
        for noise in (1e-2, 1e-6)
    ]
    page = accuracy.text(rows, [rows[0] | {"engine": "state_space", "length_scale": 30.0}])
    assert page.endswith("| state_space | 30 | 1.0e-09, 2.0e-09 |\n")
    assert all(f"| {name} | no | 1.0e-09 | 2.0e-09 | 1.0e-09 | 2.0e-09 |" in page for name in accuracy.STATIC)
