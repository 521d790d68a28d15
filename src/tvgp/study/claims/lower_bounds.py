"""Mauduit25b: lower bounds, the sparse argument behind the upper bounds, and coverage."""

from tvgp.study.claims.claim import Claim, Source, interpretation
from tvgp.study.claims.measures.lower_bounds import (
    counting,
    covers_always,
    divergence_left,
    fano_floor,
    least_divergence_reached,
    linear_growth,
    sparse_divergence,
    sparse_variance,
    step_of_centres,
)

PAPER = "Mauduit25b"
BUMPS = Source(PAPER, ("bump_family",)).claim
SPARSE = Source(PAPER, ("sparse_argument",)).claim
LINEAR = Source(PAPER, ("linear_regret",)).claim
ALPHAS = (1.5, 2.0, 3.0)
INPUTS = (
    interpretation("sets of a SparQ run", part="played"),
    interpretation("uniform inputs", part="uniform"),
)

CLAIMS: tuple[Claim, ...] = (
    BUMPS(
        "Sec. 5.2, (36)",
        "functions at step w: no point is good for two of them",
        step_of_centres,
        remark="the value of a midpoint of two neighbours over half the maximum; at step 2w it is 1 or less",
    ),
    *(
        LINEAR(
            item,
            f"$α = {alpha:g}$: {queries} beside the $T$ main evaluations leave linear regret",
            linear_growth,
            remark="the Bayes decision; all evaluations follow the largest upper bound",
            alpha=alpha,
            budget=budget,
        )
        for item, budget, queries in (
            ("Prop. 5.1", "bounded", "10 queries in all"),
            ("Theorem 5.3", "threshold", "$N_T = T^{α/(α+1)}$ queries"),
        )
        for alpha in ALPHAS
    ),
    LINEAR(
        "(37), (38)",
        "main evaluations included, there is a $γ$ at which every decision errs with some $p_0 > 0$",
        fano_floor,
        remark="the sum over i and j in (38) takes the points as fixed in advance",
        name="fixed_floor",
    ),
    Source("fact", ("linear_regret",)).claim(
        "Theorem 5.3's argument",
        r"the same where the points depend on the data, with $I ≤ (\max f - \min f)^2 / (8 σ_t^2)$ per point",
        fano_floor,
        name="adaptive_floor",
    ),
    *(
        Source("fact", ("lower_bounds",)).claim(
            "Theorem 5.3's argument",
            f"$α = {alpha:g}$: the mean precision is at most $C N_T / T$ for every schedule",
            counting,
            remark="so that the argument gives linear regret for every $N_T = O(T)$, against Theorem 3.10",
            alpha=alpha,
        )
        for alpha in ALPHAS
    ),
    SPARSE(
        "Prop. 3.2",
        "KL(sparse || virtual) stays below $η ≤ 1/5$",
        sparse_divergence,
        remark="the proposition cites a bound for the variational posterior, another object",
        interpretations=INPUTS,
        depends="the inputs",
    ),
    Source(PAPER, ("sparse_limits",)).claim(
        "Prop. 3.2",
        "some number of queries at inputs played keeps 2 KL(sparse || virtual) below $η = 1/5$",
        least_divergence_reached,
        remark="whatever the constant: the largest number asks about every input",
    ),
    Source("fact", ("sparse_limits",)).claim(
        "Prop. 3.2",
        "an answer at every input that was played leaves 2 KL(sparse || virtual) above $η = 1/5$",
        divergence_left,
        remark="the mean of KL is at least $(T - M) k / 2 (σ^2 + M k)$ for any $M$ observations; the proof"
        " minimises over distributions given all $T$ outputs (Mauduit25a, Appendix 0.B.1)",
    ),
    SPARSE(
        "Prop. 3.4, (25)",
        r"variances differ by less than $\sqrt{3 η}$, $η ≤ 1/5$",
        sparse_variance,
        remark="median over the arms, at the largest $T$",
        interpretations=INPUTS,
        depends="the inputs",
    ),
    *(
        Source(PAPER, ("ageing_coverage",)).claim(
            "Lemma 2.3, (14)",
            rf"{label}: $|μ - f| ≤ \mathrm{{width}} σ$ for all arms and rounds with probability $1 - δ$",
            covers_always,
            remark="runs in which every arm is inside the band in every round; data age as assumed, $α = 1$",
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
