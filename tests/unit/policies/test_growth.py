"""How work and memory grow with the number of arms: no policy needs all pairs of arms."""

import tracemalloc

import numpy as np
import pytest

from tvgp import kernels, policies, streams
from tvgp.contracts import Hindsight, SequentialQueries
from tvgp.kernels.radial import Radial
from tvgp.posterior import Prior, prior

ROUNDS = 12
KERNEL = kernels.make("se", length_scale=0.3)


def play(name, arms):
    """Make a policy and play some rounds."""
    known = {"horizon": 200} if "horizon" in policies.parameters(name) else {}
    policy = policies.make(name, arms=arms, kernel=KERNEL, noise_variance=0.01, **known)
    if isinstance(policy, Hindsight):
        policy.foresee(np.zeros((ROUNDS, len(arms))))
    rng = np.random.default_rng(1)
    for t in range(1, ROUNDS + 1):
        arm = policy.choose(t, rng)
        policy.observe(t, arm, float(np.sin(9 * arms[arm, 0])))
        while len(queries := policy.expert_queries(t, rng)):
            policy.observe_expert(t, queries, np.sin(9 * arms[queries, 0]))
            if not isinstance(policy, SequentialQueries):
                break


def covariances(name, n_arms, monkeypatch):
    """Covariances per arm that are computed to make a policy and to play some rounds."""
    arms = streams.generator(name, n_arms).random((n_arms, 2))  # of its own: priors are kept
    counted = [0]
    original = Radial.__call__

    def counting(self, X, Y):
        counted[0] += len(X) * len(Y)
        return original(self, X, Y)

    with monkeypatch.context() as patched:
        patched.setattr(Radial, "__call__", counting)
        play(name, arms)
    return counted[0] / n_arms


def peak(name, arms):
    """Most numbers of 8 bytes in use at a time, to make a policy and to play some rounds."""
    Prior._recent = []
    tracemalloc.start()
    try:
        play(name, arms)
        return tracemalloc.get_traced_memory()[1] / 8
    finally:
        tracemalloc.stop()


# pi-GP-UCB: each cell has a posterior of the arms in it; Field-GP-UCB: levels of single arms have full rank
LINEAR = [each for each in policies.names() if each not in ("pi_gp_ucb", "field_gp_ucb")]

# Most numbers an arm, in ranks of the prior: factor, transpose and table. AW-SparQ asks by a second factor,
# R-PERP and OPKB solve designs, MASTER keeps a posterior per scale, S-GP-TS 1,000 features.
FACTORS = {"aw_sparq_gp_ucb": 5, "r_perp": 5, "opkb": 5, "master_gp_ucb": 11, "s_gp_ts": 12}
FACTORS |= {"fitted_tv_gp_ucb": 16}  # an engine per candidate


@pytest.mark.parametrize("name", LINEAR)
def test_covariances_grow_in_proportion_to_the_arms(name, monkeypatch):
    few, many = (covariances(name, n_arms, monkeypatch) for n_arms in (600, 2400))
    assert many <= 1.25 * few + 5


@pytest.mark.parametrize("name", LINEAR)
def test_memory_is_a_few_factors_of_the_prior(name, monkeypatch):
    """Beside the rows of K that are kept, of which there is a constant number of entries."""
    monkeypatch.setattr(prior, "_KEPT", 1)
    few, many = (np.linspace(0.0, 9.0, n_arms)[:, None] for n_arms in (2500, 5000))
    rank = Prior(many, KERNEL).factor(512).shape[1]
    assert peak(name, many) - peak(name, few) <= FACTORS.get(name, 3.2) * rank * 2500
