"""Vakili21: scalable Thompson sampling (S-GP-TS). The first version has no experiments; these are
its statements in words, on functions where exact Thompson sampling is feasible. Its costs (Table 1)
are measured in the table `step_cost`, as times are not equal from run to run."""

from tvgp.study.claims.claim import Claim
from tvgp.study.claims.measures.study import sublinear
from tvgp.study.claims.measures.vakili21 import same_regret

PAPER = "Vakili21"
RULES = {"points": "rule (6), inducing points", "features": "rule (7), inducing features"}
VARIANTS = {
    "gp_ts": ("Corollary 1", "exact GP-TS"),
    "s_gp_ts": ("Section 5.4", "S-GP-TS, inducing points"),
    "s_gp_ts_features": ("Section 5.4", "S-GP-TS, inducing features"),
}

CLAIMS: tuple[Claim, ...] = (
    *(
        Claim(
            PAPER,
            f"Section 5.4, d = {d}",
            ("thompson_sizes",),
            f"{words}: with m by the rule the regret is of the order of exact GP-TS",
            same_regret,
            {"series": series, "d": d, "tolerance": 0.25},
        )
        for series, words in RULES.items()
        for d in (1, 2)
    ),
    *(
        Claim(
            PAPER,
            item,
            ("thompson_1d", "thompson_2d"),
            f"{words}: sublinear regret (squared exponential)",
            sublinear,
            {"variant": variant},
            remark="scale 1, as in the authors' code; the theorem needs the larger alpha_t",
        )
        for variant, (item, words) in VARIANTS.items()
    ),
    *(
        Claim(
            PAPER,
            "Theorem 1",
            ("thompson_1d", "thompson_2d"),
            f"{words}: sublinear regret (squared exponential)",
            sublinear,
            {"variant": variant},
            remark="alpha_t is tens at these horizons, so play is still close to random; the"
            " theorem speaks of later rounds",
        )
        for variant, words in (
            ("gp_ts_theory", "exact GP-TS with the theorem's scale"),
            ("s_gp_ts_theory", "S-GP-TS with the theorem's scale"),
        )
    ),
)
"""Theorem 1's rates are O~(sqrt(gamma_T T)) here and O~(gamma_T sqrt T) in the published version;
both are sublinear for the squared exponential."""
