"""Mauduit25a: SparQ-GP-UCB."""

from collections.abc import Iterable

from tvgp.study.claims.claim import Claim, Source
from tvgp.study.claims.measures.study import (
    average_regret,
    below_bound,
    comparable,
    linear,
    lowest,
    sublinear,
    superlinear,
)
from tvgp.study.results import subsets

BASELINES = ("tv_gp_ucb", "w_gp_ucb", "r_gp_ucb", "sw_gp_ucb", "gp_ucb")
LABELS = {
    "tv_gp_ucb": "TV-GP-UCB",
    "w_gp_ucb": "W-GP-UCB",
    "r_gp_ucb": "R-GP-UCB",
    "sw_gp_ucb": "SW-GP-UCB",
}
AVERAGES = {"tv_gp_ucb": 1.8, "w_gp_ucb": 1.3, "r_gp_ucb": 1.34, "sw_gp_ucb": 1.18}
PRINTED_AS_TOTAL = ("tv_gp_ucb", "w_gp_ucb")
BUMP = Source("Mauduit25a", ("moving_bump",), 500).claim
OZONE = Source("Mauduit25a", ("ozone", "ozone_nc")).claim


ENDS = ("greedy", "dpp")


def chain_readings(*methods: str, rules: Iterable[str] = ENDS) -> list[tuple[str, tuple[str, ...]]]:
    """A remark and the methods' variants for lengths of the chain of swaps, which the paper does not
    print; the two ends are its start and the law that its theorem needs."""
    return [
        (f"chain of swaps: {subsets.CHAIN[rule]}", tuple(subsets.variant(m, rule) for m in methods))
        for rule in rules
    ]


CLAIMS: tuple[Claim, ...] = (
    BUMP("Fig. 1", "only SparQ's average regret goes to 0", sublinear, variant="sparq_gp_ucb"),
    *(
        BUMP("Fig. 1", "SparQ has the least regret", lowest, remark=remark, variants=names, others=BASELINES)
        for remark, names in chain_readings("sparq_gp_ucb")
    ),
    BUMP(
        "Fig. 1, (19)",
        "SparQ's average regret lies below the bound (19)",
        below_bound,
        variant="sparq_gp_ucb",
        bound="sparq_2025a",
        remark="constant 1, d = 1, delta = 0.05",
    ),
    *(
        BUMP(
            "Fig. 1",
            f"{LABELS[variant]}: about {value:g}",
            average_regret,
            variant=variant,
            value=value,
            tolerance=0.1,
            remark="printed as R_T; read as average regret (R_T / T)" if variant in PRINTED_AS_TOTAL else "",
        )
        for variant, value in AVERAGES.items()
    ),
    *(
        BUMP("Fig. 1", f"{label} has linear regret", linear, variant=variant)
        for variant, label in LABELS.items()
    ),
    BUMP(
        "Fig. 1",
        "GP-UCB's average regret grows slowly",
        superlinear,
        variant="gp_ucb",
        remark="cannot continue: average regret is at most 1.9",
    ),
    *(
        OZONE(
            "Fig. 2",
            "SparQ has significantly less regret than the other methods",
            lowest,
            remark=remark,
            variants=names,
            others=BASELINES,
        )
        for remark, names in chain_readings("sparq_gp_ucb")
    ),
    OZONE(
        "Fig. 2",
        "GP-UCB is comparable to the time-varying methods",
        comparable,
        variant="gp_ucb",
        others=BASELINES[:4],
        tolerance=0.1,
    ),
)
