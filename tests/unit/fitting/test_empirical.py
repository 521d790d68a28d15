"""The empirical covariance and its epsilon: batch formula, finite differences, recovery."""

import json

import numpy as np
import pytest

from tvgp import fitting, kernels
from tvgp.fitting import empirical

S = 6


def covariance(rng):
    root = rng.normal(size=(S, S))
    return root @ root.T + 0.2 * np.eye(S)


def gauss_markov(C, epsilon, rounds, rng):
    """(rounds, S) draws of f_{t+1} = sqrt(1-eps) f_t + sqrt(eps) g_{t+1}, g ~ N(0, C)."""
    g = rng.normal(size=(rounds, S)) @ np.linalg.cholesky(C).T
    for t in range(1, rounds):
        g[t] = np.sqrt(1 - epsilon) * g[t - 1] + np.sqrt(epsilon) * g[t]
    return g


@pytest.mark.parametrize("epsilon", [0.001, 0.04, 0.5, 0.99])
def test_the_separable_likelihood_is_the_batch_formula(epsilon):
    """Every (sensor, time) as one observation of the dense TV model; days add up."""
    rng = np.random.default_rng(0)
    C, Y = covariance(rng), rng.normal(size=(20, S))
    parts = [slice(0, 9), slice(9, 18), slice(18, 20)]
    kernel = kernels.make("empirical", covariance=C)
    expected = 0.0
    for part in parts:
        times, sensors = (a.ravel() for a in np.indices(Y[part].shape))
        expected += fitting.log_marginal_likelihood(
            kernel, sensors[:, None], times + 1, Y[part].ravel(), 0.3, epsilon, gradient=False
        )
    value, _ = empirical.Likelihood(C, Y, parts, 0.3)(epsilon)
    assert value == pytest.approx(expected, abs=1e-9)


def test_a_gap_counts_by_its_length():
    """The batch formula at the times themselves; days with other gaps have other correlations."""
    rng = np.random.default_rng(3)
    C, Y = covariance(rng), rng.normal(size=(9, S))
    parts, t = [slice(0, 3), slice(3, 6), slice(6, 9)], np.array([1, 2, 9, 51, 52, 59, 101, 105, 106])
    kernel, expected = kernels.make("empirical", covariance=C), 0.0
    for part in parts:
        rows, sensors = (a.ravel() for a in np.indices(Y[part].shape))
        expected += fitting.log_marginal_likelihood(
            kernel, sensors[:, None], t[part][rows], Y[part].ravel(), 0.3, 0.1, gradient=False
        )
    assert empirical.Likelihood(C, Y, parts, 0.3, t)(0.1)[0] == pytest.approx(expected, abs=1e-9)
    assert abs(empirical.Likelihood(C, Y, parts, 0.3)(0.1)[0] - expected) > 1e-3
    filled, _ = fitting.fill_gaps(np.array([[1.0], [np.nan], [5.0]]), [slice(0, 3)], np.array([1, 2, 5]))
    assert filled[1, 0] == pytest.approx(2.0)


