"""Mauduit25b: W-SparQ-GP-UCB and the regimes."""

from tvgp.study.claims.claim import Claim, Holds, Source
from tvgp.study.claims.mauduit25a import CHAIN, ENDS, chain_interpretations
from tvgp.study.claims.measures.costs import (
    against_alpha_tilde,
    orders,
    regression_share,
    residual_monotone,
    sparq_total,
    w_sparq_total,
)
from tvgp.study.claims.measures.regimes import vanishes
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
from tvgp.study.papers.mauduit25a import BASELINES
from tvgp.study.results import subsets

SINE = Source(
    "Mauduit25b",
    ("rkhs_sine", "rkhs_sine_rooted"),
    500,
    "the norm of the function ($a(t)$ as printed or with a root)",
).claim
FRANCE = Source("Mauduit25b", ("berkeley_france",)).claim
COUNTED = Source("Mauduit25b", ("operation_counts",)).claim
SPARQ, W_SPARQ = "sparq_gp_ucb", "w_sparq_gp_ucb"
_LARGEST = 3.0  # alpha at which the search of the fit ends
_FIRST_TWO = "SparQ and W-SparQ have less regret than the other five methods"

CLAIMS: tuple[Claim, ...] = (
    *(
        claim(
            item,
            _FIRST_TWO,
            lowest,
            interpretations=chain_interpretations(SPARQ, W_SPARQ, rules=rules),
            depends=CHAIN,
            others=BASELINES,
        )
        for claim, item, rules in ((SINE, "Fig. 2", subsets.CHAIN), (FRANCE, "Fig. 3", ENDS))
    ),
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
        remark="measured as the change of queries per round from the first to the second half of the run;"
        r" $\log T / T^{1/(4 α)}$ tends to 0 at every $α$, but rises until $\log T = 4 α$",
        rule=vanishes(_LARGEST),
        variant=W_SPARQ,
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
    COUNTED(
        "Theorem 3.6",
        r"SparQ's operations per iteration are $O(T^2 \log T \log^3(T / \log T))$",
        sparq_total,
        remark="the bound is that of Mauduit25a on the total; per iteration it is larger by a factor $T$",
        per_iteration=True,
    ),
    *(
        COUNTED(
            "Sec. 3.3, complexity",
            rf"$α = {alpha:g}$: W-SparQ's operations in all are $O(T^2 (\log T + T^{{\tilde α/α}})^2)$",
            w_sparq_total,
            remark=r"counted per window as in the text, $\tilde α = 1/4$; the bound leaves out the DPPs;"
            " by the orders, of which that of the DPPs is smaller",
            rule=Holds(max(orders(0.25 / alpha)) <= 2.0 + 0.5 / alpha),
            alpha=alpha,
            alpha_tilde=0.25,
        )
        for alpha in (1.0, 2.0)
    ),
    COUNTED(
        "Sec. 3.3, complexity",
        "$α = 1$: the regressions dominate the cost of a window",
        regression_share,
        remark=r"with $Q = 6 \log t$; a DPP costs $t Q^3 \log t$; by the orders, which counts need not show",
        rule=Holds(orders(0.25)[1] > orders(0.25)[0]),
        alpha=1.0,
        alpha_tilde=0.25,
    ),
    *(
        COUNTED(
            "Remark 3.12",
            text,
            against_alpha_tilde,
            remark="$α = 1$; by the orders, which counts at this $T$ need not show",
            rule=Holds(holds),
            alpha=1.0,
            horizon=500,
            names=names,
        )
        for text, names, holds in (
            (r"the closer $\tilde α$ is to 1/3, the fewer queries", ("queries",), 1 - 0.33 < 1 - 0.05),
            (
                r"a smaller $\tilde α$ needs fewer operations",
                ("dpp", "regressions"),
                max(orders(0.33)) > max(orders(0.05)),
            ),
        )
    ),
    Source("Mauduit25b", ("nystrom",)).claim(
        "Lemma 3.8",
        r"adding inputs to all and to the asked ones lowers the residual trace $\mathrm{tr}(K - U)$",
        residual_monotone,
    ),
)
