"""Mauduit25b: W-SparQ-GP-UCB and the regimes."""

from tvgp.study.claims.claim import Claim, Source
from tvgp.study.claims.mauduit25a import BASELINES, ENDS, chain_readings
from tvgp.study.claims.measures.study import (
    below_bound,
    linear,
    lower_than,
    lowest,
    lowest_error,
    more_queries,
    smoothest_error,
    sublinear,
    vanishing_queries,
)
from tvgp.study.results import subsets

SINE = Source("Mauduit25b", ("rkhs_sine", "rkhs_sine_rooted"), 500).claim
FRANCE = Source("Mauduit25b", ("berkeley_france",)).claim
SPARQ, W_SPARQ = "sparq_gp_ucb", "w_sparq_gp_ucb"
_FIRST_TWO = "SparQ and W-SparQ have less regret than the other five methods"

CLAIMS: tuple[Claim, ...] = (
    *(
        claim(item, _FIRST_TWO, lowest, remark=remark, variants=names, others=BASELINES)
        for claim, item, rules in ((SINE, "Fig. 2", subsets.CHAIN), (FRANCE, "Fig. 3", ENDS))
        for remark, names in chain_readings(SPARQ, W_SPARQ, rules=rules)
    ),
    SINE("Fig. 2", "SparQ has sublinear regret", sublinear, variant=SPARQ),
    SINE("Fig. 2", "W-SparQ has sublinear regret", sublinear, variant=W_SPARQ),
    SINE("Fig. 2", "SparQ converges slightly faster than W-SparQ", lower_than, variant=SPARQ, other=W_SPARQ),
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
    SINE(
        "(23)",
        "SparQ's average regret lies below the bound (23)",
        below_bound,
        variant=SPARQ,
        bound="sparq_2025b",
        remark="constant 1, d = 1, delta = 0.05: an order only",
    ),
    *(
        SINE(
            item,
            "W-SparQ's average regret lies below the bound (34)",
            below_bound,
            variant=W_SPARQ,
            bound=bound,
            remark=f"{form}; constant 1",
        )
        for item, bound, form in (
            ("(34) rooted", "w_sparq", "with the square root that the printed formula lacks"),
            ("(34) as printed", "w_sparq_printed", "as printed, without the square root of its own proof"),
        )
    ),
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
