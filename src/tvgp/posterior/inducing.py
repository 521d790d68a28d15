"""Numbers of inducing variables and prior features, and the choice of inducing points."""

from __future__ import annotations

import math
import warnings

import numpy as np
from scipy.cluster.vq import kmeans2
from scipy.spatial.distance import cdist

from tvgp import dpp
from tvgp.kernels import Kernel
from tvgp.posterior import Prior

SELECTIONS = ("greedy", "kdpp", "kmeans")

# Conditional variance, relative to k(x, x), below which another point only adds rounding errors.
_TOLERANCE = 1e-8

# Largest rank of a factor of the prior from which a determinantal sample is drawn.
_FACTOR = 512

# Lloyd's iterations; convergence does not matter, as the centres only select points.
_ITERATIONS = 20


def rule_sizes(kernel: Kernel, d: int, horizon: int, variables: str) -> tuple[int, int]:
    """m and M by Vakili21, section 5.4, with constants 1 and natural logarithms, rounded up.

    variables: points (rule 6) or features (rule 7). Infinite smoothness, as of the squared
    exponential: both (log T)^d. Matern nu: m is T^(2d / (2nu - d)) or T^(d / nu), M is
    T^((2nu + d) d / (2 (2nu - d) nu)). ValueError unless nu > d / 2.
    """
    nu = kernel.smoothness
    if math.isinf(nu):
        size = max(math.ceil(math.log(horizon) ** d), 1)
        return size, size
    if 2 * nu <= d:
        raise ValueError(f"the paper's rule gives no sizes for kernel {kernel.name} in {d} dimensions")
    points = 2 * d / (2 * nu - d)
    power = points if variables == "points" else d / nu
    draws = (2 * nu + d) * d / (2 * (2 * nu - d) * nu)
    return math.ceil(horizon**power), math.ceil(horizon**draws)


def select(
    prior: Prior, size: int, how: str, rng: np.random.Generator, counts: np.ndarray | None = None
) -> np.ndarray:
    """Indices of at most `size` distinct points of `prior.arms`, fewer if its rank is less.

    how: greedy (determinant maximisation, which is the greedy choice by conditional variance),
    kdpp (a sample with probability proportional to det K_ZZ) or kmeans (the points nearest to the
    centres of Lloyd's algorithm from a k-means++ start). counts: copies of each point, 1 or more,
    None for one each; copies attract a centre, and make a set as many times as likely in kdpp, whose
    law over the points is that of sqrt(c_i c_j) K_ij. ValueError for another method.
    """
    size, X, k = min(size, prior.n_arms), prior.arms, prior.kernel
    if how == "greedy":
        column = lambda i: k(X, X[i : i + 1])[:, 0]  # noqa: E731
        return dpp.greedy(column, size, tolerance=_TOLERANCE, diagonal=prior.diagonal)
    if how == "kdpp":
        if counts is not None:
            law = dpp.KDPP(prior.gram * np.sqrt(np.outer(counts, counts)))
        else:
            factor = prior.factor(min(_FACTOR, prior.n_arms))
            law = dpp.KDPP(prior.gram) if factor is None else dpp.KDPP.from_factor(factor)
        return law.sample(min(size, law.rank), rng)
    if how == "kmeans":
        size = min(size, len(np.unique(X, axis=0)))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "One of the clusters is empty")  # it keeps its centre
            repeated = X if counts is None else np.repeat(X, counts, axis=0)
            centres, _ = kmeans2(repeated, size, iter=_ITERATIONS, minit="++", seed=rng)
        return np.unique(cdist(centres, X).argmin(axis=1))
    raise ValueError(f"inducing points by {how!r}, expected one of {', '.join(SELECTIONS)}")
