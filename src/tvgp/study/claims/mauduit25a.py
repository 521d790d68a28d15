"""Mauduit25a: SparQ-GP-UCB."""

from collections.abc import Iterable

from tvgp.study.claims.claim import Claim, Interpretation, Source, interpretation
from tvgp.study.claims.measures.costs import sparq_over_cubic, sparq_total, spectrum_tail
from tvgp.study.claims.measures.entries import nothing
from tvgp.study.claims.measures.study import (
    average_regret,
    below_bound,
    comparable,
    linear,
    lower_than,
    lowest,
    only_sublinear,
    superlinear,
)
from tvgp.study.papers.mauduit25a import AVERAGES, BASELINES, LABELS, PRINTED_AS_TOTAL
from tvgp.study.results import subsets

# The paper does not print its kernel's length-scale: fitted, and a short one.
BUMP = Source(
    "Mauduit25a",
    ("moving_bump", "moving_bump_short"),
    500,
    between="the length-scale and the variance of the kernel",
).claim
OZONE = Source(
    "Mauduit25a",
    ("ozone", "ozone_nc"),
    between="the data",
    data="the ozone season of a state in 2023, not two years of New York City",
).claim


ENDS = ("greedy", "dpp")
CHAIN = "the chain length"


def _chain(rule: str) -> str:
    return f"chain of swaps: {subsets.CHAIN[rule]}"


def chain_interpretations(*methods: str, rules: Iterable[str] = ENDS) -> tuple[Interpretation, ...]:
    """The methods' variants by the length of the chain of swaps, which the paper does not print; the two
    ends are its start and the law that its theorem needs."""
    return tuple(
        interpretation(
            _chain(rule),
            variants=tuple(subsets.variant(method, rule) for method in methods),
        )
        for rule in rules
    )


CLAIMS: tuple[Claim, ...] = (
    BUMP(
        "Fig. 1",
        "SparQ is the only method whose average regret goes to 0",
        only_sublinear,
        variant="sparq_gp_ucb",
        others=BASELINES,
    ),
    BUMP(
        "Fig. 1",
        "SparQ has the least regret",
        lowest,
        interpretations=chain_interpretations("sparq_gp_ucb"),
        depends=CHAIN,
        others=BASELINES,
    ),
    BUMP(
        "Fig. 1, (19)",
        "SparQ's average regret lies below the bound (19)",
        below_bound,
        variant="sparq_gp_ucb",
        remark="the paper draws the bound as a curve; constant 1, $d = 1$, $δ = 0.05$",
    ),
    *(
        BUMP(
            "Fig. 1",
            f"{LABELS[variant]}: about {value:g}",
            average_regret,
            variant=variant,
            value=value,
            tolerance=0.1,
            remark="printed as $R_T$; read as average regret ($R_T / T$)"
            if variant in PRINTED_AS_TOTAL
            else "",
        )
        for variant, value in AVERAGES.items()
    ),
    *(
        BUMP("Fig. 1", f"{label} has linear regret", linear, variant=variant)
        for variant, label in LABELS.items()
    ),
    BUMP(
        "Fig. 1",
        "GP-UCB's average regret grows slowly: slightly superlinear regret",
        superlinear,
        variant="gp_ucb",
        remark="cannot continue: average regret is at most 1.9",
    ),
    OZONE(
        "Fig. 2",
        "SparQ has significantly less regret than the other methods",
        lowest,
        interpretations=chain_interpretations("sparq_gp_ucb"),
        depends=CHAIN,
        others=BASELINES,
    ),
    OZONE(
        "Fig. 2",
        "GP-UCB is comparable to the time-varying methods",
        comparable,
        variant="gp_ucb",
        others=BASELINES[:4],
        tolerance=0.1,
    ),
    OZONE(
        "Sec. 4.2",
        "SparQ consistently outperforms GP-UCB",
        lower_than,
        interpretations=tuple(
            interpretation(_chain(rule), variant=subsets.variant("sparq_gp_ucb", rule)) for rule in ENDS
        ),
        depends=CHAIN,
        other="gp_ucb",
    ),
    Source("Mauduit25a", ()).claim(
        "Theorem 3.1",
        r"its SparQ grows no faster than (19), $\tilde O(\sqrt{T})$",
        nothing,
        remark="(19) grows faster than $T$ up to $T = 2,100$, beyond the 500 rounds played with it;"
        " the test beds play that of Mauduit25b",
    ),
    Source("Mauduit25a", ()).claim(
        "Sec. 5.2, 3",
        "observations of variance up to any $g(T) = o(T^{1/4})$ may be kept",
        nothing,
        remark=r"arithmetic: $\sqrt{T} g^2 = o(T)$ exactly for such $g$; what is played is $g = σ^2 \log T$",
    ),
    Source("Mauduit25a", ("operation_counts",)).claim(
        "Theorem 3.2",
        "SparQ is less expensive than a Bayesian update on all measurements, $O(T^3)$",
        sparq_over_cubic,
        remark="counted as in the proof, a DPP in every round, with constants 1",
    ),
    Source("Mauduit25a", ("operation_counts",)).claim(
        "Theorem 3.2",
        r"SparQ's operations in all are $O(T^2 \log T \log^3(T / \log T))$",
        sparq_total,
        remark="counted as in the proof, a DPP in every round, with constants 1",
        per_iteration=False,
    ),
    *(
        Source("Mauduit25a", ("nystrom",)).claim(
            "Theorem 0.B.1",
            f"the tail of the kernel matrix's spectrum is below $C_D$ times that of the operator ({name})",
            spectrum_tail,
            remark=r"$C_D = \sqrt{2 π} (l_q/8) e^8$ on [-50, 50]; the proof bounds the density of $x_t$ by 1",
            part=part,
        )
        for part, name in (("sparq", "SparQ's inputs"), ("w_sparq", "W-SparQ's inputs"))
    ),
)
