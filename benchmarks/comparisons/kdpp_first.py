"""Exact k-DPP, first sample from a kernel matrix: eigenproblem included."""

from __future__ import annotations

import numpy as np

from benchmarks.harness import Comparison, Contender, Target, needs
from tvgp import dpp, kernels

ITEMS, SIZE = 500, 37


def kernel_matrix() -> np.ndarray:
    """K of 500 arms of the grid of Mauduit25b, Fig. 2; SparQ asks about 37 of them at t = 475."""
    places = np.linspace(-50.0, 50.0, 501)[:ITEMS, None]
    return kernels.make("se", variance=0.5, length_scale=3.0)(places, places)


def check(_: object, sample: object) -> str | None:
    """Samples differ; each must be SIZE distinct items with a determinant that is not 0."""
    sample = np.asarray(sample)
    if len(np.unique(sample)) != SIZE:
        return f"{len(np.unique(sample))} distinct items, expected {SIZE}"
    sign, _ = np.linalg.slogdet(kernel_matrix()[np.ix_(sample, sample)])
    return None if sign > 0 else "the sample's determinant is 0"


def dppy_sampler(K: np.ndarray):
    """DPPy's sampler of the same law."""
    from dppy.finite_dpps import FiniteDPP

    return FiniteDPP("likelihood", L=K)


def make() -> Comparison:
    """N = 500, M = 37."""
    K = kernel_matrix()
    ours, theirs = np.random.default_rng(1), np.random.RandomState(1)
    return Comparison(
        name="kdpp_first",
        title="Exact k-DPP, first sample",
        job="one sample of 37 of 500 items from a new kernel matrix",
        contenders=[
            Contender("tvgp exact", lambda: dpp.KDPP(K).sample(SIZE, ours)),
            Contender(
                "DPPy exact",
                lambda: dppy_sampler(K).sample_exact_k_dpp(size=SIZE, random_state=theirs),
                needs("dppy"),
            ),
        ],
        targets=[Target("DPPy exact", "tvgp exact", 15)],
        rounds=25,
        check=check,
    )
