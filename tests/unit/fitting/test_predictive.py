"""One-step-ahead predictive likelihood: brute force, limits, chain rule, faults."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from tvgp import kernels, streams
from tvgp.fitting import fit_predictive, log_marginal_likelihood, predictive_log_likelihood
from tvgp.fitting.predictive import mean_log_likelihood

KERNEL = kernels.make("se", variance=0.8, length_scale=1.3)
NOISE = 0.1


def sequence(seed, n=30, sites=None, gaps=False):
    rng = streams.generator("test_fitting_predictive", seed)
    points = rng.uniform(0, 5, (n, 2))
    if sites:
        points = points[rng.integers(0, sites, n)]
    steps = rng.integers(1, 4, n) if gaps else np.ones(n)
    return points, np.cumsum(steps).astype(float), rng.standard_normal(n)


def brute_force(points, times, values, variance_of_lag):
    """A refit of scikit-learn's regressor with a noise vector before every observation."""
    total = norm(0, np.sqrt(KERNEL.variance + NOISE)).logpdf(values[0])
    shape = ConstantKernel(KERNEL.variance) * RBF(KERNEL.length_scale)
    for k in range(1, len(values)):
        noise = variance_of_lag(times[k] - 1 - times[:k])
        model = GaussianProcessRegressor(shape, alpha=noise, optimizer=None)
        mean, std = model.fit(points[:k], values[:k]).predict(points[[k]], return_std=True)
        total += norm(mean[0], np.hypot(std[0], np.sqrt(NOISE))).logpdf(values[k])
    return total


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("memory", [{"alpha": 0.4}, {"alpha": 2.0}, {"gamma": 0.6}, {}])
def test_predictive_likelihood_equals_brute_force(seed, memory):
    data = sequence(seed, sites=(None, 6)[seed % 2], gaps=seed > 1)
    alpha, gamma = memory.get("alpha"), memory.get("gamma", 1.0)
    expected = brute_force(
        *data,
        lambda lag: NOISE * (1 + lag**alpha) if alpha else NOISE / gamma**lag,
    )
    value = predictive_log_likelihood(KERNEL, *data, NOISE, **memory)
    assert value == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0])
def test_chain_rule_of_the_forgetting_model(epsilon):
    points, times, values = sequence(1)
    total = 0.0
    for k in range(len(values)):
        D = kernels.forgetting_correlation(times[: k + 1, None] - times[: k + 1], epsilon)
        K = KERNEL(points[: k + 1], points[: k + 1]) * D
        a = np.linalg.solve(K[:k, :k] + NOISE * np.eye(k), K[:k, k])
        spread = np.sqrt(K[k, k] - a @ K[:k, k] + NOISE)
        total += norm(a @ values[:k], spread).logpdf(values[k])
    value = predictive_log_likelihood(KERNEL, points, times, values, NOISE, epsilon=epsilon)
    assert value == pytest.approx(total, abs=1e-8)


def test_limits_of_the_memory_models():
    data = sequence(2)
    static = predictive_log_likelihood(KERNEL, *data, NOISE)
    assert static == log_marginal_likelihood(KERNEL, *data, NOISE, gradient=False)
    assert predictive_log_likelihood(KERNEL, *data, NOISE, gamma=1.0) == pytest.approx(static)
    # old observations vanish: only the last one is left, in both models
    last = predictive_log_likelihood(KERNEL, *data, NOISE, gamma=1e-300)
    points, times, values = data
    expected = norm(0, np.sqrt(KERNEL.variance + NOISE)).logpdf(values[0])
    for k in range(1, len(values)):
        c = KERNEL(points[[k]], points[[k - 1]])[0, 0]
        gain = c / (KERNEL.variance + NOISE)
        spread = np.sqrt(KERNEL.variance - gain * c + NOISE)
        expected += norm(gain * values[k - 1], spread).logpdf(values[k])
    assert last == pytest.approx(expected, abs=1e-8)


def test_no_overflow_after_long_gaps(capfd):
    points, times, values = sequence(3)
    for memory in ({"gamma": 0.5}, {"alpha": 3.0}):
        assert np.isfinite(predictive_log_likelihood(KERNEL, points, times * 1e5, values, NOISE, **memory))
    spread = np.sqrt(KERNEL.variance + NOISE)  # all is forgotten
    found = predictive_log_likelihood(KERNEL, points, times * 1e5, values, NOISE, gamma=0.5)
    assert found == pytest.approx(norm(0, spread).logpdf(values).sum())
    assert capfd.readouterr().err == ""  # LAPACK complains of an empty system


