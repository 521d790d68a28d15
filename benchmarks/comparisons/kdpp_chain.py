"""The swap chain: 1,000 steps from the greedy set."""

from __future__ import annotations

import numpy as np

from benchmarks.comparisons.kdpp_first import SIZE, check, dppy_sampler, kernel_matrix
from benchmarks.harness import Comparison, Contender, Target, needs
from tvgp import dpp

STEPS = 1000


def make() -> Comparison:
    """N = 500, M = 37, greedy start included in tvgp's time and passed to DPPy."""
    K = kernel_matrix()
    rng, state = np.random.default_rng(1), np.random.RandomState(1)
    start = dpp.greedy(K, SIZE)

    def theirs():
        sampler = dppy_sampler(K)
        chain = {"s_init": start.tolist(), "nb_iter": STEPS, "random_state": state}
        sampler.sample_mcmc_k_dpp(size=SIZE, **chain)
        return sampler.list_of_samples[-1][-1]

    return Comparison(
        name="kdpp_chain",
        title="k-DPP by a swap chain",
        job="1,000 steps on sets of 37 of 500 items from a greedy start",
        contenders=[
            Contender(
                "tvgp swap chain",
                lambda: dpp.swap_chain(K, dpp.greedy(K, SIZE), STEPS, rng),
            ),
            Contender("DPPy exchange chain", theirs, needs("dppy")),
        ],
        targets=[Target("DPPy exchange chain", "tvgp swap chain")],
        rounds=25,
        check=check,
    )
