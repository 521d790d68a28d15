"""Approximation quality of the sparse posterior against m and T (Vakili21, Lemma 1, Proposition 2).

With exact moments mu, sigma, sparse ones mu~, sigma~, and kappa = 2 KL(sparse || exact), Burt et al. (2019,
2020), on whom Proposition 2 builds, have for kappa <= 1/5

    |mu~ - mu| <= sqrt(kappa) sigma,  |sigma~^2 / sigma^2 - 1| <= sqrt(3 kappa),
    kappa <= (r / tau) (1 + |y|^2 / (tau + r)),  r = tr(K - Q),
    r <= T delta_m for features,  E r <= (m + 1) T delta_m for points from a k-DPP of the data,

delta_m = sum_{j > m} lambda_j max phi_j^2 by Mercer's theorem on the arms. The formulas of the
proposition itself are missing from the copy of the paper that was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from tvgp import policies, streams
from tvgp.environments import matern_rkhs
from tvgp.environments.matern_rkhs import MaternRKHS
from tvgp.posterior import InducingPoints, Prior, Sparse, inducing
from tvgp.posterior.features import mercer
from tvgp.simulate import simulate

INPUTS, VARIABLES = ("uniform", "played"), ("points", "features")
_QUANTITIES = ("divergence", "bound", "mean_error", "spread_error")


def uses(**parameters: Any) -> tuple[str, ...]:
    """The policies."""
    return "tvgp.policies.gp_ts", "tvgp.policies.uniform"


def run(
    seeds: Sequence[int],
    kernel: str,
    sizes: Sequence[int],
    d: int = 1,
    n_side: int = 100,
    rounds: Sequence[int] = (100, 300, 1000),
    delta: float = 0.05,
) -> xr.Dataset:
    """Quantities for data of T rounds, T = `rounds` (seed, inputs, variables, round) with m by the
    paper's rule, and for the last T (seed, inputs, variables, size) with m = `sizes`, named `*_by_size`.

    divergence: 2 KL; bound: on it, from delta_m (for points with probability 1 - delta); mean_error:
    max |mu~ - mu| / sigma; spread_error: max |sigma~^2 / sigma^2 - 1|, over the arms; rule (variables,
    round): m; covered (seed, inputs, round): share of the arms with |f - mu| <= u sigma, u the width
    of Lemma 1 for delta, and reached: max |f - mu| / (u sigma).

    inputs: drawn uniformly (a design fixed beforehand) or played by exact Thompson sampling. delta: also
    of Lemma 1. Functions in the RKHS of the kernel, uniform noise on [-1, 1], tau = 1/3.
    """
    by_round = {name: np.empty((len(seeds), 2, 2, len(rounds))) for name in _QUANTITIES}
    by_size = {name: np.empty((len(seeds), 2, 2, len(sizes))) for name in _QUANTITIES}
    covered, reached = (np.empty((len(seeds), 2, len(rounds))) for _ in range(2))
    rule = np.empty((2, len(rounds)))
    for i, seed in enumerate(seeds):
        names = ("approximation", kernel, d, seed)
        rng = streams.generator(*names, "environment")
        environment = matern_rkhs.make(d, n_side=n_side, kernel=kernel, rng=rng)
        prior = Prior.of(environment.arms, environment.kernel)
        models = {v: Approximations(prior, environment.noise_std**2, v, delta) for v in VARIABLES}
        f = environment.mean_rewards(1)
        # Lemma 1: B + (R / sqrt(tau)) sqrt(2 log(1 / delta)), R = 1 for noise on [-1, 1]
        width = environment.norm(1) + np.sqrt(2.0 * np.log(1.0 / delta)) / environment.noise_std
        for j, inputs in enumerate(INPUTS):
            arms, values = _data(environment, inputs, max(rounds), names)
            for k, T in enumerate(rounds):
                exact = Exact(prior, environment.noise_std**2, arms[:T], values[:T])
                standard = np.abs(f - exact.mean) / (width * exact.std)
                covered[i, j, k], reached[i, j, k] = (standard <= 1.0).mean(), standard.max()
                for v, (variables, model) in enumerate(models.items()):
                    rule[v, k] = m = inducing.rule_sizes(environment.kernel, d, T, variables)[0]
                    rng = streams.generator(*names, inputs, "points", T)
                    for name, value in zip(_QUANTITIES, model.compare(exact, int(m), rng), strict=True):
                        by_round[name][i, j, v, k] = value
                    for s, size in enumerate(sizes if T == rounds[-1] else ()):
                        rng = streams.generator(*names, inputs, "points", T, size)
                        for name, value in zip(_QUANTITIES, model.compare(exact, size, rng), strict=True):
                            by_size[name][i, j, v, s] = value
    axes = ("seed", "inputs", "variables")
    return xr.Dataset(
        {name: ((*axes, "round"), values) for name, values in by_round.items()}
        | {f"{name}_by_size": ((*axes, "size"), values) for name, values in by_size.items()}
        | {
            "covered": (("seed", "inputs", "round"), covered),
            "reached": (("seed", "inputs", "round"), reached),
            "rule": (("variables", "round"), rule),
        },
        coords={
            "inputs": list(INPUTS),
            "variables": list(VARIABLES),
            "round": list(rounds),
            "size": list(sizes),
        },
    )


def _data(
    environment: MaternRKHS, inputs: str, horizon: int, names: tuple[str | int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Arms and rewards of a run."""
    n_arms, tau = len(environment.arms), environment.noise_std**2
    policy = policies.make(
        "gp_ts" if inputs == "played" else "uniform",
        arms=environment.arms,
        kernel=environment.kernel,
        noise_variance=tau,
    )
    played = simulate(
        policy,
        environment,
        horizon,
        rng=streams.generator(*names, inputs),
        **streams.noise_fields(n_arms, *names),
    )
    return played.arm, played.reward


