"""Policies in runs far beyond their horizon: what they keep grows by a record of the data at most."""

import pickle

import numpy as np
import pytest

from tvgp import kernels, policies, posterior

ARMS = np.linspace(-10, 10, 25)[:, None]
PLANNED = [name for name in policies.names() if "horizon" in policies.parameters(name)]
TIMES = [{"time_kernel": name, "l_time": 10.0} for name in ("constant", "ou", "matern32", "se", "periodic")]
# data that come and go, a replay that ends within 800 rounds, and moments of blocks of answers, whose number
# is of order log t
LATER = {"w_dbo": 400, "st_gp_ucb": 400, "ui_sparq_gp_ucb": 1000}
SPACES = ["se", "matern32"]  # of low rank and of full rank
# w_dbo keeps data, whatever the rank; the kernel of pi_gp_ucb must be a Matern one
OF_ONE = {"w_dbo": ["se"], "pi_gp_ucb": ["matern32"]}
CASES = [(name, {}) for name in PLANNED] + [("st_gp_ucb", values) for values in TIMES]
IN_SPACES = [(*case, space) for case in CASES for space in OF_ONE.get(case[0], SPACES)]


@pytest.mark.parametrize(("name", "values", "space"), IN_SPACES, ids=str)
def test_a_round_adds_at_most_a_hundred_bytes(monkeypatch, name, values, space):
    """Planned for 50 rounds: pickled after 200 and 400, or later where what is kept grows evenly from then
    on only. Arrays of n^2 or n times the number of arms, or a queue that nobody empties, would
    add twice as much or more."""
    monkeypatch.setattr(posterior, "_EXACT_HORIZON", 100)  # instead of 3,000, up to which data are kept
    kernel = kernels.make(space, variance=0.5, length_scale=3.0)
    policy = policies.make(name, arms=ARMS, kernel=kernel, noise_variance=0.01, horizon=50, **values)
    rng, sizes, half = np.random.default_rng(0), [], LATER.get(name, 200)
    for t in range(1, 2 * half + 1):
        arm = policy.choose(t, rng)
        policy.observe(t, arm, np.sin(0.1 * arm + 0.02 * t) + 0.1 * rng.standard_normal())
        asked = policy.expert_queries(t, rng)
        if len(asked):
            policy.observe_expert(t, asked, np.sin(0.1 * asked + 0.02 * t))
        if t % half == 0:
            sizes.append(len(pickle.dumps(policy)))
    assert sizes[1] - sizes[0] <= 100 * half
