"""How work grows with the number of arms, in counted covariances: no policy needs all pairs of arms."""

import numpy as np
import pytest

from tvgp import kernels, policies, streams
from tvgp.contracts import Hindsight, SequentialQueries
from tvgp.kernels.radial import Radial

ROUNDS = 12


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
        known = {"horizon": 200} if "horizon" in policies.parameters(name) else {}
        kernel = kernels.make("se", length_scale=0.3)
        policy = policies.make(name, arms=arms, kernel=kernel, noise_variance=0.01, **known)
        if isinstance(policy, Hindsight):
            policy.foresee(np.zeros((ROUNDS, n_arms)))
        rng = np.random.default_rng(1)
        for t in range(1, ROUNDS + 1):
            arm = policy.choose(t, rng)
            policy.observe(t, arm, float(np.sin(9 * arms[arm, 0])))
            while len(queries := policy.expert_queries(t, rng)):
                policy.observe_expert(t, queries, np.sin(9 * arms[queries, 0]))
                if not isinstance(policy, SequentialQueries):
                    break
    return counted[0] / n_arms


# the cells of pi-GP-UCB have posteriors of their own, each of the arms in it
@pytest.mark.parametrize("name", [each for each in policies.names() if each != "pi_gp_ucb"])
def test_covariances_grow_in_proportion_to_the_arms(name, monkeypatch):
    few, many = (covariances(name, n_arms, monkeypatch) for n_arms in (600, 2400))
    assert many <= 1.25 * few + 5
