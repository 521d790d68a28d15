"""What Assumption 2 of Mauduit25b implies: closed forms beside simulation and brute force."""

import numpy as np
import pytest

from tvgp.study import analyses, claims
from tvgp.study.claims import judge
from tvgp.study.claims.measures import premises as measured
from tvgp.theory import bump_family, premises, query_counts, schedules


@pytest.fixture(scope="module")
def data():
    found = analyses.run("premises", [1], horizons=[500, 5000], rounds=200, n_arms=51)
    return found.expand_dims(part=["mauduit25b"])


def _verdict(found):
    return judge.verdict(found.ours, found.claimed)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_correlation_is_that_of_fractional_brownian_motion(alpha):
    """Paths drawn from the covariance that the variances imply; 5 standard errors."""
    lags = np.arange(1.0, 3.0)
    covariance = (lags[:, None] ** alpha + lags**alpha - np.abs(lags[:, None] - lags) ** alpha) / 2
    root = np.linalg.cholesky(covariance + 1e-12 * np.eye(2))
    paths = np.random.default_rng(5).standard_normal((200_000, 2)) @ root.T
    both = np.corrcoef(paths[:, 1], paths[:, 1] - paths[:, 0])[0, 1]
    error = (1 - both**2) / np.sqrt(200_000)
    assert abs(premises.neighbours_correlation(alpha) - both) < 5 * error + 1e-6


def test_impossible_variances_have_a_negative_eigenvalue():
    assert premises.smallest_eigenvalue(1.9) > 0
    assert abs(premises.smallest_eigenvalue(2.0)) < 1e-12  # f_t - f_1 = (t - 1) v
    assert premises.smallest_eigenvalue(2.1) < -1e-3


@pytest.mark.parametrize(("alpha", "lag"), [(0.5, 25_000_000), (1.0, 5000), (2.0, 70), (3.0, 17)])
def test_the_longest_lag_keeps_the_variance_below_50(alpha, lag):
    assert premises.longest_lag(alpha) == lag
    assert 0.01 * lag**alpha <= 50 < 0.01 * (lag + 1) ** alpha


def test_a_lag_beyond_every_run_is_a_whole_number():
    assert premises.longest_lag(0.1) == 2**61


@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_mean_precision_is_that_of_every_round(alpha):
    n = np.zeros(700)
    starts = schedules.window_starts(700, alpha)
    n[starts - 1] = query_counts.nominal_queries(starts)
    every = bump_family.cumulative_precision(n, alpha, 1.0)
    assert premises.mean_precision(700, alpha) == pytest.approx(every.mean(), rel=1e-9)


def test_mean_square_change_of_a_walk_grows_linearly():
    walk = np.cumsum(np.random.default_rng(3).standard_normal((4000, 50)), axis=0)
    growth = premises.mean_square_change(walk, np.array([1, 10]))
    np.testing.assert_allclose(growth, [1.0, 10.0], rtol=0.05)  # 20,000 independent steps of ten
    with pytest.raises(ValueError, match="lags lie outside 1 to 3999"):
        premises.mean_square_change(walk, np.array([4000]))


def test_every_premise_has_a_verdict(data):
    found = {}
    for claim in claims.CLAIMS:
        if claim.experiments != ("premises",):
            continue
        if claim.arguments.get("horizon", 0) > 5000:
            continue
        for read in [one.arguments for one in claim.interpretations] or [{}]:
            one = claim.measure(data, **{**claim.arguments, **read})
            assert one.quantity and np.isfinite(one.ours.mean)
            found[claim.measure, claim.arguments.get("alpha")] = _verdict(one)
    assert found[measured.possible_variances, 2.0] == "confirmed"
    assert found[measured.possible_variances, 3.0] == "contradicted"
    assert (
        found[measured.allowed_lag, 1.0] == "confirmed" and found[measured.allowed_lag, 2.0] == "contradicted"
    )
    assert found[measured.independent_deviations, 1.0] == "contradicted"
    assert found[measured.mean_precision, 2.0] == "confirmed"
    assert _verdict(measured.mean_precision(data, 2.0, 500, 26.8)) == "contradicted"  # it is 26.7


def test_random_walks_grow_and_periodic_functions_do_not(data):
    assert _verdict(measured.returns_with_lag(data, "moving_bump")) == "confirmed"
    walk = data.copy(deep=True)
    walk.mean_square_change[:] = walk.lag.values
    assert _verdict(measured.returns_with_lag(walk, "moving_bump")) == "contradicted"


def test_a_total_is_no_rate():
    whole = analyses.run("query_counts", [1], alphas=[1.0]).expand_dims(part=["all"])
    total = measured.schedule_growth(whole, 1.0, -0.25, per_round=False)
    assert _verdict(total) == "trend disagrees"
    rate = measured.schedule_growth(whole, 1.0, -0.25, per_round=True)
    assert _verdict(rate) == "trend agrees" and rate.ours.mean == pytest.approx(-0.25, abs=0.02)
