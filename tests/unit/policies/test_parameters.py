"""Every parameter of every policy changes how it plays, with each of several values."""

import contextlib
import importlib
import itertools

import numpy as np
import pytest
from example_policies import ARMS, build, f

from tvgp import kernels, policies
from tvgp.contracts import SequentialQueries

ROUNDS = 46

# Values of a parameter that must differ in effect, after the settings under which it has one.
_UCB = {
    "width": ({}, [0.5, 3.0, "logarithmic"]),
    "c1": ({"width": "logarithmic"}, [0.8, 5.0]),
    "c2": ({"width": "logarithmic"}, [4.0, 400.0]),
    "norm_bound": ({"width": "information"}, [1.0, 9.0]),
    "delta": ({"width": "information"}, [0.001, 0.5]),
    "horizon": ({}, [8, 5000]),
    "prior_mean": ({}, [0.0, 1.5, tuple(ARMS[:, 0] / 15)]),
}
_SEQUENTIAL = _UCB | {"engine": ({}, ["append", "weight_space", "dense"])}
_BATCH = _UCB | {"engine": ({}, ["merged", "dense"])}
_IMPROVED = {
    "width": ({}, [0.5, 3.0, "logarithmic", "improved"]),
    "norm_bound": ({}, [1.0, 9.0]),
    "delta": ({}, [0.001, 0.5]),
    "sub_gaussian": ({}, [None, 0.05, 2.0]),
    "gain_factor": ({}, [1.0, 2.0]),
}
_BUDGET = ({}, [None, 1e-3, 1e4])
_TIME = {
    "time_kernel": ({}, ["auto", "constant", "ou", "matern32", "se", "periodic", "quasi"]),
    "l_time": ({}, [20.0, 200.0]),
    "period": ({"time_kernel": "periodic"}, [7.0, 20.0]),
    "harmonics": ({"time_kernel": "periodic", "engine": "state_space"}, [1, 8]),
    "refit_first": ({}, [5, 40]),
    "refit_growth": ({"refit_first": 5}, [1.1, 10.0]),
}
_MODEL = {key: ({"model": "st"} | settings, values) for key, (settings, values) in _TIME.items()} | {
    "slow_share": ({"model": "field"}, [0.0, 0.3, 1.0]),
    "own_share": ({"model": "field"}, [0.0, 0.5]),
    "l_fast": ({"model": "field"}, [2.0, 20.0]),
    "l_slow": ({"model": "field"}, [20.0, 200.0]),
    "model": ({}, ["gp", "sw", "tv", "st", "field", "ui"]),
    "epsilon": ({"model": "tv"}, [0.0, 0.03, 1.0]),
    "alpha": ({"model": "ui"}, [0.5, 3.0]),
    "window": ({"model": "sw"}, [None, 2, 40]),
    "variation_budget": ({"model": "sw"}, _BUDGET[1]),
}
_EXPERT = _BATCH | {
    "horizon": ({}, []),
    "query_scale": ({}, [0.3, 6.0]),
    "expert_noise_variance": ({}, [None, 0.5]),
    "subset": ({"query_scale": 1.0}, ["dpp", "greedy", "swap", "random"]),
    "swap_steps": ({"query_scale": 1.0, "subset": "swap"}, [1, 100]),
    "place": ({}, ["past", "domain"]),
}
_WINDOWS = {
    "alpha": ({}, [0.3, 1.0, 2.0]),
    "alpha_tilde": ({}, [0.02, 0.3]),
    "noise": ({}, ["virtual", "constant"]),
    "keep_own": ({}, [False, True]),
}
_RANGE = {"scale": ({}, [None, 0.05])}
_BATCHES = {
    "prior_mean": ({}, [0.0, 9.0, tuple(ARMS[:, 0] / 5)]),
    "horizon": ({}, [8, 5000]),
    "variation_budget": ({}, [None, 1e4]),
}
_THOMPSON = {
    "scale": ({}, [0.5, 2.0, "theory"]),
    "norm_bound": ({"scale": "theory"}, [1.0, 9.0]),
    "horizon": ({}, [8, 5000]),
    "prior_mean": _UCB["prior_mean"],
}
_FITTED = {"hyperparameters": "fitted", "refit_every": 40, "initial": 3}
_KNOWN = {"learn": False}
_OPKB = {"e_scale": 1e-4, "epsilon_scale": 1e-5, "j_star": 0}

