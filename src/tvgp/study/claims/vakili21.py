"""Vakili21: scalable Thompson sampling (S-GP-TS).

The first version has no experiments; these are its statements in words, on functions where exact
Thompson sampling is feasible. The table `step_cost` measures its costs (Table 1), because times
differ from run to run. Theorem 1's rates are O~(sqrt(gamma_T T)) here and O~(gamma_T sqrt T) in the
published version; both are sublinear for the squared exponential.
"""

from tvgp.study.claims.claim import Claim, Source, interpretation
from tvgp.study.claims.measures.approximation import (
    bounded_divergence,
    bounded_errors,
    coverage,
    regret_rate,
    vanishing_constants,
    vanishing_error,
)
from tvgp.study.claims.measures.entries import nothing
from tvgp.study.claims.measures.study import comparable, sublinear
from tvgp.study.claims.measures.vakili21 import same_regret
from tvgp.theory.partitions import regret_exponent

PAPER = "Vakili21"
RUNS = Source(PAPER, ("thompson_1d", "thompson_2d"), between="the dimension").claim
_SCALE = ("scale 1, as in the authors' code", "the theorem needs the larger $α_t$")
_THEORY = (
    "the theorem's scale",
    "$α_t$ is tens at these horizons, so play is still close to random; the theorem is about later rounds",
)
# Item, method, and the variants by which the theorem's scale is read.
METHODS = (
    ("Corollary 1", "exact GP-TS", {"gp_ts": _SCALE, "gp_ts_theory": _THEORY}),
    ("Section 5.4", "S-GP-TS, inducing points", {"s_gp_ts": _SCALE, "s_gp_ts_theory": _THEORY}),
    ("Section 5.4", "S-GP-TS, inducing features", {"s_gp_ts_features": _SCALE}),
)
# Inducing points as in the paper, anew in every round among the arms played, and ours.
POINTS = {
    "s_gp_ts_played": "among the arms played, in every round",
    "s_gp_ts": "among all arms, once, which is not the paper's",
}
APPROXIMATION = Source(PAPER, ("approximation",)).claim
KERNELS = {"se": "squared exponential", "m52": "Matern 5/2"}
DESIGNS = {
    "uniform": ("a design fixed beforehand", ""),
    "played": ("arms played by GP-TS", "the published version has a larger width for such designs"),
}
_BURT = "by the results of Burt et al., on which it builds; its own formula is missing from the copy read"
# Experiments with Matern kernels: nu, and the exponent (1 + q) / 2 of sqrt(gamma_T T) with Janz20's gamma_T.
MATERN = {"thompson_m32_1d": 1.5, "thompson_m52_1d": 2.5}

CLAIMS: tuple[Claim, ...] = (
    *(
        Source(PAPER, ("thompson_sizes",)).claim(
            f"Section 5.4, $d = {d}$",
            f"{rule}, inducing {series}: with $m$ by the rule the regret is of the order of exact GP-TS",
            same_regret,
            series=series,
            d=d,
            tolerance=0.25,
        )
        for series, rule in (("points", "rule (6)"), ("features", "rule (7)"))
        for d in (1, 2)
    ),
    *(
        RUNS(
            item,
            f"{label}: sublinear regret (squared exponential)",
            sublinear,
            interpretations=tuple(
                interpretation(name, remark=remark, variant=variant)
                for variant, (name, remark) in variants.items()
            ),
            depends="the scale",
        )
        for item, label, variants in METHODS
    ),
    RUNS(
        "Section 5.4",
        "S-GP-TS, inducing points: the regret is of the order of exact GP-TS",
        comparable,
        interpretations=tuple(interpretation(text, variant=variant) for variant, text in POINTS.items()),
        depends="where the points are chosen",
        others=("gp_ts",),
        tolerance=0.25,
    ),
    RUNS(
        "Section 5.4",
        "S-GP-TS, inducing points among the arms played: sublinear regret (squared exponential)",
        sublinear,
        variant="s_gp_ts_played",
        remark="; ".join(_SCALE),
    ),
    *(
        Source(PAPER, (experiment,)).claim(
            "Theorem 1, Section 5.4",
            f"{label}: regret grows as $T^{{{regret_exponent(1, nu):.2f}}}$ at most, up to logarithms"
            f" (Matern, $ν = {nu:g}$, $d = 1$)",
            regret_rate,
            remark=r"$\tilde O(\sqrt{γ_T T})$ of the first version; the published one has"
            r" $\tilde O(γ_T \sqrt{T})$",
            variant=variant,
            exponent=regret_exponent(1, nu),
        )
        for experiment, nu in MATERN.items()
        for variant, label in (
            ("gp_ts", "exact GP-TS"),
            ("s_gp_ts_played", "S-GP-TS, points among the arms played"),
            ("s_gp_ts", "S-GP-TS, points among all arms"),
            ("s_gp_ts_features", "S-GP-TS, inducing features"),
        )
    ),
    *(
        APPROXIMATION(
            "Lemma 1",
            f"$f$ lies within the width with probability 0.95 at every point: {text} ({name})",
            coverage,
            remark=remark,
            part=kernel,
            inputs=inputs,
            delta=0.05,
        )
        for kernel, name in KERNELS.items()
        for inputs, (text, remark) in DESIGNS.items()
    ),
    *(
        APPROXIMATION(
            "Proposition 2",
            f"{statement} (inducing {variables}, {name})",
            measure,
            remark=_BURT,
            part=kernel,
            variables=variables,
        )
        for statement, measure in (
            ("the eigenvalues beyond $m$ bound the divergence", bounded_divergence),
            ("the divergence bounds the errors of mean and variance", bounded_errors),
        )
        for kernel, name in KERNELS.items()
        for variables in ("points", "features")
    ),
    *(
        APPROXIMATION(
            "Assumptions 1, 2",
            f"with $m$ by the rule $c_t$ tends to 0: inducing {variables}, {text} ({name})",
            vanishing_constants,
            remark="the assumptions name constants, measured here",
            part=kernel,
            variables=variables,
            inputs=inputs,
        )
        for kernel, name in KERNELS.items()
        for variables in ("points", "features")
        for inputs, (text, _) in DESIGNS.items()
    ),
    *(
        Source(PAPER, ()).claim(item, text, nothing, remark=reason)
        for item, text, reason in (
            (
                "Theorem 1",
                "the regret scales with the products of the constants $a_t$, $c_t$ and with $ε_t$",
                "$m$ moves all three together; where they tend to their limits is Assumptions 1, 2",
            ),
            (
                "Proposition 1, (9)",
                "the posterior variance is the largest error of prediction plus that of the noise",
                "an identity of kernels, without anything to measure",
            ),
        )
    ),
    *(
        APPROXIMATION(
            "Section 5.4",
            f"with $m$ by the rule the approximation error vanishes: inducing {variables}, {text} ({name})",
            vanishing_error,
            part=kernel,
            variables=variables,
            inputs=inputs,
        )
        for kernel, name in KERNELS.items()
        for variables in ("points", "features")
        for inputs, (text, _) in DESIGNS.items()
    ),
)
