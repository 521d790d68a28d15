"""Mauduit25b, Fig. 2 under every choice that the paper leaves open, one placing of the centres and one
noise variance per part.

The paper prints the kernel, the coefficients, T = 500 and B = 5. It leaves open the number and the places
of the centres, sigma^2, the length of SparQ's chain of swaps, alpha ("tuned"), TV-GP-UCB's epsilon ("tuned",
by likelihood or for regret) and, as ours, whether widths are as printed or tuned as well. Every setting is
played at every width, so that tuning is a choice among runs of other seeds (`tvgp.study.results.tuning`).

|f_t|_k <= 5 needs lambda_max >= 1, which equispaced centres have for n >= 23: at n = 20 the norm is 5.48.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, cast

import numpy as np
import xarray as xr

from tvgp import environments, fitting, streams
from tvgp.environments.rkhs_sine import RKHSSine
from tvgp.study.papers.mauduit25a import BASELINES
from tvgp.study.results import subsets
from tvgp.study.run.player import WIDTHS, Player

RULES = ("greedy", "swap_10", "swap_100", "dpp")
EPSILONS = (0.01, 0.03, 0.1, 0.3, 0.6)
FITTED = ("1", "fit")
OTHERS = tuple(name for name in BASELINES if name != "tv_gp_ucb")
LIKELIHOOD = "likelihood"

# n, centres, sigma^2, number of arms, l, B
Shape = tuple[int, str, float, int, float, float]


def uses(**_: Any) -> tuple[str, ...]:
    """The modules of the environment and of the policies."""
    return ("tvgp.environments.rkhs_sine", *(f"tvgp.policies.{p}" for p in (*BASELINES, *subsets.METHODS)))


def run(
    seeds: Sequence[int],
    n_centres: int = 20,
    centres: str = "equispaced",
    noise_variance: float = 0.01,
    n_arms: int = 501,
    horizon: int = 500,
    widths: Sequence[str | float] = WIDTHS,
    epsilons: Sequence[float] = EPSILONS,
    rules: Sequence[str] = RULES,
    training: int = 200,
    length_scale: float = 3.0,
    norm_bound: float = 5.0,
) -> xr.Dataset:
    """Average regret: sparq_regret (rule, width, seed), w_sparq_regret (rule, alpha, width, seed), tv_regret
    (epsilon, width, seed) and other_regret (policy, width, seed), each played at each width.

    epsilon "likelihood" and alpha "fit" are those of a training run of `training` rounds; length_scale: l of
    the kernel; norm_bound: B of functions and policies, both as printed by default. Also random (seed), the
    regret of uniformly random play, and norm (seed), the largest |f_t|_k.
    """
    shape_of_f = (n_centres, centres, noise_variance, n_arms, length_scale, norm_bound)
    epsilon, alpha = _fitted(shape_of_f, training)
    rates = {LIKELIHOOD: epsilon, **{f"{value:g}": float(value) for value in epsilons}}
    shape = len(widths), len(seeds)
    sparq = np.empty((len(rules), *shape))
    w_sparq = np.empty((len(rules), len(FITTED), *shape))
    tv = np.empty((len(rates), *shape))
    others = np.empty((len(OTHERS), *shape))
    random, norm = np.empty((2, len(seeds)))
    for s, seed in enumerate(seeds):
        names = ("multiverse", n_centres, centres, f"{noise_variance:g}", seed)
        environment = _environment(shape_of_f, names)
        rounds = [environment.mean_rewards(t) for t in range(1, horizon + 1)]
        random[s] = np.mean([f.max() - f.mean() for f in rounds])
        norm[s] = max(environment.norm(t) for t in range(1, horizon + 1))
        known = {
            "horizon": horizon,
            "norm_bound": norm_bound,
            "variation_budget": environment.variation_budget(horizon, environment.kernel.variance),
        }
        play = Player(environment, environment.kernel, noise_variance, horizon, names, known)
        for r, rule in enumerate(rules):
            own = subsets.parameters(rule)
            sparq[r, :, s] = play.at_widths(widths, "sparq_gp_ucb", **own)[0]
            for a, value in enumerate((1.0, alpha)):
                w_sparq[r, a, :, s] = play.at_widths(widths, "w_sparq_gp_ucb", alpha=value, **own)[0]
        for e, value in enumerate(rates.values()):
            tv[e, :, s] = play.at_widths(widths, "tv_gp_ucb", epsilon=value)[0]
        for p, name in enumerate(OTHERS):
            others[p, :, s] = play.at_widths(widths, name)[0]
    return xr.Dataset(
        {
            "sparq_regret": (("rule", "width", "seed"), sparq),
            "w_sparq_regret": (("rule", "alpha", "width", "seed"), w_sparq),
            "tv_regret": (("epsilon", "width", "seed"), tv),
            "other_regret": (("policy", "width", "seed"), others),
            "random": ("seed", random),
            "norm": ("seed", norm),
        },
        coords={
            "rule": list(rules),
            "alpha": list(FITTED),
            "epsilon": list(rates),
            "policy": list(OTHERS),
            "width": [str(width) for width in widths],
        },
    )


def _environment(shape: Shape, names: tuple[str | int, ...]) -> RKHSSine:
    n_centres, centres, noise_variance, n_arms, length_scale, norm_bound = shape
    made = environments.make(
        "rkhs_sine",
        n_arms=n_arms,
        n_centres=n_centres,
        centres=centres,
        noise_std=float(np.sqrt(noise_variance)),
        norm_bound=norm_bound,
        length_scale=length_scale,
        rng=streams.generator(*names, "environment"),
    )
    return cast(RKHSSine, made)


@cache
def _fitted(shape: Shape, rounds: int) -> tuple[float, float]:
    """epsilon and alpha from a training run of its own, as in the study's experiment: by marginal and by
    one-step-ahead likelihood, the rest of the model known."""
    n_centres, centres, noise_variance, *_ = shape
    names = ("training", "multiverse", n_centres, centres, f"{noise_variance:g}")
    environment = _environment(shape, names)
    rng = streams.generator(*names, "fit")
    training = fitting.from_environment(environment, rng, rounds=rounds)
    kernel = environment.kernel
    known = {
        "variance": kernel.variance,
        "length_scale": float(np.max(kernel.length_scale)),
        "noise_variance": noise_variance,
    }
    found = fitting.fit_marginal_likelihood(
        training.points, training.times, training.values, rng=rng, estimate=("epsilon",), fixed=known
    )
    alpha = fitting.fit_predictive(kernel, training.sequences, noise_variance, "alpha")
    return found.epsilon, alpha.value
