"""Policies in runs far beyond their horizon: what they keep grows by a record of the data at most."""

import pickle

import numpy as np
import pytest

from tvgp import kernels, policies, posterior

ARMS = np.linspace(-10, 10, 25)[:, None]
PLANNED = [name for name in policies.names() if "horizon" in policies.parameters(name)]
TIMES = [{"time_kernel": name, "l_time": 10.0} for name in ("constant", "ou", "matern32", "se", "periodic")]
LATER = {"ui_sparq_gp_ucb": 1600}  # moments of blocks of answers, whose number is of order log t
CASES = [(name, {}) for name in PLANNED] + [("st_gp_ucb", values) for values in TIMES]


@pytest.mark.parametrize("space", ["se", "matern32"])  # of low rank and of full rank
@pytest.mark.parametrize(("name", "values"), CASES, ids=str)
def test_a_round_adds_at_most_a_hundred_bytes(monkeypatch, name, values, space):
    """Planned for 50 rounds: pickled after 400 and 800, or four times as late where what is kept also grows
    by the logarithm of t. Arrays of n^2 or n times the number of arms, or a queue that nobody empties, would
    add twice as much or more."""
    if name == "pi_gp_ucb" and space == "se":
        pytest.skip("the kernel must be a Matern one")
    monkeypatch.setattr(posterior, "_EXACT_HORIZON", 100)  # instead of 3,000, up to which data are kept
    kernel = kernels.make(space, variance=0.5, length_scale=3.0)
    policy = policies.make(name, arms=ARMS, kernel=kernel, noise_variance=0.01, horizon=50, **values)
    rng, sizes, half = np.random.default_rng(0), [], LATER.get(name, 400)
    for t in range(1, 2 * half + 1):
        arm = policy.choose(t, rng)
        policy.observe(t, arm, np.sin(0.1 * arm + 0.02 * t) + 0.1 * rng.standard_normal())
        asked = policy.expert_queries(t, rng)
        if len(asked):
            policy.observe_expert(t, asked, np.sin(0.1 * asked + 0.02 * t))
        if t % half == 0:
            sizes.append(len(pickle.dumps(policy)))
    assert sizes[1] - sizes[0] <= 100 * half
