"""Vakili21: scalable Thompson sampling (S-GP-TS).

The first version has no experiments; these are its statements in words, on functions where exact
Thompson sampling is feasible. The table `step_cost` measures its costs (Table 1), because times
differ from run to run. Theorem 1's rates are O~(sqrt(gamma_T T)) here and O~(gamma_T sqrt T) in the
published version; both are sublinear for the squared exponential.
"""

from tvgp.study.claims.claim import Claim, Source, reading
from tvgp.study.claims.measures.study import sublinear
from tvgp.study.claims.measures.vakili21 import same_regret

PAPER = "Vakili21"
RUNS = Source(PAPER, ("thompson_1d", "thompson_2d"), between="the dimension").claim
_SCALE = ("scale 1, as in the authors' code", "the theorem needs the larger alpha_t")
_THEORY = (
    "the theorem's scale",
    "alpha_t is tens at these horizons, so play is still close to random; the theorem is about later rounds",
)
# Item, method, and the variants by which the theorem's scale is read.
METHODS = (
    ("Corollary 1", "exact GP-TS", {"gp_ts": _SCALE, "gp_ts_theory": _THEORY}),
    ("Section 5.4", "S-GP-TS, inducing points", {"s_gp_ts": _SCALE, "s_gp_ts_theory": _THEORY}),
    ("Section 5.4", "S-GP-TS, inducing features", {"s_gp_ts_features": _SCALE}),
)

CLAIMS: tuple[Claim, ...] = (
    *(
        Source(PAPER, ("thompson_sizes",)).claim(
            f"Section 5.4, d = {d}",
            f"{rule}, inducing {series}: with m by the rule the regret is of the order of exact GP-TS",
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
            readings=tuple(
                reading(name, remark=remark, variant=variant) for variant, (name, remark) in variants.items()
            ),
            depends="the scale",
        )
        for item, label, variants in METHODS
    ),
)
