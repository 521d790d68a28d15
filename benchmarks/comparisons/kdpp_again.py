"""Exact k-DPP, further samples while the ground set stays the same: eigenproblem shared."""

from __future__ import annotations

import numpy as np

from benchmarks.comparisons.kdpp_first import SIZE, check, dppy_sampler, kernel_matrix
from benchmarks.harness import Comparison, Contender, Target, needs
from tvgp import dpp


def make() -> Comparison:
    """N = 500, M = 37."""
    K = kernel_matrix()
    sampler, rng = dpp.KDPP(K), np.random.default_rng(1)
    missing = needs("dppy")
    theirs, state = None if missing else dppy_sampler(K), np.random.RandomState(1)
    return Comparison(
        name="kdpp_again",
        title="Exact k-DPP, further samples",
        job="one more sample of 37 of the same 500 items",
        contenders=[
            Contender("tvgp exact", lambda: sampler.sample(SIZE, rng)),
            Contender(
                "DPPy exact",
                lambda: theirs.sample_exact_k_dpp(size=SIZE, random_state=state),
                missing,
            ),
        ],
        targets=[Target("DPPy exact", "tvgp exact")],
        rounds=25,
        check=check,
    )
