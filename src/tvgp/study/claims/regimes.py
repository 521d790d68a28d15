"""Mauduit25b: growth of regret in the regimes of Tables 1 and 2, and the query schedules.

Statements on growth are read on the decade before the horizon, see `tvgp.study.results.growth`: a finite run
proves no limit.
"""

from tvgp.study.claims.claim import Claim
from tvgp.study.claims.measures.regimes import (
    bound_at_horizon,
    counted,
    few_queries,
    growth,
    late_regret_above,
    vanishing_schedule,
)
from tvgp.study.results.growth import WITHOUT_QUERIES

BEDS = ("ageing", "drift")
_LEAST = "the method without queries that has the least exponent"
_FINITE = "a finite run proves no limit"
_DRIFT = "no drift has the independent increments that the theorem assumes; data that age have them"


def _growth(item: str, text: str, remark: str = "", **arguments: object) -> Claim:
    remark = "; ".join(words for words in (remark, _FINITE) if words)
    return Claim("Mauduit25b", item, BEDS, text, growth, arguments, None, remark)


def _count(who: str, alpha: float | None, horizon: int, value: int) -> Claim:
    words = who if alpha is None else f"{who}, alpha = {alpha:g}"
    arguments = {"alpha": alpha, "horizon": horizon, "value": value}
    return Claim(
        "fact",
        "query count",
        ("query_counts",),
        f"{words}: N_T = {value:,} at T = {horizon}",
        counted,
        arguments,
    )


CLAIMS: tuple[Claim, ...] = (
    _growth(
        "Table 1, Prop. 2.2",
        "alpha = 1/4: GP-UCB with injected noise grows no faster than (13)",
        remark=_DRIFT,
        methods=("ui_gp_ucb",),
        alpha=0.25,
        bound="gp_ucb",
    ),
    _growth(
        "Table 1, [27]",
        "alpha = 1/4: no method grows slower than sqrt(T)",
        remark=_LEAST,
        methods=WITHOUT_QUERIES,
        alpha=0.25,
        at_least=0.5,
    ),
    *(
        _growth(
            "Table 1, Prop. 2.6",
            f"alpha = {alpha:g}: without queries no method grows slower than T",
            remark=_LEAST,
            methods=WITHOUT_QUERIES,
            alpha=alpha,
            at_least=1.0,
        )
        for alpha in (1.0, 2.0)
    ),
    *(
        _growth(
            "Theorem 3.3",
            f"alpha = {alpha:g}: SparQ grows no faster than (23), O~(sqrt(T))",
            remark=_DRIFT,
            methods=("sparq_gp_ucb",),
            alpha=alpha,
            bound="sparq",
        )
        for alpha in (1.0, 2.0)
    ),
    _growth(
        "Theorem 3.10",
        "alpha = 1: W-SparQ grows no faster than (34), alpha_tilde = 1/4",
        remark=f"with the square root that the printed (34) lacks; {_DRIFT}",
        methods=("w_sparq_gp_ucb",),
        alpha=1.0,
        bound="w_sparq",
    ),
    Claim(
        "Mauduit25b",
        "Theorem 5.3",
        ("phase_diagram",),
        "alpha = 2: with N_T = O(T^(2/3)) queries regret is linear",
        few_queries,
        {"alpha": 2.0},
        None,
        _FINITE,
    ),
    *(
        Claim(
            "Mauduit25b",
            "Sec. 3.3",
            ("query_counts",),
            f"alpha = {alpha:g}: W-SparQ's average number of queries vanishes",
            vanishing_schedule,
            {"alpha": alpha, "first": 10**5, "last": 10**7},
            None,
            "from the schedule alone; alpha above 2 is no drift that exists"
            if alpha > 2
            else "from the schedule alone",
        )
        for alpha in (0.5, 1.0, 2.0, 3.0)
    ),
    Claim(
        "fact",
        "Theorem 5.3's argument",
        BEDS,
        "alpha = 2: the counting argument of Theorem 5.3 gives W-SparQ linear regret as well,"
        " against Theorem 3.10",
        growth,
        {"methods": ("w_sparq_gp_ucb",), "alpha": 2.0, "at_least": 1.0},
        None,
        _FINITE,
    ),
    *(
        Claim(
            "fact",
            item,
            ("ageing",),
            f"{text} is vacuous at this horizon",
            bound_at_horizon,
            {"alpha": alpha, "bound": bound, "method": method},
            None,
            "constant 1; the assumptions allow at most 2 M_k B per round",
        )
        for item, text, alpha, bound, method in (
            ("(13)", "the bound for GP-UCB at alpha = 1/4", 0.25, "gp_ucb", "ui_gp_ucb"),
            ("(34) rooted", "the bound for W-SparQ at alpha = 1", 1.0, "w_sparq", "w_sparq_gp_ucb"),
        )
    ),
    Claim(
        "fact",
        "one-step delay",
        ("drift",),
        "alpha = 1: f moves before it is played, so that regret per round has a floor above 0",
        late_regret_above,
        {"alpha": 1.0, "value": 0.0},
        None,
        "the method with the least regret in the last tenth of the run; a floor at this horizon",
    ),
    *(
        _count("W-SparQ", alpha, horizon, value)
        for alpha, short, long in (
            (0.5, 1135, 5592),
            (1.0, 3702, 31_994),
            (1.5, 5503, 56_972),
            (2.0, 6481, 77_183),
            (3.0, 7920, 106_311),
        )
        for horizon, value in ((500, short), (5000, long))
    ),
    _count("SparQ", None, 500, 15_859),
    _count("SparQ", None, 5000, 227_956),
)
