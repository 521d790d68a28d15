"""What the papers and the specification state in numbers or in words that runs can check.

Only data: the verdicts are computed from results in `tvgp.tables.claims`. Mauduit25a is the ECML
2025 paper on SparQ-GP-UCB, Mauduit25b the paper on W-SparQ-GP-UCB (arXiv 2512.00517v2). "Facts"
are computed by hand or brute force from the papers' definitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

BASELINES_2025A = ("tv_gp_ucb", "w_gp_ucb", "r_gp_ucb", "sw_gp_ucb", "gp_ucb")
SINE = ("rkhs_sine", "rkhs_sine_rooted")
OZONE = ("ozone", "ozone_nc")


@dataclass(frozen=True)
class Claim:
    """A claim: where it stands, in words, and the kind of measurement (a function of that name in
    `tvgp.tables.claims`) with its arguments. `horizon`: rounds for which it is stated, None for
    any; `remark`: what a reader must know to judge the comparison."""

    paper: str
    item: str
    experiments: tuple[str, ...]
    claimed: str
    kind: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    horizon: int | None = None
    remark: str = ""


def _average(variant: str, value: float, text: str, remark: str = "") -> Claim:
    return Claim(
        "Mauduit25a",
        "Fig. 1",
        ("moving_bump",),
        text,
        "average_regret",
        {"variant": variant, "value": value, "tolerance": 0.1},
        500,
        remark,
    )


_READ_AS = "printed as R_T; read as average regret (R_T / T)"

CLAIMS: tuple[Claim, ...] = (
    # Mauduit25a Fig. 1
    Claim(
        "Mauduit25a",
        "Fig. 1",
        ("moving_bump",),
        "only SparQ's average regret goes to 0",
        "sublinear",
        {"variant": "sparq_gp_ucb"},
        500,
    ),
    Claim(
        "Mauduit25a",
        "Fig. 1",
        ("moving_bump",),
        "SparQ has the least regret",
        "lowest",
        {"variants": ("sparq_gp_ucb",), "others": BASELINES_2025A},
        500,
    ),
    Claim(
        "Mauduit25a",
        "Fig. 1, (19)",
        ("moving_bump",),
        "SparQ's average regret lies below the bound (19)",
        "below_bound",
        {"variant": "sparq_gp_ucb", "bound": "sparq_2025a"},
        500,
        "constant 1, d = 1, delta = 0.05",
    ),
    _average("tv_gp_ucb", 1.8, "TV-GP-UCB: about 1.8", _READ_AS),
    _average("w_gp_ucb", 1.3, "W-GP-UCB: about 1.3", _READ_AS),
    _average("r_gp_ucb", 1.34, "R-GP-UCB: about 1.34"),
    _average("sw_gp_ucb", 1.18, "SW-GP-UCB: about 1.18"),
    *(
        Claim(
            "Mauduit25a",
            "Fig. 1",
            ("moving_bump",),
            f"{label} has linear regret",
            "linear",
            {"variant": variant},
            500,
        )
        for variant, label in (
            ("tv_gp_ucb", "TV-GP-UCB"),
            ("w_gp_ucb", "W-GP-UCB"),
            ("r_gp_ucb", "R-GP-UCB"),
            ("sw_gp_ucb", "SW-GP-UCB"),
        )
    ),
    Claim(
        "Mauduit25a",
        "Fig. 1",
        ("moving_bump",),
        "GP-UCB's average regret grows slowly",
        "superlinear",
        {"variant": "gp_ucb"},
        500,
        "cannot go on: average regret is at most 1.9",
    ),
    # Mauduit25a Fig. 2
    Claim(
        "Mauduit25a",
        "Fig. 2",
        OZONE,
        "SparQ has significantly less regret than the other methods",
        "lowest",
        {"variants": ("sparq_gp_ucb",), "others": BASELINES_2025A},
    ),
    Claim(
        "Mauduit25a",
        "Fig. 2",
        OZONE,
        "GP-UCB is comparable to the time-varying methods",
        "comparable",
        {"variant": "gp_ucb", "others": BASELINES_2025A[:4], "tolerance": 0.1},
    ),
    # Mauduit25b Fig. 2
    Claim(
        "Mauduit25b",
        "Fig. 2",
        SINE,
        "SparQ and W-SparQ have less regret than the other five methods",
        "lowest",
        {"variants": ("sparq_gp_ucb", "w_sparq_gp_ucb"), "others": BASELINES_2025A},
        500,
    ),
    Claim(
        "Mauduit25b",
        "Fig. 2",
        SINE,
        "SparQ has sublinear regret",
        "sublinear",
        {"variant": "sparq_gp_ucb"},
        500,
    ),
    Claim(
        "Mauduit25b",
        "Fig. 2",
        SINE,
        "W-SparQ has sublinear regret",
        "sublinear",
        {"variant": "w_sparq_gp_ucb"},
        500,
    ),
    Claim(
        "Mauduit25b",
        "Fig. 2",
        SINE,
        "SparQ converges slightly faster than W-SparQ",
        "lower_than",
        {"variant": "sparq_gp_ucb", "other": "w_sparq_gp_ucb"},
        500,
    ),
    Claim(
        "Mauduit25b",
        "Sec. 4.1",
        SINE,
        "SparQ needs significantly more additional queries than W-SparQ",
        "more_queries",
        {"variant": "sparq_gp_ucb", "other": "w_sparq_gp_ucb"},
        500,
    ),
    Claim(
        "Mauduit25b",
        "Sec. 3.3",
        SINE,
        "W-SparQ's average number of additional queries vanishes",
        "vanishing_queries",
        {"variant": "w_sparq_gp_ucb"},
        500,
        "measured as the change of queries a round from the first to the second half of the run",
    ),
    Claim(
        "Mauduit25b",
        "(23)",
        SINE,
        "SparQ's average regret lies below the bound (23)",
        "below_bound",
        {"variant": "sparq_gp_ucb", "bound": "sparq_2025b"},
        500,
        "constant 1, d = 1, delta = 0.05: an order only",
    ),
    Claim(
        "Mauduit25b",
        "(34) rooted",
        SINE,
        "W-SparQ's average regret lies below the bound (34)",
        "below_bound",
        {"variant": "w_sparq_gp_ucb", "bound": "w_sparq"},
        500,
        "with the square root that the printed formula lacks; constant 1",
    ),
    Claim(
        "Mauduit25b",
        "(34) as printed",
        SINE,
        "W-SparQ's average regret lies below the bound (34)",
        "below_bound",
        {"variant": "w_sparq_gp_ucb", "bound": "w_sparq_printed"},
        500,
        "as printed, without the square root of its own proof; constant 1",
    ),
    # Mauduit25b Fig. 3 and 4
    Claim(
        "Mauduit25b",
        "Fig. 3",
        ("berkeley_france",),
        "SparQ and W-SparQ have less regret than the other five methods",
        "lowest",
        {"variants": ("sparq_gp_ucb", "w_sparq_gp_ucb"), "others": BASELINES_2025A},
    ),
    *(
        Claim(
            "Mauduit25b",
            "Fig. 3",
            ("berkeley_france",),
            f"{label} has linear regret",
            "linear",
            {"variant": variant},
        )
        for variant, label in (("sparq_gp_ucb", "SparQ"), ("w_sparq_gp_ucb", "W-SparQ"))
    ),
    Claim(
        "Mauduit25b",
        "Fig. 4",
        ("berkeley_france",),
        "W-SparQ has the lowest prediction error",
        "lowest_error",
        {"variant": "w_sparq_gp_ucb", "others": (*BASELINES_2025A, "sparq_gp_ucb")},
    ),
    Claim(
        "Mauduit25b",
        "Fig. 4",
        ("berkeley_france",),
        "W-SparQ has the smoothest prediction error",
        "smoothest_error",
        {"variant": "w_sparq_gp_ucb", "others": (*BASELINES_2025A, "sparq_gp_ucb")},
        None,
        "smoothness measured as the standard deviation of the error over places",
    ),
    # Facts that follow from the definitions
    Claim(
        "fact",
        "moving_bump",
        ("moving_bump",),
        "uniformly random play: 1.347",
        "average_regret",
        {"variant": "uniform", "value": 1.347, "tolerance": 0.02},
        500,
    ),
    Claim(
        "fact",
        "moving_bump",
        ("moving_bump",),
        "best fixed arm: 0.313",
        "average_regret",
        {"variant": "best_fixed_arm", "value": 0.313, "tolerance": 0.01},
        500,
    ),
    Claim(
        "fact",
        "rkhs_sine",
        ("rkhs_sine",),
        "mean optimum: 1.36",
        "mean_optimum",
        {"value": 1.36, "tolerance": 0.01},
        500,
        "rewards of the oracle, which carry observation noise",
    ),
    Claim(
        "fact",
        "rkhs_sine",
        ("rkhs_sine",),
        "uniformly random play: 1.36",
        "average_regret",
        {"variant": "uniform", "value": 1.36, "tolerance": 0.02},
        500,
    ),
    Claim(
        "fact",
        "query count",
        ("moving_bump", "rkhs_sine"),
        "SparQ with ceil(6 log t): 15,859 expert queries",
        "queries",
        {"variant": "sparq_gp_ucb", "value": 15859, "tolerance": 0.01},
        500,
        "fewer where the policy has played fewer distinct arms than it may ask about",
    ),
    Claim(
        "fact",
        "query count",
        ("moving_bump", "rkhs_sine"),
        "W-SparQ (alpha = 1, alpha_tilde = 1/4): 3,702 expert queries",
        "queries",
        {"variant": "w_sparq_gp_ucb", "value": 3702, "tolerance": 0.01},
        500,
        "fewer where the policy has played fewer distinct arms than it may ask about",
    ),
)
