"""k-DPP sampling beside DPPy's: 37 of 500 arms of Mauduit25b, Fig. 2, as SparQ asks at t = 475."""

from __future__ import annotations

import numpy as np

from benchmarks.harness import Comparison, Contender, Target, needs
from tvgp import dpp, kernels

ITEMS, SIZE, STEPS = 500, 37, 1000


def first(_: int) -> Comparison:
    """An exact sample from a kernel matrix, eigenproblem included."""
    K, ours, theirs = _kernel_matrix(), np.random.default_rng(1), np.random.RandomState(1)
    return _comparison(
        "Exact k-DPP, first sample",
        f"one sample of {SIZE} of {ITEMS} items from a new kernel matrix",
        Contender("tvgp exact", lambda: dpp.KDPP(K).sample(SIZE, ours)),
        Contender(
            "DPPy exact",
            lambda: _dppy(K).sample_exact_k_dpp(size=SIZE, random_state=theirs),
            needs("dppy"),
        ),
        at_least=15,
    )


def again(_: int) -> Comparison:
    """Further exact samples of the same ground set: the eigenproblem is shared."""
    K, missing = _kernel_matrix(), needs("dppy")
    sampler, rng = dpp.KDPP(K), np.random.default_rng(1)
    theirs, state = None if missing else _dppy(K), np.random.RandomState(1)
    return _comparison(
        "Exact k-DPP, further samples",
        f"one more sample of {SIZE} of the same {ITEMS} items",
        Contender("tvgp exact", lambda: sampler.sample(SIZE, rng)),
        Contender("DPPy exact", lambda: theirs.sample_exact_k_dpp(size=SIZE, random_state=state), missing),
    )


def chain(_: int) -> Comparison:
    """The swap chain; the greedy start is included in tvgp's time and passed to DPPy."""
    K, rng, state = _kernel_matrix(), np.random.default_rng(1), np.random.RandomState(1)
    start = dpp.greedy(K, SIZE).tolist()

    def theirs():
        sampler = _dppy(K)
        sampler.sample_mcmc_k_dpp(size=SIZE, s_init=start, nb_iter=STEPS, random_state=state)
        return sampler.list_of_samples[-1][-1]

    return _comparison(
        "k-DPP by a swap chain",
        f"{STEPS:,} steps on sets of {SIZE} of {ITEMS} items from a greedy start",
        Contender("tvgp swap chain", lambda: dpp.swap_chain(K, dpp.greedy(K, SIZE), STEPS, rng)),
        Contender("DPPy exchange chain", theirs, needs("dppy")),
    )


def _comparison(
    title: str, job: str, ours: Contender, theirs: Contender, at_least: float | None = None
) -> Comparison:
    target = Target(theirs.name, ours.name, at_least)
    return Comparison(title, job, [ours, theirs], [target], rounds=25, check=_check)


def _kernel_matrix() -> np.ndarray:
    places = np.linspace(-50.0, 50.0, 501)[:ITEMS, None]
    return kernels.make("se", variance=0.5, length_scale=3.0)(places, places)


def _check(_: object, sample: object) -> str | None:
    """Samples differ; each must be SIZE distinct items with a determinant that is not 0."""
    sample = np.asarray(sample)
    if len(np.unique(sample)) != SIZE:
        return f"{len(np.unique(sample))} distinct items, expected {SIZE}"
    sign, _ = np.linalg.slogdet(_kernel_matrix()[np.ix_(sample, sample)])
    return None if sign > 0 else "the sample's determinant is 0"


def _dppy(K: np.ndarray):
    from dppy.finite_dpps import FiniteDPP

    return FiniteDPP("likelihood", L=K)