PARAMETERS = {
    "aw_sparq_gp_ucb": _EXPERT
    | {
        "alpha": (_KNOWN, [0.3, 1.0, 2.0]),
        "alpha_tilde": ({"windows": "published"}, [0.02, 0.3]),
        "noise": ({}, ["virtual", "constant"]),
        "keep_own": ({}, [False, True]),
        "learn": ({"drift_variance": 0.001}, [True, False]),
        "drift_variance": (_KNOWN, [None, 0.001, 0.5]),
        "staleness": ({}, [0.01, 3.0]),
        "windows": ({}, ["staleness", "published"]),
        "exponent_prior": ({"delta_event": 1e-300}, [0.0, 1e4]),
        "saturating": ({"delta_event": 1e-300}, [True, False]),
        "delta_event": ({}, [1e-300, 0.9]),
    },
    "d_ucb": _RANGE | {"gamma": ({}, [0.5, 0.99]), "xi": ({}, [0.1, 0.6])},
    "discounted_ts": _RANGE | {"gamma": ({}, [0.5, 0.99])},
    "bob_gp_ucb": _BATCH
    | {
        "block_length": ({}, [None, 3, 50]),
        "windows": ({"block_length": 8}, [None, (1,), (8,), (1, 8), (2, 8)]),
        "reward_bound": ({"block_length": 2}, [None, 0.1, 100.0]),
    },
    "et_gp_ucb": _SEQUENTIAL | {"delta_event": ({}, [1e-300, 0.9])},
    "fitted_tv_gp_ucb": _SEQUENTIAL | {"epsilons": ({}, [(0.0,), (0.03, 0.5), (1.0,)])},
    "field_gp_ucb": _UCB
    | {
        "horizon": ({}, []),
        "engine": ({}, []),
        "slow_share": ({}, [0.0, 0.3, 1.0]),
        "own_share": ({}, [0.0, 0.5, 1.0]),
        "l_fast": ({}, [0.5, 9.0]),
        "l_slow": ({}, [20.0, 400.0]),
    },
    "glr_gp_ucb": _SEQUENTIAL
    | {
        "test": ({}, ["residuals", "arms"]),
        "test_every": ({}, [2, 25]),
        "split_every": ({}, [1, 10**6]),
        "delta_restart": ({}, [1e-300, 0.9]),
        "cover": ({"test": "arms"}, [0.3, 0.9]),
    },
    "gp_ts": _THOMPSON | {"horizon": ({}, []), "sampling": ({}, ["joint", "pathwise"])},
    "gp_ucb": _SEQUENTIAL,
    "igp_ucb": _SEQUENTIAL | _IMPROVED,
    "kernel_exp3": _RANGE | _BATCHES | {"regularisation": ({}, [None, 0.1])},
    "master_gp_ucb": _SEQUENTIAL
    | {
        "width": _IMPROVED["width"],
        "norm_bound": _IMPROVED["norm_bound"],
        "delta": _IMPROVED["delta"],
        "scale": ({}, [1.0, 1e-6]),
        "first_order": ({}, [0, 3]),
    },
    "opkb": {
        "gamma": (_OPKB, [10.0, 1000.0]),
        "mixture": (_OPKB, [0.0, 1.0]),
        "e_scale": (_OPKB, [1e-4, 1e-1]),
        "g_scale": (_OPKB, [1e-6, 1.0]),
        "beta_scale": (_OPKB, [0.1, 5000.0]),
        "mu_scale": (_OPKB, [0.0, 1.0]),
        "tol": ({}, [1e-9, 0.5]),
        "epsilon_scale": (_OPKB, [1e-5, 100.0]),
        "j_star": (_OPKB, [0, 9]),
        "horizon": ({}, [8, 5000]),
        "prior_mean": (_OPKB, [0.0, 1.5, tuple(ARMS[:, 0] / 15)]),
    },
    "oracle": {"delay": ({}, [0, 3])},
    "pandora_gp_ucb": _SEQUENTIAL
    | _MODEL
    | {
        "rule": ({}, ["pandora", "knowledge_gradient", "pairs", "upper_bound"]),
        "price": ({}, [0.01, 0.3, tuple(0.2 + ARMS[:, 0] / 100)]),
        "price_share": ({}, [0.1, 0.6, 1.0]),
        "budget": ({}, [None, 1.0, 6.0]),
        "most": ({"price": 0.001}, [None, 1, 3]),
        "batch": ({}, [1, 3]),
        "number": ({"rule": "upper_bound"}, [0, 2, 5]),
        "query_width": ({"rule": "upper_bound"}, [0.5, 1.5]),
        "scale": ({}, [1.0, 9.0]),
        "learn_scale": ({}, [True, False]),
        "learn_gain": ({}, [True, False]),
    },
    "pi_gp_ucb": _UCB
    | _IMPROVED
    | {
        "prior_mean": ({}, [0.0, 1.5]),
        "engine": ({}, []),
        "cells_per_side": ({}, [None, 1, 9]),
        "splitting": ({"cells_per_side": 1}, [True, False]),
    },
    "prior_order": {"prior_mean": ({}, [0.0, tuple(ARMS[:, 0])])},
    "rexp3": _RANGE | _BATCHES | {"low": ({}, [None, -9.0])},
    "r_gp_ucb": _SEQUENTIAL | {"block_length": ({}, [None, 3, 50]), "variation_budget": _BUDGET},
    "r_perp": {
        "confidence": ({"block_length": 40}, [0.0, 5.0]),
        "block_length": ({}, [None, 3, 50]),
        "variation_budget": _BUDGET,
        "horizon": ({}, [8, 5000]),
        "prior_mean": ({"block_length": 40}, _UCB["prior_mean"][1]),
        "engine": _SEQUENTIAL["engine"],
    },
    "s_gp_ts": _THOMPSON
    | {
        "horizon": ({"size": "rule"}, [8, 5000]),
        "variables": ({"size": 5}, ["points", "features"]),
        "size": ({}, [2, 9, "rule"]),
        "selection": ({"size": 5}, ["greedy", "kdpp", "kmeans"]),
        "among": ({"size": 5}, ["arms", "played"]),
        "features": ({"size": 5}, [10, 500, "rule"]),
        "basis": ({}, ["fourier", "mercer"]),
    },
    "sequential_query_ucb": _SEQUENTIAL
    | _MODEL
    | {
        "engine": ({"query_scale": 0.3}, _SEQUENTIAL["engine"][1]),
        "schedule": ({}, ["sparq", "w_sparq"]),
        "query_scale": ({}, [0.3, 6.0]),
        "alpha": ({"schedule": "w_sparq"}, [0.3, 1.0, 2.0]),
        "alpha_tilde": ({"schedule": "w_sparq"}, [0.02, 0.3]),
    },
    "sparq_gp_ucb": _EXPERT | {"version": ({}, ["2025a", "2025b"])},
    "st_gp_ucb": _UCB
    | {
        "engine": ({"time_kernel": "matern32"}, ["space_time", "state_space"]),
    }
    | _TIME,
    "sw_gp_ucb": _BATCH | {"window": ({}, [None, 2, 40]), "variation_budget": _BUDGET},
    "tv_gp_ts": _THOMPSON | {"horizon": ({}, []), "epsilon": ({}, [0.0, 0.03, 1.0])},
    "tv_gp_ucb": _SEQUENTIAL | {"epsilon": ({}, [0.0, 0.03, 1.0])},
    "ui_gp_ucb": _BATCH | {"horizon": ({}, []), "alpha": ({}, [0.3, 1.0, 2.0])},
    "sw_ucb": _RANGE | {"window": ({}, [2, 20, 100]), "xi": ({}, [0.1, 0.6])},
    "ucb1": _RANGE,
    "ui_sparq_gp_ucb": _EXPERT | {"alpha": ({}, [0.3, 1.0, 2.0]), "answers": ({}, ["all", "latest"])},
    "ui_tvbo": _SEQUENTIAL
    | {
        "norm_bound": ({}, []),
        "delta": ({}, []),
        "engine": ({}, ["append", "weight_space"]),
        "q": ({}, [0.0, 0.03, 1.0]),
    },
    "w_dbo": _UCB
    | {
        "width": ({}, [0.5, 3.0, "logarithmic", "dataset"]),
        "norm_bound": ({}, []),
        "delta": ({}, []),
        "horizon": (_FITTED, [8, 5000]),
        "engine": ({}, []),
        "time_kernel": ({}, ["matern32", "ou", "se"]),
        "l_time": ({}, [5.0, 50.0]),
        "alpha": ({"l_time": 5.0}, [0.0, 0.25, 9.0]),
        "initial": ({}, [2, 15]),
        "fewest": ({"l_time": 5.0, "alpha": 1e9}, [2, 9]),
        "removed": ({"l_time": 5.0}, ["least", "oldest"]),
        "noisy_std": ({}, [False, True]),
        "hyperparameters": ({"refit_every": 40}, ["given", "fitted"]),
        "refit_every": ({**_FITTED, "alpha": 0.0}, [25, 60]),
        "shortest": (_FITTED, [0.0, 1e4]),
    },
    "w_gp_ucb": _BATCH
    | {
        "width": ({}, [0.5, 3.0, "logarithmic", "weighted"]),
        "norm_bound": ({}, [1.0, 9.0]),
        "delta": ({}, [0.001, 0.5]),
        "gamma": ({}, [None, 0.5, 0.99]),
        "weights": ({}, ["double", "single"]),
        "variation_budget": _BUDGET,
    },
    "w_sparq_gp_ucb": _EXPERT | _WINDOWS,
}