@pytest.mark.parametrize("parameter", ["alpha", "gamma", "epsilon"])
def test_fit_finds_the_best_of_a_fine_grid(parameter):
    rng = streams.generator("test_fitting_predictive drift")
    n = 80
    points, times = rng.uniform(0, 5, (n, 1)), np.arange(1.0, n + 1)
    drifting = np.sin(points[:, 0] + 0.05 * times) + 0.3 * rng.standard_normal(n)
    fit = fit_predictive(KERNEL, [(points, times, drifting)], NOISE, parameter)
    assert fit.bounds_hit == () and fit.n == n
    assert fit.log_likelihood >= fit.grid_log_likelihood.max()
    around = np.linspace(fit.grid.min(), fit.grid.max(), 50)
    best = max(
        predictive_log_likelihood(KERNEL, points, times, drifting, NOISE, **{parameter: v}) for v in around
    )
    assert fit.log_likelihood >= best - 1e-4
    again = fit_predictive(KERNEL, [(points, times, drifting)], NOISE, parameter)
    assert again.value == fit.value
    near = fit.value + 0.02 * min(fit.value, 1.0 - fit.value if parameter != "alpha" else 1.0)
    inside = fit_predictive(KERNEL, [(points, times, drifting)], NOISE, parameter, bounds=(fit.grid[0], near))
    assert inside.value == pytest.approx(fit.value, abs=1e-3) and inside.bounds_hit == ()


def test_fit_maximises_the_mean_over_sequences():
    data = [sequence(seed, n=60, sites=8) for seed in range(3)]
    fit = fit_predictive(KERNEL, data, NOISE, "gamma")
    assert fit.n == 180
    each = [[predictive_log_likelihood(KERNEL, *d, NOISE, gamma=g) for g in fit.grid] for d in data]
    np.testing.assert_allclose(fit.grid_log_likelihood, each[0], rtol=1e-12)  # a quarter of them
    assert fit.log_likelihood >= np.mean(each, axis=0).max() - 1e-9


def test_first_sequence_with_another_maximum_does_not_decide():
    """The search over all sequences goes on from the maximum of the first quarter of them."""
    points, times, values = sequence(0, n=60, sites=8)
    noise = streams.generator("test_fitting_predictive noise").standard_normal(60)
    data = [(points, times, noise), (points, times, np.ones(60)), (points, times, 1.0 + 0.01 * times)]
    for parameter in ("gamma", "alpha"):
        fit = fit_predictive(KERNEL, data, NOISE, parameter)
        each = [mean_log_likelihood(KERNEL, data, NOISE, **{parameter: v}) for v in fit.grid]
        assert int(fit.grid_log_likelihood.argmax()) != int(np.argmax(each))
        assert fit.log_likelihood >= max(each)


def test_bounds_hit_are_reported():
    rng = streams.generator("test_fitting_predictive static")
    n = 60
    points, times = rng.uniform(0, 5, (n, 1)), np.arange(1.0, n + 1)
    values = np.sin(points[:, 0]) + np.sqrt(NOISE) * rng.standard_normal(n)
    fit = fit_predictive(KERNEL, [(points, times, values)], NOISE, "gamma", bounds=(0.2, 0.7))
    assert fit.bounds_hit == ("gamma at its upper bound 0.7",)
    assert fit.value == pytest.approx(0.7, rel=1e-12)
    pure_noise = rng.standard_normal(n) * 3
    fit = fit_predictive(KERNEL, [(points, times, pure_noise)], NOISE, "alpha", bounds=(1.0, 2.0))
    assert fit.bounds_hit == ("alpha at its upper bound 2",)
    fit = fit_predictive(KERNEL, [(points, times, pure_noise)], NOISE, "gamma", bounds=(0.01, 0.9))
    assert fit.bounds_hit == ("gamma at its lower bound 0.01",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"noise_variance": 0.0}, "noise_variance is 0.0, must be positive"),
        ({"times": np.zeros(30)}, r"times\[1\] is 0 after 0; .* one observation per round"),
        ({"alpha": -1.0}, "alpha is -1.0"),
        ({"alpha": np.nan}, "alpha is nan"),
        ({"gamma": 1.2}, "gamma is 1.2"),
        ({"alpha": 1.0, "gamma": 0.5}, "not several"),
        ({"values": np.full(30, np.nan)}, r"values\[0\] is not a finite number"),
    ],
)
def test_bad_input(changes, message):
    points, times, values = sequence(0)
    arguments = {"points": points, "times": times, "values": values, "noise_variance": NOISE}
    with pytest.raises(ValueError, match=message):
        predictive_log_likelihood(KERNEL, **arguments | changes)


@pytest.mark.parametrize(
    ("parameter", "options", "message"),
    [
        ("beta", {}, "unknown parameter 'beta'"),
        ("gamma", {"bounds": (0.5, 1.0)}, "bounds of gamma"),
        ("alpha", {"bounds": (0.0, 1.0)}, "bounds of alpha"),
    ],
)
def test_bad_search(parameter, options, message):
    with pytest.raises(ValueError, match=message):
        fit_predictive(KERNEL, [sequence(0)], NOISE, parameter, **options)
