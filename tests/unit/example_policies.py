"""Every policy in its variants, to run a test over all of them."""

import numpy as np
import pytest

from tvgp import kernels, policies

ARMS = np.linspace(-15, 15, 31)[:, None]
KERNEL = kernels.make("se", variance=0.5, length_scale=3.0)
NOISE, HORIZON = 0.01, 200

_CHANGED = [
    ("aw_sparq_gp_ucb", {"learn": False, "alpha": 50.0}),
    ("field_gp_ucb", {"slow_share": 0.6, "own_share": 0.0}),
    ("field_gp_ucb", {"slow_share": 0.0}),
    ("gp_ts", {"sampling": "pathwise"}),
    ("glr_gp_ucb", {"test": "arms", "cover": 0.9}),
    ("bob_gp_ucb", {"block_length": 9, "windows": (1, 3)}),
    ("master_gp_ucb", {"first_order": 3}),
    ("r_gp_ucb", {"block_length": 8}),
    ("r_perp", {"block_length": 8}),
    ("s_gp_ts", {"among": "played", "size": 5}),
    ("s_gp_ts", {"among": "played", "size": 5, "selection": "kdpp", "scale": "theory"}),
    ("s_gp_ts", {"among": "played", "size": 5, "selection": "kmeans", "basis": "mercer"}),
    ("s_gp_ts", {"selection": "kdpp", "size": 5}),
    ("s_gp_ts", {"selection": "kmeans", "size": 5}),
    ("s_gp_ts", {"variables": "features", "size": 5}),
    ("sequential_query_ucb", {"model": "sw", "window": 10}),
    ("sequential_query_ucb", {"model": "tv", "epsilon": 0.1}),
    ("sequential_query_ucb", {"schedule": "w_sparq"}),
    ("sparq_gp_ucb", {"version": "2025a"}),
    ("st_gp_ucb", {"refit_first": 5}),
    ("st_gp_ucb", {"time_kernel": "se"}),
    ("st_gp_ucb", {"time_kernel": "quasi", "period": 7.3, "engine": "state_space"}),
    ("ui_gp_ucb", {"alpha": 1.5, "horizon": 10**5}),
    ("ui_gp_ucb", {"alpha": 50.0}),
    ("w_dbo", {"initial": 2, "hyperparameters": "fitted", "refit_every": 40}),
    ("w_gp_ucb", {"weights": "single"}),
    ("w_sparq_gp_ucb", {"alpha": 50.0}),
    ("w_sparq_gp_ucb", {"alpha": 0.5, "keep_own": True}),
]

HINDSIGHT = {"oracle", "best_fixed_arm", "preference_order"}
VARIANTS = [
    pytest.param(name, values, id="-".join([name, *map(str, values.values())]))
    for name, values in [(name, {}) for name in policies.names()] + _CHANGED
]


def build(name, **values):
    """A policy that is ready to play: those with hindsight know f up to round HORIZON."""
    if "horizon" in policies.parameters(name):
        values.setdefault("horizon", HORIZON)
    policy = policies.make(name, arms=ARMS, **{"kernel": KERNEL, "noise_variance": NOISE} | values)
    if name in HINDSIGHT:
        policy.foresee(np.array([f(t) for t in range(1, HORIZON + 1)]))
    return policy


def f(t):
    """A function that moves, (31,)."""
    return np.sin(0.3 * ARMS[:, 0] + 0.05 * t)


def tell(policy, t, arm, rng, **options):
    """Tell a round: the reward of an arm, and answers to what the policy asks."""
    policy.observe(t, arm, f(t)[arm] + 0.1 * rng.standard_normal(), **options)
    asked = policy.expert_queries(t, rng)
    if len(asked):
        policy.observe_expert(t, asked, f(t)[asked] + 0.1 * rng.standard_normal(len(asked)))
