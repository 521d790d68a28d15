"""Mauduit25b: W-SparQ-GP-UCB and the regimes."""

from tvgp.study.claims.claim import Claim, Source
from tvgp.study.claims.mauduit25a import CHAIN, ENDS, chain_interpretations
from tvgp.study.claims.measures.costs import (
    against_alpha_tilde,
    regression_share,
    residual_monotone,
    sparq_total,
    w_sparq_total,
)
from tvgp.study.claims.measures.study import (
    linear,
    lower_than,
    lowest,
    lowest_error,
    more_queries,
    smoothest_error,
    sublinear,
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
            remark=r"counted per window as in the text, $\tilde α = 1/4$; the bound leaves out the DPPs",
            alpha=alpha,
            alpha_tilde=0.25,
        )
        for alpha in (1.0, 2.0)
    ),
    COUNTED(
        "Sec. 3.3, complexity",
        "$α = 1$: the regressions dominate the cost of a window",
        regression_share,
        remark=r"with $Q = 6 \log t$; a DPP costs $t Q^3 \log t$",
        alpha=1.0,
        alpha_tilde=0.25,
    ),
    *(
        COUNTED(
            "Remark 3.12",
            text,
            against_alpha_tilde,
            remark="$α = 1$",
            alpha=1.0,
            horizon=500,
            names=names,
        )
        for text, names in (
            (r"the closer $\tilde α$ is to 1/3, the fewer queries", ("queries",)),
            (r"a smaller $\tilde α$ needs fewer operations", ("dpp", "regressions")),
        )
    ),
    Source("Mauduit25b", ("nystrom",)).claim(
        "Lemma 3.8",
        r"adding inputs to all and to the asked ones lowers the residual trace $\mathrm{tr}(K - U)$",
        residual_monotone,
    ),
)
