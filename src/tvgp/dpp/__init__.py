"""Subsets of a finite set of items with probability proportional to a determinant: the M-DPP.

For a positive semidefinite kernel matrix K (N, N) over the items, an M-DPP draws Z with |Z| = M
and Pr(Z) = det K_ZZ / e_M(lambda), where lambda are the eigenvalues of K and e_M is the
elementary symmetric polynomial of degree M (Kulesza & Taskar 2012, section 5.2). SparQ-GP-UCB
(Mauduit25a, App. A, Alg. 2-3) draws its expert points by a chain that starts at the greedy set and
converges to this law; the number of steps is not printed. Its two ends, and the chain:

- `KDPP`: exact samples by eigenvalues (Kulesza & Taskar 2012, Alg. 1, 7 and 8), the limit of the
  chain, and the policies' default;
- `swap_chain`: the lazy Metropolis chain of Burt, Rasmussen & van der Wilk 2020 (JMLR 21(131),
  Alg. 1); `mixing_steps` is the number of steps that its theorem asks for;
- `greedy`: the start of the chain, a deterministic set of large determinant.

K has the units of a variance; no result depends on its scale. Sets with two equal items have
determinant 0 and are never drawn. The number of random numbers consumed depends on N, M and the
numerical rank only, and each choice depends on eigenvectors only through the projector onto their
span, so neither their signs nor the order of equal eigenvalues matters. Machines can differ through
rounding, and through the basis chosen for a repeated eigenvalue.
"""

from __future__ import annotations

from tvgp.dpp.exact import KDPP
from tvgp.dpp.greedy import greedy
from tvgp.dpp.swap import mixing_steps, swap_chain

__all__ = ["KDPP", "greedy", "mixing_steps", "swap_chain"]
