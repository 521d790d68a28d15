"""Statements of the papers, and facts about them, in a form that runs can check.

The claims are data: one file per paper, and for Mauduit25b one file per further topic (`regimes`,
`lower_bounds`, `premises`). Each names the function of `tvgp.study.claims.measures` that measures
it; `tvgp.study.claims.judge` decides the verdict. Mauduit25a is the ECML 2025 paper on
SparQ-GP-UCB, Mauduit25b the paper on W-SparQ-GP-UCB (arXiv 2512.00517v2). "Facts" are computed by
hand or brute force from the papers' definitions.
"""

from tvgp.study.claims import (
    bogunovic16,
    environments,
    facts,
    janz20,
    lower_bounds,
    mauduit25a,
    mauduit25b,
    modern_methods,
    premises,
    regimes,
    times,
    vakili21,
)
from tvgp.study.claims.claim import Claim

TIMED: tuple[Claim, ...] = times.CLAIMS  # on measured times, which a reproducible table cannot have
CLAIMS: tuple[Claim, ...] = (
    *mauduit25a.CLAIMS,
    *mauduit25b.CLAIMS,
    *regimes.CLAIMS,
    *lower_bounds.CLAIMS,
    *premises.CLAIMS,
    *bogunovic16.CLAIMS,
    *janz20.CLAIMS,
    *vakili21.CLAIMS,
    *modern_methods.CLAIMS,
    *environments.CLAIMS,
    *facts.CLAIMS,
)
