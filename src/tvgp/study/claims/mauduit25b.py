"""Mauduit25b: W-SparQ-GP-UCB and the regimes."""

from tvgp.study.claims.claim import Claim, Source
from tvgp.study.claims.mauduit25a import BASELINES
from tvgp.study.claims.measures.study import (
    linear,
    lower_than,
    lowest,
    lowest_error,
    more_queries,
    smoothest_error,
    sublinear,
    vanishing_queries,
)

SINE = Source(
    "Mauduit25b",
    ("rkhs_sine", "rkhs_sine_rooted"),
    500,
    "the norm of the function (a(t) as printed or with a root)",
).claim
FRANCE = Source("Mauduit25b", ("berkeley_france",)).claim
SPARQ, W_SPARQ = "sparq_gp_ucb", "w_sparq_gp_ucb"
_FIRST_TWO = "SparQ and W-SparQ have less regret than the other five methods"

CLAIMS: tuple[Claim, ...] = (
    SINE("Fig. 2", _FIRST_TWO, lowest, variants=(SPARQ, W_SPARQ), others=BASELINES),
    SINE("Fig. 2", "SparQ has sublinear regret", sublinear, variant=SPARQ),
    SINE("Fig. 2", "W-SparQ has sublinear regret", sublinear, variant=W_SPARQ),
    SINE(
        "Fig. 2",
        "SparQ converges slightly faster than W-SparQ",
        lower_than,
        variant=SPARQ,
        other=W_SPARQ,
    ),
    SINE(
        "Sec. 4.1",
        "SparQ needs significantly more additional queries than W-SparQ",
        more_queries,
        variant=SPARQ,
        other=W_SPARQ,
    ),
    SINE(
        "Sec. 3.3",
        "W-SparQ's average number of additional queries vanishes",
        vanishing_queries,
        variant=W_SPARQ,
        remark="measured as the change of queries per round from the first to the second half of the run",
    ),
    FRANCE("Fig. 3", _FIRST_TWO, lowest, variants=(SPARQ, W_SPARQ), others=BASELINES),
    FRANCE("Fig. 3", "SparQ has linear regret", linear, variant=SPARQ),
    FRANCE("Fig. 3", "W-SparQ has linear regret", linear, variant=W_SPARQ),
    FRANCE(
        "Fig. 4",
        "W-SparQ has the lowest prediction error",
        lowest_error,
        variant=W_SPARQ,
        others=(*BASELINES, SPARQ),
    ),
    FRANCE(
        "Fig. 4",
        "W-SparQ has the smoothest prediction error",
        smoothest_error,
        variant=W_SPARQ,
        others=(*BASELINES, SPARQ),
        remark="smoothness measured as the standard deviation of the error over places",
    ),
)
