"""Mauduit25a: SparQ-GP-UCB."""

from tvgp.study.claims.claim import Claim
from tvgp.study.claims.measures.study import (
    average_regret,
    below_bound,
    comparable,
    linear,
    lowest,
    sublinear,
    superlinear,
)

BASELINES = ("tv_gp_ucb", "w_gp_ucb", "r_gp_ucb", "sw_gp_ucb", "gp_ucb")
OZONE = ("ozone", "ozone_nc")


def _average(variant: str, value: float, text: str, remark: str = "") -> Claim:
    return Claim(
        "Mauduit25a",
        "Fig. 1",
        ("moving_bump",),
        text,
        average_regret,
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
        sublinear,
        {"variant": "sparq_gp_ucb"},
        500,
    ),
    Claim(
        "Mauduit25a",
        "Fig. 1",
        ("moving_bump",),
        "SparQ has the least regret",
        lowest,
        {"variants": ("sparq_gp_ucb",), "others": BASELINES},
        500,
    ),
    Claim(
        "Mauduit25a",
        "Fig. 1, (19)",
        ("moving_bump",),
        "SparQ's average regret lies below the bound (19)",
        below_bound,
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
            linear,
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
        superlinear,
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
        lowest,
        {"variants": ("sparq_gp_ucb",), "others": BASELINES},
    ),
    Claim(
        "Mauduit25a",
        "Fig. 2",
        OZONE,
        "GP-UCB is comparable to the time-varying methods",
        comparable,
        {"variant": "gp_ucb", "others": BASELINES[:4], "tolerance": 0.1},
    ),
)
