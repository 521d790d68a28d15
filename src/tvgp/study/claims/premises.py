"""What the papers on SparQ assume or define, and what follows from it by computation alone."""

from tvgp.study.claims.claim import Claim, Source, interpretation
from tvgp.study.claims.measures.premises import (
    allowed_lag,
    assumed_changes,
    differing_orders,
    independent_deviations,
    mean_precision,
    path_growth,
    possible_variances,
    returns_with_lag,
    schedule_growth,
    threshold_exponent,
    uniform_variance,
)
from tvgp.study.claims.measures.study import lower_than

HERE = ("premises",)
A, B, FACT = (Source(paper, HERE).claim for paper in ("Mauduit25a", "Mauduit25b", "fact"))
# Mean sigma^2 S_tau under W-SparQ's schedule at alpha = 2, by horizon.
PRECISION = {500: 26.7, 5000: 32.0, 50_000: 32.0, 500_000: 30.2, 5_000_000: 27.6}

CLAIMS: tuple[Claim, ...] = (
    *(
        B(
            "Assumption 2, (7)",
            f"$α = {alpha:g}$: deviations of different pairs of rounds are independent",
            independent_deviations,
            remark="$f_3 - f_1 = (f_2 - f_1) + (f_3 - f_2)$ at the same $x$",
            alpha=alpha,
        )
        for alpha in (1.0, 2.0)
    ),
    *(
        B(
            "Assumption 2, (7)",
            rf"$α = {alpha:g}$: a random function has deviations of variance $σ^2 \mathrm{{lag}}^α$",
            possible_variances,
            alpha=alpha,
        )
        for alpha in (1.0, 2.0, 3.0)
    ),
    *(
        B(
            "(7) and $|f|_k ≤ B$",
            rf"$α = {alpha:g}$: the variance $σ^2 \mathrm{{lag}}^α$ can go on for $T = 500$ rounds",
            allowed_lag,
            alpha=alpha,
            horizon=500,
        )
        for alpha in (1.0, 2.0, 3.0)
    ),
    B(
        "Sec. 4.1, Assumption 2",
        r"the function of Fig. 2 moves as assumed, by a variance of at most $σ^2 \mathrm{lag}$",
        assumed_changes,
        remark="$α = 1$, which the paper's method assumes there",
        environment="rkhs_sine",
        variance=0.01,
    ),
    *(
        FACT(
            "synthetic function",
            f"{name}: deviations do not grow with the lag, because $f$ is periodic",
            returns_with_lag,
            remark="$α$ is a setting of the method there, no property of the function",
            environment=name,
        )
        for name in ("moving_bump", "rkhs_sine")
    ),
    A(
        "Sec. 4.1",
        "$V_T$ is not $o(T^{1/4})$, because $f$ is periodic",
        path_growth,
        remark="so it would be without a period",
        environment="moving_bump",
        at_least=0.25,
    ),
    FACT(
        "(19) of Mauduit25a, (23)",
        r"the two published bounds for SparQ differ by powers of $\log T$",
        differing_orders,
    ),
    B(
        "Example 2.1",
        "the variance of $U(-s^2, s^2)$ is $s^2/3$",
        uniform_variance,
        remark="it is $s^4/3$",
        s=2.0,
        claimed=4.0 / 3.0,
    ),
    B(
        "Table 2",
        "$α = 1$: W-SparQ's queries are $T^{(4 α - 1)/(4 α)}$",
        threshold_exponent,
        remark=r"the printed threshold is that of $\tilde α = 1/4$",
        interpretations=tuple(
            interpretation(rf"$\tilde α = {shown}$", alpha_tilde=value)
            for value, shown in ((0.25, "1/4"), (0.3, "0.3"))
        ),
        depends=r"$\tilde α$",
        alpha=1.0,
    ),
    Source("Mauduit25b", ("query_counts",)).claim(
        "Sec. 4.1",
        r"$α = 1$: W-SparQ's additional queries are $O(T^{-1/4} \log T)$",
        schedule_growth,
        remark="the paper sets a total, SparQ's, beside a number per round",
        interpretations=(
            interpretation("in total", per_round=False),
            interpretation("per round", per_round=True),
        ),
        depends="what is counted",
        alpha=1.0,
        exponent=-0.25,
    ),
    *(
        FACT(
            "Theorem 5.3's argument",
            f"$α = 2$: mean $σ^2 S_τ$ under W-SparQ's schedule at $T = {horizon:,}$: {value}",
            mean_precision,
            remark="bounded, so that the argument gives W-SparQ linear regret",
            alpha=2.0,
            horizon=horizon,
            value=value,
        )
        for horizon, value in PRECISION.items()
    ),
    Source("hypothesis", ("rkhs_sine", "rkhs_sine_rooted"), 500, "the norm of the function").claim(
        "one-step delay",
        "ageing the expert's answers until the round in which they are used lowers SparQ's regret",
        lower_than,
        variant="sparq_aged_answers",
        other="sparq_gp_ucb",
        remark="lags measured to round $t + 1$: variance $2 σ^2$ instead of $σ^2$",
    ),
)
