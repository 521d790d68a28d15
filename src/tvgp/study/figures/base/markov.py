"""The experiments on Gauss-Markov functions by kernel and drift rate."""

from __future__ import annotations

from collections.abc import Sequence

import xarray as xr

from tvgp.study import results
from tvgp.study.papers.bogunovic16 import EPSILONS

KERNELS = {
    "markov_se": "SE, $l = 0.2$ as printed",
    "markov_sq": "SE, $l^2 = 0.2$",
    "markov_m52": "Matérn 5/2, $l = 0.2$",
}


def by_kernel(collected: Sequence[xr.Dataset]) -> dict[str, dict[float, xr.Dataset]]:
    """Experiments by kernel and epsilon, both in order; ValueError where there is none."""
    kernels: dict[str, dict[float, xr.Dataset]] = {}
    for data in results.experiments(collected):
        kernel, _, digits = results.name(data).rpartition("_e")
        if kernel in KERNELS:
            kernels.setdefault(kernel, {})[EPSILONS[digits]] = results.at_alpha(data)
    if not kernels:
        raise ValueError("no experiments on Gauss-Markov functions among the results")
    return {kernel: dict(sorted(kernels[kernel].items())) for kernel in KERNELS if kernel in kernels}
