"""Janz20's environments: RKHS functions with an exact norm, global optimisation, uniform noise."""

import numpy as np
import pytest
from scipy import stats

from tvgp import environments, policies, streams
from tvgp.environments.global_optimisation import PROBLEMS
from tvgp.simulate import simulate


def make(seed=0, **values):
    return environments.make("matern_rkhs", rng=np.random.default_rng(seed), **values)


def play_uniform(environment, horizon, names=("test",)):
    n_arms = len(environment.arms)
    policy = policies.make("uniform", arms=environment.arms, kernel=make().kernel, noise_variance=1.0)
    return simulate(
        policy,
        environment,
        horizon,
        rng=streams.generator(*names, "policy"),
        noise=streams.NoiseField(n_arms, *names, "noise"),
        expert_noise=streams.NoiseField(n_arms, *names, "expert"),
    )


@pytest.mark.parametrize("d", [1, 2, 3])
def test_set_up_of_the_paper(d):
    environment = make(d=d)
    assert environment.arms.shape == (30**d, d)
    assert environment.arms.min() == 0.0 and environment.arms.max() == 1.0
    assert len(np.unique(environment.arms, axis=0)) == 30**d
    assert environment.centres.shape == (30 * d, d)
    assert np.abs(environment.coefficients).max() <= 1.0
    assert environment.variation(100) == 0.0
    np.testing.assert_array_equal(environment.mean_rewards(1), environment.mean_rewards(9))


def test_norm_is_exact():
    """f is its own interpolant at the centres: |f|^2 = f_C' K_C^-1 f_C; a grid norm is below it."""
    environment = make(d=2)
    K = environment.kernel(environment.centres, environment.centres)
    f = K @ environment.coefficients
    assert environment.norm(1) ** 2 == pytest.approx(f @ np.linalg.solve(K, f), rel=1e-9)
    on_grid = environment.mean_rewards(1)
    gram = environment.kernel(environment.arms, environment.arms)
    assert on_grid @ np.linalg.solve(gram, on_grid) <= environment.norm(1) ** 2 * (1 + 1e-9)
    assert np.abs(on_grid).max() <= environment.norm(1)  # k(x, x) = 1


def test_expected_squared_norm():
    """E |f|^2 = m / 3, since E a_i a_j = 1/3 for i = j and 0 otherwise.

    400 functions, d = 1, within 4.5 standard errors (false alarm about 1e-5).
    """
    squares = np.array([make(seed, d=1, n_side=2).norm(1) ** 2 for seed in range(400)])
    assert abs(squares.mean() - 10.0) < 4.5 * squares.std() / np.sqrt(400)


def test_functions_come_from_the_stream():
    np.testing.assert_array_equal(make(3).mean_rewards(1), make(3).mean_rewards(1))
    assert not np.array_equal(make(3).mean_rewards(1), make(4).mean_rewards(1))
    with pytest.raises(ValueError, match="matern_rkhs: needs a random stream"):
        environments.make("matern_rkhs")
    with pytest.raises(ValueError, match="matern_rkhs: d is 0, expected 1 or more"):
        make(d=0)


def test_noise_is_uniform():
    """Kolmogorov-Smirnov at level 1e-5 on 4,000 rounds."""
    environment = make(1, d=1)
    run = play_uniform(environment, 4000)
    noise = run.reward - environment.mean_rewards(1)[run.arm]
    assert np.abs(noise).max() <= 1.0
    assert stats.kstest(noise, "uniform", args=(-1, 2)).pvalue > 1e-5


def test_gaussian_noise_is_untouched():
    environment = environments.make("rkhs_sine", n_arms=51)
    run = play_uniform(environment, 50)
    field = streams.NoiseField(51, "test", "noise")
    expected = [
        environment.mean_rewards(t)[arm] + environment.noise_std * field.at(t)[arm]
        for t, arm in enumerate(run.arm, start=1)
    ]
    np.testing.assert_array_equal(run.reward, expected)


def test_noise_laws_shape_gaussian_draws():
    z = np.array([-40.0, 0.0, 40.0])
    np.testing.assert_array_equal(streams.shaped(z, "gaussian"), z)
    np.testing.assert_allclose(streams.shaped(z, "uniform"), np.sqrt(3) * np.array([-1, 0, 1]))
    with pytest.raises(ValueError, match="noise law is 'cauchy', expected gaussian or uniform"):
        streams.shaped(z, "cauchy")


@pytest.mark.parametrize("function", PROBLEMS)
def test_global_functions_are_scaled_on_the_grid(function):
    environment = environments.make("global_optimisation", function=function)
    values = environment.mean_rewards(1)
    assert values.shape == (900,)
    assert values.max() == 1.0 and values.min() == pytest.approx(-1.0)
    run = play_uniform(environment, 300)
    assert np.abs(run.reward - values[run.arm]).max() <= 0.1 + 1e-12


@pytest.mark.parametrize(
    ("function", "point", "minimum"),
    [
        ("eggholder", (512.0, 404.2319), -959.6407),
        ("rosenbrock", (1.0, 1.0), 0.0),
        ("six_hump_camel", (0.0898, -0.7126), -1.0316),
        ("six_hump_camel", (-0.0898, 0.7126), -1.0316),
        ("bukin6", (-10.0, 1.0), 0.0),
        ("schaffer2", (0.0, 0.0), 0.0),
    ],
)
def test_minima_of_the_literature(function, point, minimum):
    problem = PROBLEMS[function]
    assert problem.cost(*np.array(point)) == pytest.approx(minimum, abs=1e-3)
    (x_low, x_high), (y_low, y_high) = problem.rectangle
    fine = np.meshgrid(np.linspace(x_low, x_high, 400), np.linspace(y_low, y_high, 400))
    assert problem.cost(*fine).min() >= minimum - 1e-3


def test_unknown_function():
    with pytest.raises(ValueError, match="function is 'ackley', expected one of eggholder"):
        environments.make("global_optimisation", function="ackley")
