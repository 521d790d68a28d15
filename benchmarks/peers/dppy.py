"""DPPy's exact k-DPP instead of tvgp's, for policies that query an expert."""

from __future__ import annotations

import numpy as np
from dppy.finite_dpps import FiniteDPP

from tvgp.contracts import Policy


class DPPy:
    """`sample(size, rng)` as `tvgp.dpp.KDPP`, with the same law but other random numbers.

    DPPy keeps the eigenproblem of a ground set. Its table of elementary symmetric polynomials is
    dropped when the size changes, because DPPy 0.3.3 reuses the table of a smaller size and fails.
    """

    def __init__(self, matrix: np.ndarray) -> None:
        self._dpp = FiniteDPP("likelihood", L=matrix)
        self._size = 0

    def sample(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Sorted indices of `size` items."""
        if size != self._size:
            self._dpp.E_poly, self._size = None, size
        state = np.random.RandomState(int(rng.integers(2**32)))
        return np.sort(self._dpp.sample_exact_k_dpp(size=size, random_state=state))


def lend_sampler(policy: Policy) -> Policy:
    """The policy with its subsets from DPPy."""
    subset = policy._subset
    subset._exact_sampler = lambda ground: DPPy(subset._prior.rows(ground)[:, ground])
    return policy