class Exact:
    """The exact posterior over all arms and the evidence: one inducing point per arm."""

    def __init__(self, prior: Prior, tau: float, arms: np.ndarray, values: np.ndarray) -> None:
        self.arms, self.values = arms, values
        points = InducingPoints(prior.kernel, prior.arms)
        half = points.whiten(prior.arms)
        model = Sparse(prior.n_arms, tau)
        model.observe(half[:, arms], values, prior.diagonal[arms])
        self.mean, variance = model.predict(half, prior.diagonal)
        self.std, self.evidence = np.sqrt(variance), model.evidence_bound()


class Approximations:
    """Sparse posteriors on one kind of inducing variables."""

    def __init__(self, prior: Prior, tau: float, variables: str, delta: float) -> None:
        self._prior, self._tau, self._variables, self._delta = prior, tau, variables, delta
        self._eigenvalues, self._functions = mercer(prior, prior.n_arms)
        largest = self._eigenvalues * (self._functions**2).max(axis=0)
        # delta_m for m = 0, 1, ...; the eigenvalues cut off as rounding count as 0
        self._tails = np.append(np.cumsum(largest[::-1])[::-1], 0.0)

    def compare(self, exact: Exact, size: int, rng: np.random.Generator) -> tuple[float, ...]:
        """The four quantities for m = size, cut to the number of arms played (points) or the rank."""
        half = self._half(exact.arms, size, rng)
        prior, arms = self._prior, exact.arms
        model = Sparse(len(half), self._tau)
        model.observe(half[:, arms], exact.values, prior.diagonal[arms])
        mean, variance = model.predict(half, prior.diagonal)
        kappa = max(2.0 * (exact.evidence - model.evidence_bound()), 0.0)
        mean_error = (np.abs(mean - exact.mean) / exact.std).max()
        spread_error = np.abs(variance / exact.std**2 - 1.0).max()
        return kappa, self._bound(exact, len(half)), mean_error, spread_error

    def _half(self, arms: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        prior = self._prior
        if self._variables == "features":
            return np.sqrt(self._eigenvalues[:size])[:, None] * self._functions[:, :size].T
        played, counts = np.unique(arms, return_counts=True)
        own = Prior(prior.arms[played], prior.kernel)
        chosen = played[inducing.select(own, size, "kdpp", rng, counts)]
        return InducingPoints(prior.kernel, prior.arms[chosen]).whiten(prior.arms)

    def _bound(self, exact: Exact, m: int) -> float:
        r = len(exact.arms) * self._tails[min(m, len(self._tails) - 1)]
        if self._variables == "points":
            r *= (m + 1) / self._delta
        squares = float(exact.values @ exact.values)
        return r / self._tau * (1.0 + squares / (self._tau + r))
