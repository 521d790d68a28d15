"""Mauduit25b: lower bounds, the sparse argument behind the upper bounds, and coverage."""

from tvgp.study.claims.claim import Claim
from tvgp.study.claims.measures.lower_bounds import (
    counting,
    covers_always,
    error_at_threshold,
    published_norm,
    sparse_divergence,
    sparse_variance,
    step_of_centres,
)

PAPER = "Mauduit25b"

CLAIMS: tuple[Claim, ...] = (
    Claim(
        PAPER,
        "Sec. 5.2, (36)",
        ("bump_family",),
        "functions at step w: no point is good for two of them",
        step_of_centres,
        {},
        None,
        "the value of a midpoint of two neighbours over half the maximum; at step 2w it is 1 or less",
    ),
    Claim(
        PAPER,
        "(36)",
        ("bump_family",),
        "the published width has |g|_k = B",
        published_norm,
        {},
        None,
        "the formula is loose: narrower bumps are in the ball",
    ),
    *(
        Claim(
            PAPER,
            "Theorem 5.3",
            ("lower_bounds",),
            f"alpha = {alpha:g}: N_T = T^(alpha/(alpha+1)) queries leave an error near that of guessing",
            error_at_threshold,
            {"alpha": alpha, "power": alpha / (alpha + 1)},
            None,
            "above half, which makes regret linear; queries follow the largest upper bound",
        )
        for alpha in (1.5, 2.0, 3.0)
    ),
    *(
        Claim(
            "fact",
            "Theorem 5.3's argument",
            ("lower_bounds",),
            f"alpha = {alpha:g}: the mean precision is at most C N_T / T for every schedule",
            counting,
            {"alpha": alpha},
            None,
            "so that the argument gives linear regret for every N_T = O(T), against Theorem 3.10",
        )
        for alpha in (1.5, 2.0, 3.0)
    ),
    *(
        Claim(
            PAPER,
            "Prop. 3.2",
            ("sparse_argument",),
            f"KL(sparse || virtual) stays below eta <= 1/5 ({words})",
            sparse_divergence,
            {"part": part},
            None,
            "the proposition cites a bound for the variational posterior, another object",
        )
        for part, words in (("played", "sets of a SparQ run"), ("uniform", "uniform inputs"))
    ),
    *(
        Claim(
            PAPER,
            "Prop. 3.4, (25)",
            ("sparse_argument",),
            f"variances differ by less than sqrt(3 eta), eta <= 1/5 ({words})",
            sparse_variance,
            {"part": part},
            None,
            "median over the arms, at the largest T",
        )
        for part, words in (("played", "sets of a SparQ run"), ("uniform", "uniform inputs"))
    ),
    *(
        Claim(
            PAPER,
            "(12)",
            ("coverage",),
            f"{label}: |mu - f| <= width sigma for all arms and rounds with probability 1 - delta",
            covers_always,
            {"part": part, "level": 0.95},
            None,
            "runs in which every arm is inside the band in every round",
        )
        for part, label in (
            ("sparq_gp_ucb", "SparQ-GP-UCB"),
            ("w_sparq_gp_ucb", "W-SparQ-GP-UCB"),
            ("ui_gp_ucb", "UI-GP-UCB"),
        )
    ),
)