@pytest.mark.parametrize("epsilon", [0.001, 0.04, 0.5, 0.99])
@pytest.mark.parametrize("rank", [S, 2])
def test_derivative_equals_finite_differences(epsilon, rank):
    rng = np.random.default_rng(1)
    draws = rng.normal(size=(rank + 1, S))
    C = np.cov(draws, rowvar=False)
    Y, parts = rng.normal(size=(30, S)), [slice(0, 12), slice(12, 30)]
    z, h = np.log(epsilon / (1 - epsilon)), 1e-5
    up, down = (empirical.Likelihood(C, Y, parts, 0.1)(1 / (1 + np.exp(-(z + s))))[0] for s in (h, -h))
    _, slope = empirical.Likelihood(C, Y, parts, 0.1)(epsilon)
    assert slope == pytest.approx((up - down) / (2 * h), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("truth", [0.01, 0.2])
def test_a_known_epsilon_is_recovered(truth):
    """20 runs of 5 days. A right implementation breaks |z| < 4.5 once in 7 000 seeds, and covers
    the truth with its 95 % interval in fewer than 15 of 20 runs once in 3 000."""
    inside, scores, true_logit = 0, [], np.log(truth / (1 - truth))
    for seed in range(20):
        rng = np.random.default_rng([seed, 7])
        C = covariance(rng)
        days = [gauss_markov(C, truth, 60, rng) for _ in range(5)]
        Y = np.concatenate(days) + np.sqrt(0.3) * rng.normal(size=(300, S))
        fit = fitting.fit_epsilon(C, Y, fitting.stretches(np.repeat(range(5), 60)), 0.3)
        low, high = fit.interval()
        inside += low <= truth <= high
        logit = np.log(fit.epsilon / (1 - fit.epsilon))
        scores.append((logit - true_logit) / fit.standard_error)
        assert abs(fit.gradient) < 1e-4
    assert inside >= 15
    assert np.abs(scores).max() < 4.5


def test_an_epsilon_at_its_bound_is_reported():
    rng = np.random.default_rng(2)
    C = covariance(rng)
    parts = [slice(0, 60)]
    still = np.tile(rng.multivariate_normal(np.zeros(S), C), (60, 1))
    fit = fitting.fit_epsilon(C, still, parts, 0.3)
    assert fit.bounds_hit[0].startswith("epsilon at its lower bound")
    assert fit.interval() is None
    restless = rng.multivariate_normal(np.zeros(S), C, size=60) * np.resize([1.0, -1.0], (60, 1))
    restless[1::2] = -restless[::2]
    fit = fitting.fit_epsilon(C, restless, parts, 0.3)
    assert fit.bounds_hit[0].startswith("epsilon at its upper bound")


def test_gaps_are_filled_within_a_day_only():
    nan = np.nan
    values = np.array([[nan, 1.0], [2.0, nan], [nan, 3.0], [8.0, 4.0], [nan, nan], [9.0, nan]])
    values[5, 1] = 7.0
    filled, count = fitting.fill_gaps(values, [slice(0, 3), slice(3, 6)])
    assert filled.tolist() == [[2, 1], [2, 2], [2, 3], [8, 4], [8.5, 5.5], [9, 7]]
    assert count == 5
    with pytest.raises(ValueError, match="sensor 0 has no value at times 2 to 2"):
        fitting.fill_gaps(values, [slice(0, 2), slice(2, 3), slice(3, 6)])


def test_the_covariance_is_the_sample_covariance():
    values = np.random.default_rng(3).normal(size=(15, S))
    mean, C = fitting.empirical_covariance(values)
    np.testing.assert_allclose(mean, values.mean(axis=0))
    np.testing.assert_allclose(C, np.cov(values, rowvar=False), atol=1e-14)
    np.testing.assert_array_equal(C, C.T)


def test_the_fit_of_an_experiment_is_plain_json():
    rng = np.random.default_rng(4)
    values = 20 + gauss_markov(covariance(rng), 0.1, 80, rng)
    values[3, 2] = np.nan
    fit = fitting.fit_empirical("intel", values, np.repeat([1, 2], 40), source="real", value_units="degC")
    assert json.loads(json.dumps(fit, allow_nan=False)) == fit
    kernel = kernels.make(**fit["kernel"])
    C = kernel(np.arange(S)[:, None], np.arange(S)[:, None])
    assert fit["signal_variance"] == pytest.approx(np.trace(C) / S)
    assert fit["noise_variance"] == pytest.approx(0.05 * fit["signal_variance"])
    low, high = fit["intervals_95"]["epsilon"]
    assert low < fit["epsilon"] < high
    assert (fit["gaps_filled"], fit["stretches"], len(fit["prior_mean"])) == (1, 2, S)
    one = fitting.fit_empirical("intel", values, np.repeat([1, 2], 40), source="real", centre="overall")
    assert one["prior_mean"] == pytest.approx(np.mean(fit["prior_mean"]))
    assert one["kernel"] == fit["kernel"]
    given = fitting.fit_empirical("x", values, np.zeros(80), source="real", epsilon=0.03)
    assert given["epsilon"] == 0.03
    assert "epsilon" not in given["estimated"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda v: fitting.empirical_covariance(v[:1]), "expected .times >= 2, sensors"),
        (lambda v: fitting.empirical_covariance(v * [np.nan, 1]), "time 0, sensor 0 is not"),
        (lambda v: fitting.empirical_covariance(v * [1, 0]), "sensor 1 does not vary"),
        (lambda v: fitting.fit_empirical("x", v, [1], source="real"), "labels say 1 times"),
        (
            lambda v: fitting.fit_empirical("x", v, [1] * 9, source="real", noise_fraction=0.0),
            "noise_fraction is 0.0",
        ),
        (
            lambda v: fitting.fit_empirical("x", v, [1] * 9, source="real", centre="median"),
            "centre is 'median', expected sensors or overall",
        ),
        (
            lambda v: fitting.fit_epsilon(np.eye(2), v, [slice(0, 1)], 0.1),
            "stretches of at least two times",
        ),
        (lambda v: fitting.fit_epsilon(np.eye(2), v, [slice(0, 9)], 0.0), "noise_variance"),
        (
            lambda v: fitting.fit_epsilon(np.eye(2), np.where(v == v[3, 1], np.nan, v), [slice(0, 9)], 0.1),
            "fit: value at time 3, sensor 1 is not a finite number",
        ),
        (
            lambda v: fitting.fit_epsilon(np.eye(2), v.T, [slice(0, 2)], 0.1),
            r"residuals have shape \(2, \d+\), covariance \(2, 2\); expected \(times, sensors\)",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.random.default_rng(5).normal(size=(9, 2)))


def test_intervals_and_stretches_by_hand():
    """1.96 standard errors about the logit."""
    low, high = fitting.EpsilonFit(0.1, 0.0, 0.0, 0.5, ()).interval()
    odds = np.array([low, high]) / (1 - np.array([low, high]))
    np.testing.assert_allclose(np.log(odds / (0.1 / 0.9)), [-0.98, 0.98], atol=1e-4)
    assert fitting.stretches(["a", "a", "b", "a"]) == [slice(0, 2), slice(2, 3), slice(3, 4)]
    assert fitting.stretches([]) == []


def test_the_interval_of_a_persistent_offset():
    """Offsets between sensors that last all day lower epsilon unless each has its own mean."""
    rng = np.random.default_rng(6)
    values = gauss_markov(np.eye(S), 0.3, 200, rng) + np.linspace(-3, 3, S)
    own, one = (
        fitting.fit_empirical("x", values, np.zeros(200), source="real", centre=centre)
        for centre in ("sensors", "overall")
    )
    assert one["epsilon"] < own["intervals_95"]["epsilon"][0]
