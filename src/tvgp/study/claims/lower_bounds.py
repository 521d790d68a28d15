"""Mauduit25b: lower bounds, the sparse argument behind the upper bounds, and coverage."""

from tvgp.study.claims.claim import Claim, Source, reading
from tvgp.study.claims.measures.lower_bounds import (
    counting,
    covers_always,
    error_at_threshold,
    sparse_divergence,
    sparse_variance,
    step_of_centres,
)

PAPER = "Mauduit25b"
BUMPS = Source(PAPER, ("bump_family",)).claim
SPARSE = Source(PAPER, ("sparse_argument",)).claim
ALPHAS = (1.5, 2.0, 3.0)
INPUTS = (reading("sets of a SparQ run", part="played"), reading("uniform inputs", part="uniform"))

CLAIMS: tuple[Claim, ...] = (
    BUMPS(
        "Sec. 5.2, (36)",
        "functions at step w: no point is good for two of them",
        step_of_centres,
        remark="the value of a midpoint of two neighbours over half the maximum; at step 2w it is 1 or less",
    ),
    *(
        Source(PAPER, ("lower_bounds",)).claim(
            "Theorem 5.3",
            f"alpha = {alpha:g}: N_T = T^(alpha/(alpha+1)) queries leave an error near that of guessing",
            error_at_threshold,
            remark="above half, which makes regret linear; queries follow the largest upper bound",
            alpha=alpha,
            power=alpha / (alpha + 1),
        )
        for alpha in ALPHAS
    ),
    *(
        Source("fact", ("lower_bounds",)).claim(
            "Theorem 5.3's argument",
            f"alpha = {alpha:g}: the mean precision is at most C N_T / T for every schedule",
            counting,
            remark="so that the argument gives linear regret for every N_T = O(T), against Theorem 3.10",
            alpha=alpha,
        )
        for alpha in ALPHAS
    ),
    SPARSE(
        "Prop. 3.2",
        "KL(sparse || virtual) stays below eta <= 1/5",
        sparse_divergence,
        remark="the proposition cites a bound for the variational posterior, another object",
        readings=INPUTS,
        depends="the inputs",
    ),
    SPARSE(
        "Prop. 3.4, (25)",
        "variances differ by less than sqrt(3 eta), eta <= 1/5",
        sparse_variance,
        remark="median over the arms, at the largest T",
        readings=INPUTS,
        depends="the inputs",
    ),
    *(
        Source(PAPER, ("coverage",)).claim(
            "Lemma 2.3, (14)",
            f"{label}: |mu - f| <= width sigma for all arms and rounds with probability 1 - delta",
            covers_always,
            remark="runs in which every arm is inside the band in every round",
            part=part,
            level=0.95,
        )
        for part, label in (
            ("sparq_gp_ucb", "SparQ-GP-UCB"),
            ("w_sparq_gp_ucb", "W-SparQ-GP-UCB"),
            ("ui_gp_ucb", "UI-GP-UCB"),
        )
    ),
)