CASES = [(name, key) for name, given in PARAMETERS.items() for key, (_, values) in given.items() if values]


def effect(name, **values):
    """All that a policy shows in a run in which f changes its sign: arms, queries, posteriors, widths."""
    if name == "pi_gp_ucb":  # whose partition follows from the smoothness
        values["kernel"] = kernels.make("matern32", variance=0.5, length_scale=3.0)
    policy, rng, noise = build(name, **values), np.random.default_rng(0), np.random.default_rng(1)
    yield policy.engine
    for t in range(1, ROUNDS + 1):
        truth = f(t) if t < 28 else -f(t)
        arm = policy.choose(t, rng)
        policy.observe(t, arm, truth[arm] + 0.1 * noise.standard_normal())
        yield arm
        while len(asked := policy.expert_queries(t, rng)):
            yield asked.tolist()
            policy.observe_expert(t, asked, truth[asked] + 0.1 * noise.standard_normal(len(asked)))
            if not isinstance(policy, SequentialQueries):
                break
        if t % 6 == 0 and name != "oracle":
            yield np.array(policy.posterior(t + 1)).tolist()
    with contextlib.suppress(ValueError):  # not by mu + width sigma
        yield policy.confidence_band(ROUNDS + 1)[2]
    if name == "opkb":
        yield policy.estimated_gaps(ROUNDS).tolist()
    if name == "bob_gp_ucb":
        yield policy.probabilities.tolist()


