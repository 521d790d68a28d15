"""Mauduit25b: growth of regret in the regimes of Tables 1 and 2, and the query schedules.

Growth is measured over the decade before the horizon (`tvgp.study.results.growth`).
"""

from tvgp.study.claims.claim import Claim, Source, interpretation
from tvgp.study.claims.measures.premises import schedule_growth
from tvgp.study.claims.measures.regimes import (
    bound_at_horizon,
    counted,
    few_queries,
    growth,
    no_slower,
    vanishes,
    vanishing_schedule,
)
from tvgp.study.papers.mauduit25b import COUNTS
from tvgp.study.results.growth import WITHOUT_QUERIES

PAPER, FACT, GUESS = "Mauduit25b", "fact", "hypothesis"
BEDS = ("ageing", "drift")
GROWTH = Source(PAPER, BEDS, between="the test bed").claim
_LEAST = (
    "the method without queries that has the least exponent; a lower bound is for the worst function and"
    " these are random"
)
_DRIFT = "no drift has the independent increments that the theorem assumes; ageing observations have them"


def _schedule(alpha: float | None) -> str:
    return "SparQ" if alpha is None else f"W-SparQ, $α = {alpha:g}$"


CLAIMS: tuple[Claim, ...] = (
    *(
        GROWTH(
            "Table 1, Prop. 2.2",
            f"$α = {shown}$: GP-UCB with injected noise grows no faster than (13)",
            growth,
            remark=_DRIFT,
            methods=("ui_gp_ucb",),
            alpha=alpha,
            bound="gp_ucb",
        )
        for shown, alpha in (("1/10", 0.1), ("1/4", 0.25))
    ),
    *(
        GROWTH(item, text, growth, remark=_LEAST, methods=WITHOUT_QUERIES, alpha=alpha, rule=no_slower(least))
        for item, text, alpha, least in (
            ("Table 1, [27]", r"$α = 1/4$: no method grows slower than $\sqrt{T}$", 0.25, 0.5),
            (
                "Prop. 2.6, (17)",
                "$α = 1/4$: no method grows slower than $T^{0.625}$",
                0.25,
                0.625,
            ),
            ("Table 1, Prop. 2.6", "$α = 1$: without queries no method grows slower than $T$", 1.0, 1.0),
            ("Table 1, Prop. 2.6", "$α = 2$: without queries no method grows slower than $T$", 2.0, 1.0),
        )
    ),
    *(
        GROWTH(
            "Theorem 3.3",
            rf"$α = {alpha:g}$: SparQ grows no faster than (23), $\tilde O(\sqrt{{T}})$",
            growth,
            remark=_DRIFT,
            methods=("sparq_gp_ucb",),
            alpha=alpha,
            bound="sparq",
        )
        for alpha in (1.0, 2.0)
    ),
    GROWTH(
        "Theorem 3.10",
        r"$α = 1$: W-SparQ grows no faster than (34), $\tilde α = 1/4$",
        growth,
        remark=_DRIFT,
        interpretations=(
            interpretation("with the square root of its own proof", bound="w_sparq"),
            interpretation("as printed", bound="w_sparq_printed"),
        ),
        depends="the square root",
        methods=("w_sparq_gp_ucb",),
        alpha=1.0,
    ),
    Source(PAPER, ("phase_diagram",)).claim(
        "Theorem 5.3",
        "$α = 2$: with $N_T = O(T^{2/3})$ queries no algorithm has sublinear regret",
        few_queries,
        alpha=2.0,
    ),
    *(
        Source(PAPER, ("query_counts",)).claim(
            "Sec. 3.3",
            f"$α = {alpha:g}$: W-SparQ's average number of queries vanishes",
            vanishing_schedule,
            remark=r"from the schedule alone; its rate, $\log T / T^{1/(4 α)}$, tends to 0 at every $α$"
            + ("; no function drifts with $α$ above 2" if alpha > 2 else ""),
            rule=vanishes(alpha),
            alpha=alpha,
            first=10**5,
            last=10**7,
        )
        for alpha in (0.5, 1.0, 2.0, 3.0)
    ),
    *(
        Source(PAPER, ("query_counts",)).claim(
            "Theorem 3.10",
            rf"$α = {alpha:g}$: W-SparQ's queries per round are $O(T^{{-\tilde α/α}} \log T)$",
            schedule_growth,
            remark=r"from the schedule alone, $\tilde α = 1/4$",
            alpha=alpha,
            exponent=-0.25 / alpha,
            per_round=True,
        )
        for alpha in (0.5, 1.0, 2.0)
    ),
    Source(GUESS, BEDS, between="the test bed").claim(
        "Mauduit25b, Theorem 5.3's argument",
        "$α = 2$: W-SparQ's regret is linear, as the counting argument of Theorem 5.3 gives it"
        " against Theorem 3.10",
        growth,
        methods=("w_sparq_gp_ucb",),
        alpha=2.0,
        rule=no_slower(1.0),
    ),
    *(
        Source(FACT, ("ageing",)).claim(
            item,
            f"with constant 1, {text} exceeds the largest regret possible, $2 M_k B$ per round",
            bound_at_horizon,
            alpha=alpha,
            bound=bound,
        )
        for item, text, alpha, bound in (
            ("(13)", "the bound for GP-UCB at $α = 1/4$", 0.25, "gp_ucb"),
            ("(34) rooted", "the bound for W-SparQ at $α = 1$", 1.0, "w_sparq"),
        )
    ),
    *(
        Source(FACT, ("query_counts",)).claim(
            "query count",
            f"{_schedule(alpha)}: $N_T = {value:,}$ at $T = {horizon}$",
            counted,
            alpha=alpha,
            horizon=horizon,
            value=value,
        )
        for alpha, values in COUNTS.items()
        for horizon, value in zip((500, 5000), values, strict=True)
    ),
)
