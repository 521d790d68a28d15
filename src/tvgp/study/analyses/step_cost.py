"""Measured time of one step of Thompson sampling (Vakili21, Table 1); not byte-reproducible.

Methods: "textbook", eq. (5) as the table counts it, which factorises K + tau I and the joint
covariance of all candidates anew in each step, O(t^3 + t^2 G + t G^2 + G^3); "joint" and
"pathwise", the exact gp_ts of this package; "points" and "features", s_gp_ts. A step is a choice
and an observation. Candidates form a grid of the unit square; data are uniform among them, so that
pathwise sampling does not gain from repeated arms. Times are CPU times of one thread, medians over
repeats, as other work on the machine affects wall times much more.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import xarray as xr
from scipy.linalg import cho_factor, cholesky, solve_triangular

from tvgp import kernels, policies, streams
from tvgp.contracts import Policy
from tvgp.environments.matern_rkhs import grid
from tvgp.kernels import Kernel
from tvgp.policies.gp_ts import GPTS
from tvgp.policies.s_gp_ts import SGPTS
from tvgp.posterior.sampling import DRAWS

_NOISE = 0.1
_LENGTH_SCALE = 0.2

# A textbook step that takes longer, in seconds, is not repeated.
_LONG = 1.0

# Number of observations before a joint root is timed; its step does not depend on t.
_FEW = 20


def uses(method: str, **parameters: Any) -> tuple[str, ...]:
    """The policies."""
    return ("tvgp.policies.gp_ts", "tvgp.policies.s_gp_ts")


def run(
    seeds: list[int],
    method: str,
    rounds: Sequence[int],
    n_side: Sequence[int],
    kernel: str = "se",
    size: int | str = "rule",
    features: int | str = "rule",
    repeats: int = 3,
) -> xr.Dataset:
    """seconds (seed, setting): time of a step after t = rounds (setting,) observations on
    G = candidates (setting,) = n_side^2; functions (seed, setting): number of functions over the
    candidates that a draw combines, rank or m, excluding a draw from the prior (NaN: textbook).

    rounds, n_side: one number per setting; size, features: m and M of s_gp_ts, where "rule" uses
    the horizon t; repeats: number of timed blocks of steps; the textbook method times single steps,
    and only one if it is slow.
    """
    k = kernels.make(kernel, length_scale=_LENGTH_SCALE)
    seconds = np.empty((len(seeds), len(rounds)))
    functions = np.full(seconds.shape, np.nan)
    for i, seed in enumerate(seeds):
        for j, (t, side) in enumerate(zip(rounds, n_side, strict=True)):
            rng = streams.generator("step_cost", method, kernel, t, side, seed)
            arms = grid(side, 2)
            if method == "textbook":
                times = [_textbook_seconds(k, arms, t, rng)]
                while sum(times) < _LONG and len(times) < repeats:
                    times.append(_textbook_seconds(k, arms, t, rng))
                seconds[i, j] = np.median(times)
                continue
            if method in ("joint", "pathwise"):
                own: dict[str, Any] = {"sampling": method}
            else:
                own = {"variables": method, "size": size, "features": features}
            policy = policies.make(
                "gp_ts" if method in ("joint", "pathwise") else "s_gp_ts",
                arms=arms,
                kernel=k,
                noise_variance=_NOISE,
                horizon=t,
                **own,
            )
            observed, steps = (_FEW, _FEW) if method == "joint" else (t, DRAWS)
            seconds[i, j] = _seconds(policy, observed, len(arms), steps, repeats, rng)
            functions[i, j] = cast(GPTS | SGPTS, policy).functions
    return xr.Dataset(
        {
            "seconds": (("seed", "setting"), seconds),
            "functions": (("seed", "setting"), functions),
            "rounds": ("setting", np.array(rounds)),
            "candidates": ("setting", np.array(n_side) ** 2),
        }
    )


def _seconds(
    policy: Policy, observed: int, n_arms: int, steps: int, repeats: int, rng: np.random.Generator
) -> float:
    """Median over repeats of the mean time of `steps` steps after `observed` random observations."""
    for s in range(1, observed + 1):
        policy.observe(s, int(rng.integers(n_arms)), float(rng.standard_normal()))
    # use up the first block of prior draws and fill all caches before the clock starts
    for _ in range(steps):
        policy.choose(observed + 1, rng)
    times = []
    for first in range(observed + 1, observed + 1 + repeats * steps, steps):
        started = time.process_time()
        for s in range(first, first + steps):
            policy.observe(s, policy.choose(s, rng), 0.0)
        times.append((time.process_time() - started) / steps)
    return float(np.median(times))


def _textbook_seconds(kernel: Kernel, arms: np.ndarray, t: int, rng: np.random.Generator) -> float:
    """Time of computing the posterior of all candidates and one joint draw from scratch."""
    X, values = arms[rng.integers(len(arms), size=t)], rng.standard_normal(t)
    started = time.process_time()
    lower, _ = cho_factor(kernel(X, X) + _NOISE * np.eye(t), lower=True, overwrite_a=True)
    V = solve_triangular(lower, kernel(X, arms), lower=True)
    mean = V.T @ solve_triangular(lower, values, lower=True)
    covariance = kernel(arms, arms)
    covariance -= V.T @ V
    covariance[np.diag_indices(len(arms))] += 1e-8
    root = cholesky(covariance, lower=True, overwrite_a=True)
    (mean + root @ rng.standard_normal(len(arms))).argmax()
    return time.process_time() - started