# of the papers or, for W-DBO, UI-TVBO and OPKB, of their authors' code
PUBLISHED = {
    "tv_gp_ucb": {"c1": 0.8, "c2": 4.0},
    "et_gp_ucb": {"delta_event": 0.1},
    "ui_tvbo": {"q": 0.03},
    "w_dbo": {"time_kernel": "matern32", "alpha": 0.25, "initial": 15, "fewest": 2},
    "pi_gp_ucb": {"delta": 0.1, "gain_factor": 1.0},
    "sparq_gp_ucb": {"delta": 0.05, "query_scale": 6.0},
    "w_sparq_gp_ucb": {"alpha_tilde": 0.25, "noise": "virtual", "keep_own": False},
    "opkb": {
        "gamma": 100.0,
        "mixture": 0.2,
        "e_scale": 0.01,
        "g_scale": 0.05,
        "beta_scale": 50.0,
        "mu_scale": 0.2,
        "tol": 1e-4,
        "epsilon_scale": 0.005,
        "j_star": 4,
    },
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_defaults_are_the_published_values(name):
    made = vars(policies.declaration(name)())
    assert {key: made[key] for key in PUBLISHED[name]} == PUBLISHED[name]


@pytest.mark.parametrize("name", sorted({name for name, _ in CASES} - {"oracle"}))  # plays what is foreseen
def test_any_setting_begins_late_or_with_several_arms(name):
    """With every value of every parameter: several arms of round 1, or a first round after others."""
    given = (
        {"kernel": kernels.make("matern32", variance=0.5, length_scale=3.0)} if name == "pi_gp_ucb" else {}
    )
    for key, (settings, values) in PARAMETERS[name].items():
        for value in values:
            several, late = (build(name, **given | settings | {key: value}) for _ in range(2))
            rng = np.random.default_rng(0)
            assert len(several.choose_batch(1, rng, 2)) == 2, (key, value)
            late.observe(5, late.choose(5, rng), 0.3)
            assert late.choose(9, rng) < len(ARMS), (key, value)


def test_defaults_that_are_ours_are_parameters():
    for name in policies.names():
        assert set(policies.ours(name)) <= policies.parameters(name), name
        assert not hasattr(importlib.import_module(f"tvgp.policies.{name}"), "OURS"), name  # is not read
    assert policies.ours("kernel_exp3") == ("regularisation",)


def test_every_parameter_has_values():
    """Those without: engines of which there is one, a horizon that sizes tables only, and what is inherited
    from others and has no use."""
    for name in policies.names():
        assert set(PARAMETERS.get(name, {})) == policies.parameters(name), name
    unused = {(name, key) for name, given in PARAMETERS.items() for key in given} - set(CASES)
    assert unused == {
        *((name, "horizon") for name in ("field_gp_ucb", "gp_ts", "tv_gp_ts", "ui_gp_ucb")),
        *((name, "horizon") for name in policies.names() if "sparq" in name),
        ("field_gp_ucb", "engine"),
        ("pi_gp_ucb", "engine"),
        ("ui_tvbo", "norm_bound"),
        ("ui_tvbo", "delta"),
        ("w_dbo", "norm_bound"),
        ("w_dbo", "delta"),
        ("w_dbo", "engine"),
    }


@pytest.mark.parametrize(("name", "key"), CASES)
def test_every_value_has_an_effect_of_its_own(name, key):
    """The runs go on side by side until all differ."""
    settings, values = PARAMETERS[name][key]
    alike = set(itertools.combinations(range(len(values)), 2))
    for shown in itertools.zip_longest(*(effect(name, **settings | {key: value}) for value in values)):
        alike -= {(one, other) for one, other in alike if repr(shown[one]) != repr(shown[other])}
        if not alike:
            break
    assert not alike, f"{key}: {[tuple(values[i] for i in pair) for pair in alike]} play alike"
