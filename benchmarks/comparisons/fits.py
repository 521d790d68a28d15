"""Fits of kernel, noise and epsilon by maximum likelihood, beside BoTorch's of the same model, and
one evaluation of the likelihood with its gradient beside the routines of LAPACK that it cannot do without."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.linalg import lapack

from benchmarks.harness import Comparison, Contender, Target, needs
from tvgp import kernels, streams
from tvgp.fitting.marginal_likelihood import AGREEMENT, Batch, fit_marginal_likelihood

Data = tuple[str, np.ndarray, np.ndarray, np.ndarray]


def comparison(n: int, sets: int, horizon: int) -> Comparison:
    """Five starts of tvgp against one of BoTorch, on so many data sets of n values, fewer in short runs."""
    sets = min(sets, max(2, horizon // 8))
    problems = [_data(n, seed) for seed in range(sets)]
    return Comparison(
        title=f"Fit to {n} values",
        job=f"{sets} data sets of {n} values: kernel variance, length-scale, noise variance and epsilon",
        contenders=[
            Contender("tvgp, five starts", lambda: list(map(_ours, problems))),
            Contender("BoTorch", lambda: list(map(_theirs(), problems)), needs("botorch")),
        ],
        targets=[Target("BoTorch", "tvgp, five starts", 2)],
        rounds=3,
        check=_check,
    )


small, medium, large = (partial(comparison, n, sets) for n, sets in ((100, 60), (200, 30), (400, 10)))


def likelihood(n: int, _: int) -> Comparison:
    """One evaluation, in the form for few values a round, and the factor and inverse of one matrix alone."""
    _, points, times, values = _data(n, 0)
    kernel, noise, epsilon = kernels.make("se", length_scale=0.3), 0.01, 0.02
    problem = Batch(points, times, values)
    lags = np.subtract.outer(times, times)
    A = kernel(points, points) * kernels.forgetting_correlation(lags, epsilon) + noise * np.eye(n)

    def factor_and_inverse() -> tuple[np.ndarray, np.ndarray]:
        lower, _ = lapack.dpotrf(A, lower=1, clean=0)
        diagonal = lower.diagonal().copy()
        return diagonal, lapack.dpotri(lower, lower=1, overwrite_c=1)[0]

    def same(value: object, of_lapack: object) -> str | None:
        if not isinstance(of_lapack, tuple):
            return None
        diagonal, inverse = of_lapack
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        expected = -0.5 * values @ inverse @ values - np.log(diagonal).sum() - 0.5 * n * np.log(2 * np.pi)
        return None if np.isclose(value, expected, rtol=1e-9) else f"{value} in place of {expected}"

    return Comparison(
        title=f"Likelihood of {n:,} values with its gradient",
        job="value and four derivatives; by LAPACK's routines the factor and inverse of the covariance alone",
        contenders=[
            Contender("tvgp", lambda: problem.evaluate(kernel, noise, epsilon, True)[0]),
            Contender("dpotrf and dpotri", factor_and_inverse),
        ],
        targets=[Target("dpotrf and dpotri", "tvgp", 0.67)],
        check=same,
    )


at_100, at_400, at_1000 = (partial(likelihood, n) for n in (100, 400, 1000))


def _data(n: int, seed: int) -> Data:
    """Values of the model itself, in one to three dimensions, of one to three values a round."""
    rng = streams.generator("benchmarks", "fits", n, seed)
    name = ("se", "matern32", "matern52")[seed % 3]
    points, times = rng.random((n, rng.integers(1, 4))), np.arange(n) // rng.integers(1, 4)
    space = kernels.make(name, length_scale=rng.uniform(0.1, 0.6))(points, points)
    lags = np.subtract.outer(times, times)
    noise, epsilon = 10 ** rng.uniform((-3.0, -3.0), (0.0, -0.7))
    A = space * kernels.forgetting_correlation(lags, epsilon) + noise * np.eye(n)
    return name, points, times.astype(float), np.linalg.cholesky(A) @ rng.standard_normal(n)


def _ours(data: Data) -> float:
    name, *observations = data
    fit = fit_marginal_likelihood(*observations, name, rng=streams.generator("benchmarks", "starts"))
    return fit.log_marginal_likelihood


def _theirs() -> Callable[[Data], float]:
    fit = importlib.import_module("benchmarks.peers.botorch_fit").log_likelihood
    return lambda data: fit(*data)


def _check(ours: object, other: object) -> str | None:
    """No data set may be fitted worse than by the peer."""
    gains = np.subtract(ours, other)
    worse = gains.argmin()
    return None if gains[worse] >= -AGREEMENT else f"data set {worse}: {-gains[worse]:.3g} nats better"
