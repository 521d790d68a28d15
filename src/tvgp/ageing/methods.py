"""The methods of the ageing test bed: the library's policies with their recommended settings.

A policy's noise model decides how its data are drawn: the true variances (UI-GP-UCB and the SparQ
family), variances of its own (GP-, SW- and W-GP-UCB), or a time kernel, under
which the data of an arm cannot be merged (TV-GP-UCB). Windows and discounts are those for an unknown
B_T, as f does not vary here. W-SparQ's windows use the true alpha.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from tvgp import policies
from tvgp.ageing.merged import AgeingMerged, MismatchedPrecision
from tvgp.ageing.mistaken_exponent import MistakenExponent
from tvgp.ageing.noise_growth import NoiseGrowth
from tvgp.ageing.weight_space import AgeingWeightSpace, matched_epsilon
from tvgp.policies.base.ucb import UpperConfidencePolicy
from tvgp.posterior import Prior
from tvgp.streams import NoiseField

# On the model of UI-GP-UCB, which is right; the values that it is told are not those of its engine.
_INDEX = {"price": 0.01, "learn_scale": False, "learn_gain": False}

# Method name: algorithm, and parameters that differ from the algorithm's defaults.
METHODS: Mapping[str, tuple[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "gp_ucb": ("gp_ucb", {}),
        "ui_gp_ucb": ("ui_gp_ucb", {}),
        "tv_gp_ucb": ("tv_gp_ucb", {}),
        "w_gp_ucb": ("w_gp_ucb", {"weights": "single", "width": "information"}),
        "sw_gp_ucb": ("sw_gp_ucb", {}),
        "sparq_gp_ucb": ("sparq_gp_ucb", {}),
        "sparq_greedy_subset": ("sparq_gp_ucb", {"subset": "greedy"}),
        "w_sparq_gp_ucb": ("w_sparq_gp_ucb", {}),
        "ui_sparq_gp_ucb": ("ui_sparq_gp_ucb", {}),
        "ui_sparq_latest": ("ui_sparq_gp_ucb", {"answers": "latest"}),
        "sparq_domain_greedy": ("sparq_gp_ucb", {"subset": "greedy", "place": "domain"}),
        "w_sparq_domain_greedy": ("w_sparq_gp_ucb", {"subset": "greedy", "place": "domain"}),
        "pandora": ("pandora_gp_ucb", _INDEX),
        "knowledge_gradient": ("pandora_gp_ucb", {**_INDEX, "rule": "knowledge_gradient"}),
        **{
            f"asks_{number}": ("pandora_gp_ucb", {**_INDEX, "rule": "upper_bound", "number": number})
            for number in (1, 3, 8)
        },
    }
)


def algorithm(method: str) -> str:
    """The algorithm of a method. ValueError for an unknown method."""
    if method not in METHODS:
        raise ValueError(f"ageing: no method {method!r}; known: {', '.join(METHODS)}")
    return METHODS[method][0]


def make(
    method: str,
    prior: Prior,
    growth: NoiseGrowth,
    f: np.ndarray,
    horizon: int,
    *,
    noise: NoiseField,
    redraws: np.random.Generator,
    norm_bound: float = 5.0,
    delta: float = 0.05,
    told: float | None = None,
    **parameters: Any,
) -> tuple[UpperConfidencePolicy, AgeingMerged | AgeingWeightSpace]:
    """A fresh policy, and the engine whose observations of the function f, (n_arms,), age.

    noise: standard normal field by (round, arm), the same for every method; redraws: TV-GP-UCB's
    stream, as it needs several numbers per round; told: exponent that UI-GP-UCB, also under
    Pandora's rules, is told, None for the true one; parameters: of the policy, before the method's own.
    ValueError for an unknown method, and others that are told an exponent.
    """
    name = algorithm(method)
    if told is not None and name not in ("ui_gp_ucb", "pandora_gp_ucb"):
        raise ValueError(f"ageing: {method} is told {told:g}; expected ui_gp_ucb or Pandora's rules")
    known: dict[str, Any] = {
        "alpha": growth.alpha if told is None else told,
        "norm_bound": norm_bound,
        "delta": delta,
        "horizon": horizon,
    }
    if method == "tv_gp_ucb":
        known["epsilon"] = matched_epsilon(growth, prior.kernel.variance)
    declared = policies.parameters(name)
    policy: Any = policies.make(
        name,
        arms=prior.arms,
        kernel=prior.kernel,
        noise_variance=growth.noise_variance,
        **{key: value for key, value in known.items() if key in declared},
        **{**METHODS[method][1], **parameters},
    )
    engine: AgeingMerged | AgeingWeightSpace
    if name == "pandora_gp_ucb":
        ui_gp_ucb, width = ("ui_gp_ucb", prior, growth, f, horizon), policy.model._width(1)
        policy.model, engine = make(*ui_gp_ucb, noise=noise, redraws=redraws, told=told, width=width)
    elif method == "tv_gp_ucb":
        engine = AgeingWeightSpace(prior, growth, f, redraws, known["epsilon"])
    else:
        mismatch: MismatchedPrecision | MistakenExponent | None = None
        if told is not None:
            mismatch = MistakenExponent(growth, told, prior.n_arms)
        elif method == "gp_ucb":
            mismatch = MismatchedPrecision(growth, prior.n_arms)
        elif method == "sw_gp_ucb":
            mismatch = MismatchedPrecision(growth, prior.n_arms, window=policy.window)
        elif method == "w_gp_ucb":
            mismatch = MismatchedPrecision(growth, prior.n_arms, discount=policy.gamma)
        engine = AgeingMerged(prior, growth, f, noise, mismatch)
    return cast(UpperConfidencePolicy, policy), engine
