"""Marginal likelihood of the TV-GP model: gradients, references, recovery, faults."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.special import logit
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from tvgp import kernels, streams
from tvgp.fitting import fit_marginal_likelihood, log_marginal_likelihood
from tvgp.fitting.marginal_likelihood import _distances

NAMES = ("variance", "length_scale", "noise_variance", "epsilon")


def random_case(seed, n=25, dimension=2):
    rng = streams.generator("test_fitting", seed)
    points = rng.uniform(0, 3, (n, dimension))
    points[1] = points[0]  # repeated points and several observations a round are ordinary
    times = np.sort(rng.integers(1, 12, n)).astype(float)
    kernel = kernels.make(
        kernels.fittable()[seed % 4], variance=rng.uniform(0.3, 3), length_scale=rng.uniform(0.3, 2)
    )
    return kernel, points, times, rng.standard_normal(n), rng.uniform(0.05, 0.5), rng


def simulate(seed, variance, length_scale, noise_variance, epsilon, n=250, per_round=2):
    rng = streams.generator("test_fitting simulate", seed)
    points = rng.uniform(0, 10, (n, 1))
    times = np.repeat(np.arange(1.0, n // per_round + 1), per_round)
    kernel = kernels.make("se", variance=variance, length_scale=length_scale)
    lags = np.abs(times[:, None] - times)
    A = kernel(points, points) * kernels.forgetting_correlation(lags, epsilon)
    A += noise_variance * np.eye(n)
    return points, times, np.linalg.cholesky(A) @ rng.standard_normal(n)


@pytest.mark.parametrize("seed", range(12))
def test_gradient_equals_finite_differences(seed):
    kernel, points, times, values, noise, rng = random_case(seed)
    epsilon = rng.uniform(0.01, 0.6)

    def value(variance, length_scale, noise_variance, epsilon):
        changed = kernel.with_parameters(variance=variance, length_scale=length_scale)
        return log_marginal_likelihood(
            changed, points, times, values, noise_variance, epsilon, gradient=False
        )

    at = dict(
        variance=kernel.variance,
        length_scale=kernel.length_scale,
        noise_variance=noise,
        epsilon=epsilon,
    )
    total, slopes = log_marginal_likelihood(kernel, points, times, values, noise, epsilon)
    assert total == pytest.approx(value(**at), rel=1e-12)
    assert set(slopes) == set(NAMES)
    h = 1e-5
    for name in NAMES:
        x = at[name]
        if name == "epsilon":
            z = np.log(x / (1 - x))
            up, down = 1 / (1 + np.exp(-z - h)), 1 / (1 + np.exp(-z + h))
        else:
            up, down = x * np.exp(h), x * np.exp(-h)
        numeric = (value(**at | {name: up}) - value(**at | {name: down})) / (2 * h)
        assert slopes[name] == pytest.approx(numeric, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_gradient_is_finite_at_the_ends_of_epsilon(epsilon):
    kernel, points, times, values, noise, _ = random_case(3)
    _, slopes = log_marginal_likelihood(kernel, points, times, values, noise, epsilon)
    assert np.isfinite(list(slopes.values())).all()


@pytest.mark.parametrize("seed", range(8))
def test_static_likelihood_and_gradient_equal_scikit_learn(seed):
    kernel, points, times, values, noise, _ = random_case(seed)
    name = kernels.describe(kernel)["name"]
    nu = {"matern12": 0.5, "matern32": 1.5, "matern52": 2.5}
    shape = sk.RBF(kernel.length_scale) if name == "se" else sk.Matern(kernel.length_scale, nu=nu[name])
    reference = GaussianProcessRegressor(
        sk.ConstantKernel(kernel.variance) * shape + sk.WhiteKernel(noise), alpha=0, optimizer=None
    ).fit(points, values)
    # fit() of scikit-learn keeps the parameters: theta = log(variance, length_scale, noise)
    expected, gradient = reference.log_marginal_likelihood(reference.kernel_.theta, eval_gradient=True)
    value, slopes = log_marginal_likelihood(kernel, points, times, values, noise, 0.0)
    assert value == pytest.approx(expected, abs=1e-8)
    assert [slopes[n] for n in NAMES[:3]] == pytest.approx(gradient, abs=1e-7)


@pytest.mark.parametrize("seed", range(8))
def test_forgetting_likelihood_equals_multivariate_normal(seed):
    kernel, points, times, values, noise, rng = random_case(seed)
    epsilon = rng.uniform(0.0, 1.0)
    A = np.array(
        [
            [
                kernel(points[[i]], points[[j]])[0, 0] * (1 - epsilon) ** (abs(s - t) / 2) + noise * (i == j)
                for j, t in enumerate(times)
            ]
            for i, s in enumerate(times)
        ]
    )
    expected = multivariate_normal(np.zeros(len(A)), A).logpdf(values)
    value = log_marginal_likelihood(kernel, points, times, values, noise, epsilon, gradient=False)
    assert value == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_known_parameters_are_recovered(seed):
    """Within 3 standard errors; four parameters, 3 seeds: false alarm 12 x 0.27 % = 3.2 %."""
    truth = {"variance": 1.5, "length_scale": 1.2, "noise_variance": 0.05, "epsilon": 0.04}
    fit = fit_marginal_likelihood(*simulate(seed, **truth), rng=streams.generator(seed))
    assert fit.status == "converged" and fit.bounds_hit == ()
    assert fit.starts == 5 and fit.starts_agreeing >= 1 and fit.n == 250
    assert set(fit.standard_errors) == set(NAMES)
    scale = {name: logit if name == "epsilon" else np.log for name in NAMES}
    for name, error in fit.standard_errors.items():
        truly, found = scale[name](truth[name]), scale[name](fit.parameters[name])
        assert abs(found - truly) < 3.0 * error, name
        ends = scale[name](fit.intervals()[name])
        np.testing.assert_allclose(ends, found + np.array([-1.959964, 1.959964]) * error, rtol=1e-4)


def test_fit_is_the_maximum_and_deterministic():
    data = simulate(5, 1.0, 1.0, 0.05, 0.05, n=120)
    fit = fit_marginal_likelihood(*data, rng=streams.generator("a"))
    assert fit == fit_marginal_likelihood(*data, rng=streams.generator("a"))
    rng = streams.generator("test_fitting maximum")
    for _ in range(20):
        p = {n: v * np.exp(0.1 * rng.standard_normal()) for n, v in fit.parameters.items()}
        kernel = kernels.make("se", variance=p["variance"], length_scale=p["length_scale"])
        value = log_marginal_likelihood(kernel, *data, p["noise_variance"], p["epsilon"], gradient=False)
        assert value <= fit.log_marginal_likelihood


def test_standard_errors_equal_those_of_a_numerical_hessian():
    data = simulate(6, 1.0, 1.0, 0.05, 0.05, n=120)
    fixed = {"variance": 1.0, "length_scale": 1.0, "noise_variance": 0.05}
    fit = fit_marginal_likelihood(*data, rng=streams.generator("b"), estimate=("epsilon",), fixed=fixed)
    z, h = np.log(fit.epsilon / (1 - fit.epsilon)), 1e-2
    f = [
        log_marginal_likelihood(fit.kernel, *data, 0.05, 1 / (1 + np.exp(-z - s)), gradient=False)
        for s in (-h, 0, h)
    ]
    curvature = -(f[0] - 2 * f[1] + f[2]) / h**2
    assert fit.standard_errors["epsilon"] == pytest.approx(curvature**-0.5, rel=1e-3)


def test_with_all_parameters_fixed_the_fit_only_evaluates():
    data = simulate(7, 1.0, 1.0, 0.05, 0.05, n=40)
    fixed = {"variance": 2.0, "length_scale": 0.5, "noise_variance": 0.1, "epsilon": 0.0}
    fit = fit_marginal_likelihood(*data, rng=streams.generator("c"), estimate=(), fixed=fixed)
    assert fit.parameters == fixed and fit.estimated == ()
    kernel = kernels.make("se", variance=2.0, length_scale=0.5)
    assert fit.log_marginal_likelihood == log_marginal_likelihood(kernel, *data, 0.1)[0]


def test_bounds_hit_are_reported():
    points, times, values = simulate(8, 1.0, 1.0, 0.05, 0.0, n=100)
    fit = fit_marginal_likelihood(
        points, times, values, rng=streams.generator("d"), bounds={"length_scale": (2.0, 9.0)}
    )
    assert "length_scale at its lower bound 2" in fit.bounds_hit
    assert "epsilon at its lower bound 1e-05" in fit.bounds_hit  # the truth is static
    assert "length_scale" not in fit.standard_errors and "variance" in fit.standard_errors
    assert fit.kernel.length_scale == pytest.approx(2.0) and fit.status == "converged"


POINTS, TIMES = np.arange(10.0)[:, None], np.arange(10.0)
VALUES = np.sin(TIMES)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"values": np.where(TIMES == 4, np.nan, 1.0)}, r"values\[4\] is not a finite number"),
        ({"points": np.where(POINTS == 2, np.inf, 1.0)}, r"points\[2\] is not a finite number"),
        ({"values": VALUES[:-1]}, r"values \(9,\); expected"),
        ({"points": TIMES}, "points have shape"),
        ({"points": POINTS[:5], "times": TIMES[:5], "values": VALUES[:5]}, "at least 8 are needed"),
        ({"kernel_name": "rbf"}, "unknown kernel 'rbf'"),
        ({"kernel_name": "periodic"}, "cannot fit kernel periodic; expected one of matern12, matern32"),
        ({"values": 0 * VALUES}, "nothing to fit"),
        ({"times": 0 * TIMES}, "epsilon cannot be estimated"),
        ({"points": 0 * POINTS}, "length_scale cannot be estimated"),
        ({"fixed": {"epsilon": 0.1}}, "epsilon is both estimated and fixed"),
        ({"fixed": {"eps": 0.1}}, "unknown parameter 'eps'"),
        ({"estimate": ("variance",)}, "length_scale is neither estimated nor fixed"),
        (
            {"estimate": NAMES[:2], "fixed": {"noise_variance": -1, "epsilon": 0}},
            "noise_variance is -1, must not be negative",
        ),
        (
            {"estimate": NAMES[:3], "fixed": {"epsilon": 1.5}},
            r"epsilon is 1.5, must lie in \[0, 1\]",
        ),
        ({"bounds": {"variance": (2, 1)}}, "bounds of variance"),
        ({"bounds": {"epsilon": (0.1, 1.0)}}, "bounds of epsilon"),
        ({"bounds": {"gamma": (0.1, 1.0)}}, "bounds for unknown parameter 'gamma'"),
        ({"starts": 0}, "starts is 0"),
    ],
)
def test_bad_input_gives_one_line_errors(changes, message):
    arguments = {"points": POINTS, "times": TIMES, "values": VALUES, "rng": streams.generator(1)}
    with pytest.raises(ValueError, match=message) as error:
        fit_marginal_likelihood(**arguments | changes)
    assert "\n" not in str(error.value)


def test_failed_factorisation_is_an_error_with_advice():
    points = np.zeros((10, 1))
    with pytest.raises(ValueError, match="not positive definite.*raise the lower bound"):
        log_marginal_likelihood(kernels.make("se"), points, TIMES, VALUES, 0.0)


@pytest.mark.parametrize("noise", [-0.1, np.nan])
def test_bad_noise_variance(noise):
    with pytest.raises(ValueError, match="noise_variance is"):
        log_marginal_likelihood(kernels.make("se"), POINTS, TIMES, VALUES, noise)


def test_distance_quantiles_count_pairs_of_repeated_points():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(9, 2))[rng.integers(0, 9, 40)]
    pairs = pdist(points)
    shares = [0.02, 0.25, 1.0]
    assert _distances(points, shares) == np.quantile(pairs[pairs > 0], shares).tolist()
    assert _distances(np.ones((4, 1)), shares) == [1.0, 1.0, 1.0]
