"""Facts that follow from the definitions."""

from tvgp.study.claims.claim import Claim
from tvgp.study.claims.measures.study import average_regret, mean_optimum, queries

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "fact",
        "moving_bump",
        ("moving_bump",),
        "uniformly random play: 1.347",
        average_regret,
        {"variant": "uniform", "value": 1.347, "tolerance": 0.02},
        500,
    ),
    Claim(
        "fact",
        "moving_bump",
        ("moving_bump",),
        "best fixed arm: 0.313",
        average_regret,
        {"variant": "best_fixed_arm", "value": 0.313, "tolerance": 0.01},
        500,
    ),
    Claim(
        "fact",
        "rkhs_sine",
        ("rkhs_sine",),
        "mean optimum: 1.36",
        mean_optimum,
        {"value": 1.36, "tolerance": 0.01},
        500,
        "rewards of the oracle, which carry observation noise",
    ),
    Claim(
        "fact",
        "rkhs_sine",
        ("rkhs_sine",),
        "uniformly random play: 1.36",
        average_regret,
        {"variant": "uniform", "value": 1.36, "tolerance": 0.02},
        500,
    ),
    Claim(
        "fact",
        "query count",
        ("moving_bump", "rkhs_sine"),
        "SparQ with ceil(6 log t): 15,859 expert queries",
        queries,
        {"variant": "sparq_gp_ucb", "value": 15859, "tolerance": 0.01},
        500,
        "fewer where the policy has played fewer distinct arms than it may ask about",
    ),
    Claim(
        "fact",
        "query count",
        ("moving_bump", "rkhs_sine"),
        "W-SparQ (alpha = 1, alpha_tilde = 1/4): 3,702 expert queries",
        queries,
        {"variant": "w_sparq_gp_ucb", "value": 3702, "tolerance": 0.01},
        500,
        "fewer where the policy has played fewer distinct arms than it may ask about",
    ),
)
