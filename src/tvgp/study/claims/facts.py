"""Facts that follow from the definitions."""

from tvgp.study.claims.claim import Claim, Source
from tvgp.study.claims.measures.study import (
    average_regret,
    mean_optimum,
    queries,
    scheduled_queries,
)

BUMP = Source("fact", ("moving_bump",), 500).claim
SINE = Source("fact", ("rkhs_sine",), 500).claim
_FEWER = "fewer where fewer distinct arms were played than it may ask about, as on moving_bump"

CLAIMS: tuple[Claim, ...] = (
    BUMP(
        "moving_bump",
        "uniformly random play: 1.347",
        average_regret,
        variant="uniform",
        value=1.347,
        tolerance=0.05,
    ),
    BUMP(
        "moving_bump",
        "best fixed arm: 0.313",
        average_regret,
        variant="best_fixed_arm",
        value=0.313,
        tolerance=0.01,
    ),
    SINE(
        "rkhs_sine",
        "mean optimum: 1.36",
        mean_optimum,
        value=1.36,
        tolerance=0.01,
        remark="from the oracle's rewards, which include observation noise",
    ),
    SINE(
        "rkhs_sine",
        "uniformly random play: 1.36",
        average_regret,
        variant="uniform",
        value=1.36,
        tolerance=0.05,
    ),
    SINE(
        "query count",
        r"SparQ with $⌈6 \log t⌉$: 15,859 expert queries",
        queries,
        variant="sparq_gp_ucb",
        value=15859,
        tolerance=0.01,
        remark=_FEWER,
    ),
    SINE(
        "query count",
        r"W-SparQ asks as often as its schedule says at the run's $α$ ($\tilde α = 1/4$)",
        scheduled_queries,
        variant="w_sparq_gp_ucb",
        tolerance=0.01,
        remark=_FEWER,
    ),
)
